"""Knockouts: rounds that follow from results, ties, bots that are out, places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.schedule.blocks import Entrant
from fudaba_arena.schedule.bracket_standing import BY_ABSENCE, BY_POINTS, BY_SEED, NOT_NEEDED
from fudaba_arena.schedule.drawn_schedule import DrawnGame, Played, RoundFacts
from fudaba_arena.schedule.knockout import KnockoutSchedule
from fudaba_arena.schedule.schedule import BadSchedule
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_arena.tournament.formats import DOUBLE_ELIMINATION, SINGLE_ELIMINATION, Format
from tests.support.sizes import some

Scores = Callable[[tuple[str, ...]], list[int]]


def game(count: int, seats: int = 2, *, stateless: bool = True) -> DrawnGame:
    entrants = tuple(Entrant(f"bot{number:02}", stateless=stateless) for number in range(count))
    return DrawnGame(entrants, seats, "naga")


def form(count: int, *, third_place: bool = False, tiebreak_blocks: int = 2, kind: str = SINGLE_ELIMINATION) -> Format:
    """Returns a format in which the bots are seeded in reverse order of their names."""
    seeds = tuple(f"bot{number:02}" for number in reversed(range(count)))
    return Format(kind, (), 0, seeds, third_place, tiebreak_blocks)


def knockout(count: int, seats: int = 2, *, blocks: int = 1, **rules: object) -> KnockoutSchedule:
    return KnockoutSchedule("t", [game(count, seats)], blocks, form(count, **rules))  # type: ignore[arg-type]


def strength(bots: tuple[str, ...]) -> list[int]:
    """Bots with small numbers, which are badly seeded, win."""
    own = [-int(bot[3:]) for bot in bots]
    return [len(bots) * rank - sum(own) for rank in own]


def even(bots: tuple[str, ...]) -> list[int]:
    return [0] * len(bots)


class Play:
    """A knockout that is played as the rounds are drawn."""

    def __init__(self, schedule: KnockoutSchedule, scores: Scores = strength) -> None:
        self.schedule = schedule
        self.scores = scores
        self.results: dict[int, Played] = {}
        self.gone: set[str] = set()

    def round(self, *, absent: tuple[str, ...] = ()) -> DrawnRound | None:
        """Draws a round and plays it, but for the blocks of the absent bots, which are out when it is over."""
        unplayed = [slot for slot in range(len(self.schedule)) if slot not in self.results]
        drawn = self.schedule.next_round(RoundFacts(self.gone, unplayed, self.results.__getitem__))
        for block in self.schedule.add(drawn) if drawn is not None else []:
            if not set(absent).intersection(block.bots):
                self.results[block.slot] = [(match.bots, self.scores(match.bots)) for match in block.matches]
        self.gone.update(absent)
        return drawn

    def to_the_end(self) -> Play:
        while self.round() is not None:
            pass
        return self

    def ranks(self) -> dict[str, int]:
        return {place.bot: place.rank for place in self.schedule.bracket(self.results.get).places}

    def decided_by(self) -> list[str]:
        return [group.decided_by for group in self.schedule.bracket(self.results.get).groups]


def met(drawn: DrawnRound | None) -> list[tuple[str, ...]]:
    assert drawn is not None
    return [group for block in drawn.blocks for group in block.groups]


def test_a_knockout_of_four_by_hand() -> None:
    played = Play(knockout(4, third_place=True))
    assert met(played.round()) == [("bot03", "bot00"), ("bot02", "bot01")]
    assert met(played.round()) == [("bot00", "bot01"), ("bot03", "bot02")]
    last = played.round()
    assert last is not None
    assert (last.blocks, last.bracket_round) == ((), None)
    assert played.schedule.whole
    assert played.round() is None
    assert played.ranks() == {"bot00": 1, "bot01": 2, "bot02": 3, "bot03": 4}
    assert played.decided_by() == [BY_POINTS] * 4


def test_those_that_lose_in_one_round_share_a_rank() -> None:
    assert Counter(Play(knockout(8)).to_the_end().ranks().values()) == {1: 1, 2: 1, 3: 2, 5: 4}


def test_a_series_of_blocks_is_drawn_at_once() -> None:
    assert met(Play(knockout(2, blocks=3)).round()) == [("bot01", "bot00")] * 3


def test_an_even_pairing_plays_further_blocks_and_then_the_better_seed_goes_on() -> None:
    played = Play(knockout(4), even)
    first, *further = [played.round() for _ in range(3)]
    assert first is not None
    assert first.byes == {"naga": ()}
    for drawn in further:
        assert drawn is not None
        assert (met(drawn), drawn.byes, drawn.bracket_round) == (met(first), {}, 0)
    assert met(played.round()) == [("bot03", "bot02")]
    assert played.decided_by()[:2] == [BY_SEED, BY_SEED]


def test_only_the_even_pairing_plays_a_further_block() -> None:
    played = Play(knockout(4), lambda bots: even(bots) if "bot02" in bots else strength(bots))
    played.round()
    played.scores = strength
    assert met(played.round()) == [("bot02", "bot01")]
    assert met(played.round()) == [("bot00", "bot01")]
    assert played.decided_by()[:2] == [BY_POINTS, BY_POINTS]


def test_pairings_of_bots_that_can_remember_share_no_block_and_meet_no_deal_twice() -> None:
    played = Play(KnockoutSchedule("t", [game(8, stateless=False)], 2, form(8)))
    drawn = played.round(absent=("bot00",))
    assert drawn is not None
    assert [len(block.groups) for block in drawn.blocks] == [1] * 8
    assert all(len({match.deal for match in block.matches}) == len(block.matches) for block in played.schedule)
    played.round()
    assert played.decided_by()[:4] == [BY_ABSENCE, BY_POINTS, BY_POINTS, BY_POINTS]


def test_a_bot_that_is_out_loses_its_pairing_and_the_other_goes_on() -> None:
    played = Play(knockout(4))
    played.round(absent=("bot00",))
    assert met(played.round()) == [("bot03", "bot01")]
    assert played.decided_by()[0] == BY_ABSENCE


def test_a_bot_that_is_withdrawn_after_its_blocks_loses_the_round_all_the_same() -> None:
    played = Play(knockout(4))
    played.round()
    played.gone.add("bot00")
    assert met(played.round()) == [("bot03", "bot01")]


def test_a_pairing_that_lacks_a_bot_is_not_played() -> None:
    played = Play(knockout(4))
    played.round()
    played.round(absent=("bot00",))
    played.round()
    assert played.schedule.whole
    assert played.ranks() == {"bot01": 1, "bot00": 2, "bot02": 3, "bot03": 3}


def test_a_knockout_without_bots_ends_with_the_best_seed() -> None:
    played = Play(knockout(8))
    played.round(absent=tuple(f"bot{number:02}" for number in range(8)))
    played.round()
    assert played.schedule.whole
    assert played.ranks()["bot07"] == 1


def test_a_group_of_three_without_a_bot_is_decided_without_play() -> None:
    played = Play(knockout(7, 3))
    played.gone.add("bot05")  # seed 2 of the first group
    assert met(played.round()) == [("bot04", "bot03", "bot00")]
    assert met(played.round()) == [("bot06", "bot02", "bot00")]


def test_a_double_elimination_ends_with_the_final_where_its_winner_has_never_lost() -> None:
    played = Play(knockout(4, kind=DOUBLE_ELIMINATION)).to_the_end()
    assert played.ranks() == {"bot00": 1, "bot01": 2, "bot02": 3, "bot03": 4}
    assert played.decided_by() == [BY_POINTS] * 6 + [NOT_NEEDED]
    assert played.schedule.matches == 12


def test_a_second_final_is_played_where_the_bot_from_the_lower_bracket_wins_the_first() -> None:
    played = Play(knockout(3, kind=DOUBLE_ELIMINATION))
    assert met(played.round()) == [("bot01", "bot00")]
    played.scores = lambda bots: [-score for score in strength(bots)]
    assert met(played.round()) == [("bot02", "bot00")]
    assert met(played.round()) == [("bot01", "bot00")]
    played.scores = strength
    assert met(played.round()) == [("bot02", "bot01")]
    assert played.schedule.matches == 8
    assert met(played.round()) == [("bot01", "bot02")]
    assert played.schedule.matches == 10
    played.to_the_end()
    assert played.ranks() == {"bot01": 1, "bot02": 2, "bot00": 3}
    assert NOT_NEEDED not in played.decided_by()


def test_an_absent_bot_loses_twice_without_play_in_a_double_elimination() -> None:
    played = Play(knockout(4, kind=DOUBLE_ELIMINATION))
    played.round(absent=("bot00",))
    assert met(played.round()) == [("bot03", "bot01")]
    assert met(played.round()) == [("bot02", "bot03")]
    played.to_the_end()
    assert played.ranks()["bot00"] == 4


def test_a_lot_seeds_the_bots_by_the_id_of_the_tournament() -> None:
    by_lot = Format(SINGLE_ELIMINATION)
    orders = {KnockoutSchedule(name, [game(8)], 1, by_lot).seeds for name in ("a", "b", "c")}
    assert len(orders) == 3
    assert all(sorted(order) == sorted(bot.name for bot in game(8).entrants) for order in orders)
    assert KnockoutSchedule("a", [game(8)], 1, by_lot).seeds == KnockoutSchedule("a", [game(8)], 1, by_lot).seeds


def test_what_is_planned_without_names_has_none() -> None:
    planned = knockout(3).planned(named=False)
    assert {bot for group in planned.groups for bot in group.bots} == {""}
    assert {place.bot for place in planned.places} == {""}


@pytest.mark.parametrize(("count", "matches"), [(2, 2), (5, 8), (8, 14)])
def test_the_matches_are_known_before_the_first_and_after_the_last(count: int, matches: int) -> None:
    schedule = knockout(count)
    assert schedule.matches == matches
    Play(schedule).to_the_end()
    assert schedule.matches == matches


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: knockout(1), "needs at least 2 bots, this one has 1"),
        (lambda: knockout(2, 3), "needs at least 3 bots, this one has 2"),
        (lambda: knockout(3, third_place=True), "at least 4 bots"),
        (lambda: knockout(3, 3, kind=DOUBLE_ELIMINATION), "double elimination is for games of two seats"),
        (lambda: KnockoutSchedule("t", [game(2)] * 2, 1, form(2)), "a bracket is of one game"),
        (lambda: KnockoutSchedule("t", [game(3)], 1, form(2)), "list every bot once"),
        (
            lambda: KnockoutSchedule(
                "t", [replace(game(2), entrants=(*author("bot00"), *author("bot01")))], 1, form(2)
            ),
            "bot00 and bot01 are of one author",
        ),
    ],
)
def test_what_cannot_be_played_is_refused(make: Callable[[], object], text: str) -> None:
    with pytest.raises(BadSchedule, match=text):
        make()


def author(name: str) -> tuple[Entrant, ...]:
    return (Entrant(name, "ann"),)


@settings(deadline=None, max_examples=some(60, least=20))
@given(
    st.integers(1, 6), st.integers(0, 30), st.integers(1, 3), st.integers(0, 2), st.integers(0, 10_000)
)  # one seat stands for a double elimination
def test_every_knockout_ends_and_is_the_same_for_whoever_goes_on_with_it(
    seats: int, more: int, blocks: int, tiebreaks: int, seed: int
) -> None:
    """Some matches are even, some bots vanish, and after each round another process takes over, which reads the results
    in another order.
    """
    kind, seats = (DOUBLE_ELIMINATION, 2) if seats == 1 else (SINGLE_ELIMINATION, seats)
    count, chance = seats + more, Random(seed)

    def scores(bots: tuple[str, ...]) -> list[int]:
        own = [chance.randrange(-1, 2) for _ in bots[1:]]
        return [*own, -sum(own)]

    played = Play(knockout(count, seats, blocks=blocks, tiebreak_blocks=tiebreaks, kind=kind), scores)
    while not played.schedule.whole:
        absent = tuple(bot for bot in played.schedule.seeds if chance.random() < 0.05)
        drawn = played.round(absent=absent)
        assert drawn is not None
        assert all(not set(played.gone - set(absent)).intersection(group) for group in met(drawn))
        again = knockout(count, seats, blocks=blocks, tiebreak_blocks=tiebreaks, kind=kind)
        for earlier in played.schedule.drawn:
            again.add(DrawnRound.from_values(earlier.values()))
        played.schedule = again
        played.results = dict(chance.sample(sorted(played.results.items()), len(played.results)))
    check_ended(played, seats)


def check_ended(played: Play, seats: int) -> None:
    """Each group is decided, one bot has won, and every other bot went out exactly once."""
    bracket = played.schedule.bracket(played.results.get)
    assert all(len(set(group.places)) == seats and group.decided_by for group in bracket.groups)
    assert [place.rank for place in bracket.places].count(1) == 1
    assert all(place.rank for place in bracket.places)
    went_on = {(feed.group, feed.place) for group in played.schedule.groups for feed in group.feeds}
    out = Counter(
        bot
        for index, group in enumerate(bracket.groups)
        for place, bot in enumerate(group.places)
        if (index, place) not in went_on
    )
    assert out == Counter(played.schedule.seeds)
    lost = Counter(bot for group in bracket.groups if group.decided_by != NOT_NEEDED for bot in group.places[1:])
    if played.schedule.kind == "double elimination":
        winner = bracket.places[0].bot
        assert all(lost[bot] == 2 for bot in played.schedule.seeds if bot != winner)
        assert lost[winner] <= 1
