"""A knockout: each round of a bracket is drawn when the round before is decided.

Each group plays a number of blocks of its own in its round: in a shared one, the absence of a bot would leave other
groups without a result. A bot gets its share of each block, from 0 to 1 (see `share`), added up exactly. The bots with
more points go on. If the last that goes on and the first that does not are even, their group plays further blocks, one
after the other and up to a bound; then the better seed goes on. A block that is annulled before its round is decided
gives no points, and its group plays another one in its place.

A bot that is out, because it was withdrawn or its absence left its group without a result, stands behind all others of
its group, and stays out of the bracket. A group that lacks a bot when its round begins is not played.

The bracket and all decisions follow from the definition, the drawn rounds and the closed blocks. A decision is made
from what was known when the next round was drawn, which is stored with that round. After the last round an empty one is
drawn, for the same reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, final

from fudaba.seatings import seating_count
from fudaba_arena.schedule.bracket_plan import FINAL, RESET, Feed, double_elimination, rounds_of, single_elimination
from fudaba_arena.schedule.bracket_standing import (
    BY_ABSENCE,
    BY_POINTS,
    BY_SEED,
    NOT_NEEDED,
    Bracket,
    BracketPlace,
    BracketProgress,
    GroupStanding,
)
from fudaba_arena.schedule.drawn_schedule import DrawnGame, DrawnSchedule, Played, RoundFacts, lot, share
from fudaba_arena.schedule.groups import Group
from fudaba_arena.schedule.round_blocks import owners_of
from fudaba_arena.schedule.round_robin import RoundRobin, check
from fudaba_arena.schedule.schedule import BadSchedule, Part
from fudaba_arena.store.tournaments.rounds import DrawnBlock, DrawnRound
from fudaba_arena.tournament.formats import DOUBLE_ELIMINATION, Format

__all__ = ["KnockoutSchedule"]

_LOT_TAG: Final = b"fudaba-bracket-v1"


@final
class KnockoutSchedule(DrawnSchedule):
    """The schedule of a knockout, up to the last drawn round. Raises `BadSchedule`.

    The forecast of the rest assumes that no bot is withdrawn, no group is even, and no second final is needed.
    """

    def __init__(self, tournament_id: str, games: Sequence[DrawnGame], blocks: int, form: Format) -> None:
        if len(games) != 1:
            raise BadSchedule(f"a bracket is of one game, and there are {len(games)} games; write a file for each")
        [self._game] = games
        bots, seats = self._game.entrants, self._game.seats
        check(RoundRobin(tournament_id, bots, blocks, deals=self._game.deals, seats=seats))
        if form.third_place and (form.kind == DOUBLE_ELIMINATION or seats != 2 or len(bots) < 4):
            raise BadSchedule(
                "a third-place match is for single elimination, two seats and at least 4 bots; leave it out"
            )
        super().__init__(tournament_id, games)
        self._series = blocks
        self._form = form
        self.seeds = form.seeds or tuple(lot(_LOT_TAG, tournament_id, self._game))
        """The bots, best seed first."""
        if sorted(self.seeds) != sorted(bot.name for bot in bots):
            raise BadSchedule("its seeds are not its bots; list every bot once")
        _check_authors(self._game)
        self._entrants = {bot.name: bot for bot in bots}
        self._rank_of_seed = {bot: seed for seed, bot in enumerate(self.seeds)}
        if form.kind == DOUBLE_ELIMINATION and seats != 2:
            raise BadSchedule(f"double elimination is for games of two seats, and this one has {seats}")
        self.groups = (
            double_elimination(len(bots))
            if form.kind == DOUBLE_ELIMINATION
            else single_elimination(len(bots), seats, third_place=form.third_place)
        )
        """The groups of the bracket, round by round."""
        self.rounds = rounds_of(self.groups)
        """The number of rounds of the bracket."""

    @property
    def kind(self) -> str:
        """The format in words."""
        return self._form.kind.replace("-", " ")

    # --- drawing rounds

    def next_round(self, facts: RoundFacts) -> DrawnRound | None:
        """See `DrawnSchedule`. The last one has no blocks: it decides who has won."""
        if self.whole:
            return None
        progress = self._replayed(facts.played)
        left_out = {*facts.unplayed, *facts.annulled}
        self._add_up(progress, len(self.drawn), left_out, facts.annulled, facts.played)
        new, playing = self._go_on(progress, facts.out)
        out = tuple(sorted(facts.out))
        unplayed, annulled = (tuple(sorted(slots)) for slots in (facts.unplayed, facts.annulled))
        if not playing:
            return DrawnRound((), {}, out, unplayed, annulled=annulled)
        groups = [self._bots_of(progress, index) for index in playing]
        blocks = [
            DrawnBlock(self._game.game, (group,), self._plays_deals_once(group))
            for _ in range(self._series if new else 1)
            for group in groups
        ]
        byes = {self._game.game: self._byes(progress.round)} if new else {}
        return DrawnRound(tuple(blocks), byes, out, unplayed, progress.round, annulled)

    def _plays_deals_once(self, group: Group) -> bool:
        """Returns whether a group meets each deal once, since one of its bots might remember it."""
        return not self._game.fresh and not all(self._entrants[bot].stateless for bot in group)

    def playing_slots(self) -> list[int]:
        """Returns the slots of the round of the bracket in play, those of further blocks too."""
        latest = self.drawn[-1].bracket_round if self.drawn else None
        return [
            slot
            for drawn, start in zip(self.drawn, self._starts, strict=True)
            if drawn.bracket_round == latest
            for slot in range(start, start + len(drawn.blocks))
        ]

    def _replayed(self, played: Callable[[int], Played]) -> BracketProgress:
        """Returns the progress up to the last drawn round, without the results of that round."""
        progress = BracketProgress()
        for number, drawn in enumerate(self.drawn):
            self._add_up(progress, number, {*drawn.unplayed, *drawn.annulled}, drawn.annulled, played)
            self._go_on(progress, drawn.out)
        return progress

    def _add_up(
        self,
        progress: BracketProgress,
        number: int,
        left_out: Collection[int],
        annulled: Collection[int],
        played: Callable[[int], Played | None],
    ) -> None:
        """Adds up what the groups in play have in the first `number` drawn rounds: points, blocks and annulled blocks.

        They are added up anew each time, since a block can be annulled until its round is decided.
        """
        groups = {frozenset(self._bots_of(progress, index)): index for index in progress.playing}
        progress.clear(groups.values())
        for slot, block in self._blocks_of(progress.round, number):
            matches = () if slot in left_out else played(slot) or ()
            for bots in block.groups:
                index = groups.get(frozenset(bots))
                if index is None:
                    continue
                progress.annulled[index] += slot in annulled
                of_group = [match for match in matches if set(match[0]) == set(bots)]
                progress.blocks[index] += bool(of_group)
                for bot in bots if of_group else ():
                    gained = share(of_group, bot, self._game.win_margin)
                    progress.points[index, bot] = progress.points_of(index, bot) + gained

    def _blocks_of(self, bracket_round: int, number: int) -> Iterator[tuple[int, DrawnBlock]]:
        """Yields the blocks of a round of the bracket among the first `number` drawn rounds, with their slots."""
        for drawn, start in zip(self.drawn[:number], self._starts, strict=False):
            if drawn.bracket_round == bracket_round:
                yield from enumerate(drawn.blocks, start)

    def _go_on(self, progress: BracketProgress, out: Iterable[str]) -> tuple[bool, list[int]]:
        """Decides the round in play, if it can be decided. Returns whether a round begins, and the groups that play
        next: none if the bracket is decided.
        """
        progress.out.update(out)
        again = [index for index in progress.playing for _ in range(self._lacking(progress, index))]
        if again:
            progress.replayed.update(again)
            return False, again
        even = [index for index in progress.playing if self._even(progress, index)]
        if even and progress.tiebreaks < self._form.tiebreak_blocks:
            progress.tiebreaks += 1
            return False, even
        while True:
            for index in self._in_round(progress.round):
                self._decide(progress, index)
            progress.round += 1
            progress.tiebreaks = 0
            progress.replayed.clear()
            progress.playing = [
                index
                for index in self._in_round(progress.round)
                if progress.out.isdisjoint(self._bots_of(progress, index)) and not self._needless(progress, index)
            ]
            if progress.playing or progress.round == self.rounds:
                return True, progress.playing

    def _lacking(self, progress: BracketProgress, index: int) -> int:
        """Returns the number of annulled blocks that a group is still to play again on new deals."""
        if not progress.out.isdisjoint(self._bots_of(progress, index)):
            return 0
        return max(0, progress.annulled[index] - progress.replayed[index])

    def _needless(self, progress: BracketProgress, index: int) -> bool:
        """Returns whether a group is a second final after a first that the bot from the main bracket has won."""
        group = self.groups[index]
        before = group.feeds[0].group
        if group.section != RESET or before is None:
            return False
        return progress.places[before][0] == self._bots_of(progress, before)[0]

    def _decide(self, progress: BracketProgress, index: int) -> None:
        if self._needless(progress, index):
            progress.places[index] = self._bots_of(progress, index)
            progress.decided_by[index] = NOT_NEEDED
            return
        places = self._ranked(progress, index)
        last, first_out = (places[place] for place in (self.groups[index].advancing - 1, self.groups[index].advancing))
        progress.places[index] = places
        if (last in progress.out) != (first_out in progress.out):
            progress.decided_by[index] = BY_ABSENCE
        else:
            even = progress.points_of(index, last) == progress.points_of(index, first_out)
            progress.decided_by[index] = BY_SEED if even else BY_POINTS

    def _ranked(self, progress: BracketProgress, index: int) -> Group:
        """Returns the bots of a group, best first: those that are out last, then by points, then by seed."""

        def key(bot: str) -> tuple[bool, Fraction, int]:
            return bot in progress.out, -progress.points_of(index, bot), self._rank_of_seed[bot]

        return tuple(sorted(self._bots_of(progress, index), key=key))

    def _even(self, progress: BracketProgress, index: int) -> bool:
        """Returns whether a group that can play has not decided who goes on."""
        places, advancing = self._ranked(progress, index), self.groups[index].advancing
        if not progress.blocks[index] or not progress.out.isdisjoint(places):
            return False
        return progress.points_of(index, places[advancing - 1]) == progress.points_of(index, places[advancing])

    def _bots_of(self, progress: BracketProgress, index: int) -> Group:
        """Returns the bots of a group whose earlier groups are decided, in the order of its seats."""
        return tuple(self._bot(progress, feed) for feed in self.groups[index].feeds)

    def _bot(self, progress: BracketProgress, feed: Feed) -> str:
        """Returns the bot of a seat; empty if it is not known yet."""
        if feed.group is None:
            return self.seeds[feed.place]
        places = progress.places.get(feed.group)
        return places[feed.place] if places is not None else ""

    def _in_round(self, number: int) -> list[int]:
        return [index for index, group in enumerate(self.groups) if group.round == number]

    def _byes(self, number: int) -> tuple[str, ...]:
        """Returns the bots that play for the first time in a later round than this one, best seed first."""
        first = {feed.place: group.round for group in self.groups for feed in group.feeds if feed.group is None}
        return tuple(bot for seed, bot in enumerate(self.seeds) if first[seed] > number)

    # --- what it says of itself

    def bracket(self, played: Callable[[int], Played | None], annulled: Collection[int] = ()) -> Bracket:
        """Returns the bracket as it stands. `played` has the matches of a slot; None if it is still open. `annulled`
        are the annulled slots of the round in play.
        """
        progress = self._replayed(lambda slot: played(slot) or ())
        self._add_up(progress, len(self.drawn), annulled, annulled, played)
        groups = [
            GroupStanding(
                group,
                bots := self._bots_of(progress, index),
                tuple(progress.points_of(index, bot) for bot in bots),
                progress.blocks[index],
                progress.places.get(index, ()),
                progress.decided_by.get(index, ""),
            )
            for index, group in enumerate(self.groups)
        ]
        begun = min(progress.round + 1, self.rounds)
        return Bracket(self._game.game, self.rounds, begun, tuple(groups), self._places(progress))

    def planned(self, *, named: bool) -> Bracket:
        """Returns the bracket before the first match. Without `named`, it lacks the names, since a lot is to be drawn
        from an id that the tournament gets only when it begins.
        """
        found = KnockoutSchedule(self._id, [self._game], self._series, self._form).bracket(lambda _: None)
        if named:
            return found
        unnamed = [replace(group, bots=("",) * len(group.bots)) for group in found.groups]
        return replace(found, groups=tuple(unnamed), places=tuple(replace(place, bot="") for place in found.places))

    def _places(self, progress: BracketProgress) -> tuple[BracketPlace, ...]:
        """Returns the places: later rounds before earlier ones, the final before the match for the third place."""
        goes_on = {feed for group in self.groups for feed in group.feeds}
        ends: dict[str, tuple[int, bool, int]] = {}
        for index, places in progress.places.items():
            group = self.groups[index]
            for place, bot in enumerate(places):
                if Feed(place, index) not in goes_on:
                    ends[bot] = (-group.round, group.section != FINAL, place)
        best = len(self.seeds) - len(ends)
        rows = [
            BracketPlace(
                1 + best + sum(other < ends[bot] for other in ends.values()) if bot in ends else 0, bot, seed + 1
            )
            for seed, bot in enumerate(self.seeds)
        ]
        return tuple(sorted(rows, key=lambda row: (row.rank, row.seed)))

    # --- what every schedule has

    @property
    def whole(self) -> bool:
        """Whether the bracket is decided."""
        return bool(self.drawn) and not self.drawn[-1].blocks

    def part(self, game: str) -> Part:
        """Returns the part of a game. Raises `KeyError` for a game that is not played."""
        blocks = len(self._blocks) + self._series * sum(self.coming_groups())
        return Part(
            self._games[game].seats,
            blocks,
            blocks * self._matches_of_block,
            sum(group.section != RESET for group in self.groups),
            widest=1,
        )

    def coming_groups(self) -> list[int]:
        """Returns the number of groups in each round of the bracket that has not begun."""
        begun = max((drawn.bracket_round for drawn in self.drawn if drawn.bracket_round is not None), default=-1)
        sizes = Counter(group.round for group in self.groups if group.section != RESET)
        return [] if self.whole else [sizes[number] for number in range(begun + 1, self.rounds)]

    def coming_matches(self) -> list[int]:
        """Returns the number of matches in each of these rounds."""
        return [groups * self._series * self._matches_of_block for groups in self.coming_groups()]

    @property
    def _matches_of_block(self) -> int:
        """The number of matches that a group plays in a block."""
        return seating_count(self._game.seats) * self._game.deals


def _check_authors(game: DrawnGame) -> None:
    """Raises `BadSchedule` if two bots that may not meet could meet."""
    owners = Counter(owners_of(game.entrants, same_author=game.same_author).values())
    shared = next((owner for owner, bots in owners.items() if bots > 1), None)
    if shared is not None:
        names = " and ".join(sorted(bot.name for bot in game.entrants if bot.owner == shared))
        raise BadSchedule(
            f"{names} are of one author, and could meet in the bracket; enter one bot of each author, or write"
            " same_author = true"
        )
