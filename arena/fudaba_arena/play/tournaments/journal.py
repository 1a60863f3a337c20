"""The journal of a tournament: its changes, numbered in the order in which they were noted, for its followers.

The journal names the changes without their content: a block's results are in its results. Changes that are missing from
it are found by comparison with the store, so the next arena notes a change that a killed arena did not. This process
knows how many changes there are and their sum. The sum is also stored, so that nobody has to read all changes.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import accumulate, islice
from typing import Any, Final, Self, final

from fudaba_arena.forms import known_fields, readable
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.sealed.derived_values import opened, sealed
from fudaba_arena.store.store import Store

__all__ = ["Journal", "JournalChange"]

_CHANGES_PER_BATCH: Final = 1_000
_CHANGES_PER_SNAPSHOT: Final = 1_000
"""The number of changes between two snapshots. A snapshot is the sum of all changes."""
_FORM: Final = "changes, form 2"
_SUBJECT: Final = "what"
"""The key under which the store has a change's subject."""


@final
@dataclass(frozen=True, slots=True)
class JournalChange:
    """A change in the journal."""

    kind: str
    """`state`, `block`, `annulled`, `restored`, `withdrawal` or `entry`."""
    subject: str | int
    """The new state; the number of the block that was closed, annulled or restored; the bot that was withdrawn; or the
    number of the change of entries, from 0.
    """
    at_ms: int
    """The time, in milliseconds since 1970."""
    pardons: int = 0
    """The number of earlier readmissions of a withdrawn bot."""

    @classmethod
    def from_stored(cls, raw: bytes) -> Self:
        """Reads a stored change. Raises `BadStored`."""
        with readable("a change of a tournament"):
            values = json.loads(raw)
            if isinstance(values, dict) and _SUBJECT in values:
                values["subject"] = values.pop(_SUBJECT)
            return cls(**known_fields(cls, values, "a change of a tournament"))

    def line(self) -> str:
        """Returns the stored form of the change."""
        return json.dumps({_SUBJECT if name == "subject" else name: value for name, value in asdict(self).items()})


@final
class Journal:
    """The changes of one tournament."""

    def __init__(self, name: str, store: Store) -> None:
        self._name = name
        self._store = store
        self._noting = asyncio.Lock()
        self.length = 0
        """The number of changes, as far as they are known here."""
        self._kept = 0
        """The number of changes when their sum was kept last."""
        self._blocks = 0
        """The number of noted closed blocks, which are the first ones of the sequence."""
        self._entries = 0
        """The number of noted changes of entries, without private ones."""
        self._annulled: Counter[int] = Counter()
        """For each block number, the number of times that the block was annulled or restored."""
        self._gone: set[tuple[str, int]] = set()
        self.state_name = ""
        """The tournament's state as it was noted last."""

    async def after(self, begin: int, count: int) -> list[JournalChange]:
        """Returns at most `count` changes after the first `begin`. Raises `StoreUnavailable`."""
        count = min(count, self.length - begin)
        return (
            list(map(JournalChange.from_stored, await self._store.progress.changes(self._name, begin, count)))
            if count > 0
            else []
        )

    async def catch_up(self, state: ScheduledTournament, word: str) -> bool:
        """Notes the changes since the last call, and the tournament's state `word`. Returns whether there were any.

        Raises `StoreUnavailable`.
        """
        async with self._noting:
            if not self.length:
                await self._go_on(await self._store.progress.noted(self._name))
            before = self.length
            while True:
                new = self._missing(state, word)[:_CHANGES_PER_BATCH]
                lines = [change.line() for change in new]
                if new and await self._store.progress.note_changes(self._name, self.length, lines):
                    self._add(new)
                    if len(new) < _CHANGES_PER_BATCH:
                        break
                elif not await self._read_on():  # nothing is missing, as far as this is what was noted last
                    break
            if self.length >= self._kept + _CHANGES_PER_SNAPSHOT:
                await self._store.progress.keep_noted(self._name, sealed(_FORM, self._adds_up_to))
                self._kept = self.length
            return self.length > before

    async def _read_on(self) -> bool:
        """Reads the changes that others noted. Returns whether there were any."""
        before = self.length
        while raw := await self._store.progress.changes(self._name, self.length, _CHANGES_PER_BATCH):
            self._add(map(JournalChange.from_stored, raw))
        return self.length > before

    @property
    def _adds_up_to(self) -> tuple[Any, ...]:
        return (
            self.length,
            self._blocks,
            self._entries,
            sorted(self._annulled.items()),
            sorted(self._gone),
            self.state_name,
        )

    async def _go_on(self, kept: bytes | None) -> None:
        """Resumes from the stored sum, without reading the changes before it."""
        found = opened(_FORM, kept)
        if found is None:
            return
        length, blocks, entries, annulled, gone, word = found[0]
        if await self._store.progress.changes(self._name, length - 1, 1):
            self.length = self._kept = length
            self._blocks, self._entries, self.state_name = blocks, entries, word
            self._annulled, self._gone = Counter(dict(annulled)), {(bot, pardons) for bot, pardons in gone}

    def _add(self, changes: Iterable[JournalChange]) -> None:
        for change in changes:
            self.length += 1
            if change.kind == "block":
                self._blocks += 1
            elif change.kind in {"annulled", "restored"}:
                self._annulled[int(change.subject)] += 1
            elif change.kind == "withdrawal":
                self._gone.add((str(change.subject), change.pardons))
            elif change.kind == "entry":
                self._entries += 1
            else:
                self.state_name = str(change.subject)

    def _unnoted(self, blocks: ClosedBlocks) -> Iterator[JournalChange]:
        """Finds unnoted changes of blocks, by annulments and by their undoing."""
        seen: Counter[int] = Counter()
        for annulment in blocks.annulments:
            for number in annulment.blocks:
                seen[number] += 1
                if seen[number] > self._annulled[number] and blocks.counts(number):
                    yield JournalChange("restored" if annulment.undoes else "annulled", number, annulment.at_ms)

    def _missing(self, state: ScheduledTournament, word: str) -> list[JournalChange]:
        stored, now = state.stored, int(time.time() * 1000)
        # Blocks are noted in the order of their sequence, even if a clock went back, so what is missing is its end.
        until = min(stored.blocks.length, self._blocks + _CHANGES_PER_BATCH)
        closed = [stored.blocks.noted(place) for place in range(self._blocks, until)]
        latest = accumulate((at_ms for _, at_ms in closed), max)
        order = {number: at_ms for (number, _), at_ms in zip(closed, latest, strict=True)}
        missing = [JournalChange("block", number, at_ms) for number, at_ms in closed]
        missing += self._unnoted(stored.blocks)
        missing += [
            JournalChange("withdrawal", bot, now, state.admissions(bot))
            for bot in stored.withdrawn
            if (bot, state.admissions(bot)) not in self._gone
        ]
        public = ((place, change) for place, change in enumerate(stored.entries.changes) if not change.private)
        missing += [
            JournalChange("entry", place, change.at_ms) for place, change in islice(public, self._entries, None)
        ]
        missing.sort(key=lambda change: order[int(change.subject)] if change.kind == "block" else change.at_ms)
        if word != self.state_name:
            # Blocks that are over were played before the stop, and later ones will be played after the resumption.
            missing.insert(0 if word == "playing" else len(missing), JournalChange("state", word, now))
        return missing
