"""One closed block: the content of its line in the sequence.

Closed blocks are numbered from 1 in the order of closing, and lines are only appended. Everything else (ratings,
standings, what is left to play) is derived from them. Each is a line of five fields, separated by tabs:

```
counted naga 2 [HOW ITS MATCHES WENT]    slot    block    [WHAT ELSE IS KNOWN OF THEM]    {WHAT ELSE IS KNOWN OF IT}
```

The first field says whether it counts or is `void`, the game, how many of its matches count, and for each match
`[deal,[bots],[scores],who forfeited,why]`. Blocks with equal results have equal first fields, letter for letter: so a
million lines are a few thousand *kinds*, each with its number, and reading them is mostly counting. The fourth field is
`[match id,when it ended,which worker played it,how its submitted bots were run,{"credited":what was credited for the
network,"took":what its seats took,"rules":which rules its player was told}]` for each match, with the last three only
if there is something to say. Everything in brackets is JSON. Additions of later releases are in the objects, and so is
the form of a result or a line if it is above 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self, final

from fudaba_arena.forms import check_form, left_over, readable
from fudaba_arena.store.blocks.closed_stretch import CREDITED, TOOK
from fudaba_arena.store.usage.seat_credit import SeatCredit
from fudaba_arena.store.usage.seat_use import SeatUse
from fudaba_arena.store.usage.time_use import MatchTime
from fudaba_arena.tournament.limits import PONDER, BotLimits

__all__ = ["ABSENT", "ClosedBlock", "MatchResult", "VoidBlock"]

ABSENT: Final = "absent"
"""The cause of forfeiting a match that began without a bot after others of its block had begun:
`MatchResult.absent`.
"""
_RULES: Final = "rules"


@final
@dataclass(frozen=True, slots=True)
class MatchResult:
    """The end of a match with a result."""

    match_id: str
    block: int
    deal: int
    bots: tuple[str, ...]
    scores: tuple[int, ...]
    forfeited: str = ""
    """The bot that forfeited."""
    forfeit_cause: str = ""
    """`resigned`, `timeouts` or `illegal`; for a bot that a worker had to give up, `crashed`, `cpu` or `limit`;
    `absent` for a match that was not played because its bots were away.
    """
    ended_ms: int = 0
    """The time when it ended, in milliseconds since 1970."""
    worker: str = ""
    """The id of the worker that stored the block; empty for a block that the arena itself played."""
    used: tuple[SeatUse, ...] = ()
    """How each seat of a submitted bot was run."""
    credited: tuple[SeatCredit, ...] = ()
    """The network time that each seat was credited, for seats that may get credit."""
    time: MatchTime | None = None
    """The time that its seats used; None for a match of an earlier release."""
    rules: tuple[str, ...] = ()
    """The rules besides limits that its player received; `used` says whether they were enforced. Empty if the player,
    or the arena that handed the block out, was of an earlier release without rules.
    """
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    @property
    def absent(self) -> tuple[str, ...]:
        """The absent bots of a match that was not played: all bots that lost by it."""
        if self.forfeit_cause != ABSENT:
            return ()
        return tuple(bot for bot, score in zip(self.bots, self.scores, strict=True) if score < 0)

    @property
    def present(self) -> tuple[str, ...]:
        """The bots that were present."""
        return tuple(bot for bot in self.bots if bot not in self.absent)

    def stored(self) -> str:
        """Returns two lines: the result, and the other facts."""
        went = self.deal, self.bots, self.scores, self.forfeited, self.forfeit_cause
        noted: dict[str, object] = {**self.unknown}
        if self.rules:
            noted[_RULES] = list(self.rules)
        if self.credited or noted or self.time is not None:  # earlier releases cannot read a note without credits
            noted[CREDITED] = [seat_credit.values() for seat_credit in self.credited]
        if self.time is not None:
            noted[TOOK] = self.time.values()
        about: list[object] = [self.match_id, self.ended_ms]
        if self.worker or self.used or noted:
            about.append(self.worker)
        if self.used or noted:
            about.append([seat_use.values() for seat_use in self.used])
        if noted:
            about.append(noted)
        return f"{_json(went)}\n{_json(about)}"

    @classmethod
    def from_noted(cls, block: int, went: list[Any], about: list[Any]) -> Self:
        """Reads a stored result."""
        deal, bots, scores, forfeited, cause = went
        match_id, ended_ms, *more = about
        worker, used = more[0] if more else "", more[1] if len(more) > 1 else ()
        noted = more[2] if len(more) > 2 else {}
        check_form(noted, f"the result of match {match_id}")
        return cls(
            match_id,
            block,
            deal,
            tuple(bots),
            tuple(scores),
            forfeited,
            cause,
            ended_ms,
            worker,
            tuple(map(SeatUse.from_values, used)),
            tuple(map(SeatCredit.from_values, noted.get(CREDITED, ()))),
            MatchTime.from_values(noted[TOOK]) if TOOK in noted else None,
            tuple(noted.get(_RULES, ())),
            left_over(noted, (CREDITED, TOOK, _RULES)),
        )

    def used_under(self, limits: BotLimits) -> tuple[SeatUse, ...]:
        """Returns how submitted bots were run, and which of these limits and rules were not enforced on them.

        A rule that the player does not mention counts as not enforced.
        """
        if limits.ponder or PONDER in self.rules:
            return self.used
        others = [[name for name in use.not_enforced if name != PONDER] for use in self.used]
        return tuple(replace(use, not_enforced=(*names, PONDER)) for use, names in zip(self.used, others, strict=True))

    @classmethod
    def of_open(cls, block: int, stored: bytes) -> Self:
        """Reads a result that is stored while the block is open."""
        with readable(f"a result of block {block}"):
            went, about = stored.split(b"\n")
            return cls.from_noted(block, json.loads(went), json.loads(about))


@final
@dataclass(frozen=True, slots=True)
class VoidBlock:
    """A block that does not count, and the reason."""

    block: int
    slot: int
    cause: str
    """`no_show`, `organiser`, `lost`, `stopped`, `away`, `rules_changed`, `worker_lost`, `worker_slow`,
    `no_runtime`, `suspended`, `host`, `starved` or `other_match`."""
    match_id: str
    """The match that made it void."""
    bots: tuple[str, ...]
    """The bots to which it is attributed; empty if it was nobody's fault."""
    at_ms: int = 0

    @classmethod
    def from_noted(cls, block: int, slot: int, noted: Mapping[str, Any]) -> Self:
        """Reads it from its line."""
        return cls(block, slot, noted["cause"], noted["match_id"], tuple(noted["bots"]), noted["at_ms"])


@final
@dataclass(frozen=True, slots=True)
class ClosedBlock:
    """A closed block, from its line of the sequence."""

    block: int
    """The block's number."""
    slot: int
    """The place in the schedule that it fills, or was meant to fill."""
    game: str
    results: tuple[MatchResult, ...] = ()
    """The results of the matches, counting ones first."""
    counting: int = 0
    """The number of counting results: all except those of withdrawn bots; none in a void block."""
    void: VoidBlock | None = None
    """The reason why it is void; None for a block that counts."""
    at_ms: int = 0
    """The time when it was closed."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    @property
    def counted(self) -> tuple[MatchResult, ...]:
        """The counting results."""
        return self.results[: self.counting]

    def played_on(self, worker: str) -> bool:
        """Returns whether a worker played a match of it. `worker` is its name, or that of its machine."""
        return any(
            worker in {result.worker, result.worker.rpartition("-")[0]} for result in self.results if result.worker
        )

    def around(self) -> tuple[str, str, str]:
        """Returns the parts of its line before, between and after the two lists about its matches."""
        state = "counted" if self.void is None else "void"
        rest: dict[str, Any] = {"at_ms": self.at_ms}
        if self.void is not None:
            rest |= {"cause": self.void.cause, "match_id": self.void.match_id, "bots": self.void.bots}
        rest |= self.unknown
        return f"{state} {self.game} {self.counting} ", f"\t{self.slot}\t{self.block}\t", f"\t{_json(rest)}"

    def line(self) -> bytes:
        """Returns the stored line."""
        before, between, after = self.around()
        parts = [result.stored().split("\n") for result in self.results]
        went, about = (",".join(part[place] for part in parts) for place in (0, 1))
        return f"{before}[{went}]{between}[{about}]{after}".encode()

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a line."""
        with readable("a closed block"):
            kind, slot, number, about, rest = line.split(b"\t")
            state, game, counting, went = kind.split(b" ", 3)
            block, noted = int(number), json.loads(rest)
            check_form(noted, f"closed block {block}")
            results = tuple(
                MatchResult.from_noted(block, of_match, also)
                for of_match, also in zip(json.loads(went), json.loads(about), strict=True)
            )
            void = VoidBlock.from_noted(block, int(slot), noted) if state == b"void" else None
            unknown = left_over(noted, ("at_ms", "cause", "match_id", "bots"))
            return cls(block, int(slot), game.decode(), results, int(counting), void, noted["at_ms"], unknown)


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))
