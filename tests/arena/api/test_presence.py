"""Who is not here is not chosen, is said to be absent, and plays again by itself when it is back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import pytest

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, matches_pb2, play_pb2, record_pb2
from tests.support.arena.api.ladders import (
    ABSENT,
    OPEN,
    SHORT,
    WAITING,
    author,
    call,
    create,
    number_of,
    playing,
    playing_now,
    register,
    state_of,
    the_others_play_on,
    until,
    wait_until_connected,
)
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE, wait_until
from tests.support.sizes import some

PLAYING = arena_pb2.ENTRY_STATE_PLAYING


@pytest.mark.exhaustive
def test_a_bot_that_goes_and_comes_back_is_absent_meanwhile_and_needs_nobody_to_resume_it(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    first, rest = OPEN.format(name="laptop", narrow=0).split("\n", 1)
    # A block of which it has played a match would wait a minute for it otherwise, each time that it goes.
    create(arena, f"{first}\n{SHORT.format(rest=rest)}\n[absence]\ngrace_seconds = 0\n")
    token = author(hosted, "erin")
    register(hosted, token, "nap")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="laptop", bot="nap"), token)
    until(arena, lambda: state_of(arena, "laptop", "nap") == ABSENT, "one that was never here is absent")
    until(arena, lambda: number_of(arena, "laptop") >= 3, "the others play")
    assert not number_of(arena, "laptop", "nap@1")
    void = arena_pb2.ListBlocksRequest(tournament="laptop", state=arena_pb2.BLOCK_STATE_VOID)
    assert not [block for block in call(arena, "ListBlocks", void, "").blocks if "nap@1" in block.bots]
    for _ in range(some(2)):
        before = number_of(arena, "laptop", "nap@1")
        with playing(hosted, tmp_path, token, "nap", "1"):
            until(arena, partial(plays_more, arena, before), "who is here is chosen")
            until(arena, lambda: state_of(arena, "laptop", "nap") == PLAYING, "who is here takes part")
        until(arena, lambda: state_of(arena, "laptop", "nap") == ABSENT, "who has gone is absent")
        until(arena, lambda: not playing_now(arena, "laptop", "nap@1"), "what it was in is over")
        the_others_play_on(arena, "laptop")
    assert "nap@1" not in [withdrawal.bot for withdrawal in arena.get("laptop").withdrawals]
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="laptop"))


@pytest.mark.exhaustive
def test_who_enters_a_bot_is_told_at_once_whether_it_is_here(hosted: Service, arena: Arena, tmp_path: Path) -> None:
    create(arena, WAITING.format(name="told", narrow=0))
    token = author(hosted, "gus")
    register(hosted, token, "here")

    def entered(version: str) -> int:
        request = arena_pb2.EnterLadderRequest(ladder="told", bot="here", version=version)
        return int(call(arena, "EnterLadder", request, token).entry.state)

    assert entered("1") == ABSENT
    with playing(hosted, tmp_path, token, "here", "2"):
        wait_until_connected(hosted, "here")
        assert entered("2") == PLAYING
        assert entered("1") == ABSENT


@pytest.mark.exhaustive
def test_a_ladder_of_nobody_but_two_bots_that_are_here_begins_when_the_second_enters(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    create(arena, OPEN.format(name="pair", narrow=0).partition("[[bots]]")[0])
    bots = {name: author(hosted, f"of-{name}") for name in ("left-hand", "right-hand")}
    with ExitStack() as running:
        for bot, token in bots.items():
            register(hosted, token, bot)
            running.enter_context(playing(hosted, tmp_path, token, bot, "2"))
            wait_until_connected(hosted, bot)
        for bot, token in bots.items():
            entered = call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="pair", bot=bot), token)
            assert entered.entry.state == PLAYING
        until(arena, lambda: number_of(arena, "pair", "left-hand@2", "right-hand@2") > 0, "a block counts")
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="pair"))


def test_who_enters_a_version_that_nobody_runs_is_told_how_it_can_play(hosted: Service, arena: Arena) -> None:
    create(arena, WAITING.format(name="empty", narrow=0))
    token = author(hosted, "hal")
    register(hosted, token, "empty-bot")
    done = arena.command("bot", "enter", "empty-bot", "empty", FUDABA_TOKEN=token)
    assert (done.returncode, done.stdout) == (0, "empty-bot, version 1, is absent\n")
    assert "nothing is submitted as empty-bot@1, so it plays while you run it" in done.stderr
    assert "fudaba bot token empty-bot@1" in done.stderr


def plays_more(arena: Arena, than: int) -> bool:
    return number_of(arena, "laptop", "nap@1") > than


def test_a_bot_that_is_paused_at_the_service_is_absent(hosted: Service, arena: Arena, tmp_path: Path) -> None:
    create(arena, OPEN.format(name="pausing", narrow=0).replace("[season]", "[season]\nbegins = 2100-01-01T00:00:00Z"))
    token = author(hosted, "fay")
    register(hosted, token, "rest")
    with playing(hosted, tmp_path, token, "rest", "1"), hosted.client() as client:
        wait_until_connected(hosted, "rest")
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="pausing", bot="rest"), token)
        client.bots.PauseBot(bots_pb2.PauseBotRequest(bot="rest"))
        until(arena, lambda: state_of(arena, "pausing", "rest") == ABSENT, "one that begins no match is absent")
        entered = arena.command("bot", "enter", "rest", "pausing", FUDABA_TOKEN=token)
        assert "it is paused; resume it with `fudaba bot resume rest@1`" in entered.stderr
        client.bots.ResumeBot(bots_pb2.ResumeBotRequest(bot="rest"))
        until(arena, lambda: state_of(arena, "pausing", "rest") == PLAYING, "and is here again")


@pytest.mark.parametrize(
    "leaves",
    [
        pytest.param(False, id="entered", marks=pytest.mark.nightly("the same of one that has left and is back")),
        pytest.param(True, id="left"),
    ],
)
@pytest.mark.exhaustive
def test_a_bot_that_is_paused_before_it_begins_a_block_holds_up_nobody(
    hosted: Service, arena: Arena, tmp_path: Path, leaves: bool
) -> None:
    ladder, bot = ("left-behind", "gone") if leaves else ("held-up", "full")
    create(arena, OPEN.format(name=ladder, narrow=0))
    token = author(hosted, f"ida-{bot}")
    register(hosted, token, bot)
    register(hosted, token, f"silent-{bot}")
    enter = arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot, version="2")
    with playing(hosted, tmp_path, token, bot, "2", "--capacity", "1"), hosted.client() as client:
        wait_until_connected(hosted, bot)
        with occupied(client, hosted.address, bot, f"silent-{bot}"):
            call(arena, "EnterLadder", enter, token)
            until(arena, lambda: presence(client, bot).waiting_matches, "its block waits for it")
            if leaves:
                call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder=ladder, bot=bot), token)
            client.bots.PauseBot(bots_pb2.PauseBotRequest(bot=bot, version="2"), timeout=PATIENCE)
        until(arena, lambda: not playing_now(arena, ladder, f"{bot}@2"), "its block is over")
        void = arena_pb2.ListBlocksRequest(tournament=ladder, state=arena_pb2.BLOCK_STATE_VOID)
        [block] = call(arena, "ListBlocks", void, "").blocks
        assert (block.void_cause, list(block.absent_bots)) == (arena_pb2.VOID_CAUSE_NO_SHOW, [f"{bot}@2"])
        the_others_play_on(arena, ladder)
        client.bots.ResumeBot(bots_pb2.ResumeBotRequest(bot=bot, version="2"), timeout=PATIENCE)
        if leaves:
            call(arena, "EnterLadder", enter, token)
        until(arena, lambda: number_of(arena, ladder, f"{bot}@2") > 0, "it plays once it is resumed")
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=ladder))


@contextmanager
def occupied(client: Client, address: str, bot: str, silent: str) -> Iterator[None]:
    """Has a bot play a match that does not end meanwhile: its opponent is there and never answers."""
    hour = 3_600_000
    players = [record_pb2.Player(bot=bot, version="2"), record_pb2.Player(bot=silent)]
    clock = record_pb2.Clock(move_ms=hour, start_ms=hour)
    request = matches_pb2.CreateMatchRequest(game="naga", players=players, clock=clock)
    match_id = client.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
    seat = accounts_pb2.CreateMatchTokenRequest(match_id=match_id, seat=1)
    with Client(address, client.accounts.CreateMatchToken(seat, timeout=PATIENCE).token) as opponent:
        watch = opponent.play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), timeout=PATIENCE)
        next(watch)
        wait_until(lambda: presence(client, bot).playing_matches, f"{bot} plays")
        yield
        client.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), timeout=PATIENCE)
        watch.cancel()


def presence(client: Client, bot: str) -> bots_pb2.Presence:
    """Returns what the service tells of version 2 of a bot."""
    found = client.bots.ListPresence(bots_pb2.ListPresenceRequest(bots=[bot]), timeout=PATIENCE).presences
    [current] = [listed for listed in found if listed.version == "2"]
    return current
