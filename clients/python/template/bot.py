"""mybot: plays Naga by a small strategy, and a random legal move in every other game."""

import random

import fudaba
from fudaba_games.naga import PLACES, cards_of
from fudaba_games.naga.hands import hand_value


class MyBot(fudaba.Bot):
    """One object plays one seat of one match. Its knowledge is in `decision.view`."""

    def choose(self, decision: fudaba.Decision) -> object:
        """Returns a legal move, its index, or its text."""
        if decision.game == "naga":
            return naga(decision)
        return random.randrange(decision.legal_count)


def naga(decision: fudaba.Decision) -> object:
    """Fights for the place with the most cards, with the cards that make the best hand there."""
    view = decision.view
    if not view.place:
        richest = max(PLACES, key=lambda place: len(list(cards_of(view.table[place]))))
        return next((move for move in decision.legal_moves if move.place == richest), 0)
    prize = view.table[view.place]
    return max(decision.legal_moves, key=lambda move: hand_value(move.cards | prize, view.place))


if __name__ == "__main__":
    fudaba.run(MyBot)
