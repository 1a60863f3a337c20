"""Swiss schedules: rounds that follow from results, victory points, ties."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fudaba_arena.ladder.ratings import BlockResult, RatedMatch, Results
from fudaba_arena.ladder.standings import shares_of
from fudaba_arena.schedule.blocks import Block, Entrant
from fudaba_arena.schedule.drawn_schedule import DrawnGame, Played, RoundFacts, share
from fudaba_arena.schedule.schedule import BadSchedule
from fudaba_arena.schedule.swiss import SwissRow, SwissSchedule
from fudaba_arena.store.tournaments.rounds import DrawnRound
from fudaba_games.registry import GAMES
from tests.support.sizes import some

NOTHING: dict[int, Played] = {}
Scores = Callable[[tuple[str, ...]], list[int]]


def swiss(count: int, seats: int = 2, *, stateless: bool = True, **more: object) -> DrawnGame:
    entrants = tuple(Entrant(f"bot{number:02}", stateless=stateless) for number in range(count))
    return replace(DrawnGame(entrants, seats, "naga"), **more)  # type: ignore[arg-type]


def strength(bots: tuple[str, ...]) -> list[int]:
    """Returns the bots with small numbers win."""
    own = [-int(bot[3:]) for bot in bots]
    return [len(bots) * rank - sum(own) for rank in own]


class Play:
    """A Swiss that is played as the rounds are drawn."""

    def __init__(self, schedule: SwissSchedule, scores: Scores = strength) -> None:
        self.schedule = schedule
        self.scores = scores
        self.results: dict[int, Played] = {}

    def round(self, out: tuple[str, ...] = (), unplayed: tuple[int, ...] = ()) -> DrawnRound | None:
        drawn = self.schedule.next_round(RoundFacts(out, unplayed, self.results.__getitem__))
        for block in self.schedule.add(drawn) if drawn is not None else []:
            self.results[block.slot] = [(match.bots, self.scores(match.bots)) for match in block.matches]
        return drawn

    def rows(self) -> dict[str, SwissRow]:
        (game,) = self.schedule.games
        return {row.bot: row for row in self.schedule.standing(game, self.results.get)}


def groups_of(drawn: DrawnRound | None) -> list[tuple[str, ...]]:
    assert drawn is not None
    return [group for block in drawn.blocks for group in block.groups]


def test_a_swiss_of_four_by_hand() -> None:
    """Whoever wins the first round meets the other winner, and then the one whom it has not met."""
    played = Play(SwissSchedule("t", [swiss(4)], 3), lambda bots: [1, -1] if bots[0] < bots[1] else [-1, 1])
    first = groups_of(played.round())
    winners = {min(group) for group in first}
    assert {bot: row.victory_points for bot, row in played.rows().items()} == {
        bot: Fraction(int(bot in winners)) for bot in ("bot00", "bot01", "bot02", "bot03")
    }
    assert set(groups_of(played.round())) == {tuple(sorted(winners)), tuple(sorted({*sum(first, ())} - winners))}
    met = {frozenset(group) for drawn in played.schedule.drawn for group in groups_of(drawn)}
    assert met.isdisjoint(map(frozenset, groups_of(played.round())))
    assert played.round() is None
    assert played.schedule.whole
    rows = played.rows()
    assert [(row.rank, row.bot, int(row.victory_points)) for row in rows.values()] == [
        (1, "bot00", 3),
        (2, "bot01", 2),
        (3, "bot02", 1),
        (4, "bot03", 0),
    ]


def test_equal_victory_points_are_a_tie_and_nothing_decides_it() -> None:
    played = Play(SwissSchedule("t", [swiss(5)], 5), lambda bots: [0] * len(bots))
    while played.round() is not None:
        pass
    assert {(row.rank, row.victory_points, row.rounds, row.byes) for row in played.rows().values()} == {
        (1, Fraction(5, 2), 4, 1)
    }


def test_thirds_add_up_to_a_tie() -> None:
    """Three thirds are one whole, as fractions; as floating-point numbers 0.1 thrice would be more than 0.3."""
    three = [(("a", "b"), (1, -1)), (("b", "a"), (1, -1)), (("a", "b"), (-1, 1))]
    assert share(three, "a", 2.0) == Fraction(1, 3)
    assert share(three, "b", 2.0) == Fraction(2, 3)
    assert sum([share([(("a", "b"), (-8, 8))], "a", 20.0)] * 3) == Fraction(3, 10)


@given(st.integers(2, 6), st.integers(1, 5), st.integers(0, 1000))
def test_a_share_is_the_one_that_the_standings_have(seats: int, matches: int, seed: int) -> None:
    chance = Random(seed)
    bots = tuple("abcdef"[:seats])
    played = []
    for _ in range(matches):
        scores = [chance.randrange(-5, 6) for _ in bots[1:]]
        played.append((bots, (*scores, -sum(scores))))
    rated = [RatedMatch(str(number), 0, *match) for number, match in enumerate(played)]
    standing = shares_of(Results.from_blocks([BlockResult(0, tuple(rated))]), 3.0)
    for bot in bots:
        assert float(share(played, bot, 3.0)) == pytest.approx(standing[bot])


@pytest.mark.exhaustive
@settings(deadline=None, max_examples=some(40, least=10))
@given(st.integers(2, 14), st.integers(2, 6), st.integers(1, 6), st.integers(0, 100))
def test_nobody_has_a_second_bye_before_all_have_had_one(count: int, seats: int, rounds: int, seed: int) -> None:
    if count < seats:
        return
    chance = Random(seed)

    def scores(bots: tuple[str, ...]) -> list[int]:
        drawn = [chance.randrange(-3, 4) for _ in bots[1:]]
        return [*drawn, -sum(drawn)]

    played = Play(SwissSchedule("t", [swiss(count, seats)], rounds), scores)
    while played.round() is not None:
        byes = Counter({row.bot: row.byes for row in played.rows().values()})
        assert max(byes.values()) - min(byes.values()) <= 1
    assert len(played.schedule.drawn) == rounds


@settings(deadline=None, max_examples=some(30, least=8))
@given(st.integers(5, 12), st.integers(0, 100), st.booleans())
def test_rounds_that_are_read_again_go_on_alike(count: int, seed: int, stateless: bool) -> None:
    chance = Random(seed)
    results: dict[tuple[str, ...], list[int]] = {}

    def scores(bots: tuple[str, ...]) -> list[int]:
        first = chance.randrange(-3, 4)
        return results.setdefault(bots, [first, -first])

    play = Play(SwissSchedule("t", [swiss(count, stateless=stateless)], 4), scores)
    for _ in range(3):
        play.round()
    again = SwissSchedule("t", [swiss(count, stateless=stateless)], 4)
    for drawn in play.schedule.drawn[:2]:
        again.add(DrawnRound.from_values(drawn.values()))
    expected = play.schedule.drawn[2]
    assert again.next_round(RoundFacts((), (), play.results.__getitem__)) == expected
    again.add(expected)
    assert list(again) == list(play.schedule)
    facts = RoundFacts((), (), play.results.__getitem__)
    assert again.next_round(facts) == play.schedule.next_round(facts)


def test_a_withdrawn_bot_is_not_drawn_and_comes_back_when_it_may() -> None:
    played = Play(SwissSchedule("t", [swiss(6)], 3))
    played.round()
    second = played.round(out=("bot00", "bot05"))
    assert {bot for group in groups_of(second) for bot in group} == {"bot01", "bot02", "bot03", "bot04"}
    assert second is not None
    assert second.out == ("bot00", "bot05")
    assert second.byes == {"naga": ()}
    assert len(groups_of(played.round())) == 3


def test_with_too_few_bots_no_round_begins_and_the_tournament_is_not_whole() -> None:
    played = Play(SwissSchedule("t", [swiss(5, 3)], 2))
    played.round()
    assert played.round(out=("bot00", "bot01", "bot02")) is None
    assert not played.schedule.whole
    assert played.round(out=("bot00", "bot01")) is not None


def test_a_group_that_has_not_played_is_half_a_point_and_no_meeting() -> None:
    played = Play(SwissSchedule("t", [swiss(2)], 2))
    (group,) = groups_of(played.round())
    played.results[0] = ()
    assert {(row.victory_points, row.rounds, row.byes) for row in played.rows().values()} == {(Fraction(1, 2), 0, 1)}
    drawn = played.round(unplayed=(0,))
    assert groups_of(drawn) == [group]
    assert drawn is not None
    assert drawn.unplayed == (0,)


def test_a_block_has_the_bots_of_its_round_and_numbers_that_never_come_twice() -> None:
    played = Play(SwissSchedule("t", [swiss(6, stateless=False)], 4))
    blocks: list[Block] = []
    for number in range(4):
        before = len(played.schedule)
        played.round()
        new = [played.schedule.block(slot) for slot in range(before, len(played.schedule))]
        assert {block.round for block in new} == {number}
        blocks += new
    blocks += [played.schedule.replacement(block) for block in blocks]
    ids = [match.match_id for block in blocks for match in block.matches]
    assert len(set(ids)) == len(ids)
    assert [block.slot for block in blocks] == [*range(len(blocks) // 2)] * 2
    assert (
        blocks[-1]
        == played.schedule.block(blocks[-1].number)
        == played.schedule.turn(blocks[-1].slot, {blocks[-1].slot: 1})
    )
    with pytest.raises(ValueError, match="there is no block 999"):
        played.schedule.block(999)


def test_bots_that_can_remember_share_the_deals_of_a_round_and_meet_each_once() -> None:
    played = Play(SwissSchedule("t", [swiss(6, stateless=False)], 1))
    played.round()
    (block,) = played.schedule
    assert block.bots == tuple(f"bot{number:02}" for number in range(6))
    met = Counter((match.deal, bot) for match in block.matches for bot in match.bots)
    assert set(met.values()) == {1}


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("game", "seats"),
    [(game.id, seats) for game in GAMES.values() for seats in range(game.min_seats, min(game.max_seats, 6) + 1)],
)
def test_in_every_game_the_groups_have_its_seats_and_everybody_sits_everywhere_equally_often(
    game: str, seats: int
) -> None:
    schedule = SwissSchedule("t", [swiss(2 * seats + 1, seats, game=game)], 2)
    played = Play(schedule)
    expected = schedule.part(game).matches
    while played.round() is not None:
        pass
    assert schedule.matches == expected == sum(len(block.matches) for block in schedule)
    for block in schedule:
        assert {len(match.bots) for match in block.matches} == {seats}
        places = Counter((bot, seat) for match in block.matches for seat, bot in enumerate(match.bots))
        assert len(places) == seats**2
        assert len(set(places.values())) == 1
    assert {len(drawn.byes[game]) for drawn in schedule.drawn} == {1}


def test_several_games_have_their_own_draws_in_one_round() -> None:
    schedule = SwissSchedule("t", [swiss(6), swiss(6, 5, game="napoleon")], 2)
    drawn = schedule.next_round(RoundFacts((), (), NOTHING.__getitem__))
    assert drawn is not None
    assert Counter(block.game for block in drawn.blocks) == {"naga": 3, "napoleon": 1}
    assert [len(drawn.byes[game]) for game in schedule.games] == [0, 1]


def test_the_lot_of_the_first_round_is_another_for_another_tournament() -> None:
    first = {
        tuple(groups_of(SwissSchedule(f"t{n}", [swiss(8)], 1).next_round(RoundFacts((), (), NOTHING.__getitem__))))
        for n in range(9)
    }
    assert len(first) > 1


@pytest.mark.parametrize(
    ("swiss_game", "rounds", "text"),
    [
        (swiss(1), 1, "needs at least 2 bots, this one has 1"),
        (swiss(4), 0, "rounds is 0; at least 1 is needed"),
        (
            DrawnGame((Entrant("a", "ann"), Entrant("b", "ann")), 2, "naga"),
            1,
            "2 bots of different authors, and there are",
        ),
    ],
)
def test_what_cannot_be_drawn_is_refused(swiss_game: DrawnGame, rounds: int, text: str) -> None:
    with pytest.raises(BadSchedule, match=text):
        SwissSchedule("t", [swiss_game], rounds)
