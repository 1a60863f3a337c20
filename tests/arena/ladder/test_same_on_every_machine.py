"""Ratings are the same to the last digit however many cores there are."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

FIT = """
import random
from fudaba_arena.ladder.ratings import BlockResult, RatedMatch, fit

chance, blocks = random.Random(7), []
for number in range(BLOCKS):
    bots = tuple(chance.sample("abcdefgh", 3))
    matches = []
    for turn in range(3):
        first, second = chance.randrange(-9, 10), chance.randrange(-9, 10)
        seated = bots[turn:] + bots[:turn]
        matches.append(RatedMatch(f"{number}-{turn}", turn // 2, seated, (first, second, -first - second)))
    blocks.append(BlockResult(number, tuple(matches)))
print([(one.bot, one.rating, one.low) for one in fit(blocks, win_margin=20).ratings])
"""
ROW_COUNT = 12_000
"""A match of three has three rows. BLAS shares out products that are longer than 10,000."""


@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.exhaustive
def test_ratings_do_not_depend_on_the_number_of_cores(threads: int) -> None:
    assert fitted(threads) == fitted(1)


def fitted(threads: int) -> str:
    """Returns the ratings as a process has them whose numpy computes with so many threads."""
    program = FIT.replace("BLOCKS", str(ROW_COUNT // 9))
    limits = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | limits, capture_output=True, text=True, check=True
    )
    return done.stdout
