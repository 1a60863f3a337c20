"""A first bot for Naga: it plays the three cards that make the best hand."""

from fudaba import Bot, Decision
from fudaba_games.naga.hands import hand_value


class FirstBot(Bot):
    """Greedy: strong cards go at once, whatever they win."""

    def choose(self, decision: Decision) -> object:
        """The first place to designate; else the commitment that makes the best hand there."""
        view = decision.view
        if not view.place:
            return 0
        prize = view.table[view.place]
        return max(decision.legal_moves, key=lambda move: hand_value(move.cards | prize, view.place))
