"""A tournament with its schedule, and with its part in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from typing import Final, final

from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.bracket_standing import Bracket
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.drawn_schedule import DrawnSchedule, Played, RoundFacts
from fudaba_arena.schedule.entrants import with_entries
from fudaba_arena.schedule.knockout import KnockoutSchedule
from fudaba_arena.schedule.planning import schedule_of
from fudaba_arena.schedule.seeds import commitment
from fudaba_arena.schedule.swiss import SwissRow, SwissSchedule
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.store.blocks.closed_block import ClosedBlock, VoidBlock
from fudaba_arena.store.tournaments.chosen_blocks import ChosenBlock
from fudaba_arena.store.tournaments.entries import EntryChange
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.tournament.definition import BotEntry, Owned, Tournament
from fudaba_arena.tournament.edits import amended
from fudaba_arena.tournament.terms import Terms

__all__ = ["NOBODY", "NO_SHOW", "SUSPENDED", "ScheduledTournament"]

NO_SHOW: Final = "no_show"
"""The cause of a void block: a bot did not begin its matches."""
SUSPENDED: Final = "suspended"
"""The cause of a void block: the account of a bot was suspended."""
NOBODY: Final = frozenset({"stopped", "away", "rules_changed", "no_runtime", "host", "other_match", SUSPENDED})
"""The causes of void blocks that do not count as an attempt: neither the bots nor their matches were to blame."""


@final
class ScheduledTournament:
    """A tournament in play. The runner updates `stored` whenever the store has accepted a change."""

    def __init__(self, tournament: Tournament, stored: StoredTournament) -> None:
        self._filed = tournament
        self.tournament = with_entries(tournament, stored.entries) if tournament.season is not None else tournament
        """The tournament with all entrants. In a season of a ladder, entrants are added."""
        self.entrants: dict[str, BotEntry] = {bot.name: bot for bot in self.tournament.bots}
        """The same bots, by name."""
        self.stored = stored
        self.commitment = commitment(stored.master).hex()
        self.id = f"{tournament.name}-{self.commitment[:8]}"
        """Match ids begin with it. The part of the commitment keeps two runs of one file apart."""
        self.schedule = schedule_of(tournament, self.id, stored.chosen)
        if isinstance(self.schedule, DrawnSchedule):
            for drawn in stored.rounds:
                self.schedule.add(drawn)
        self._decided_slots: set[int] = set()
        """The slots of a knockout that had no result when their round was decided. They are not played any more."""
        if isinstance(self.schedule, KnockoutSchedule):
            self._decided_slots.update(*(drawn.unplayed for drawn in stored.rounds))
        self.parked_slots: set[int] = set()
        """The places in the schedule whose blocks are not tried any more."""
        self._numbered: tuple[int, frozenset[int]] = 0, frozenset()
        """The number of void blocks and the parked slots for which `parked_numbers` were computed."""
        self._parked_numbers = frozenset[int]()
        self.opened: set[int] = set()
        """The numbers of the blocks that this process plays. `BlockPlan` notes them."""
        self._playing = frozenset[str]()
        """The entrants of a ladder's season that are entered now."""
        self._unfilled: set[int] = set()
        """The slots of a ladder's season that had no result at the last look, see `_open_slots`."""
        self._looked_at = 0
        """The number of slots at that time."""
        self._failed: Counter[int] = Counter(void.slot for void in stored.blocks.void.values() if _charged(void))
        self._void_bots: dict[int, tuple[str, ...]] = {}
        """The bots that were to play void blocks, by the blocks' numbers."""
        self._note_who_plays()

    @property
    def _all_known(self) -> bool:
        """Whether no more blocks will be added."""
        return self.schedule.whole if self.tournament.season is None else not self.goes_on

    @property
    def goes_on(self) -> bool:
        """Whether unchosen blocks may still come, as in a season of a ladder whose final has not begun."""
        return self.tournament.season is not None and self.stored.entries.frozen_ms is None

    def terms(self, slot: int) -> Terms:
        """Returns the terms that the block of a slot is played under, at every attempt."""
        if not isinstance(self.schedule, ChosenSchedule):
            return self.tournament.terms
        return self.tournament.terms_after(self.schedule.chosen.kind(slot).edits)

    def hides_names(self, slot: int) -> bool:
        """Returns whether only the organiser may know who plays the block of a slot, at any attempt.

        The next attempt at a void block has the same bots, so their names stay hidden until an attempt counts.
        """
        hidden = self.tournament.names_hidden and self.tournament.season is not None
        return hidden and not self.stored.closed and not self.stored.blocks.filled(slot)

    def hides_names_of(self, match_id: str) -> bool:
        """Returns whether this is a match of this tournament whose bots only the organiser may know."""
        if not match_id.startswith(f"{self.id}-") or not isinstance(self.schedule, ChosenSchedule):
            return False
        number = match_id.rpartition("-")[0].rpartition("-b")[2]
        # Another arena may have chosen the block just now.
        return not number.isdecimal() or self.hides_names(self.schedule.numbers.slot(int(number)))

    def amend(self, edited: Tournament) -> None:
        """Takes in what an edit of a season may change; its bots and its entries stay."""
        self._filed = amended(self._filed, edited)
        self.note_entries(())

    def note_entries(self, changes: Iterable[EntryChange]) -> None:
        """Notes changes of entries."""
        self.stored.entries.add(changes)
        self.tournament = with_entries(self._filed, self.stored.entries)
        self.entrants = {bot.name: bot for bot in self.tournament.bots}
        self._note_who_plays()

    def _note_who_plays(self) -> None:
        self._playing = frozenset(entry.entrant for entry in self.stored.entries.playing())
        self.note_withdrawn()

    def note_owner(self, bot: str, owned: Owned) -> None:
        """Assigns a bot to an account, for display too."""
        self.stored.entries.note_owner(bot, owned)
        self.note_entries(())

    def note_deleted(self, account: str, pseudonym: str) -> None:
        """Drops the extension of a deleted account."""
        self.stored.entries.note_deleted(account, pseudonym)
        self.note_entries(())

    def under(self, annulments: Sequence[Annulment], *changes: EntryChange) -> ScheduledTournament:
        """Returns a copy, as it would be under exactly these annulments and after some changes of the entries, to
        rate it.
        """
        found, entries = copy(self), self.stored.entries
        after = replace(entries, changes=list(entries.changes), by_bot=dict(entries.by_bot), asked=dict(entries.asked))
        after.add(changes)
        found.stored = replace(self.stored, blocks=self.stored.blocks.under(annulments), entries=after)
        return found

    def admissions(self, bot: str) -> int:
        """Returns how often a bot was readmitted after it might have been withdrawn."""
        entry = self.stored.entries.by_bot.get(bot.partition("@")[0])
        return self.stored.pardons + (entry.resumed if entry is not None else 0)

    def readmit(self, bot: str) -> None:
        """Lets a withdrawn bot play again."""
        self.stored.withdrawn.pop(bot, None)
        self.stored.no_shows.pop(bot, None)
        self.note_withdrawn()

    def add_chosen(self, chosen: ChosenBlock) -> Block:
        """Adds a chosen block of a ladder's season. Raises `ValueError` for another tournament.

        The block is parked at once if one of its bots left while the choice was being stored.
        """
        if not isinstance(self.schedule, ChosenSchedule):
            raise ValueError(f"tournament {self.tournament.name} is not a season of a ladder")
        block = self.schedule.add(chosen)
        if self.parked(block):
            self.parked_slots.add(block.slot)
        return block

    def close(self, closed: ClosedBlock) -> None:
        """Notes that a block is over."""
        self.stored.blocks.add([closed.line()])
        for result in closed.results:
            self.stored.results.pop(result.match_id, None)
        if closed.void is None:
            self.parked_slots.discard(closed.slot)
            return
        self._failed[closed.slot] += _charged(closed.void)
        if self.parked(self.schedule.turn(closed.slot, self.stored.blocks.attempts)):
            self.parked_slots.add(closed.slot)

    def note_withdrawn(self) -> None:
        """Finds the parked blocks again. Call it when a bot is withdrawn. It examines every block of that bot."""
        if self.tournament.season is not None:
            slots = self._open_slots()
        else:
            slots = set(self._failed) | self._decided_slots
            if self.stored.withdrawn:
                slots.update(self.schedule.like(lambda block: not self.to_play(block)))
        turn, blocks = self.schedule.turn, self.stored.blocks
        self.parked_slots = {
            slot for slot in slots if not blocks.filled(slot) and self.parked(turn(slot, blocks.attempts))
        }

    def unfinished_blocks_of(self, entrant: str) -> int:
        """Counts the blocks of a season's entrant that were chosen and have no result."""
        if not isinstance(self.schedule, ChosenSchedule):
            return 0
        chosen = self.schedule.chosen
        return sum(any(entrant in group for group in chosen.kind(slot).groups) for slot in self._open_slots())

    def _open_slots(self) -> set[int]:
        """Returns the slots without a result. Results stay, so few slots are examined again."""
        filled, length = self.stored.blocks.filled, len(self.schedule)
        self._unfilled.update(range(self._looked_at, length))
        self._looked_at = length
        self._unfilled = {slot for slot in self._unfilled if not filled(slot)}
        return self._unfilled

    def to_play(self, block: Block) -> tuple[PlannedMatch, ...]:
        """Returns the matches of a block that are to be played, without those of withdrawn bots."""
        gone = self.stored.withdrawn
        return tuple(match for match in block.matches if not any(bot in gone for bot in match.bots))

    def attempts(self, slot: int) -> int:
        """Returns the number of failed attempts at a place in the schedule."""
        return self._failed[slot]

    def parked(self, block: Block) -> bool:
        """Returns whether a block is parked: too many attempts have failed, or its bots are withdrawn.

        In a season, an unbegun block is also parked if one of its bots has left or plays another version.
        """
        decided = block.slot in self._decided_slots
        return decided or not self.to_play(block) or self.exhausted(block) or self._past(block)

    def exhausted(self, block: Block) -> bool:
        """Returns whether as many attempts at a block have failed as are allowed."""
        allowed = self.tournament.attempts * (1 + self.stored.pardons)
        return block.attempt > 0 and self.attempts(block.slot) >= allowed

    def begun(self, block: Block) -> bool:
        """Returns whether a block is in play, or was when the arena stopped: then it continues, whichever bots are
        present.
        """
        stored = self.stored
        return (
            block.number in self.opened
            or block.number in stored.handed_out
            or any(match.match_id in stored.created for match in block.matches)
        )

    def _past(self, block: Block) -> bool:
        """Returns whether an unbegun block of a season has bots that would no longer be chosen."""
        gone = self.tournament.season is not None and not self._playing.issuperset(block.bots)
        return gone and not self.begun(block)

    def next_round(self) -> DrawnRound | None:
        """Returns the next round of a Swiss or a knockout, drawn from the stored results.

        Returns None while a round is in play, and for other formats.
        """
        schedule, blocks = self.schedule, self.stored.blocks
        if not isinstance(schedule, DrawnSchedule) or self.stored.closed:
            return None
        unplayed = [slot for slot in range(len(schedule)) if not blocks.filled(slot)]
        if not self.parked_slots.issuperset(unplayed):
            return None
        out = {*self.stored.withdrawn, *self._absent(unplayed)}
        return schedule.next_round(RoundFacts(out, unplayed, self._played, self._annulled()))

    def _annulled(self) -> set[int]:
        """Returns the slots of a knockout's round in play whose blocks are annulled."""
        if not isinstance(self.schedule, KnockoutSchedule):
            return set()
        blocks = self.stored.blocks
        return {
            slot
            for slot in self.schedule.playing_slots()
            if blocks.filled(slot) and not all(self._counts(slot, bots) for bots, _ in self._played(slot))
        }

    def _counts(self, slot: int, bots: Iterable[str]) -> bool:
        """Returns whether a match of the block that filled a slot counts under the present annulments."""
        return self.stored.blocks.match_counts(self.schedule.turn(slot, self.stored.blocks.attempts).number, bots)

    def _absent(self, unplayed: Collection[int]) -> Iterator[str]:
        """Yields the bots of a knockout that missed the last attempt at a block of the round in play."""
        if not isinstance(self.schedule, KnockoutSchedule):
            return
        slots, attempts = set(unplayed).intersection(self.schedule.playing_slots()), self.stored.blocks.attempts
        turns = (self.schedule.turn(slot, attempts) for slot in slots)
        lasts = {turn.slot: turn.attempt - 1 for turn in turns if self.exhausted(turn)}
        for void in self.stored.blocks.void.values():
            last = self.schedule.block(void.block).attempt == lasts.get(void.slot)
            if last and void.cause == NO_SHOW:
                yield from void.bots

    @property
    def out_of_bracket(self) -> frozenset[str]:
        """The bots that a knockout goes on without, whether or not they return; none in other formats."""
        rounds = self.stored.rounds if isinstance(self.schedule, KnockoutSchedule) else ()
        return frozenset(bot for drawn in rounds for bot in drawn.out)

    def begin_round(self, drawn: DrawnRound) -> list[Block]:
        """Adds a round that is stored. Returns its blocks."""
        self.stored.rounds.append(drawn)
        if isinstance(self.schedule, KnockoutSchedule):
            self._decided_slots.update(drawn.unplayed)
        return self.schedule.add(drawn) if isinstance(self.schedule, DrawnSchedule) else []

    @property
    def stuck(self) -> str:
        """The reason why the next round of a Swiss cannot begin although nothing is left to play; empty otherwise."""
        if (
            not isinstance(self.schedule, SwissSchedule)
            or self.schedule.whole
            or self.stored.closed
            or self.next_round() is not None
        ):
            return ""
        if any(not self.parked(block) for block in self.unfinished()):
            return ""
        number = len(self.stored.rounds) + 1
        return f"too few bots are left for round {number} of {self.tournament.format.rounds}"

    def _played(self, slot: int) -> Played:
        """Returns the matches of a slot that counted when its block was closed."""
        closed = self.stored.blocks.block(self.schedule.turn(slot, self.stored.blocks.attempts).number)
        return [(result.bots, result.scores) for result in closed.counted] if closed is not None else ()

    def swiss(self) -> dict[str, tuple[SwissRow, ...]]:
        """Returns the standings of a Swiss, by game; empty for other formats. Annulled blocks count as not played."""
        schedule, blocks = self.schedule, self.stored.blocks
        if not isinstance(schedule, SwissSchedule):
            return {}

        def played(slot: int) -> Played | None:
            if not blocks.filled(slot):
                return () if slot in self.parked_slots or self.stored.closed else None
            return [(bots, scores) for bots, scores in self._played(slot) if self._counts(slot, bots)]

        return {game: schedule.standing(game, played) for game in schedule.games}

    def bracket(self) -> Bracket | None:
        """Returns the bracket of a knockout; None for other formats. What is decided stays, even if it is annulled."""
        if not isinstance(self.schedule, KnockoutSchedule):
            return None
        filled = self.stored.blocks.filled
        return self.schedule.bracket(lambda slot: self._played(slot) if filled(slot) else None, self._annulled())

    @property
    def playable(self) -> bool:
        """Whether anything can be played: a block that is not parked, or a round that can begin."""
        return any(not self.parked(block) for block in self.unfinished()) or self.next_round() is not None

    def unfinished(self) -> Iterator[Block]:
        """Returns the blocks without a result, including parked ones, in the order of the schedule."""
        return self.schedule.pending(self.stored.blocks.filled, self.stored.blocks.attempts)

    @property
    def blocked(self) -> bool:
        """Whether parked blocks keep the tournament from ending. Those of decided rounds do not."""
        return not self._decided_slots.issuperset(self.parked_slots)

    @property
    def parked_blocks(self) -> list[Block]:
        """The parked blocks."""
        return [self.schedule.turn(slot, self.stored.blocks.attempts) for slot in sorted(self.parked_slots)]

    @property
    def parked_numbers(self) -> frozenset[int]:
        """The numbers of the parked blocks. They are computed again only when other blocks are parked."""
        # A void block is replaced by one with another number.
        parked = len(self.stored.blocks.void), frozenset(self.parked_slots)
        if parked != self._numbered:
            self._numbered = parked
            self._parked_numbers = frozenset(block.number for block in self.parked_blocks)
        return self._parked_numbers

    @property
    def matches_counted(self) -> int:
        """The number of counting matches so far."""
        return self.stored.blocks.matches

    @property
    def complete(self) -> bool:
        """Whether every block has its result and no more will be added."""
        return self._all_known and self.stored.blocks.counted == len(self.schedule)

    def bots_of_void(self, void: VoidBlock) -> tuple[str, ...]:
        """Returns the bots that were to play a void block."""
        if void.block not in self._void_bots:
            self._void_bots[void.block] = self.schedule.block(void.block).bots
        return self._void_bots[void.block]


def _charged(void: VoidBlock) -> bool:
    """Returns whether a void block counts as an attempt."""
    return void.cause not in NOBODY
