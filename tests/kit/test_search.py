"""The bots that search: on the games, on a toy whose best moves are known, and their budgets."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import count
from typing import Any

import pytest

from fudaba.bot import Decision, DecisionSource, MatchInfo, Player
from fudaba.bots import BUILT_IN, built_in, is_built_in
from fudaba.bots.search import Budget, Search, flat_search, tree_search
from fudaba.bots.search.budget import Spending
from fudaba.bots.search.position import MAX_MOVES, MOVES_PER_STRETCH, Position, finish
from fudaba.errors import BotNotLoaded
from fudaba.local import LocalRunner, play_local
from fudaba_games.game import Chance
from fudaba_games.match import Match
from fudaba_games.registry import GAMES, AnyGame
from tests.support.conformance.cases import AnyMatch, cases, is_long, one_deal, some_positions, step
from tests.support.conformance.toy import ROUNDS_PER_DEAL, Flaw, HighCard, HighCardState, Pass, Play, card_of
from tests.support.sizes import exhaustive

METHODS = [flat_search, tree_search]
SEED = bytes(32)


def choice(method: Any, game: AnyGame, match: Match[Any, Any, Any, Any], seat: int, tries: int = 300) -> Any:
    chance = random.Random(1)
    position = Position(game, match.seats, match.options, seat, match.view(seat), chance)
    return method(position, Budget(tries).begin(), chance)


@pytest.mark.parametrize("method", METHODS)
def test_in_the_last_round_of_high_card_it_plays_a_card_that_beats_as_many_as_its_highest(method: Any) -> None:
    for number in range(10):
        game = HighCard()
        match = Match(game, 2, {}, bytes([number]) * 32)
        for seat in (0, 1, 0, 1):
            match.play(seat, game.random_move(match.state, seat, random.Random(number)))
        hand = match.state.hands[0]
        unseen = match.state.hands[1] + match.state.stock
        beaten = {card: sum(other < card for other in unseen) for card in (0, *hand)}
        chosen = choice(method, game, match, 0)
        assert beaten[card_of(chosen)] == max(beaten.values())


@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, id=game.id, marks=[pytest.mark.exhaustive] if is_long(game) else [])
        for game in GAMES.values()
    ],
)
@pytest.mark.parametrize("method", METHODS)
def test_its_moves_are_legal_and_the_same_for_the_same_view_whatever_is_hidden(method: Any, game: AnyGame) -> None:
    for case in list(cases(game))[:: 1 + game.max_seats - game.min_seats]:
        for match in some_positions(game, case, 5):
            for decision in match.open_decisions():
                move = choice(method, game, match, decision.seat, tries=6)
                game.check(match.state, decision.seat, move)
                hidden = game.redeal(match.state, decision.seat, random.Random(2))
                again = Match(game, case.seats, case.options, case.seed, at=hidden)
                assert choice(method, game, again, decision.seat, tries=6) == move


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_a_try_ends_with_the_deal_in_progress_whatever_the_options_are(game: AnyGame) -> None:
    usual = game.resolve_options({})
    for options in (usual, {**usual, **{name: 3 for name in usual if name == "deals"}}):
        match, chance = Match(game, game.min_seats, options, SEED), random.Random(2)
        for deal in range(2):
            while not match.over and match.view(None).deal == deal:
                for decision in match.open_decisions()[:1]:
                    _tries_end_with_the_deal(match, decision.seat)
                for _ in range(40):
                    if not match.over:
                        step(match, chance)


def _tries_end_with_the_deal(match: AnyMatch, seat: int) -> None:
    """Plays a try as the search does, and then again looking on: no other deal is dealt."""
    game, chance, deal = match.game, random.Random(3), match.view(None).deal
    state = Position(game, match.seats, match.options, seat, match.view(seat), chance).drawn(chance)
    again = Match(game, match.seats, match.options, SEED, at=state.clone())
    assert finish(game, state, chance, Budget(1).begin())
    assert game.outcome(state) is not None
    while not again.over:
        assert again.view(None).deal == deal
        step(again, chance)


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
@pytest.mark.parametrize("method", ["search-flat", "search-tree"])
def test_it_plays_whole_matches_of_every_game(method: str, game: AnyGame) -> None:
    name = f"{method}:{4 if exhaustive() else 2}"
    options = one_deal(game, game.min_seats)
    result = play_local([built_in(name, 1)] * game.min_seats, game.id, options=options, seed=SEED)
    assert all(report.refused == report.errors == 0 for report in result.seats)


@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("naga", "search-flat:60"),
        pytest.param("mokkaik", "search-tree:60", marks=pytest.mark.exhaustive),
        pytest.param("naga", "search-tree:60", marks=pytest.mark.exhaustive),
        pytest.param("mokkaik", "search-flat:60", marks=pytest.mark.exhaustive),
    ],
)
def test_it_beats_random_play(game: str, name: str) -> None:
    won = 0
    with LocalRunner(game, {"deals": 1}, contract=False) as runner:
        for number in range(24):
            seat = number % 2
            bots = [built_in(name, number), built_in("random", number)]
            seed = number.to_bytes(32, "big")
            won += runner.play(bots[:: 1 - 2 * seat], ["a", "b"], "m", seed).scores[seat] > 0
    assert won >= 17


@pytest.mark.parametrize("tries", [1, 10, 100])
@pytest.mark.parametrize("method", METHODS)
def test_it_spends_its_tries_and_no_more(method: Any, tries: int) -> None:
    game = GAMES["napoleon"]
    match = Match(game, 5, game.resolve_options({}), SEED)
    chance = random.Random(1)
    position = Position(game, 5, match.options, 1, match.view(1), chance)
    assert 10 < len(position.moves(chance)) <= MAX_MOVES
    spending = Budget(tries).begin()
    method(position, spending, chance)
    assert spending.spent == tries


class Slow(HighCard):  # type: ignore[misc]  # its base is final, but for its flaws
    """High Card where a move takes a second."""

    def __init__(self, flaw: Flaw = Flaw.NONE) -> None:
        super().__init__(flaw)
        self.now = 0.0

    def clock(self) -> float:
        return self.now

    def advance(self, state: HighCardState, seat: int, move: Pass | Play) -> None:
        super().advance(state, seat, move)
        self.now += 1
        assert self.now < 10_000, "it does not look at the time"


def slow_choice(method: Any, game: Slow, seconds: float, seed: int = 1) -> Any:
    match, chance = Match(game, 2, {}, SEED), random.Random(seed)
    position = Position(game, 2, match.options, 0, match.view(0), chance)
    return method(position, Budget(seconds=seconds).begin(clock=game.clock), chance)


@pytest.mark.parametrize("seconds", [0.5, 5, 10, 15, 40, 100])
@pytest.mark.parametrize("method", METHODS)
def test_its_time_ends_it_within_a_pass_over_the_moves(method: Any, seconds: float) -> None:
    game = Slow()
    assert isinstance(slow_choice(method, game, seconds), Pass | Play)
    assert seconds <= game.now < seconds + 2 * ROUNDS_PER_DEAL  # no try of this game has more moves


@pytest.mark.parametrize("method", METHODS)
def test_its_time_ends_a_try_that_does_not_end_and_the_default_move_is_left(method: Any) -> None:
    game = Slow(Flaw.NEVER_ENDS)
    assert slow_choice(method, game, 100) == Pass()
    assert 100 <= game.now <= 100 + MOVES_PER_STRETCH + 1


@pytest.mark.parametrize("method", METHODS)
def test_a_time_that_is_over_at_once_leaves_the_default_move(method: Any) -> None:
    game, instants = Slow(), count()
    match, chance = Match(game, 2, {}, SEED), random.Random(1)
    position = Position(game, 2, match.options, 0, match.view(0), chance)
    assert method(position, Budget(seconds=0.5).begin(clock=lambda: next(instants)), chance) == Pass()
    assert game.now == 0


def test_time_for_one_try_tries_any_of_the_moves() -> None:
    assert len({slow_choice(flat_search, Slow(), 2 * ROUNDS_PER_DEAL, seed) for seed in range(20)}) == 4


@pytest.mark.parametrize("given", [(Budget(seconds=2), 0.0), (Budget(seconds=1000), 2.0), (Budget(10**9), 2.0)])
def test_a_time_ends_a_search_and_so_does_a_time_that_is_shorter_than_what_is_asked_for(
    given: tuple[Budget, float],
) -> None:
    now = [5.0]
    budget, most = given
    spending = budget.begin(most, lambda: now[0])
    now[0] = 6.99
    assert spending.take()
    assert not spending.late()
    now[0] = 7.0
    assert spending.late()
    assert not spending.take()


def test_a_decision_gets_no_more_than_its_share_of_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when no time is left at all: that is not the same as no clock."""
    game = GAMES["naga"]
    match = Match(game, 2, game.resolve_options({}), SEED)
    info = MatchInfo("m", "naga", 0, (Player("a", ""), Player("b", "")), match.options, game.rules_version)
    begun: list[Spending] = []
    now = [0.0]

    def method(_position: Position, spending: Spending, _chance: Chance) -> int:
        begun.append(spending)
        return 0

    class Given(DecisionSource):
        def view(self) -> Any:
            return match.view(0)

        def legal_moves(self) -> Any:
            return [0, 1]

        def events(self) -> Any:
            return ()

    bot = Search(method, Budget(10**9), random.Random(1), lambda: now[0])
    for time_ms, left_ms in ((0, 0), (1000, 200), (1000, 0)):
        monkeypatch.setattr(Decision, "time_left_ms", left_ms)
        bot.choose(Decision(info, "d", Given(), legal_count=2, time_ms=time_ms))
    now[0] = 0.059
    assert [spending.late() for spending in begun] == [False, False, True]
    now[0] = 0.067
    assert [spending.late() for spending in begun] == [False, True, True]


@pytest.mark.parametrize("name", ["search-tree:500", "search-flat:0.5s", "search-tree:1s", *BUILT_IN])
def test_names_may_end_in_a_budget(name: str) -> None:
    assert is_built_in(name)
    built_in(name)()


@pytest.mark.parametrize(
    "name",
    ["search-tree:", "search-tree:0", "search-tree:0s", "search-tree:-1", "search-flat:1m", "random:5", "search"],
)
def test_other_names_are_refused_with_what_there_is(name: str) -> None:
    assert not is_built_in(name)
    with pytest.raises(BotNotLoaded, match=r"search-tree:500, search-tree:0\.5s"):
        built_in(name)


@pytest.mark.parametrize(
    ("name", "message_part"),
    [
        ("nobody:5", "there is no built-in bot 'nobody:5'; there are: random, first"),
        ("sensible:5", "'sensible' takes no budget: write 'sensible' alone; only bots that search take one"),
        ("search-tree:1m", "a search's budget is a number of tries, as 500, or a time, as 0.5s; not '1m'"),
        ("search-tree:0", "from 1 to 999,999,999 tries or 0.000001s to 999999s; not '0'"),
        ("search-tree:" + "9" * 20, "from 1 to 999,999,999 tries or 0.000001s to 999999s; not '99999999999999999999'"),
        ("search-flat:1000000s", "from 1 to 999,999,999 tries or 0.000001s to 999999s; not '1000000s'"),
        ("search-flat:" + "9" * 5000, f"not '{'9' * 40}…'"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_wrong_with_a_budget_is_told(name: str, message_part: str) -> None:
    with pytest.raises(BotNotLoaded) as refused:
        built_in(name)
    assert message_part in str(refused.value)


def test_a_budget_may_begin_with_zeros_and_be_as_great_as_is_told() -> None:
    for text, tries, seconds in (("0" * 20 + "500", 500, 0), ("999999999", 999_999_999, 0), ("00999999s", 0, 999_999)):
        budget = Budget.parse(text)
        assert (budget.iterations, budget.seconds) == (tries, seconds)


def test_with_a_seed_it_plays_alike() -> None:
    played = [play_local([built_in("search-tree:20", 3), built_in("random", 4)], "naga", seed=SEED) for _ in range(2)]
    assert played[0].scores == played[1].scores
    assert played[0].moves == played[1].moves


def test_the_rules_are_loaded_when_the_match_is_there_and_not_in_the_time_of_the_first_decision() -> None:
    code = """
import sys
from fudaba.bot import MatchInfo
from fudaba.bots import built_in
bot = built_in("search-flat")()
assert "fudaba_games.naga.rules" not in sys.modules
bot.started(MatchInfo("m", "naga", 0, ()))
assert "fudaba_games.naga.rules" in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
