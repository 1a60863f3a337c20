"""The end of a ladder's season, by its date or the organiser's word, whoever is away; and the next one's beginning."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest

from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, bots_pb2
from fudaba_arena.store.answers import key
from fudaba_arena.store.data_folder import open_to_read
from tests.support.arena.api.ladders import (
    CALM,
    author,
    blocks,
    call,
    create,
    get,
    playing,
    playing_now,
    register,
    rows,
    stored_standings,
    until,
)
from tests.support.arena.running import Service
from tests.support.arena.scraping import value_at
from tests.support.arena.standing import Arena, standing
from tests.support.patience import wait_until
from tests.support.service.processes import free_port

FINAL = arena_pb2.LADDER_STATE_FINAL
CLOSED = arena_pb2.LADDER_STATE_CLOSED
MIN_FINAL_BLOCKS = 2
"""Blocks of the final."""


def ending(name: str, ends: float = 0, wait: int = 3_600) -> str:
    """Returns a ladder whose season ends at a time, in seconds since 1970, if it does."""
    date = f"ends = {datetime.fromtimestamp(ends, UTC).isoformat(timespec='milliseconds')}\n" if ends else ""
    return CALM.format(name=name, narrow=0).replace("[season]\n", f"[season]\nfinal_wait_seconds = {wait}\n{date}")


def absent(hosted: Service, arena: Arena, ladder: str, bot: str) -> str:
    """Enters a bot that nobody runs. Returns its author's token."""
    token = author(hosted, f"of-{bot}")
    register(hosted, token, bot)
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot), token)
    return token


@pytest.mark.exhaustive
def test_a_season_ends_by_its_date_and_waits_in_its_final_for_who_is_not_here(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    name, ends, token = entered_in_time(hosted, arena)
    until(arena, lambda: get(arena, name).state == FINAL, "its date passes")
    assert time.time() >= ends
    with hosted.client() as client:
        client.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot="late", version="2"))
    changed = arena_pb2.EnterLadderRequest(ladder=name, bot="late", version="2")
    assert arena.refusal("EnterLadder", changed, token).reason == "SEASON_FROZEN"
    with playing(hosted, tmp_path, token, "late", "1"):
        until(arena, lambda: get(arena, name).state == CLOSED, "it waits for the last one, then closes")
    assert rows(arena, name)["late@1"].blocks >= MIN_FINAL_BLOCKS
    assert "late@2" not in rows(arena, name)


def entered_in_time(hosted: Service, arena: Arena) -> tuple[str, float, str]:
    """Returns a ladder whose season ends soon, when that is, and the author of a bot that was entered before."""
    token = author(hosted, "of-late")
    register(hosted, token, "late")
    for seconds in _SPANS:
        try:
            _, ends = created_in_time(arena, f"dated-{seconds}", (seconds,))
            call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=f"dated-{seconds}", bot="late"), token)
        except ServiceError as error:
            if error.reason not in {"SEASON_FROZEN", "BAD_TOURNAMENT"}:
                raise
        else:
            return f"dated-{seconds}", ends, token
    raise AssertionError("no bot could be entered in time")


_SPANS = (3, 12, 48, 192)
"""How soon a season may end, in seconds: a slow machine needs longer for two calls."""


def created_in_time(arena: Arena, name: str, spans: Sequence[int] = _SPANS) -> tuple[str, float]:
    """Creates a ladder whose season ends soon. Returns its definition, and when it ends."""
    for seconds in spans:
        ends = time.time() + seconds
        try:
            create(arena, ending(name, ends))
        except ServiceError as error:
            if error.reason != "BAD_TOURNAMENT" or seconds == spans[-1]:
                raise
        else:
            return ending(name, ends), ends
    raise AssertionError("no ladder could be created in time")


@pytest.mark.exhaustive
def test_a_ladder_is_found_again_by_its_file_when_its_end_has_passed_and_no_other_begins_so(arena: Arena) -> None:
    definition, _ = created_in_time(arena, "passing")
    until(arena, lambda: get(arena, "passing").state == CLOSED, "its end passes")
    assert create(arena, definition).state == CLOSED
    late = arena_pb2.CreateLadderRequest(definition=definition.replace("passing", "past"), validate_only=True)
    [(_, message)] = arena.refusal("CreateLadder", late).violations
    assert "the season ends in the past" in message


@pytest.mark.exhaustive
def test_a_season_that_its_opponents_have_left_ends_when_it_is_closed(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    of_one, _, _ = ending("left").rpartition("[[bots]]")
    clock = "clock = { move_ms = 300, bank_ms = 0, max_timeouts = 1 }"
    rules = f"connect_seconds = 1\nno_shows = 100\nattempts = 100\n{clock}\n"
    # Where absence forfeits, the block that it leaves would wait a minute for it, and count.
    create(arena, of_one.replace("[season]", f"{rules}[absence]\nforfeits = false\n\n[season]", 1))
    token = author(hosted, "of-quitter")
    register(hosted, token, "quitter")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="left", bot="quitter", version="1"), token)
    void = arena_pb2.ListBlocksRequest(tournament="left", state=arena_pb2.BLOCK_STATE_VOID)

    def missed() -> bool:
        return any("quitter@1" in block.absent_bots for block in call(arena, "ListBlocks", void, "").blocks)

    while not missed():  # it goes, and is looked for before that is known
        before = len(blocks(arena, "left"))
        with playing(hosted, tmp_path, token, "quitter", "1"):
            until(arena, partial(more_blocks, arena, before), "it plays")
        until(arena, lambda: not playing_now(arena, "left", "quitter@1"), "what it was in is over")
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="left", bot="quitter"), token)
    parked = arena_pb2.ListBlocksRequest(tournament="left", state=arena_pb2.BLOCK_STATE_PARKED)
    until(arena, lambda: call(arena, "ListBlocks", parked, "").blocks, "what would wait for it is parked")
    queue = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament="left"), "")
    assert not queue.blocks
    assert "a match of naga needs 2 bots" in queue.idle_because
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="left"))
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="left"))
    ended = {CLOSED, arena_pb2.LADDER_STATE_STALLED}
    over = until(arena, lambda: get(arena, "left").state in ended and get(arena, "left"), "it ends")
    assert over.state == CLOSED
    assert over.tournament.master


def more_blocks(arena: Arena, than: int) -> bool:
    return len(blocks(arena, "left")) > than


@pytest.mark.exhaustive
def test_a_final_waits_for_nobody_for_ever(hosted: Service, arena: Arena) -> None:
    create(arena, ending("brief", wait=1))
    absent(hosted, arena, "brief", "gone")
    until(arena, lambda: blocks(arena, "brief"), "something is played")
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="brief"))
    over = until(arena, lambda: get(arena, "brief").state == CLOSED and get(arena, "brief"), "it closes")
    assert over.tournament.master
    assert not rows(arena, "brief")["gone@1"].blocks
    assert min(rows(arena, "brief")[bot].blocks for bot in ("first@1", "random@1")) >= MIN_FINAL_BLOCKS


@pytest.mark.nightly(
    "a season ends by its date above, `test_ladders.py` kills an arena and begins the next season, and"
    " `store/test_season_archive.py` has blocks leave the store"
)
def test_a_season_ends_whose_date_passes_while_the_arena_is_down_and_the_next_begins_once(
    hosted: Service, tmp_path: Path
) -> None:
    port = free_port()
    with standing(hosted, "--metrics", f"127.0.0.1:{port}") as arena:
        _, ends = created_in_time(arena, "down", (6, 24, 96))
        until(arena, lambda: blocks(arena, "down"), "something is played")
        arena.kill()
        in_the_way = arena.folder / "data" / "archive"
        in_the_way.write_text("")
        wait_until(lambda: time.time() > ends, "its date passes")
        arena.start()
        export = ["arena", "export", "--tournament", "down.1", "--output"]
        assert arena.command(*export, str(tmp_path / "early")).returncode == 0
        over = until(arena, lambda: get(arena, "down").state == CLOSED and get(arena, "down"), "the final is played")
        # Everybody has played as often in it: there are two bots.
        assert rows(arena, "down")["first@1"].blocks == rows(arena, "down")["random@1"].blocks
        standings = call(arena, "GetStandings", arena_pb2.GetStandingsRequest(tournament="down.1"), "").standings
        assert arena.command(*export, str(tmp_path / "late")).returncode == 0
        for name in ("early", "late"):
            committed = ["--commitment", over.tournament.commitment.hex()]
            right = arena.command("arena", "verify", str(tmp_path / name), *committed)
            assert (right.returncode, f"{over.tournament.tournament_id} is right" in right.stdout) == (0, True), right
        until(arena, lambda: value_at(port, "fudaba_arena_archive_failures_total") >= 1, "it is tried")
        assert "stay in the store for now" in arena.output
        in_the_way.unlink()
        until(arena, lambda: "closed blocks are in the archive" in arena.output, "its blocks leave the store")
        assert asyncio.run(left_in_store(arena, "down.1")) == 0
        begin = arena_pb2.BeginSeasonRequest(ladder="down", season=2)
        begun = call(arena, "BeginSeason", begin).ladder
        assert (begun.season, begun.tournament.commitment != over.tournament.commitment) == (2, True)
        again = call(arena, "BeginSeason", begin).ladder  # an answer was lost
        assert (again.season, again.tournament.commitment) == (2, begun.tournament.commitment)
        refused = arena.refusal("BeginSeason", arena_pb2.BeginSeasonRequest(ladder="down", season=4))
        assert (refused.reason, "the next season is 3" in refused.message) == ("MALFORMED", True)
        # An arena that dies in the middle of it has begun the season, and not noted that the ladder has it.
        arena.kill()
        asyncio.run(forget_the_second_season(arena))
        arena.start()
        assert get(arena, "down").season == 1
        later = arena_pb2.BeginSeasonRequest(ladder="down")
        later.end_time.FromMilliseconds(int((time.time() + 3_600) * 1000))
        begun_again = call(arena, "BeginSeason", later).ladder
        assert (begun_again.season, begun_again.tournament.commitment) == (2, begun.tournament.commitment)
        assert get(arena, "down").season == 2
        assert arena.stop() == 0
        folder = [*export[:-1], "--data", str(arena.folder / "data")]
        assert arena.command(*folder, FUDABA_ARENA="").stdout == (tmp_path / "late").read_text(encoding="utf-8")
        assert asyncio.run(stored_standings(arena, "down.1")) == list(standings)


async def left_in_store(arena: Arena, tournament: str) -> int:
    """Returns how many closed blocks of a tournament the store itself has."""
    async with open_to_read(arena.folder / "data", None) as store:
        return int(await store._redis.llen(key(tournament, "closed")))


async def forget_the_second_season(arena: Arena) -> None:
    async with open_to_read(arena.folder / "data", None) as store:
        await store.listing.begin_season("down", 1)
