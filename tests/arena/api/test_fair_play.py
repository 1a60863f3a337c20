"""The fair-play report of a real ladder: the organiser alone has it, over the contract and by command."""

from __future__ import annotations

import json

from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import CALM, WAITING, author, blocks, call, create, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

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
