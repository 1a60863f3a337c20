"""What has changed in a tournament, numbered in the order in which it was noted, for those who follow it.

The journal names what has changed and keeps none of it: a block's results are in its results. What is not in it yet is
found by comparing it with what is stored; so a change that a killed arena did not note is noted by the next one.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import asdict, dataclass
from itertools import takewhile
from typing import Final, Self, final

from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.results import Store

__all__ = ["Change", "Journal"]

_BATCH: Final = 1_000


@final
@dataclass(frozen=True, slots=True)
class Change:
    """One change."""

    kind: str
    """`state`, `block`, `annulled`, `withdrawal` or `entry`."""
    what: str | int
    """The state that it became, the number of the block that was closed or annulled, the bot that was withdrawn, or
    which change of who is entered it was, from 0."""
    at_ms: int
    """When, in milliseconds since 1970."""
    pardons: int = 0
    """Of a withdrawal: how often the bot had been let in again before."""

    @classmethod
    def of(cls, raw: bytes) -> Self:
        """Reads what is stored."""
        return cls(**json.loads(raw))


@final
class Journal:
    """The changes of one tournament."""

    def __init__(self, name: str, store: Store) -> None:
        self._name = name
        self._store = store
        self._noting = asyncio.Lock()
        self.changes: list[Change] = []
        """As far as they are known here."""
        self._blocks: set[int] = set()
        self._entries = 0
        """How many changes of who is entered are noted."""
        self._annulled: set[int] = set()
        self._gone: set[tuple[str, int]] = set()
        self.word = ""
        """The tournament's state as it was noted last."""

    async def catch_up(self, state: TournamentState, word: str) -> bool:
        """Notes what has changed since the last time, and that the tournament's state is `word`; whether anything has.

        Raises `StoreUnavailable`.
        """
        async with self._noting:
            before = len(self.changes)
            while True:
                new = self._missing(state, word)[:_BATCH]
                lines = [json.dumps(asdict(change)) for change in new]
                if new and await self._store.note_changes(self._name, len(self.changes), lines):
                    noted = new
                else:  # nothing is missing, as far as this is what was noted last
                    noted = [Change.of(raw) for raw in await self._store.changes(self._name, len(self.changes))]
                for change in noted:
                    self._add(change)
                if not noted or (noted is new and len(new) < _BATCH):
                    return len(self.changes) > before

    def _add(self, change: Change) -> None:
        self.changes.append(change)
        if change.kind == "block":
            self._blocks.add(int(change.what))
        elif change.kind == "annulled":
            self._annulled.add(int(change.what))
        elif change.kind == "withdrawal":
            self._gone.add((str(change.what), change.pardons))
        elif change.kind == "entry":
            self._entries += 1
        else:
            self.word = str(change.what)

    def _missing(self, state: TournamentState, word: str) -> list[Change]:
        stored, now = state.stored, int(time.time() * 1000)
        # Blocks are noted in the order of their sequence, so what is missing is its end.
        closed = list(takewhile(lambda number: number not in self._blocks, stored.blocks.newest()))
        entries = [stored.blocks.entry(number) for number in reversed(closed)]
        missing = [Change("block", one.block, one.at_ms) for one in entries if one is not None]
        annulled = list(stored.blocks.annulled.items())
        missing += [Change("annulled", number, one.at_ms) for number, one in annulled if number not in self._annulled]
        missing += [
            Change("withdrawal", bot, now, state.admissions(bot))
            for bot in stored.withdrawn
            if (bot, state.admissions(bot)) not in self._gone
        ]
        of_entries = stored.entries.changes[self._entries :]
        missing += [Change("entry", self._entries + place, one.at_ms) for place, one in enumerate(of_entries)]
        missing.sort(key=lambda change: change.at_ms)
        if word != self.word:
            # What is over was played before it stopped, and what is still to come will be after it went on.
            missing.insert(0 if word == "playing" else len(missing), Change("state", word, now))
        return missing
