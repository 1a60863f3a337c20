"""Ladders of a standing arena, for tests: their definitions, authors and bots, and what the arena says of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.ladder.ladders import block_results, ladders_of
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.store.data_folder import open_to_read
from tests.support.arena.running import Service, environment
from tests.support.arena.standing import Arena
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, Awaited, in_words, wait_until

OPEN = """\
name = "{name}"
game = "naga"
options = {{ deals = 1 }}
concurrency = 2
provisional_blocks = 2
narrow = {narrow}
rank_half = 0
entries_per_author = 1
names = "shown"

[season]
final_blocks = 2

[[bots]]
name = "first"
builtin = "first"

[[bots]]
name = "random"
builtin = "random"
"""
SHORT = "connect_seconds = 10\nno_shows = 100\n{rest}\n\n[clock]\nmove_ms = 300\nbank_ms = 0\nmax_timeouts = 1\n"
"""A bot that is gone is found out soon."""
ABSENT = arena_pb2.ENTRY_STATE_ABSENT
CALM = OPEN.replace("concurrency = 2", "concurrency = 1")
"""One that leaves most of the machine to what is tested beside it: a ladder never has all its blocks played."""
WAITING = OPEN.replace("[season]", "[season]\nbegins = 2100-01-01T00:00:00Z")
"""A ladder of which nothing is played."""


def author(hosted: Service, name: str) -> str:
    """Returns the token of a new author."""
    with hosted.client() as client:
        return client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE).token


def register(hosted: Service, token: str, bot: str) -> None:
    with Client(hosted.address, token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot), timeout=PATIENCE)


@contextmanager
def playing(
    hosted: Service, folder: Path, token: str, bot: str, version: str, *options: str, program: str = "first"
) -> Iterator[None]:
    """Runs a version of a bot for its author, with options of `fudaba bot run`, until the block is left."""
    with Client(hosted.address, token) as client:
        client.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot=bot, version=version), timeout=PATIENCE)
        own = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=bot, version=version), timeout=PATIENCE).token
    file = folder / f"{bot}-{version}.token"
    file.write_text(own)
    where = ["--server", hosted.address, "--token-file", str(file)]
    process = Forked(["bot", "run", program, *where, *options], folder / f"{bot}-{version}.log", environment())
    try:
        yield
    finally:
        process.kill()
        process.wait()


def wait_until_connected(hosted: Service, bot: str) -> None:
    """Waits until the service says that a version of a bot is there."""
    asked = bots_pb2.ListPresenceRequest(bots=[bot])
    with hosted.client() as client:
        wait_until(
            lambda: any(presence.connected for presence in client.bots.ListPresence(asked).presences), f"{bot} connects"
        )


def call(arena: Arena, method: str, request: Any, token: str | None = None) -> Any:
    return getattr(arena.calls(token).arena, method)(request, timeout=PATIENCE)


def create(arena: Arena, definition: str, **more: Any) -> arena_pb2.Ladder:
    answer: arena_pb2.CreateLadderResponse
    answer = call(arena, "CreateLadder", arena_pb2.CreateLadderRequest(definition=definition, **more))
    return answer.ladder


def get(arena: Arena, name: str) -> arena_pb2.Ladder:
    answer: arena_pb2.GetLadderResponse = call(arena, "GetLadder", arena_pb2.GetLadderRequest(ladder=name), "")
    return answer.ladder


def rows(arena: Arena, name: str) -> dict[str, arena_pb2.Standing]:
    answer = call(arena, "GetStandings", arena_pb2.GetStandingsRequest(tournament=name), "")
    return {row.bot: row for row in answer.standings[0].rows}


def blocks(arena: Arena, name: str) -> list[arena_pb2.Block]:
    request = arena_pb2.ListBlocksRequest(tournament=name, state=arena_pb2.BLOCK_STATE_COUNTED, page_size=1000)
    return list(call(arena, "ListBlocks", request, "").blocks)


def until(arena: Arena, condition: Callable[[], Any], awaited: Awaited) -> Any:
    def reached() -> Any:
        assert arena.process.poll() is None, arena.output
        return condition()

    return wait_until(reached, lambda: f"{in_words(awaited)}: {arena.output}")


async def stored_standings(arena: Arena, name: str) -> list[arena_pb2.Standings]:
    """Returns the standings as they follow from what is stored, made anew."""
    async with open_to_read(arena.folder / "data", None) as store:
        state = await stored_state(store, name)
        assert state is not None
        return standing_messages.standings(ladders_of(state, block_results(state)))


def state_of(arena: Arena, ladder: str, bot: str) -> arena_pb2.EntryState.ValueType:
    entries = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder=ladder), "").entries
    found: arena_pb2.EntryState.ValueType
    [found] = [entry.state for entry in entries if entry.bot == bot]
    return found


def number_of(arena: Arena, ladder: str, *bots: str) -> int:
    """Returns the number of blocks that count and in which all of these bots have played."""
    return sum(set(bots) <= set(block.bots) for block in blocks(arena, ladder))


def the_others_play_on(arena: Arena, ladder: str) -> None:
    before = number_of(arena, ladder, "first@1", "random@1")
    until(arena, lambda: number_of(arena, ladder, "first@1", "random@1") > before, "the others play on")


def playing_now(arena: Arena, ladder: str, bot: str) -> list[arena_pb2.QueuedBlock]:
    queue = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament=ladder), "").blocks
    return [
        queued for queued in queue if queued.block.state == arena_pb2.BLOCK_STATE_PLAYING and bot in queued.block.bots
    ]
