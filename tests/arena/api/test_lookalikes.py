"""Bots of two accounts whose names look alike are marked, each with the other's name."""

from __future__ import annotations

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import call, rows
from tests.support.arena.api.lookalikes import ladder_of_lookalikes, tournament_of_lookalikes
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE

CLOSED = arena_pb2.TOURNAMENT_STATE_CLOSED


@pytest.mark.exhaustive
def test_entries_and_standings_mark_names_that_look_alike(hosted: Service, arena: Arena) -> None:
    with hosted.client() as organiser:
        early, late = ladder_of_lookalikes(organiser, arena, "alike")
    marks = {early: late, late: early}
    entries = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder="alike"), "").entries
    assert {entry.bot: entry.looks_like for entry in entries if entry.looks_like} == marks
    standings = {bot.partition("@")[0]: row.looks_like for bot, row in rows(arena, "alike").items()}
    assert {bot: other for bot, other in standings.items() if other} == marks

    for command in (["ladder", "entries", "alike"], ["ladder", "standings", "alike"]):
        shown = arena.command(*command).stdout
        marked = {line.partition("looks like ")[2]: line for line in shown.splitlines() if "looks like" in line}
        assert set(marked) == set(marks), shown
        assert all(other in marked[bot] for bot, other in marks.items()), shown
    read = arena.json("arena", "standings", "--arena", arena.address, "--tournament", "alike.1")
    found = {row["bot"].partition("@")[0]: row["looks_like"] for row in read["standings"]}
    assert {bot: other for bot, other in found.items() if other} == marks


@pytest.mark.exhaustive
def test_lists_of_blocks_and_of_matches_and_the_queue_mark_names_that_look_alike(arena: Arena) -> None:
    definition, marks = tournament_of_lookalikes("listed")
    arena.create(definition, paused=True)
    queue = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament="listed"), "")
    assert queue.blocks
    assert dict(queue.looks_like) == marks
    lines = {f"{bot} looks like {other}" for bot, other in marks.items()}
    assert lines <= set(arena.command("tournament", "queue", "listed").stdout.splitlines())

    with arena.client() as organiser:
        organiser.arena.ResumeTournament(arena_pb2.ResumeTournamentRequest(tournament="listed"), timeout=PATIENCE)
    arena.wait_for("listed", CLOSED)
    blocks = call(arena, "ListBlocks", arena_pb2.ListBlocksRequest(tournament="listed"), "")
    matches = call(arena, "ListTournamentMatches", arena_pb2.ListTournamentMatchesRequest(tournament="listed"), "")
    assert dict(blocks.looks_like) == dict(matches.looks_like) == marks
    for command in ("blocks", "matches"):
        shown = arena.command("arena", command, "--arena", arena.address, "--tournament", "listed").stdout
        assert lines <= set(shown.splitlines()), shown
