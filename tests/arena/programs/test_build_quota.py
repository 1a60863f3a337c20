"""An account whose builds have used up a day's time or bytes is told so, and when there is room again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.arena.api.ladders import author, register
from tests.support.arena.nodes import Node, node
from tests.support.arena.programs.checks import refused
from tests.support.arena.programs.uploads import GOOD, folder, over, send
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.folders import file_sizes
from tests.support.patience import wait_until

BUILD: dict[str, Any] = {"build": '["python3", "build.py"]'}


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    """Yields one in which an account may upload and build two megabytes a day."""
    with standing(hosted, "--workers", "--upload-megabytes-per-day", "2") as running:
        yield running


def test_what_a_build_makes_over_the_bytes_of_a_day_is_refused_and_not_kept(
    hosted: Service, arena: Arena, alice: str, worker: Node
) -> None:
    register(hosted, alice, "large")
    build = "import os; open('large', 'wb').write(os.urandom(5_000_000))"
    raw = folder({"build.py": build, "bot.py": GOOD}, **BUILD)
    output = refused(over(arena, alice, send(arena, alice, raw, "large")), "QUOTA")
    assert re.fullmatch(
        r"the build has made 5\.\d MB, packed; account \S+ has uploaded and built 0\.0 MB in the last 24 hours, and may"
        r" 2\.0 MB: this arena takes no such bot; build less",
        output,
    ), output
    kept = arena.folder / "data" / "submissions"
    wait_until(lambda: not file_sizes(kept), "nothing of it is kept")


def test_who_has_no_time_left_to_build_is_told_and_may_submit_what_is_not_built(
    hosted: Service, need_sandbox: None
) -> None:
    token = author(hosted, "ben")
    with standing(hosted, "--workers", "--build-minutes-per-day", "0") as arena:
        place = str(arena.folder / "data" / "submissions")
        with node(hosted, arena, "builds", "--submissions", place):
            register(hosted, token, "late")
            raw = folder({"build.py": "", "bot.py": GOOD}, **BUILD)
            output = refused(over(arena, token, send(arena, token, raw, "late")), "QUOTA")
            assert re.fullmatch(
                r"builds of account \S+ took 0 s in the last 24 hours, and may take 0 s: this arena takes no such bot;"
                r" build less",
                output,
            ), output
            register(hosted, token, "plain")
            submission = over(arena, token, send(arena, token, folder({"bot.py": GOOD}), "plain"))
            assert submission.stages[-1].passed, submission
