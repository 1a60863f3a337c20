"""The example of the page about tournament files is played as the page says, with fewer blocks."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.folders import short_folder
from tests.support.service.processes import Service

PAGE = (Path(__file__).parents[3] / "docs" / "tournament.md").read_text(encoding="utf-8")


def part(kind: str) -> str:
    """Returns the first example of a kind on the page."""
    blocks: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    return next(text for name, text in blocks if name == kind)


@pytest.mark.nightly(
    "`tournament/test_tournament.py` reads the page's example, and `test_running.py` plays such a tournament"
)
def test_the_example_is_played_as_the_page_says() -> None:
    file = re.sub(r"^blocks = 20 ", "blocks = 1 ", part("toml"), flags=re.MULTILINE)
    file = re.sub(r"^metrics = .*\n", "", file, flags=re.MULTILINE)  # the port may be taken here
    lines = [line.removeprefix("$ ") for line in part("").splitlines()]
    assert [line.split()[:3] for line in lines[1:]] == [
        ["fudaba", "bot", "create"],
        ["fudaba", "bot", "run"],
        ["fudaba", "arena", "run"],
    ]
    with short_folder() as place, Service(place) as service:
        service.start()
        (place / "bots").mkdir()
        (place / "bots" / "mybot.py").write_text(part("python"), encoding="utf-8")
        (place / "spring.toml").write_text(file, encoding="utf-8")
        script = "\n".join(["set -e", "trap 'kill $!' EXIT", *lines[1:]])
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": path, "FUDABA_TOKEN": service.token, "FUDABA_SERVER": service.address}
        done = subprocess.run(
            ["sh", "-c", script], cwd=place, env=environment, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "forfeited" not in done.stderr
    naga = done.stdout.partition("\nnaga\n")[2].partition("\n\n")[0]
    for bot in ("sensible", "mine", "far-away"):
        assert re.search(rf"^ *\d+=? +{bot} ", naga, re.MULTILINE), done.stdout
