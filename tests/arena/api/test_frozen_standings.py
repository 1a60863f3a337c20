"""While the standings of a ladder are frozen, nobody but the organiser learns what happens after that."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, bots_pb2, matches_pb2
from fudaba_arena.store.data_folder import open_to_read
from tests.support.arena.api.challenges import ask, show
from tests.support.arena.api.ladders import (
    CALM,
    author,
    blocks,
    call,
    create,
    get,
    playing,
    register,
    until,
    wait_until_connected,
)
from tests.support.arena.commands.tournaments import bot
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, two_standing
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import RedisServer

HIDDEN = CALM.replace('names = "shown"', 'names = "hidden"')
CHALLENGED = CALM.replace("[season]", 'challenges = "anyone"\n\n[season]')


def counted(arena: Arena, ladder: str, token: str | None = None) -> int:
    """Returns the number of counted blocks of a ladder that this token's holder sees; by default the organiser."""
    asked = arena_pb2.GetLadderRequest(ladder=ladder)
    ladder_message: arena_pb2.Ladder = call(arena, "GetLadder", asked, token).ladder
    return ladder_message.tournament.progress.blocks_counted


def freeze(arena: Arena, ladder: str, **fields: Any) -> arena_pb2.Ladder:
    answer: arena_pb2.FreezeStandingsResponse
    answer = call(arena, "FreezeStandings", arena_pb2.FreezeStandingsRequest(ladder=ladder, **fields))
    return answer.ladder


def open_(arena: Arena, ladder: str) -> None:
    call(arena, "OpenStandings", arena_pb2.OpenStandingsRequest(ladder=ladder))


def pause(arena: Arena, ladder: str) -> None:
    """Pauses a ladder. Returns when the last block in play is stored, which is after its last match."""
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=ladder))
    until(arena, lambda: not asyncio.run(is_claimed(arena, f"{ladder}.1")), "the last block in play is stored")


async def is_claimed(arena: Arena, season: str) -> bool:
    """Returns whether the arena plays a season, or still stores what it has played."""
    async with open_to_read(arena.folder / "data", None) as store:
        return bool(await store.arenas.players([season]))


def resume(arena: Arena, ladder: str) -> None:
    call(arena, "ResumeLadder", arena_pb2.ResumeLadderRequest(ladder=ladder))


def play_on(arena: Arena, ladder: str, blocks: int = 2) -> None:
    """Waits until further blocks count."""
    before = counted(arena, ladder)
    until(arena, lambda: counted(arena, ladder) >= before + blocks, "further blocks count")


def requests_about(ladder: str) -> dict[str, Any]:
    season = f"{ladder}.1"
    small: dict[str, Any] = {"tournament": season, "page_size": 1}
    return {
        "GetLadder": arena_pb2.GetLadderRequest(ladder=ladder),
        "ListLadders": arena_pb2.ListLaddersRequest(),
        "GetTournament": arena_pb2.GetTournamentRequest(tournament=season),
        "ListEntries": arena_pb2.ListEntriesRequest(ladder=ladder),
        "ListBlocks": arena_pb2.ListBlocksRequest(tournament=season),
        "ListBlocks by page": arena_pb2.ListBlocksRequest(**small),
        "ListBlocks in play": arena_pb2.ListBlocksRequest(tournament=season, state=arena_pb2.BLOCK_STATE_PLAYING),
        "ListTournamentMatches": arena_pb2.ListTournamentMatchesRequest(tournament=season, page_size=1000),
        "ListTournamentMatches by page": arena_pb2.ListTournamentMatchesRequest(**small),
        "ListTournamentMatches of a late block": arena_pb2.ListTournamentMatchesRequest(tournament=season, block=4),
        "ListAnnulments": arena_pb2.ListAnnulmentsRequest(tournament=season),
        "GetStandings": arena_pb2.GetStandingsRequest(tournament=season),
        "GetStandings overall": arena_pb2.GetStandingsRequest(tournament=season, game="overall"),
        "GetRatingHistory": arena_pb2.GetRatingHistoryRequest(tournament=season),
        "GetQueue": arena_pb2.GetQueueRequest(tournament=season),
    }


def told_by_arena(arena: Arena, ladder: str, token: str, own: str = "") -> dict[str, bytes]:
    """Returns the arena's answers about a ladder to this token's holder, without the entry `own`."""
    answers: dict[str, bytes] = {}
    for name, request in requests_about(ladder).items():
        try:
            answer = call(arena, name.partition(" ")[0], request, token)
        except ServiceError as error:
            answers[name] = str(error).encode()
            continue
        if name == "ListEntries":
            entries = [entry for entry in answer.entries if entry.bot != own]
            del answer.entries[:]
            answer.entries.extend(entries)
        if name == "ListLadders":  # the other ladders of the arena play on
            ladders = [listed for listed in answer.ladders if listed.name == ladder]
            del answer.ladders[:]
            answer.ladders.extend(ladders)
        answers[name] = answer.SerializeToString(deterministic=True)
    with arena.client(token) as client:
        for seen in (0, 3):
            request = arena_pb2.WatchLadderRequest(ladder=ladder, seen=seen)
            first = next(iter(client.arena.WatchLadder(request, timeout=PATIENCE)))
            answers[f"WatchLadder after {seen}"] = first.SerializeToString(deterministic=True)
        watched = client.arena.WatchTournament(arena_pb2.WatchTournamentRequest(tournament=ladder), timeout=PATIENCE)
        answers["WatchTournament"] = next(iter(watched)).SerializeToString(deterministic=True)
        try:
            list(client.arena.ExportTournament(arena_pb2.ExportTournamentRequest(tournament=ladder), timeout=PATIENCE))
        except ServiceError as error:
            answers["ExportTournament"] = str(error).encode()
    return answers


def told_by_service(hosted: Service, token: str, *bots: str) -> list[bytes]:
    """Returns the service's lists of matches for this token's holder."""
    with Client(hosted.address, token) as client:
        requests = [
            matches_pb2.ListMatchesRequest(bot=bot, page_size=size) for bot in ("", *bots) for size in (2, 1000)
        ]
        found = [client.matches.ListMatches(request, timeout=PATIENCE) for request in requests]
        return [answer.SerializeToString(deterministic=True) for answer in found]


@contextmanager
def begun(
    hosted: Service, arena: Arena, folder: Path, ladder: str, definition: str = CALM
) -> Iterator[tuple[str, str]]:
    """Plays some blocks of a ladder with two authors' bots, and pauses it. Yields a bot, and its author's token."""
    token, bot = author(hosted, f"of-{ladder}"), f"bot-{ladder}"
    register(hosted, token, bot)
    with playing(hosted, folder, token, bot, "2"):
        wait_until_connected(hosted, bot)
        create(arena, definition.format(name=ladder, narrow=0), paused=True)
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot, version="2"), token)
        resume(arena, ladder)
        play_on(arena, ladder, 3)
        pause(arena, ladder)
        yield bot, token
        if get(arena, ladder).state != arena_pb2.LADDER_STATE_CLOSED:
            pause(arena, ladder)


@pytest.mark.parametrize(("ladder", "definition"), [("shown", CALM), ("nameless", HIDDEN)])
def test_no_public_answer_depends_on_results_after_the_freeze(
    hosted: Service, arena: Arena, tmp_path: Path, ladder: str, definition: str
) -> None:
    stranger = author(hosted, f"stranger-to-{ladder}")
    with begun(hosted, arena, tmp_path, ladder, definition) as (bot, token):
        frozen = freeze(arena, ladder)
        assert frozen.tournament.HasField("standings_frozen_time")
        resume(arena, ladder)
        callers = {"": "", stranger: "", token: bot}
        before = {caller: told_by_arena(arena, ladder, caller, own) for caller, own in callers.items()}
        listed = [told_by_service(hosted, caller, bot) for caller in ("", stranger)]
        assert before[""]["GetStandings"]
        assert b"frozen" in before[""]["GetQueue"]
        assert b"frozen" in before[""]["ExportTournament"]
        for _ in range(2):
            play_on(arena, ladder)
            for caller, own in callers.items():
                after = told_by_arena(arena, ladder, caller, own)
                assert {name: after[name] for name in after if after[name] != before[caller][name]} == {}
            assert [told_by_service(hosted, caller, bot) for caller in ("", stranger)] == listed
        annulled = arena_pb2.AnnulBlocksRequest(tournament=ladder, blocks=[0], reason="a fault of the organiser's")
        call(arena, "AnnulBlocks", annulled)
        assert told_by_arena(arena, ladder, stranger) == before[stranger]


def test_opened_standings_and_matches_are_shown_to_everybody(hosted: Service, arena: Arena, tmp_path: Path) -> None:
    with begun(hosted, arena, tmp_path, "opened"):
        seen = counted(arena, "opened", "")
        freeze(arena, "opened")
        resume(arena, "opened")
        play_on(arena, "opened")
        pause(arena, "opened")
        assert counted(arena, "opened", "") == seen < counted(arena, "opened")
        open_(arena, "opened")
        assert counted(arena, "opened", "") == counted(arena, "opened")
        assert not get(arena, "opened").tournament.HasField("standings_frozen_time")
        # A block may have begun, and goes on when the ladder does.
        closed = [match for match in arena.matches("opened.1") if match.counting != arena_pb2.MATCH_COUNTING_OPEN]
        played = {match.match_id for match in closed}

        def shown() -> set[str]:
            with Client(hosted.address, "") as client:
                request = matches_pb2.ListMatchesRequest(label="opened.1", page_size=1000)
                found = client.matches.ListMatches(request, timeout=PATIENCE).matches
                return {match.header.match_id for match in found if not match.hidden}

        until(arena, lambda: shown() == played, "all matches are shown")


def test_an_arena_that_stood_by_shows_the_matches_of_opened_standings_when_the_other_is_gone(hosted: Service) -> None:
    ladder = "handed-over"
    with short_folder() as place, RedisServer(place) as redis:
        redis.start()
        with two_standing(hosted, redis.url) as (gone, stays):
            create(gone, CALM.format(name=ladder, narrow=0), paused=True)
            freeze(gone, ladder)
            resume(gone, ladder)
            play_on(gone, ladder)
            assert get(stays, ladder).tournament.name == f"{ladder}.1"
            call(gone, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder=ladder))
            for arena in (gone, stays):
                until(arena, lambda: get(arena, ladder).state == arena_pb2.LADDER_STATE_CLOSED, "the season is closed")  # noqa: B023  # called at once
            gone.kill()
            open_(stays, ladder)
            counts = arena_pb2.MATCH_COUNTING_COUNTED
            played = {match.match_id for match in stays.matches(f"{ladder}.1") if match.counting == counts}
            assert played

            def shown() -> set[str]:
                with Client(hosted.address, "") as client:
                    request = matches_pb2.ListMatchesRequest(label=f"{ladder}.1", page_size=1000)
                    found = client.matches.ListMatches(request, timeout=PATIENCE).matches
                    return {match.header.match_id for match in found if not match.hidden}

            until(stays, lambda: shown() >= played, lambda: f"all matches are shown, also {played - shown()}")


def test_a_follower_gets_what_frozen_standings_hid_when_they_open(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    with begun(hosted, arena, tmp_path, "followed") as (name, token):
        freeze(arena, "followed")
        resume(arena, "followed")
        with arena.client("") as client:
            request = arena_pb2.WatchTournamentRequest(tournament="followed")
            answers = iter(client.arena.WatchTournament(request, timeout=PATIENCE))
            found = list(next(answers).changes)
            play_on(arena, "followed")
            call(arena, "PauseEntry", arena_pb2.PauseEntryRequest(ladder="followed", bot=name), token)
            while found[-1].entry.kind != arena_pb2.ENTRY_CHANGE_KIND_PAUSED:  # it is after what is hidden
                found += next(answers).changes
            open_(arena, "followed")
            closed = {block.number for block in blocks(arena, "followed")}
            while not closed <= {change.block.number for change in found if change.HasField("block")}:
                found += next(answers).changes


def test_a_challenge_does_not_tell_that_a_bot_is_withdrawn_while_the_standings_are_frozen(
    hosted: Service, arena: Arena
) -> None:
    stranger = author(hosted, "challenges-the-frozen")
    register(hosted, stranger, "asks")
    with Client(hosted.address, stranger) as client:
        client.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot="asks", version="1"), timeout=PATIENCE)
    ends = bot("ends", 'command = ["python", "-c", "raise SystemExit"]')
    create(arena, CHALLENGED.format(name="secret", narrow=0) + ends)
    freeze(arena, "secret")

    def withdrawn() -> bool:
        entries = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder="secret")).entries
        return any(entry.state == arena_pb2.ENTRY_STATE_WITHDRAWN for entry in entries)

    until(arena, withdrawn, "the bot that ends is withdrawn")
    request = arena_pb2.CreateChallengeRequest(ladder="secret", bot="ends", with_bot="asks", blocks=1)
    assert arena.refusal("CreateChallenge", request).reason == "ENTRY_NOT_PLAYING"
    asked = ask(arena, stranger, "ends", with_bot="asks", ladder="secret")
    waits_for = until(arena, lambda: list(show(arena, asked, stranger).waits_for), "it waits for the challenger")
    assert waits_for == ["asks@1"]
    call(arena, "CancelChallenge", arena_pb2.CancelChallengeRequest(challenge_id=asked.challenge_id), stranger)
    pause(arena, "secret")


def test_standings_open_by_themselves_and_a_closed_season_stays_frozen_until_then(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    with begun(hosted, arena, tmp_path, "timed"):
        seen = counted(arena, "timed", "")
        freeze(arena, "timed")
        call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="timed"))
        until(arena, lambda: get(arena, "timed").state == arena_pb2.LADDER_STATE_CLOSED, "the season is closed")
        closed = get(arena, "timed").tournament
        assert (closed.master, closed.progress.blocks_counted) == (b"", seen)
        request = arena_pb2.FreezeStandingsRequest(ladder="timed")
        request.open_time.FromMilliseconds(int(time.time() * 1000) + 2_000)
        call(arena, "FreezeStandings", request)
        until(arena, lambda: counted(arena, "timed", "") == counted(arena, "timed") > seen, "the standings open")
        assert get(arena, "timed").tournament.master
        with pytest.raises(ServiceError) as refusal:
            freeze(arena, "timed")
        assert refusal.value.reason == "TOURNAMENT_CLOSED"


def test_a_frozen_ladder_stays_frozen_when_the_arena_starts_again(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    with begun(hosted, arena, tmp_path, "restarted"):
        seen = counted(arena, "restarted", "")
        freeze(arena, "restarted")
        resume(arena, "restarted")
        play_on(arena, "restarted")
        pause(arena, "restarted")
        before = told_by_arena(arena, "restarted", "")
        arena.kill()
        arena.start()
        assert told_by_arena(arena, "restarted", "") == before
        assert counted(arena, "restarted", "") == seen < counted(arena, "restarted")


def test_nobody_but_the_organiser_freezes_or_opens_standings(hosted: Service, arena: Arena, tmp_path: Path) -> None:
    with begun(hosted, arena, tmp_path, "own") as (_, token):
        for method, request in {
            "FreezeStandings": arena_pb2.FreezeStandingsRequest(ladder="own"),
            "OpenStandings": arena_pb2.OpenStandingsRequest(ladder="own"),
        }.items():
            with pytest.raises(ServiceError) as refusal:
                call(arena, method, request, token)
            assert refusal.value.reason == "ORGANISER_ONLY"
        past = arena_pb2.FreezeStandingsRequest(ladder="own")
        past.open_time.FromMilliseconds(1_000)
        with pytest.raises(ServiceError) as refusal:
            call(arena, "FreezeStandings", past)
        assert refusal.value.reason == "MALFORMED"
        assert not get(arena, "own").tournament.HasField("standings_frozen_time")
