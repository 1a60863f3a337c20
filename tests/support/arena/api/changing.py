"""A ladder in which entries come, rest, go and are annulled at random, and whether it ever stands still."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import final

from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2
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

__all__ = ["ChangingLadder", "changing_ladder"]


@final
class ChangingLadder:
    """A ladder of nobody but connected bots, each of an account of its own, and what is done to it."""

    def __init__(self, hosted: Service, arena: Arena, name: str, bots: list[str], seed: int) -> None:
        self._hosted = hosted
        self._arena = arena
        self.name = name
        self._random = random.Random(seed)
        self._states = dict.fromkeys(bots, "out")
        """For each bot, `out`, `playing`, `paused` as an entry, `resting` at the service, or `deleted`."""
        self._longest_idle = 0.0
        self.done: list[str] = []
        """The steps that were done so far."""

    @property
    def plays(self) -> bool:
        """Whether two bots that may meet are entered, connected and paused by nobody."""
        return sum(state == "playing" for state in self._states.values()) >= 2

    @property
    def longest_idle(self) -> float:
        """The longest time in seconds that `wait_for_block` saw nothing played in."""
        return self._longest_idle

    def change(self) -> None:
        """Does something to an entry, drawn from the seed."""
        kept = [bot for bot, state in self._states.items() if state != "deleted"]
        bot = self._random.choice(kept)
        steps = {
            "out": [self._enter],
            "playing": [self._leave, self._pause, self._rest, self._annul],
            "paused": [self._resume, self._leave],
            "resting": [self._wake],
        }[self._states[bot]]
        if len(kept) > 3 and self._states[bot] == "playing":
            steps = [*steps, self._delete]
        step = self._random.choice(steps)
        self.done.append(f"{step.__name__.strip('_')} {bot}")
        step(bot)

    def wait_for_block(self) -> None:
        """Waits until a further block counts. Notes for how long nothing was played until something was."""
        before, idle_since = get(self._arena, self.name).tournament.progress.blocks_counted, time.monotonic()

        def counts() -> bool:
            nonlocal idle_since
            progress, now = get(self._arena, self.name).tournament.progress, time.monotonic()
            if progress.matches_playing or progress.blocks_counted != before:
                idle_since = now
            self._longest_idle = max(self._longest_idle, now - idle_since)
            return bool(progress.blocks_counted > before)

        until(self._arena, counts, self._standstill)

    def _standstill(self) -> str:
        """Describes a ladder on which no further block counts."""
        entries = call(self._arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder=self.name), "")
        queue = call(self._arena, "GetQueue", arena_pb2.GetQueueRequest(tournament=self.name), "")
        with self._hosted.client() as client:
            asked = bots_pb2.ListPresenceRequest(
                bots=[bot for bot, state in self._states.items() if state != "deleted"]
            )
            presences = client.bots.ListPresence(asked, timeout=PATIENCE)
        known = get(self._arena, self.name), entries, queue, presences
        return "\n".join([f"a block counts after {self.done[-5:]}", *map(str, known)])

    def _enter(self, bot: str) -> None:
        call(self._arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=self.name, bot=bot, version="2"))
        self._states[bot] = "playing"

    def _leave(self, bot: str) -> None:
        call(self._arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder=self.name, bot=bot))
        self._states[bot] = "out"

    def _pause(self, bot: str) -> None:
        call(self._arena, "PauseEntry", arena_pb2.PauseEntryRequest(ladder=self.name, bot=bot))
        self._states[bot] = "paused"

    def _resume(self, bot: str) -> None:
        call(self._arena, "ResumeEntry", arena_pb2.ResumeEntryRequest(ladder=self.name, bot=bot))
        self._states[bot] = "playing"

    def _rest(self, bot: str) -> None:
        with self._hosted.client() as client:
            client.bots.PauseBot(bots_pb2.PauseBotRequest(bot=bot), timeout=PATIENCE)
        self._states[bot] = "resting"

    def _wake(self, bot: str) -> None:
        with self._hosted.client() as client:
            client.bots.ResumeBot(bots_pb2.ResumeBotRequest(bot=bot), timeout=PATIENCE)
        self._states[bot] = "playing"

    def _delete(self, bot: str) -> None:
        with self._hosted.client() as client:
            account = accounts_pb2.DeleteAccountRequest(account=f"of-{bot}")
            client.accounts.DeleteAccount(account, timeout=PATIENCE)
        self._states[bot] = "deleted"

    def _annul(self, bot: str) -> None:
        """Annuls what it has played, if anything."""
        progress = get(self._arena, self.name).tournament.progress
        annul = arena_pb2.AnnulBlocksRequest(tournament=self.name, bot=f"{bot}@2", reason="at random")
        if progress.blocks_counted:
            with self._arena.client() as client:
                try:
                    client.arena.AnnulBlocks(annul, timeout=PATIENCE)
                except ServiceError as error:
                    if error.reason != "NOTHING_TO_ANNUL":
                        raise


@contextmanager
def changing_ladder(
    hosted: Service, arena: Arena, folder: Path, name: str, number: int, seed: int
) -> Iterator[ChangingLadder]:
    """Yields a ladder with this many bots that run and are not entered yet. They never leave the service."""
    bots = [f"{name}-{n}" for n in range(number)]
    rest = "connect_seconds = 5\nno_shows = 100\nattempts = 100\n\n[season]"
    create(arena, OPEN.format(name=name, narrow=0).partition("[[bots]]")[0].replace("[season]", rest, 1))
    with ExitStack() as running:
        for bot in bots:
            token = author(hosted, f"of-{bot}")
            register(hosted, token, bot)
            running.enter_context(playing(hosted, folder, token, bot, "2"))
        for bot in bots:
            wait_until_connected(hosted, bot)
        yield ChangingLadder(hosted, arena, name, bots, seed)
        call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=name))
