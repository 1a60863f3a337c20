"""The measurements refuse arguments with which they would measure nothing."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from bench import strength


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["naga", "--bot", "serch"], "'serch' is not one of"),
        (["naga", "--budget", "abc"], "search-tree:500"),
        (["naga", "--deals", "0"], "0 is not in the range"),
        (["chess"], "'chess' is not one of"),
    ],
)
def test_strength_refuses_what_it_can_not_play(arguments: list[str], said: str) -> None:
    done = CliRunner().invoke(strength.main, arguments)
    assert done.exit_code == 2
    assert said in done.output


def test_strength_plays_the_bot_that_is_named() -> None:
    assert {"search-flat", "search-tree", "sensible"} == set(strength.BOTS)
    done = CliRunner().invoke(
        strength.main, ["naga", "--bot", "search-flat", "--budget", "1", "--deals", "2", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert [line.split('"bot": "')[1][:11] for line in done.stdout.splitlines()] == ["search-flat"] * 2
