"""Everything that playing a block needs to know about its tournament, wherever it is played."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Self, final

from fudaba_arena.forms import known_fields
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.seeds import match_seed
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.tournament.absence_rule import AbsenceRule
from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.tournament.limits import PONDER, BotLimits
from fudaba_arena.tournament.terms import Clock
from fudaba_games.game import OptionValue

__all__ = ["BlockSpec"]


@final
@dataclass(frozen=True, slots=True)
class BlockSpec:
    """A block with its deals, and the settings of its matches."""

    tournament: str
    number: int
    slot: int
    attempt: int
    game: str
    options: Mapping[str, OptionValue]
    clock: Clock
    connect_seconds: int
    matches: tuple[PlannedMatch, ...]
    """The matches that were wanted when it was opened."""
    seeds: tuple[bytes, ...]
    """The 32-byte seed of each of the matches."""
    bots: Mapping[str, BotEntry]
    """The bots that play in it, by name."""
    limits: BotLimits = BotLimits()  # noqa: RUF009  # it is frozen
    """The limits of its submitted bots."""
    rated: bool = False
    """Whether it belongs to a season of a ladder: then the bots' kept folders are updated."""
    sharing: int = 0
    """The number of entries that shared the room, see `ChosenBlock.sharing`; 0 if the schedule was known before."""
    absence: AbsenceRule | None = None
    """The cost of absence in the middle of the block; None if absence makes the block void."""
    win_margin: float = 1.0
    """The points by which the clearest win of a match is won."""
    names_hidden: bool = False
    """Whether its bots are not told each other's names."""
    concealed_from_ms: int = 0
    """The time since which others than its players do not find its matches, in milliseconds since 1970; 0 for never."""
    concealed_until_ms: int = 0
    """The time from which on they find them; 0 for none yet."""

    @classmethod
    def from_block(cls, state: ScheduledTournament, block: Block) -> Self:
        """Makes the specification of a block of a tournament as it is now."""
        tournament, schedule, matches = state.tournament, state.schedule, state.to_play(block)
        terms = state.terms(block.slot)
        return cls(
            tournament=tournament.name,
            number=block.number,
            slot=block.slot,
            attempt=block.attempt,
            game=block.game,
            options=tournament.game(block.game).options,
            clock=terms.clock,
            connect_seconds=terms.connect_seconds,
            matches=matches,
            seeds=tuple(match_seed(state.stored.master, block, match) for match in matches),
            bots={name: tournament.bot(name) for match in matches for name in match.bots},
            limits=terms.limits,
            rated=tournament.season is not None,
            sharing=schedule.chosen.kind(block.slot).sharing if isinstance(schedule, ChosenSchedule) else 0,
            absence=tournament.season.absence if tournament.season is not None else None,
            win_margin=tournament.game(block.game).win_margin,
            names_hidden=tournament.names_hidden,
            concealed_from_ms=tournament.season.standings_freeze_ms if tournament.season is not None else 0,
            concealed_until_ms=tournament.season.standings_open_ms if tournament.season is not None else 0,
        )

    def concealed(self, now_ms: int) -> bool:
        """Returns whether others than its players do not find a match that is created at a time."""
        return 0 < self.concealed_from_ms <= now_ms and not 0 < self.concealed_until_ms <= now_ms

    def seed(self, match: PlannedMatch) -> bytes:
        """Returns the seed of one of the matches."""
        return self.seeds[self.matches.index(match)]

    @property
    def needs(self) -> set[str]:
        """Returns the needs of its submitted bots, in the form of `needs_of`; empty if there are none."""
        return {bot.needs for bot in self.bots.values() if bot.submission}

    @property
    def commands(self) -> bool:
        """Whether one of its bots is given as a command."""
        return any(bot.command for bot in self.bots.values())

    def submitted(self, match: PlannedMatch) -> int:
        """Returns how many bots of one of the matches run in a worker's sandbox."""
        return sum(bool(self.bots[name].submission) for name in match.bots)

    @property
    def at_once(self) -> tuple[PlannedMatch, ...]:
        """Returns the matches that may be played at once. For a deal of submitted bots, these are the matches of one
        sitting.
        """
        sat: set[int] = set()
        found = []
        for match in self.matches:
            if not self.submitted(match):
                found.append(match)
            elif match.deal not in sat:
                sat.add(match.deal)
                found.append(match)
        return tuple(found)

    @property
    def seats(self) -> int:
        """The number of seats in which workers' bots play at once."""
        return sum(not self.bots[name].remote for match in self.at_once for name in match.bots)

    def text(self) -> str:
        """Returns its stored form."""
        return json.dumps(self, default=_values)

    @classmethod
    def read(cls, text: str | bytes) -> Self:
        """Reads a stored specification."""
        values = known_fields(cls, json.loads(text), "a block that is handed out")
        values["clock"] = Clock(**known_fields(Clock, values["clock"], "the clock of a block"))
        values["seeds"] = tuple(bytes.fromhex(seed) for seed in values["seeds"])
        values["matches"] = tuple(
            PlannedMatch(match["match_id"], match["deal"], tuple(match["bots"])) for match in values["matches"]
        )
        absence = values.get("absence")
        values["absence"] = AbsenceRule.from_definition(absence) if absence is not None else None
        values["bots"] = {name: _bot(bot) for name, bot in values["bots"].items()}
        # Of a ladder's that an earlier release has handed out, each seat has what it has where anybody may enter.
        limits = values.get("limits") or {}
        stored = BotLimits.stored(limits, strangers=values.get("rated", False))
        # But its bots may ponder: this does not say whether anybody may enter, and so it was until then.
        values["limits"] = replace(stored, ponder=limits.get(PONDER, True))
        return cls(**values)


def _values(part: object) -> object:
    """Converts values that JSON lacks to their stored form. `asdict` would copy everything first."""
    if isinstance(part, bytes):
        return part.hex()
    if isinstance(part, Path):
        return str(part)
    if isinstance(part, Mapping):
        return dict(part)
    if isinstance(part, BotLimits):
        return part.values()
    return {field.name: getattr(part, field.name) for field in fields(part)}  # type: ignore[arg-type]  # a dataclass


def _bot(values: dict[str, object]) -> BotEntry:
    known = known_fields(BotEntry, values, "a bot of a block")
    lists = {key: tuple(value) for key, value in known.items() if isinstance(value, list)}
    return BotEntry(**known | lists | {"cwd": Path(str(known.get("cwd", "")))})
