"""Information-set Monte Carlo tree search: one tree of the moves that a seat sees, whatever the cards.

Single-observer ISMCTS (Cowling, Powley and Whitehouse 2012). Each try deals anew what the seat does not know, and
descends the tree along moves that are legal in that deal. Simultaneous decisions are chosen independently, each by its
seat's own results at that node, since no seat sees the choices of the others.
"""

from __future__ import annotations

from math import log, sqrt
from typing import Any, Final, final

from fudaba.bots.search.budget import Spending
from fudaba.bots.search.position import MAX_MOVES, Position, finish
from fudaba_games.game import Chance, IllegalMove
from fudaba_games.registry import AnyGame

__all__ = ["Tree", "tree_search"]

EXPLORATION_WEIGHT: Final = 0.7
MOVES_PER_ROOT_OF_VISITS: Final = 2.0
"""The number of moves that a decision with very many considers, for each unit of the square root of its visits."""


@final
class _Arm:
    """A move of one seat at one node: how often it was possible and chosen, and the seat's results."""

    __slots__ = ("move", "possible", "total", "visits")

    def __init__(self, move: Any) -> None:
        self.move = move
        self.visits = 0
        self.possible = 0
        self.total = 0.0

    @property
    def mean(self) -> float:
        return self.total / self.visits if self.visits else 0.0


@final
class _Node:
    """Every seat's results after the same moves."""

    __slots__ = ("arms", "children")

    def __init__(self) -> None:
        self.arms: dict[int, dict[Any, _Arm]] = {}
        self.children: dict[Any, _Node] = {}


def tree_search(position: Position, spending: Spending, chance: Chance) -> Any:
    """Returns the most frequently chosen move; the default move if there was no time to finish a try."""
    tree = Tree(position, chance, spending)
    while spending.take():
        tree.grow()
    return tree.best()


@final
class Tree:
    """The tree of one position."""

    def __init__(self, position: Position, chance: Chance, spending: Spending) -> None:
        self._position = position
        self._spending = spending
        self._game: AnyGame = position.game
        self._chance = chance
        self._root = _Node()
        self._lowest = 0
        self._highest = 0
        self._seen_scores = False

    def best(self) -> Any:
        """Returns the position's most frequently chosen move; among equals, the one with the best mean.

        Returns the default move if no try was finished.
        """
        tried = [arm for arm in self._root.arms.get(self._position.seat, {}).values() if arm.visits]
        if not tried:
            return self._position.default()
        return max(tried, key=lambda arm: (arm.visits, arm.mean)).move

    def grow(self) -> None:
        """Makes one try: down the tree, one node further, at random to the end, and back. It has no effect if the time
        ends first.
        """
        game, state = self._game, self._position.drawn(self._chance)
        node = self._root
        path: list[tuple[int, _Arm]] = []
        while True:
            due = game.decisions(state)
            if not due:
                timer = game.next_timer(state)
                if timer is None:
                    break
                game.fire(state, timer.name)
                continue
            chosen = [(decision.seat, self._choose(node, state, decision.seat)) for decision in due]
            path += chosen
            new = any(not arm.visits for _, arm in chosen)
            played = self._play(state, chosen)
            if new:
                break
            if self._spending.late():
                return
            child = node.children.get(played)
            if child is None:
                child = node.children[played] = _Node()
            node = child
        if finish(game, state, self._chance, self._spending):
            self._learn(path, state)

    def _play(self, state: Any, chosen: list[tuple[int, _Arm]]) -> Any:
        """Plays the seats' choices, as far as they are still possible. Returns the played moves."""
        game = self._game
        if len(chosen) == 1:
            [(seat, arm)] = chosen
            game.advance(state, seat, arm.move)
            return arm.move
        played: list[Any] = []
        for seat, arm in chosen:
            # An earlier one may have closed this decision, or opened the seat another.
            if any(decision.seat == seat for decision in game.decisions(state)) and self._is_legal(
                state, seat, arm.move
            ):
                game.advance(state, seat, arm.move)
                played.append((seat, arm.move))
        return tuple(played)

    def _is_legal(self, state: Any, seat: int, move: Any) -> bool:
        try:
            self._game.check(state, seat, move)
        except IllegalMove:
            return False
        return True

    def _choose(self, node: _Node, state: Any, seat: int) -> _Arm:
        """Returns a move that was never tried here, or the most promising one (UCB1 over the moves of this deal)."""
        arms = node.arms.get(seat)
        if arms is None:
            arms = node.arms[seat] = {}
        legal = self._game.legal_moves(state, seat)
        if len(legal) > MAX_MOVES:
            return self._choose_of_many(arms, state, seat)
        known: list[_Arm] = []
        unknown: list[Any] = []
        for move in legal:
            arm = arms.get(move)
            if arm is None:
                unknown.append(move)
            else:
                known.append(arm)
        if unknown:
            move = unknown[int(self._chance.random() * len(unknown))]
            arm = arms[move] = _Arm(move)
            known.append(arm)
            return _possible(known, arm)
        return _possible(known, self._most_promising(known))

    def _choose_of_many(self, arms: dict[Any, _Arm], state: Any, seat: int) -> _Arm:
        """Does the same for more moves than can be tried: new moves are added more and more slowly."""
        known = [arm for arm in arms.values() if self._is_legal(state, seat, arm.move)]
        if len(known) <= MOVES_PER_ROOT_OF_VISITS * sqrt(sum([arm.visits for arm in known])):
            move = self._game.random_move(state, seat, self._chance)
            if move not in arms:
                arm = arms[move] = _Arm(move)
                known.append(arm)
                return _possible(known, arm)
        return _possible(known, self._most_promising(known))

    def _most_promising(self, known: list[_Arm]) -> _Arm:
        low = self._lowest
        width = (self._highest - low) or 1.0
        best, most = known[0], -1.0
        for arm in known:
            visits = arm.visits
            if not visits:
                return arm
            worth = (arm.total / visits - low) / width + EXPLORATION_WEIGHT * sqrt(log(arm.possible + 1) / visits)
            if worth > most:
                best, most = arm, worth
        return best

    def _learn(self, path: list[tuple[int, _Arm]], state: Any) -> None:
        outcome = self._game.outcome(state)
        if outcome is None:
            raise RuntimeError(f"{self._game.id} has no decision left and no result")
        scores = outcome.scores
        lowest, highest = min(scores), max(scores)
        if not self._seen_scores:
            self._seen_scores = True
            self._lowest, self._highest = lowest, highest
        self._lowest, self._highest = min(self._lowest, lowest), max(self._highest, highest)
        for seat, arm in path:
            arm.visits += 1
            arm.total += scores[seat]


def _possible(known: list[_Arm], chosen: _Arm) -> _Arm:
    """Notes that all of these moves were possible."""
    for arm in known:
        arm.possible += 1
    return chosen
