"""In a ladder with hidden names, nobody but the organiser learns who plays a block before it is over."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, matches_pb2
from tests.support.arena.api.ladders import (
    OPEN,
    author,
    call,
    create,
    get,
    playing,
    register,
    until,
    wait_until_connected,
)
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE

HIDDEN = f"""\
clock = {{{{ move_ms = 3_600_000, bank_ms = 0 }}}}
{OPEN.partition("[[bots]]")[0].replace("shown", "hidden").replace("concurrency = 2", "concurrency = 1")}
"""
HOLDING = """\
import pathlib
import time

import fudaba

FOLDER = pathlib.Path({folder!r})


class Holding(fudaba.Bot):
    '''Notes the names that it is given, and moves only once it may.'''

    def started(self, match):
        names = [player.bot for player in match.players]
        (FOLDER / f"{{match.players[match.seat].bot}}.{{match.id}}").write_text(f"{{names}} {{match.label}}")

    def choose(self, decision):
        while not (FOLDER / "go").exists():
            time.sleep(0.05)
        return 0
"""
BOTS = ("hide-a", "hide-b", "hide-c")


@contextmanager
def held(hosted: Service, folder: Path, bots: Mapping[str, str]) -> Iterator[None]:
    """Runs these bots, given with their authors' tokens. They play on when the folder has a file `go`."""
    program = folder / "holding.py"
    program.write_text(HOLDING.format(folder=str(folder)))
    with ExitStack() as stack:
        for bot, token in bots.items():
            stack.enter_context(playing(hosted, folder, token, bot, "2", program=f"{program}:Holding"))
            wait_until_connected(hosted, bot)
        yield


def entered(hosted: Service, arena: Arena, prefix: str) -> dict[str, str]:
    """Returns new bots with the tokens of their authors."""
    tokens = {bot.replace("hide", prefix): author(hosted, f"of-{bot.replace('hide', prefix)}") for bot in BOTS}
    for bot, token in tokens.items():
        register(hosted, token, bot)
    return tokens


def begin(arena: Arena, ladder: str, bots: Mapping[str, str]) -> list[str]:
    """Creates a ladder with these bots. Returns who plays its first block, once the first match of it is in play."""
    create(arena, HIDDEN.format(name=ladder, narrow=0), paused=True)
    for bot, token in bots.items():
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot, version="2"), token)
    call(arena, "ResumeLadder", arena_pb2.ResumeLadderRequest(ladder=ladder))
    until(arena, lambda: in_play(arena, ladder), f"a match of {ladder} is in play")
    return [bot.partition("@")[0] for bot in first_block(arena, ladder, None).bots]


def in_play(arena: Arena, ladder: str) -> list[str]:
    """Returns the ids of the ladder's matches that are in play."""
    with arena.service.client() as client:
        request = matches_pb2.ListMatchesRequest(label=f"{ladder}.1", state=matches_pb2.MATCH_STATE_PLAYING)
        return [match.header.match_id for match in client.matches.ListMatches(request, timeout=PATIENCE).matches]


def first_block(arena: Arena, ladder: str, token: str | None = "") -> arena_pb2.Block:
    listed = call(arena, "ListBlocks", arena_pb2.ListBlocksRequest(tournament=f"{ladder}.1"), token)
    first: arena_pb2.Block = listed.blocks[0]
    return first


def but_for_chance(ladder: str, answer: Any) -> str:
    """Returns an answer as text, without what differs between two ladders that begin alike."""
    text = re.sub(rf"{ladder}\.1-[0-9a-f]{{8}}", "ID", str(answer)).replace(ladder, "LADDER")
    varying = ("commitment", "seconds", "nanos", "page_token", "next_page_token")
    # Which of the seats is a caller's own is drawn; see tests/arena/schedule/test_pairing.py.
    return "\n".join(sorted(line for line in text.splitlines() if not line.strip().startswith(varying)))


def told_by_arena(arena: Arena, ladder: str, token: str) -> list[str]:
    """Returns the arena's answers about a ladder to this token's holder."""
    season = f"{ladder}.1"
    requests: dict[str, Any] = {
        "GetLadder": arena_pb2.GetLadderRequest(ladder=ladder),
        "GetTournament": arena_pb2.GetTournamentRequest(tournament=season),
        "ListEntries": arena_pb2.ListEntriesRequest(ladder=ladder),
        "ListBlocks": arena_pb2.ListBlocksRequest(tournament=season),
        "ListTournamentMatches": arena_pb2.ListTournamentMatchesRequest(tournament=season),
        "GetQueue": arena_pb2.GetQueueRequest(tournament=season),
        "GetStandings": arena_pb2.GetStandingsRequest(tournament=season),
        "GetRatingHistory": arena_pb2.GetRatingHistoryRequest(tournament=season),
    }
    answers = [but_for_chance(ladder, call(arena, method, request, token)) for method, request in requests.items()]
    with arena.client(token) as client:
        watched = client.arena.WatchLadder(arena_pb2.WatchLadderRequest(ladder=ladder), timeout=PATIENCE)
        answers.append(but_for_chance(ladder, next(iter(watched))))
    return answers


def told_by_service(hosted: Service, arena: Arena, ladder: str, token: str, bots: Mapping[str, str]) -> list[str]:
    """Returns all that the service tells about the match in play."""
    [match_id] = in_play(arena, ladder)
    with Client(hosted.address, token) as client:
        got = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=PATIENCE)
        answers = [but_for_chance(ladder, got)]
        for bot in ("", *bots):
            listed = client.matches.ListMatches(matches_pb2.ListMatchesRequest(bot=bot), timeout=PATIENCE).matches
            found = [match for match in listed if match.header.match_id == match_id]
            answers.append(f"found by {bot!r}: {but_for_chance(ladder, found)}")
    return answers


def test_what_anybody_is_told_of_a_block_in_play_does_not_depend_on_who_plays_it(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    bots = entered(hosted, arena, "hide")
    pairs: dict[str, list[str]] = {}
    with held(hosted, tmp_path, bots):
        for number in range(40):
            ladder = f"hide{number}"
            pairs[ladder] = begin(arena, ladder, bots)
            if len({*map(tuple, pairs.values())}) > 1:  # some bot has another opponent
                break
        assert get(arena, ladder).definition.names_hidden
        by_outsiders = [
            told_by_arena(arena, ladder, "") + told_by_service(hosted, arena, ladder, "", bots) for ladder in pairs
        ]
        assert all(answers == by_outsiders[0] for answers in by_outsiders)
        for own, token in bots.items():
            mine = [ladder for ladder, pair in pairs.items() if own in pair]
            by_author = [
                told_by_arena(arena, ladder, token) + told_by_service(hosted, arena, ladder, token, bots)
                for ladder in mine
            ]
            assert all(answers == by_author[0] for answers in by_author)
            seen = [file.read_text() for file in tmp_path.glob(f"{own}.*")]
            assert len(seen) >= len(mine)
            assert all(not (set(bots) - {own}) & set(re.findall("'(.*?)'", text)) for text in seen)
        ladder, pair = next(iter(pairs.items()))
        request = arena_pb2.ExportTournamentRequest(tournament=f"{ladder}.1")
        with arena.client(bots[pair[0]]) as client, pytest.raises(ServiceError) as refusal:
            list(client.arena.ExportTournament(request, timeout=PATIENCE))
        assert refusal.value.reason == "ORGANISER_ONLY"
        with arena.client() as client:
            assert list(client.arena.ExportTournament(request, timeout=PATIENCE))
        assert [bot.partition("@")[0] for bot in first_block(arena, ladder, None).bots] == pair
        for ladder in pairs:
            call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=ladder))
        (tmp_path / "go").touch()


def test_the_bots_of_a_void_block_are_named_only_once_its_next_attempt_is_over(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    bots = entered(hosted, arena, "void")
    with held(hosted, tmp_path, bots):
        pair = begin(arena, "voided", bots)
        [match_id] = in_play(arena, "voided")
        with hosted.client() as client:
            client.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), timeout=PATIENCE)
        until(arena, lambda: [*in_play(arena, "voided")] not in ([], [match_id]), "the block is played again")
        assert first_block(arena, "voided").state == arena_pb2.BLOCK_STATE_VOID

        def named() -> list[list[str]]:
            with Client(hosted.address, "") as client:
                got = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=PATIENCE).match
            standings = call(arena, "GetStandings", arena_pb2.GetStandingsRequest(tournament="voided.1"), "")
            matches = [match for match in arena.matches("voided.1") if match.match_id == match_id]
            return [
                [*filter(None, (player.bot for player in got.header.players))],
                [*first_block(arena, "voided").bots],
                [bot for match in matches for bot in match.bots],
                [count.bot for count in standings.voids],
            ]

        assert named() == [[], [], [], []]
        (tmp_path / "go").touch()
        until(arena, lambda: all(named()), "the bots of the void block are named")
        assert all({name.partition("@")[0] for name in names} == set(pair) for names in named())
        call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="voided"))


def test_matches_of_a_void_block_are_shown_when_its_season_is_closed_without_another_attempt(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    bots = entered(hosted, arena, "left")
    with held(hosted, tmp_path, bots):
        begin(arena, "left", bots)
        [match_id] = in_play(arena, "left")
        with hosted.client() as client:
            client.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), timeout=PATIENCE)
        until(arena, lambda: first_block(arena, "left").state == arena_pb2.BLOCK_STATE_VOID, "the block is void")
        for bot, token in bots.items():
            call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder="left", bot=bot), token)
        (tmp_path / "go").touch()
        call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="left"))
        until(arena, lambda: get(arena, "left").state == arena_pb2.LADDER_STATE_CLOSED, "the season is closed")
        with Client(hosted.address, "") as client:
            got = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=PATIENCE).match
        assert not got.hidden
        assert all(player.bot for player in got.header.players)
