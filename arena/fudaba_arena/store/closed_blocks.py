"""The sequence of closed blocks: what an entry says, and what all of them add up to.

Closed blocks are numbered from 1 in the order in which they were closed, and entries are only ever appended. All else
(ratings, standings, what is left to play) is derived from them. An entry is a line of five fields, tabs between them:

```
counted naga 2 [HOW ITS MATCHES WENT]    slot    block    [WHAT ELSE IS KNOWN OF THEM]    {WHAT ELSE IS KNOWN OF IT}
```

The first says whether it counts or is `void`, the game, how many of its matches count, and of each
`[deal,[bots],[scores],who forfeited,why]`. Blocks that went alike have it alike, letter for letter: so a million
entries are a few thousand *kinds*, each so many times, and reading them is mostly counting. The fourth is
`[match id,when it ended]` of each match. All in brackets is JSON.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self, final

__all__ = ["Annulment", "ClosedBlock", "ClosedBlocks", "MatchResult", "VoidBlock", "Went", "went"]


@final
@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended that has a result."""

    match_id: str
    block: int
    deal: int
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    forfeited: str = ""
    """The bot that forfeited."""
    forfeit_cause: str = ""
    """`resigned`, `timeouts` or `illegal`."""
    ended_ms: int = 0
    """When it ended, in milliseconds since 1970."""

    def stored(self) -> str:
        """Two lines: how it went, and what else is known of it."""
        went = self.deal, self.bots, self.scores, self.forfeited, self.forfeit_cause
        return f"{_json(went)}\n{_json((self.match_id, self.ended_ms))}"

    @classmethod
    def of(cls, block: int, went: list[Any], about: list[Any]) -> Self:
        """Reads what is stored."""
        deal, bots, scores, forfeited, cause = went
        match_id, ended_ms = about
        return cls(match_id, block, deal, tuple(bots), tuple(scores), forfeited, cause, ended_ms)

    @classmethod
    def of_open(cls, block: int, stored: bytes) -> Self:
        """Reads what is stored while the block is open."""
        went, about = stored.split(b"\n")
        return cls.of(block, json.loads(went), json.loads(about))


@final
@dataclass(frozen=True, slots=True)
class VoidBlock:
    """A block that does not count, and why."""

    block: int
    slot: int
    cause: str
    """`no_show`, `organiser`, `lost`, `stopped`, `away`, `rules_changed`, `worker_lost` or `worker_slow`."""
    match_id: str
    """The match that made it void."""
    bots: tuple[str, ...]
    """The bots to which it is put down; empty when it was nobody's fault."""
    at_ms: int = 0


@final
@dataclass(frozen=True, slots=True)
class ClosedBlock:
    """An entry of the sequence."""

    block: int
    """The block's number."""
    slot: int
    """The place in the schedule that it fills, or was to fill."""
    game: str
    results: tuple[MatchResult, ...] = ()
    """Those that count come first."""
    counting: int = 0
    """How many of them do: all but those of withdrawn bots; none in a void block."""
    void: VoidBlock | None = None
    """Why it is void; None for a block that counts."""
    at_ms: int = 0
    """When it was closed."""

    @property
    def counted(self) -> tuple[MatchResult, ...]:
        """The results that count."""
        return self.results[: self.counting]

    def around(self) -> tuple[str, str, str]:
        """The entry before how its matches went, between that and what else is known of them, and after it."""
        state = "counted" if self.void is None else "void"
        rest: dict[str, Any] = {"at_ms": self.at_ms}
        if self.void is not None:
            rest |= {"cause": self.void.cause, "match_id": self.void.match_id, "bots": self.void.bots}
        return f"{state} {self.game} {self.counting} ", f"\t{self.slot}\t{self.block}\t", f"\t{_json(rest)}"

    def line(self) -> bytes:
        """The entry, as the store has it."""
        before, between, after = self.around()
        parts = [result.stored().split("\n") for result in self.results]
        went, about = (",".join(part[place] for part in parts) for place in (0, 1))
        return f"{before}[{went}]{between}[{about}]{after}".encode()

    @classmethod
    def of(cls, line: bytes) -> Self:
        """Reads an entry."""
        kind, slot, number, about, rest = line.split(b"\t")
        state, game, counting, went = kind.split(b" ", 3)
        block, noted = int(number), json.loads(rest)
        results = tuple(
            MatchResult.of(block, of_match, also)
            for of_match, also in zip(json.loads(went), json.loads(about), strict=True)
        )
        void = None
        if state == b"void":
            bots = tuple(noted["bots"])
            void = VoidBlock(block, int(slot), noted["cause"], noted["match_id"], bots, noted["at_ms"])
        return cls(block, int(slot), game.decode(), results, int(counting), void, noted["at_ms"])


@final
@dataclass(frozen=True, slots=True)
class Annulment:
    """Blocks that were closed and do not count any more, and why. They stay in the sequence."""

    blocks: tuple[int, ...]
    """Their numbers."""
    reason: str
    """The organiser's words."""
    at_ms: int = 0

    def line(self) -> str:
        """As the store has it."""
        return _json(asdict(self))

    @classmethod
    def of(cls, line: bytes) -> Self:
        """Reads what is stored."""
        values = json.loads(line)
        return cls(tuple(values["blocks"]), values["reason"], values["at_ms"])


@final
@dataclass(frozen=True, slots=True)
class Went:
    """How blocks went that went alike, and how many did."""

    game: str
    matches: tuple[MatchResult, ...]
    """Of the matches that count; they have no ids, blocks and times here."""
    times: int


@final
@dataclass(slots=True)
class ClosedBlocks:
    """What the sequence adds up to. To add an entry costs the same, however many there are."""

    annulled: dict[int, Annulment] = field(default_factory=dict)
    """By block number: known before any entry is added."""
    length: int = 0
    """Entries so far."""
    counted: int = 0
    """Blocks that count, annulled ones among them: so many slots are filled."""
    matches: int = 0
    """Matches that count; those of annulled blocks do not."""
    void: dict[int, VoidBlock] = field(default_factory=dict)
    """By block number."""
    attempts: Counter[int] = field(default_factory=Counter)
    """How many blocks of each slot are void."""
    lines: dict[int, bytes] | None = None
    """The entries by block number, for who wants each; None to keep only what they add up to."""
    _filled: bytearray = field(default_factory=bytearray)
    _kinds: dict[bytes, list[int]] = field(default_factory=dict)
    """Of blocks that count: how many there are of each kind, and how many matches of one count."""

    def filled(self, slot: int) -> bool:
        """Whether a place in the schedule has a block that counts."""
        return slot < len(self._filled) and self._filled[slot] == 1

    def add(self, lines: Sequence[bytes]) -> None:
        """Adds the next entries."""
        self.length += len(lines)
        if self.lines is not None:
            self.lines.update((int(line.split(b"\t", 3)[2]), line) for line in lines)
        kinds = []
        for line in lines:
            kind, slot_text, rest = line.split(b"\t", 2)
            if kind.startswith(b"void"):
                self._add_void(ClosedBlock.of(line).void)
                continue
            self.counted += 1
            slot = int(slot_text)
            if slot >= len(self._filled):
                self._filled.extend(bytes(slot + 1))
            self._filled[slot] = 1
            if not self.annulled or int(rest.split(b"\t", 1)[0]) not in self.annulled:
                kinds.append(kind)
        for kind, times in Counter(kinds).items():
            of_kind = self._kinds.get(kind)
            if of_kind is None:
                of_kind = self._kinds[kind] = [0, int(kind.split(b" ", 3)[2])]
            of_kind[0] += times
            self.matches += times * of_kind[1]

    def _add_void(self, void: VoidBlock | None) -> None:
        if void is not None:
            self.void[void.block] = void
            self.attempts[void.slot] += 1

    def annul(self, annulment: Annulment) -> None:
        """Has blocks count no more that were added; where the entries were kept. Those that do not count stay so."""
        for number in annulment.blocks:
            if number in self.annulled or not self.counts(number):
                continue
            self.annulled[number] = annulment
            kind = self._kept[number].split(b"\t", 1)[0]
            of_kind = self._kinds[kind]
            of_kind[0] -= 1
            self.matches -= of_kind[1]
            if not of_kind[0]:
                del self._kinds[kind]

    def kinds(self) -> Mapping[bytes, int]:
        """How many blocks that count went the same way, by that, as they are now; see `went`."""
        return {kind: times for kind, (times, _) in self._kinds.items()}

    def kinds_of(self, numbers: Iterable[int]) -> Mapping[bytes, int]:
        """As `kinds`, of some blocks only; where the entries were kept."""
        some = ClosedBlocks(self.annulled)
        some.add([self.lines[number] for number in numbers] if self.lines is not None else [])
        return some.kinds()

    def numbers(self) -> KeysView[int]:
        """The numbers of the closed blocks, in the order in which they were closed; where the entries were kept."""
        return self._kept.keys()

    def newest(self) -> Iterator[int]:
        """The same, newest first."""
        return reversed(self._kept)

    def counts(self, number: int) -> bool:
        """Whether a block was closed and counted, be it annulled since; where the entries were kept."""
        return number in self._kept and number not in self.void

    def entry(self, number: int) -> ClosedBlock | None:
        """The entry of a block, where it is closed and the entries were kept."""
        line = self._kept.get(number)
        return None if line is None else ClosedBlock.of(line)

    @property
    def _kept(self) -> dict[int, bytes]:
        return {} if self.lines is None else self.lines

    def blocks(self) -> Iterator[ClosedBlock]:
        """The entries by block number, where they were kept."""
        lines = self.lines or {}
        return (ClosedBlock.of(lines[number]) for number in sorted(lines))


def went(kinds: Mapping[bytes, int]) -> Iterator[Went]:
    """What `ClosedBlocks.kinds` says, read; in an order of its own, whatever the order of the entries was."""
    for kind in sorted(kinds):
        _, game, counting, of_matches = kind.split(b" ", 3)
        matches = [MatchResult.of(0, of_match, ["", 0]) for of_match in json.loads(of_matches)[: int(counting)]]
        yield Went(game.decode(), tuple(matches), kinds[kind])


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
