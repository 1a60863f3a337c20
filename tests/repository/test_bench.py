"""The measurements refuse arguments with which they would measure nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import arena, canary, closing, fairness, strength
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.closed_blocks import ClosedBlock
from fudaba_arena.store.results import Store
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.ladder import Span


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


@pytest.mark.parametrize("wrong", [["--runs", "0"], ["--seconds", "0"], ["--matches", "0"]])
def test_fairness_refuses_to_measure_nothing(wrong: list[str]) -> None:
    done = CliRunner().invoke(fairness.main, wrong)
    assert done.exit_code == 2
    assert "not in the range" in done.output


def test_strength_plays_the_bot_that_is_named() -> None:
    assert {"search-flat", "search-tree", "sensible"} == set(strength.BOTS)
    done = CliRunner().invoke(
        strength.main, ["naga", "--bot", "search-flat", "--budget", "1", "--deals", "2", "--json"]
    )
    assert done.exit_code == 0, done.output
    assert [line.split('"bot": "')[1][:11] for line in done.stdout.splitlines()] == ["search-flat"] * 2


def test_canary_tells_how_late_a_workers_canary_was() -> None:
    done = CliRunner().invoke(canary.main, ["--seconds", "3", "--busy", "0", "--late", "3600"])
    assert done.exit_code == 0, done.output
    assert done.output.endswith(" ms; 0 late, 0 alarms\n")


async def test_the_blocks_that_closing_makes_up_are_as_the_arena_stores_them(need_tool: Callable[[str], Path]) -> None:
    need_tool("redis-server")
    with closing.redis_server() as (url, _):
        store, of = Store(url), closing.tournament("t", 101, 4, 20)
        await closing.fill(store, of, 101, 20)
        stored = await store.load("t", entries=True)
        assert stored is not None
        state = TournamentState(of, stored)
        assert (stored.blocks.counted, set(stored.blocks.void)) == (101, {0, 50, 100})
        assert stored.blocks.lines is not None
        for number, line in stored.blocks.lines.items():
            closed = ClosedBlock.of(line)
            block = state.schedule.block(number)
            assert closed.line() == line
            planned = [(match.match_id, match.bots) for match in block.matches]
            assert [(result.match_id, result.bots) for result in closed.results] in ([], planned)
        one = closing.Closing(store, of, state)
        for void in (False, True):
            assert await one.close(void=void) > 0
        await store.close()


@pytest.mark.parametrize("ladder", [False, True])
def test_what_the_arena_is_given_to_play_is_a_definition(ladder: bool) -> None:
    for bots in (arena.built_in("random"), arena.given(["sleep", "1"])):
        name, text = arena.tournament(bots, ladder=ladder)
        span = Span() if ladder else None
        read = Source(text, "bench.toml", Path(), hosted=True, span=span).read()
        assert (read.name, len(read.bots)) == (name, 4)
