"""scripts/demo does what the README says of it, and leaves nothing running."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.sizes import exhaustive

CHECKOUT = Path(__file__).parents[2]


def mentioning(text: str, *folders: Path) -> list[str]:
    """Returns the command lines of the processes that mention a text and work in these folders; others may play the
    same."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = line.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            place = line.with_name("cwd").readlink()
        except OSError:
            continue  # it has just ended
        if text in command and any(map(place.is_relative_to, folders)):
            found.append(command)
    return found


KEPT = ('game = "naga"', 'name = "sensible"', 'name = "greedy"')
"""What a sample of the tournament has: one game, and two bots, one of which is started afresh for each match."""


def sample(folder: Path) -> Path:
    """Returns one block of that game between those bots."""
    shutil.copytree(CHECKOUT / "docs" / "examples", folder)
    tournament = folder / "demo.toml"
    head, *entries = re.split(r"^(?=\[\[)", tournament.read_text(encoding="utf-8"), flags=re.MULTILINE)
    kept = [entry for entry in entries if any(line in entry for line in KEPT)]
    assert len(kept) == len(KEPT)
    text = re.sub(r"^blocks = \d+", "blocks = 1", head + "".join(kept), flags=re.MULTILINE)
    tournament.write_text(text, encoding="utf-8")
    return tournament


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="looks for processes in /proc")
@pytest.mark.exhaustive
def test_the_demo_plays_a_tournament_to_its_end_and_leaves_nothing_running(tmp_path: Path) -> None:
    done = subprocess.run(
        [CHECKOUT / "scripts" / "demo", *([] if exhaustive() else [sample(tmp_path / "examples")])],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    ranks = [line.split()[0] for line in done.stdout.splitlines() if "sensible" in line.split()[1:2]]
    # In one block anybody may win.
    assert "1" in ranks if exhaustive() else ranks
    assert "valid: commitment, every move, result" in done.stdout
    assert mentioning(".demo/fudaba", CHECKOUT) == []
    # In the checkout itself other tests may be running the same bot.
    assert mentioning("first_bot.py:FirstBot", CHECKOUT / "docs" / "examples", tmp_path) == []
