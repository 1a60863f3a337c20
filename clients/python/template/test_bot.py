"""Run it with: python3 -m unittest"""

import random
import unittest

import fudaba
from bot import MyBot


class Opponent(fudaba.Bot):
    """Plays at random, the same moves in each run of the test."""

    dice = random.Random(1)

    def choose(self, decision: fudaba.Decision) -> object:
        """Returns any legal move."""
        return self.dice.randrange(decision.legal_count)


class Naga(unittest.TestCase):
    """Checks how well the bot plays Naga."""

    def test_it_beats_random_play(self) -> None:
        """Plays each deal from both seats."""
        difference = 0
        for number in range(20):
            seat, seed = number % 2, bytes([number // 2]) * 32
            bots = [MyBot, Opponent] if seat == 0 else [Opponent, MyBot]
            result = fudaba.play_local(bots, "naga", seed=seed)
            self.assertEqual(result.seats[seat].refused, 0)
            self.assertEqual(result.seats[seat].errors, 0)
            difference += result.scores[seat] - result.scores[1 - seat]
        self.assertGreater(difference, 0)
