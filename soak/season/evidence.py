"""Collects the evidence after the season, from the store, the service and the arena."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from redis.asyncio import Redis

from fudaba.client import AsyncClient
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, matches_pb2, record_pb2
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.answers import key, read_at_once
from fudaba_arena.store.blocks.closed_block import ClosedBlock
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.season_archive import Moved
from fudaba_arena.tournament.definition import stored_tournament
from soak.season.checker import Evidence
from soak.season.entrants import LADDER
from soak.season.following import SEASON, Follower, Reader
from soak.season.machines import Machines

__all__ = ["collected"]

_CALL_TIMEOUT_SECONDS: Final = 60.0
_MATCHES_PER_PAGE: Final = 100
_CONCURRENT_CALLS: Final = 8
_ALIVE: Final = frozenset({matches_pb2.MATCH_STATE_WAITING, matches_pb2.MATCH_STATE_PLAYING})
_MAX_TRIES: Final = 100
_RETRY_SECONDS: Final = 0.2


async def collected(
    machines: Machines,
    token: str,
    committed: bytes,
    follower: Follower,
    reader: Reader,
    stands: str,
    unleased: Mapping[int, float],
) -> Evidence:
    """Returns all evidence. `stands` is the reason why the ladder did not go on; the season is then not over, and less
    is known.

    `unleased` is as in `Evidence`.
    """
    state, lines = await _stored(machines)
    closed = [ClosedBlock.from_line(line) for line in lines]
    ids = [result.match_id for block in closed for result in block.counted]
    hidden = [match_id for match_id, record in (await _records(machines, "", ids)).items() if isinstance(record, str)]
    return Evidence(
        lines=lines,
        read=reader.lines,
        notices=follower.notices,
        planned={block.block: state.schedule.block(block.block).matches for block in closed},
        records=await _records(machines, token, ids),
        master=state.stored.master,
        committed=committed,
        standings=await _standings(machines),
        recomputed=standing_messages.standings(
            await asyncio.to_thread(lambda: ladders_of(state, block_results(state)))
        ),
        withdrawn=state.stored.withdrawn,
        open_matches=await _open_matches(machines, token),
        leftovers=_leftovers(state) if not stands else [],
        hidden=hidden if not stands else [],
        stands="; ".join(filter(None, [stands, *follower.wrong])),
        unleased=unleased,
    )


async def _stored(machines: Machines) -> tuple[ScheduledTournament, list[bytes]]:
    """Returns the stored season, read anew, and the lines of its sequence, which are in files for a closed season."""
    store = Store(machines.queue_url, machines.folder / "arena" / "archive")
    try:
        found = await store.load(SEASON, keep_blocks=True)
        async with Redis(port=machines.queue.port) as redis:
            moved, left = await read_at_once(
                redis, ("GET", key(SEASON, "archived")), ("LRANGE", key(SEASON, "closed"), "0", "-1")
            )
        lines = [line async for page in store.archive.pages(Moved.from_stored(moved)) for line in page]
    finally:
        await store.close()
    if found is None:
        raise RuntimeError(f"the store has no {SEASON}")
    return ScheduledTournament(stored_tournament(SEASON, found.definition, found.attempts), found), [*lines, *left]


def _leftovers(state: ScheduledTournament) -> list[str]:
    stored = state.stored
    left = [f"block {number} handed out" for number in sorted(stored.handed_out)]
    left += [f"match {match_id} as open" for match_id in sorted(stored.created)]
    return [*left, *(f"block {number} unreleased" for number in sorted(stored.unreleased))]


async def _records(machines: Machines, token: str, ids: list[str]) -> Mapping[str, record_pb2.MatchRecord | str]:
    """Returns the records of matches that this token may read, or the reasons why there are none."""
    found: dict[str, record_pb2.MatchRecord | str] = {}
    turn = asyncio.Semaphore(_CONCURRENT_CALLS)

    async def get(client: AsyncClient, match_id: str) -> None:
        request = matches_pb2.GetRecordRequest(match_id=match_id)
        async with turn:
            for _ in range(_MAX_TRIES):
                try:
                    found[match_id] = (await client.matches.GetRecord(request, timeout=_CALL_TIMEOUT_SECONDS)).record
                except ServiceError as error:
                    found[match_id] = f"{error.reason or error.code}: {error.message}"
                    if not error.retryable:
                        return
                    await asyncio.sleep(error.retry_after or _RETRY_SECONDS)
                else:
                    return

    async with AsyncClient(machines.service_address, token) as client:
        await asyncio.gather(*(get(client, match_id) for match_id in ids))
    return found


async def _open_matches(machines: Machines, token: str) -> list[str]:
    found: list[str] = []
    async with AsyncClient(machines.service_address, token) as client:
        page = ""
        while True:
            request = matches_pb2.ListMatchesRequest(label=SEASON, page_size=_MATCHES_PER_PAGE, page_token=page)
            answer = await client.matches.ListMatches(request, timeout=_CALL_TIMEOUT_SECONDS)
            found += [match.header.match_id for match in answer.matches if match.state in _ALIVE]
            page = answer.next_page_token
            if not page:
                return found


async def _standings(machines: Machines) -> list[arena_pb2.Standings]:
    async with AsyncClient(machines.arena_address) as client:
        request = arena_pb2.GetStandingsRequest(tournament=LADDER)
        return list((await client.arena.GetStandings(request, timeout=_CALL_TIMEOUT_SECONDS)).standings)
