"""Maintenance of the service: no block begins, what is in play is played on, and the arena goes on by itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from pathlib import Path

from fudaba.client import Endpoint
from fudaba.v1 import arena_pb2, matches_pb2, record_pb2
from fudaba_arena.play.service.service_client import ServiceClient
from tests.support.arena.api.challenges import ask, ladder, show, wait_for
from tests.support.arena.api.ladders import CALM, blocks, call, create, get, rows, until
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, STEADY, bot, finished, head
from tests.support.arena.maintenance import BEGUN, TEXT, maintenance
from tests.support.arena.nodes import check_whole
from tests.support.arena.running import Service, gated, waits_at
from tests.support.arena.standing import Arena

CLOSED = arena_pb2.LADDER_STATE_CLOSED
FINAL = arena_pb2.LADDER_STATE_FINAL


def idle_for_maintenance(arena: Arena, name: str) -> arena_pb2.GetQueueResponse | None:
    """Returns a ladder's queue if nothing is in it because of maintenance."""
    queue: arena_pb2.GetQueueResponse = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament=name), "")
    return queue if queue.idle_reason.cause == arena_pb2.IDLE_CAUSE_MAINTENANCE else None


@contextmanager
def known_maintenance(hosted: Service, arena: Arena) -> Iterator[None]:
    """Begins maintenance, and yields once the arena knows of it."""
    before = arena.output.count(BEGUN)
    with maintenance(hosted):
        until(arena, lambda: arena.output.count(BEGUN) > before, "the arena knows of the maintenance")
        yield


# The ladders are created during the maintenance: a block that it interrupts stays in the queue to its end.


def test_a_ladder_begins_no_block_in_maintenance_says_so_and_goes_on_by_itself(hosted: Service, arena: Arena) -> None:
    with known_maintenance(hosted, arena):
        create(arena, CALM.format(name="calm", narrow=0))
        queue = until(arena, lambda: idle_for_maintenance(arena, "calm"), "nothing is played")
        assert queue.idle_reason.end_time.ToMilliseconds() > time.time() * 1000
        assert queue.idle_because.startswith("no block begins before the service's maintenance is over, at ")
        assert f"({TEXT}): no match begins before its end" in arena.output
        assert not blocks(arena, "calm")
        assert not hosted.matches("calm.1")
    until(arena, lambda: blocks(arena, "calm"), "it goes on")
    assert "the service's maintenance is over: matches begin again" in arena.output
    assert not call(arena, "ListBlocks", void_blocks("calm"), "").blocks
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="calm"))


def void_blocks(name: str) -> arena_pb2.ListBlocksRequest:
    return arena_pb2.ListBlocksRequest(tournament=name, state=arena_pb2.BLOCK_STATE_VOID)


def test_a_block_pauses_after_its_matches_in_play_and_another_process_of_the_arena_goes_on_with_it(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    player = bot("player", PLAYER, env=gated(gate))
    arena.create(
        head("paused", blocks=1, concurrency=1, clock=PATIENT_CLOCK, options="{ deals = 2 }") + player + STEADY
    )
    until(arena, lambda: waits_at(gate), "the first of its two matches is in play")
    with known_maintenance(hosted, arena):
        queue = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament="paused"), "")
        assert [queued.block.number for queued in queue.blocks] == [0]
        assert queue.idle_reason.cause == arena_pb2.IDLE_CAUSE_MAINTENANCE
        assert queue.idle_because in arena.command("tournament", "queue", "paused").stdout
        gate.touch()
        until(arena, lambda: finished(hosted, "paused") == 1, "the match in play is played to its end")
        until(arena, lambda: not arena.get("paused").progress.matches_playing, "no other match is tried")
        assert arena.stop() == 0, arena.output
        assert len(hosted.matches("paused")) == 1
        arena.start()
        assert arena.get("paused").state == arena_pb2.TOURNAMENT_STATE_PLAYING
    assert check_whole(arena, "paused").progress.blocks_void == 0


def test_a_final_is_played_after_the_maintenance_in_which_its_season_ends(hosted: Service, arena: Arena) -> None:
    with known_maintenance(hosted, arena):
        create(arena, CALM.format(name="short", narrow=0).replace("[season]", "[season]\nfinal_wait_seconds = 0"))
        until(arena, lambda: idle_for_maintenance(arena, "short"), "nothing is played")
        call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="short"))
        until(arena, lambda: get(arena, "short").state == FINAL, "the season is frozen")
        until(arena, lambda: idle_for_maintenance(arena, "short"), "nothing of the final is played")
        assert not blocks(arena, "short")
    until(arena, lambda: get(arena, "short").state == CLOSED, "it is played, and the season closes")
    assert rows(arena, "short")["first@1"].blocks >= 2


def test_a_challenge_waits_for_the_end_of_maintenance_and_says_so(hosted: Service, arena: Arena) -> None:
    ladder(arena, "challenged")
    with known_maintenance(hosted, arena):
        asked = ask(arena, None, "random", 1, with_bot="first", ladder="challenged")
        cause = arena_pb2.CHALLENGE_CAUSE_MAINTENANCE
        until(arena, lambda: show(arena, asked).cause == cause, "it waits for the end of the maintenance")
        assert show(arena, asked).message == "it waits until the service's maintenance is over"
    wait_for(arena, asked)


async def test_a_refusal_for_maintenance_is_no_fault_of_the_service_and_a_check_goes_on_after_it(
    hosted: Service,
) -> None:
    service = ServiceClient(Endpoint(hosted.address, hosted.arena_token), print)
    seats = [matches_pb2.Seat(house_bot="house-first")] * 2
    request = matches_pb2.CreateMatchRequest(
        match_id="m-check", game="naga", seats=seats, clock=record_pb2.Clock(move_ms=1000, max_timeouts=1)
    )
    with maintenance(hosted, seconds=2):
        match = await service.create_match_after_maintenance(request)
    assert match.header.match_id == "m-check"
    assert service.faulted_at == -inf
    await service.close()
