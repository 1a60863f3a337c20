"""An entry that is disqualified in a ladder, over the contract and by the command, and the undoing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import (
    OPEN,
    author,
    call,
    create,
    number_of,
    playing,
    register,
    rows,
    state_of,
    the_others_play_on,
    until,
)
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing

DISQUALIFIED = arena_pb2.ENTRY_STATE_DISQUALIFIED
MIN_BLOCKS = 3
_BOT_NUMBERS = count(1)
"""One service hosts the arenas of all tests, so that each needs a bot of its own."""


class Cheat(NamedTuple):
    """A ladder in which an author's bot `cheat` has played."""

    arena: Arena
    ladder: str
    bot: str
    token: str


@pytest.fixture
def cheat(hosted: Service, tmp_path: Path) -> Iterator[Cheat]:
    """Yields a ladder of an arena of its own, where `cheat` plays."""
    name, bot = "open", f"cheat-{next(_BOT_NUMBERS)}"
    with standing(hosted) as arena:
        token = author(hosted, f"of-{bot}")
        register(hosted, token, bot)
        create(arena, OPEN.format(name=name, narrow=0))
        with playing(hosted, tmp_path, token, bot, "2"):
            call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=name, bot=bot, version="2"), token)
            until(arena, lambda: number_of(arena, name, f"{bot}@2") >= MIN_BLOCKS, "the cheat plays")
            yield Cheat(arena, name, bot, token)


def disqualify(cheat: Cheat, reason: str = "a copy", *, preview: bool = False) -> arena_pb2.DisqualifyEntryResponse:
    request = arena_pb2.DisqualifyEntryRequest(ladder=cheat.ladder, bot=cheat.bot, reason=reason, validate_only=preview)
    answer: arena_pb2.DisqualifyEntryResponse = call(cheat.arena, "DisqualifyEntry", request)
    return answer


def reinstate(cheat: Cheat) -> arena_pb2.ReinstateEntryResponse:
    request = arena_pb2.ReinstateEntryRequest(ladder=cheat.ladder, bot=cheat.bot, reason="wrongly")
    answer: arena_pb2.ReinstateEntryResponse = call(cheat.arena, "ReinstateEntry", request)
    return answer


def paused(cheat: Cheat) -> None:
    """Pauses the ladder, and waits until no block of it is closed any more. Half of a block may have been played."""
    call(cheat.arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=cheat.ladder))
    season = f"{cheat.ladder}.1"
    until(cheat.arena, lambda: not cheat.arena.get(season).progress.matches_playing, "no match is in play")
    cheat.arena.kill()  # the block of the last match may be closed just now
    cheat.arena.start()


def verified(cheat: Cheat, folder: Path) -> str:
    """Exports the season and verifies the export. Returns the listed annulments."""
    file = folder / "season.jsonl"
    exported = cheat.arena.command("arena", "export", "--tournament", f"{cheat.ladder}.1")
    assert exported.returncode == 0, exported.stderr
    file.write_text(exported.stdout, encoding="utf-8")
    found = cheat.arena.command("arena", "verify", str(file))
    assert found.returncode == 0, found.stdout
    return cheat.arena.command("arena", "annulments", "--tournament", f"{cheat.ladder}.1", "--json").stdout


def test_a_disqualified_entry_is_struck_and_its_undoing_restores_the_same_ratings(cheat: Cheat, tmp_path: Path) -> None:
    bot = cheat.bot
    paused(cheat)
    before = rows(cheat.arena, cheat.ladder)
    seen = disqualify(cheat, "", preview=True)
    assert rows(cheat.arena, cheat.ladder) == before
    done = disqualify(cheat)
    assert done.effect == seen.effect
    assert done.entry.state == DISQUALIFIED
    after = rows(cheat.arena, cheat.ladder)
    for changed in done.effect.standings:
        assert changed.rating_before == pytest.approx(before[changed.bot].rating, abs=0.01)
        assert not changed.HasField("rating_after") or changed.rating_after == pytest.approx(
            after[changed.bot].rating, abs=0.01
        )
    struck = after[f"{bot}@2"]
    assert (struck.blocks, struck.HasField("rank"), struck.HasField("low")) == (0, False, False)
    assert struck.HasField("disqualify_time")
    assert number_of(cheat.arena, cheat.ladder, f"{bot}@2") == 0
    assert [line["disqualifies"] for line in json.loads(verified(cheat, tmp_path))] == [bot]
    cheat.arena.kill()
    cheat.arena.start()
    assert rows(cheat.arena, cheat.ladder) == after
    back = reinstate(cheat)
    assert back.entry.state in {arena_pb2.ENTRY_STATE_PLAYING, arena_pb2.ENTRY_STATE_ABSENT}
    assert rows(cheat.arena, cheat.ladder) == before
    assert [line["undoes"] for line in json.loads(verified(cheat, tmp_path))] == [None, 1]


def test_a_disqualified_entry_plays_no_more_and_what_is_in_play_then_does_not_count(cheat: Cheat) -> None:
    bot = cheat.bot
    disqualify(cheat)
    the_others_play_on(cheat.arena, cheat.ladder)
    until(
        cheat.arena,
        lambda: queued_with(cheat) == 0,
        "what was in play is over",
    )
    the_others_play_on(cheat.arena, cheat.ladder)
    assert number_of(cheat.arena, cheat.ladder, f"{bot}@2") == 0
    assert rows(cheat.arena, cheat.ladder)[f"{bot}@2"].blocks == 0


def queued_with(cheat: Cheat) -> int:
    queue = call(cheat.arena, "GetQueue", arena_pb2.GetQueueRequest(tournament=cheat.ladder), "").blocks
    return sum(f"{cheat.bot}@2" in queued.block.bots for queued in queue)


def test_its_author_sees_the_reason_and_cannot_enter_it_again_before_the_undoing(cheat: Cheat) -> None:
    bot = cheat.bot
    disqualify(cheat, "a copy of first")
    listing = arena_pb2.ListEntriesRequest(ladder=cheat.ladder, state=DISQUALIFIED)
    reasons = {
        role: [entry.disqualify_reason for entry in call(cheat.arena, "ListEntries", listing, token).entries]
        for role, token in {"author": cheat.token, "organiser": None, "nobody": ""}.items()
    }
    assert reasons == {"author": ["a copy of first"], "organiser": ["a copy of first"], "nobody": [""]}
    enter = arena_pb2.EnterLadderRequest(ladder=cheat.ladder, bot=bot)
    for method, request in {
        "EnterLadder": enter,
        "LeaveLadder": arena_pb2.LeaveLadderRequest(ladder=cheat.ladder, bot=bot),
        "PauseEntry": arena_pb2.PauseEntryRequest(ladder=cheat.ladder, bot=bot),
        "ResumeEntry": arena_pb2.ResumeEntryRequest(ladder=cheat.ladder, bot=bot),
    }.items():
        assert cheat.arena.refusal(method, request, cheat.token).reason == "ENTRY_DISQUALIFIED", method
    register(cheat.arena.service, cheat.token, f"{bot}-again")
    another = arena_pb2.EnterLadderRequest(ladder=cheat.ladder, bot=f"{bot}-again")
    full = cheat.arena.refusal("EnterLadder", another, cheat.token)
    assert (full.reason, "a disqualified one counts" in full.message) == ("QUOTA_EXCEEDED", True)
    reinstate(cheat)
    assert call(cheat.arena, "EnterLadder", enter, cheat.token).entry.state != DISQUALIFIED


def test_what_cannot_be_disqualified_is_refused_and_only_the_organiser_may(cheat: Cheat) -> None:
    bot, kind, back = cheat.bot, arena_pb2.DisqualifyEntryRequest, arena_pb2.ReinstateEntryRequest
    refusal = cheat.arena.refusal
    assert refusal("DisqualifyEntry", kind(ladder="closed", bot=bot, reason="x")).reason == "LADDER_NOT_FOUND"
    assert refusal("DisqualifyEntry", kind(ladder=cheat.ladder, bot="nobody", reason="x")).reason == "ENTRY_NOT_FOUND"
    assert refusal("DisqualifyEntry", kind(ladder=cheat.ladder, bot=bot)).reason == "MALFORMED"
    assert refusal("DisqualifyEntry", kind(ladder=cheat.ladder, bot=bot, reason="a\nb")).reason == "MALFORMED"
    assert refusal("ReinstateEntry", back(ladder=cheat.ladder, bot=bot, reason="x")).reason == "ENTRY_NOT_DISQUALIFIED"
    for token in (cheat.token, ""):
        assert refusal("DisqualifyEntry", kind(ladder=cheat.ladder, bot=bot, reason="x"), token).code in {
            "PERMISSION_DENIED",
            "UNAUTHENTICATED",
        }
    assert state_of(cheat.arena, cheat.ladder, bot) != DISQUALIFIED
    disqualify(cheat)
    again = refusal("DisqualifyEntry", kind(ladder=cheat.ladder, bot=bot, reason="x"))
    assert again.reason == "ENTRY_DISQUALIFIED"


def test_the_command_shows_what_changes_asks_and_undoes(cheat: Cheat) -> None:
    bot = cheat.bot
    paused(cheat)
    without_reason = cheat.arena.command("ladder", "disqualify", cheat.ladder, bot, "--yes")
    assert (without_reason.returncode, "--reason" in without_reason.stderr) == (1, True)
    unasked = cheat.arena.command("ladder", "disqualify", cheat.ladder, bot, "--reason", "a copy")
    assert (unasked.returncode, "add --yes" in unasked.stderr) == (1, True)
    assert f"of {bot} are taken back" in unasked.stdout
    assert state_of(cheat.arena, cheat.ladder, bot) != DISQUALIFIED
    done = cheat.arena.command("ladder", "disqualify", cheat.ladder, bot, "--reason", "a copy", "--yes", "--json")
    shown = json.loads(done.stdout)
    assert (shown["dry_run"], shown["entry"]["state"]) == (False, "ENTRY_STATE_DISQUALIFIED")
    assert "disqualified" in cheat.arena.command("ladder", "standings", cheat.ladder).stdout
    assert "a copy" in cheat.arena.command("ladder", "entries", cheat.ladder).stdout
    undone = cheat.arena.command("ladder", "disqualify", cheat.ladder, bot, "--undo", "--reason", "wrongly", "--yes")
    assert (undone.returncode, "count again" in undone.stdout) == (0, True)
    assert state_of(cheat.arena, cheat.ladder, bot) != DISQUALIFIED


def test_the_next_season_begins_with_it_disqualified_and_the_undoing_there_lets_it_play(cheat: Cheat) -> None:
    bot = cheat.bot
    disqualify(cheat)
    call(cheat.arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder=cheat.ladder))
    until(
        cheat.arena,
        lambda: (
            call(cheat.arena, "GetLadder", arena_pb2.GetLadderRequest(ladder=cheat.ladder), "").ladder.state
            == arena_pb2.LADDER_STATE_CLOSED
        ),
        "the season closes",
    )
    call(cheat.arena, "BeginSeason", arena_pb2.BeginSeasonRequest(ladder=cheat.ladder))
    assert state_of(cheat.arena, cheat.ladder, bot) == DISQUALIFIED
    reinstate(cheat)
    until(cheat.arena, lambda: number_of(cheat.arena, cheat.ladder, f"{bot}@2") > 0, "it plays again")
