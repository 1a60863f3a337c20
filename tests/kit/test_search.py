"""The bots that search: on the games, on a toy whose best moves are known, and their budgets."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fudaba.bots import BUILT_IN, built_in, is_built_in
from fudaba.bots.search import Budget, flat_search, tree_search
from fudaba.bots.search.position import MOST_MOVES, Position
from fudaba.errors import BotNotLoaded
from fudaba.local import LocalTable, play_local
from fudaba_games.match import Match
from fudaba_games.registry import GAMES, AnyGame
from tests.conformance.cases import cases, some_positions
from tests.conformance.toy import HighCard, Play

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
        beaten = {card: sum(other < card for other in unseen) for card in (-1, *hand)}
        chosen = choice(method, game, match, 0)
        assert isinstance(chosen, Play)
        assert beaten[chosen.card] == max(beaten.values())


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
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
@pytest.mark.parametrize("name", ["search-flat:4", "search-tree:4"])
def test_it_plays_whole_matches_of_every_game(name: str, game: AnyGame) -> None:
    options = {"deals": 1} if any(option.name == "deals" for option in game.options) else dict(game.brief)
    result = play_local([built_in(name, 1)] * game.min_seats, game.id, options=options, seed=SEED)
    assert all(report.refused == report.errors == 0 for report in result.seats)


@pytest.mark.parametrize("name", ["search-flat:60", "search-tree:60"])
@pytest.mark.parametrize("game", ["naga", "mokkaik"])
def test_it_beats_random_play(name: str, game: str) -> None:
    won = 0
    with LocalTable(game, {"deals": 1}, contract=False) as table:
        for number in range(24):
            seat = number % 2
            bots = [built_in(name, number), built_in("random", number)]
            seed = number.to_bytes(32, "big")
            won += table.play(bots[:: 1 - 2 * seat], ["a", "b"], "m", seed).scores[seat] > 0
    assert won >= 17


@pytest.mark.parametrize("method", METHODS)
def test_it_spends_its_tries_and_hardly_more(method: Any) -> None:
    game = GAMES["napoleon"]
    match = Match(game, 5, game.resolve_options({}), SEED)
    chance = random.Random(1)
    spending = Budget(100).begin()
    method(Position(game, 5, match.options, 1, match.view(1), chance), spending, chance)
    assert 100 <= spending.spent < 100 + MOST_MOVES


def test_a_time_ends_a_search_and_so_does_a_time_that_is_shorter_than_what_is_asked_for() -> None:
    for spending in (Budget(seconds=0.02).begin(), Budget(seconds=1000).begin(0.02), Budget(10**9).begin(0.02)):
        while spending.take():
            pass
        assert spending.share() >= 1


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


def test_with_a_seed_it_plays_alike() -> None:
    played = [play_local([built_in("search-tree:20", 3), built_in("random", 4)], "naga", seed=SEED) for _ in range(2)]
    assert played[0].scores == played[1].scores
    assert played[0].moves == played[1].moves
