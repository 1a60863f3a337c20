"""An arena that plays a season of a ladder in virtual time: its rules choose; how long matches take, a test says."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from fudaba_arena.schedule.block_plan import BlockPlan
from fudaba_arena.schedule.blocks import Block, PlannedMatch
from fudaba_arena.schedule.chosen_schedule import ChosenSchedule
from fudaba_arena.schedule.next_block import Ratings, Situation, next_block, wanting
from fudaba_arena.schedule.shares import Ledger, Share, matches_in_play
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.block_totals import ClosedBlocks
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.tournaments.entries import ENTER, Entries, EntryChange
from fudaba_arena.store.tournaments.stored_tournament import StoredTournament
from fudaba_arena.store.usage.time_use import MatchTime, entry_of
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season

__all__ = ["VirtualArena"]

_BEGAN_MS = 1_700_000_000_000


@dataclass
class _Open:
    block: Block
    left: int
    sharing: int


class VirtualArena:
    """Everybody of it is here and needs blocks, unless a test says otherwise. It has room for this many matches at
    once."""

    def __init__(self, thinks_ms: Mapping[str, int], *, room: int = 8, master: bytes = bytes(32)) -> None:
        """`thinks_ms` says by entry for how long each thinks in a match."""
        self.thinks_ms = dict(thinks_ms)
        self.now_ms = _BEGAN_MS
        self.used_ms: Counter[str] = Counter()
        """The time that each entry used in its matches that are over."""
        self.matches: Counter[str] = Counter()
        """The number of each entry's matches that are over."""
        self.chosen: list[tuple[str, ...]] = []
        """The players of each block."""
        self.ratings: Ratings = {}
        self.blind = False
        """Whether it does not look at who used what, and shares its room by blocks."""
        entries = Entries()
        entries.add([EntryChange(ENTER, 1, name, "1") for name in thinks_ms])
        stored = StoredTournament(
            {}, master, ClosedBlocks(lines={}), {}, set(), set(), {}, {}, 3, 0, 0, False, entries=entries
        )
        tournament = Tournament("open.1", (TournamentGame("naga"),), (), concurrency=room, season=Season("open"))
        self.state = ScheduledTournament(tournament, stored)
        self._room = room
        self.plan = BlockPlan(self.state)
        self._ledger = Ledger()
        self._waiting: deque[tuple[_Open, PlannedMatch]] = deque()
        self._ends: list[tuple[int, int, _Open, PlannedMatch, MatchTime]] = []
        self._number = 0

    def enter(self, name: str, thinks_ms: int, version: str = "1") -> None:
        """Enters somebody, or another version."""
        self.thinks_ms[name] = thinks_ms
        self.state.note_entries([EntryChange(ENTER, self.now_ms, name, version)])

    def play(self, seconds: float) -> None:
        """Lets this much virtual time pass."""
        until = self.now_ms + round(seconds * 1000)
        self._fill()
        while self._ends and self._ends[0][0] <= until:
            self.now_ms, _, opened, match, took = heappop(self._ends)
            self._end(opened, match, took)
            self._fill()
        self.now_ms = until

    def situation(self) -> Situation:
        """Returns what the rules are told."""
        spare = max(0, self._room - len(self._waiting) - len(self._ends))
        if self.blind:
            return Situation(self.ratings, (), self.plan.busy())
        return Situation(self.ratings, (), self.plan.busy(), (), self.plan.full(), spare, self.shares())

    def shares(self) -> Mapping[str, Share]:
        """Returns how the entries stand."""
        stored = self.state.stored
        wanted = wanting(self.state, Situation(self.ratings))
        in_play = matches_in_play(self.plan.begun(), stored.results)
        return self._ledger.shares(stored.blocks.time_use, stored.results.values(), in_play, wanted)

    def in_play(self) -> Counter[str]:
        """Returns the number of matches in play of each entry."""
        return Counter(entry_of(bot) for _, _, _, match, _ in self._ends for bot in match.bots)

    def _fill(self) -> None:
        while len(self._ends) < self._room:
            if not self._waiting and not self._open():
                return
            opened, match = self._waiting.popleft()
            thought = [self.thinks_ms[entry_of(bot)] for bot in match.bots]
            self._number += 1
            took = MatchTime(tuple(thought), opened.sharing)
            heappush(self._ends, (self.now_ms + sum(thought), self._number, opened, match, took))

    def _open(self) -> bool:
        schedule = self.state.schedule
        assert isinstance(schedule, ChosenSchedule)
        block = self.plan.open_next()
        if block is None:
            chosen = next_block(self.state, self.situation(), self.now_ms)
            if chosen is None:
                return False
            self.plan.add([self.state.add_chosen(chosen)])
            block = self.plan.open_next()
        if block is None:
            return False
        self.chosen.append(block.bots)
        opened = _Open(block, len(block.matches), schedule.chosen.kind(block.slot).sharing)
        self._waiting.extend((opened, match) for match in block.matches)
        return True

    def _end(self, opened: _Open, match: PlannedMatch, took: MatchTime) -> None:
        block, stored = opened.block, self.state.stored
        result = MatchResult(
            match.match_id, block.number, match.deal, match.bots, (1, -1), ended_ms=self.now_ms, time=took
        )
        stored.results[match.match_id] = result
        self.plan.shown_up(match.bots)
        for bot, used_ms in zip(match.bots, took.seats_ms, strict=True):
            self.used_ms[entry_of(bot)] += used_ms
            self.matches[entry_of(bot)] += 1
        opened.left -= 1
        if not opened.left:
            results = tuple(stored.results[planned.match_id] for planned in block.matches)
            self.plan.close(block)
            self.state.close(
                ClosedBlock(block.number, block.slot, block.game, results, len(results), at_ms=self.now_ms)
            )
