"""The fair-play report of a real ladder: the organiser alone has it, over the contract and by command."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any, NamedTuple, cast

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.v1 import arena_pb2
from fudaba_arena.api.methods import ladder_methods
from fudaba_arena.ladder.fairplay import PlayedSeason, Report, fair_play
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import BotEntry, Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from tests.support.arena.api.ladders import CALM, WAITING, author, blocks, call, create, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE

ASKED = arena_pb2.GetFairPlayRequest


def test_only_the_organiser_has_it(hosted: Service, arena: Arena) -> None:
    create(arena, WAITING.format(name="closed-to-others", narrow=25))
    request = ASKED(ladder="closed-to-others")
    assert arena.refusal("GetFairPlay", request, "").reason == "TOKEN_MISSING"
    assert arena.refusal("GetFairPlay", request, author(hosted, "fay")).reason == "ORGANISER_ONLY"
    assert call(arena, "GetFairPlay", request).season == 1


def test_what_is_not_there_is_refused(arena: Arena) -> None:
    create(arena, WAITING.format(name="once", narrow=25))
    assert arena.refusal("GetFairPlay", ASKED(ladder="nowhere")).reason == "LADDER_NOT_FOUND"
    assert arena.refusal("GetFairPlay", ASKED()).reason == "LADDER_NOT_FOUND"
    wrong = arena.refusal("GetFairPlay", ASKED(ladder="once", season=2))
    assert (wrong.reason, "season is 2" in wrong.message) == ("MALFORMED", True)


def test_a_season_without_blocks_has_an_empty_report(arena: Arena) -> None:
    create(arena, WAITING.format(name="not-begun", narrow=25))
    assert call(arena, "GetFairPlay", ASKED(ladder="not-begun", season=1)) == arena_pb2.GetFairPlayResponse(season=1)


def test_the_command_says_what_was_looked_at(arena: Arena) -> None:
    create(arena, CALM.format(name="looked-at", narrow=0))
    until(arena, lambda: len(blocks(arena, "looked-at")) >= 3, "some blocks are played")
    where = ["--arena", arena.address, "--token", arena.service.token]
    done = CliRunner().invoke(cli, ["ladder", "fairplay", "looked-at", *where, "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["season"], report["blocks"] >= 3) == (1, True)
    done = CliRunner().invoke(cli, ["ladder", "fairplay", "looked-at", *where])
    assert "ladder looked-at, season 1: 0 lines;" in done.stdout
    assert "one ladder of twenty" in done.stdout


class Stored(NamedTuple):
    """A season without blocks, as the finder and the registry of the arena give it."""

    name: str
    state: ScheduledTournament

    async def season(self, ladder: str, number: int) -> Stored:
        return self

    async def stored(self, name: str) -> ScheduledTournament:
        return self.state


async def test_a_report_whose_caller_has_left_ends_before_the_next_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end, reports = threading.Semaphore(0), threading.Event(), []

    def slow(season: PlayedSeason) -> Report:
        reports.append(season)
        begun.release()
        assert may_end.wait(PATIENCE)
        return fair_play(season)

    monkeypatch.setattr(ladder_methods, "fair_play", slow)
    stored = StoredTournament({}, bytes(32), ClosedBlocks(), {}, set(), set(), {}, {}, 3, 0, 0, False)
    bots = (BotEntry("ada", "random", stateless=True), BotEntry("bob", "random", stateless=True))
    tournament = Tournament("open.1", (TournamentGame("naga", blocks=20, win_margin=40),), bots, season=Season("open"))
    season = cast("Any", Stored("open.1", ScheduledTournament(tournament, stored)))
    methods = ladder_methods.LadderMethods(season, season, season, season, season)
    request, context = ASKED(ladder="open"), cast("Any", None)
    try:
        left = asyncio.create_task(methods.GetFairPlay(request, context))
        assert await asyncio.to_thread(begun.acquire, timeout=PATIENCE)
        left.cancel()
        await asyncio.wait([left])
        following = asyncio.create_task(methods.GetFairPlay(request, context))
        assert not await asyncio.to_thread(begun.acquire, timeout=0.3)
    finally:
        may_end.set()
    assert (await following).season == 1
    assert len(reports) == 2
