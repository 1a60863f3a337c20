"""Chance and commitment: docs/rules/README.md, G2 and G3."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from fudaba_games.game import SALT_BYTES, SEED_BYTES
from fudaba_games.registry import GAMES, AnyGame
from fudaba_games.shuffle import Stream, commitment, shuffled

ZERO = bytes(SEED_BYTES)
FIRST_SHUFFLE = [
    2, 28, 36, 30, 0, 41, 10, 23, 35, 3, 50, 45, 22, 8, 11, 19, 34, 40, 9, 13, 12, 16, 47, 32, 25, 49,
    6, 46, 43, 15, 26, 33, 4, 20, 38, 39, 24, 14, 5, 21, 1, 44, 29, 51, 17, 18, 7, 37, 48, 31, 42, 27,
]  # fmt: skip


@pytest.mark.rule("G2.4")
def test_the_first_shuffle_has_the_check_values() -> None:
    assert shuffled(list(range(52)), ZERO, 0, 0) == FIRST_SHUFFLE


@pytest.mark.rule("G2.2")
@pytest.mark.parametrize(
    ("deal", "shuffle", "begins"),
    [(0, 1, [8, 11, 0, 3, 41, 40, 21, 30]), (1, 0, [10, 22, 48, 11, 6, 37, 39, 27])],
)
def test_every_deal_and_shuffle_has_its_own_stream(deal: int, shuffle: int, begins: list[int]) -> None:
    assert shuffled(list(range(52)), ZERO, deal, shuffle)[:8] == begins


@pytest.mark.rule("G2.2")
def test_a_stream_is_the_hashes_of_its_blocks_in_order() -> None:
    seed = bytes(range(32))
    stream = Stream(seed, 3, 2)
    expected = []
    for block in range(3):
        name = seed + b"fudaba-shuffle-v1" + bytes([0, 0, 0, 3]) + bytes([0, 0, 0, 2]) + bytes(7) + bytes([block])
        digest = sha256(name).digest()
        expected += [int.from_bytes(digest[at : at + 8], "big") for at in (0, 8, 16, 24)]
    assert [stream.next() for _ in range(12)] == expected


@pytest.mark.rule("G2.3")
def test_below_takes_another_integer_when_one_would_favour_small_results() -> None:
    stream = Stream(ZERO, 0, 0)
    # 2^64 mod 3 is 1: only the largest integer of all is refused. The last one of the list comes first.
    stream._rest = [7, 2**64 - 1, 2**64 - 1, 2**64 - 2, 2**64 - 1]
    assert stream.below(3) == (2**64 - 2) % 3
    assert stream.below(3) == 1
    assert stream._rest == []


@pytest.mark.rule("G2.3")
def test_below_is_even() -> None:
    stream = Stream(ZERO, 0, 0)
    counts = Counter(stream.below(6) for _ in range(6000))
    assert set(counts) == set(range(6))
    assert all(850 < count < 1150 for count in counts.values())


def test_a_shuffle_is_fisher_yates_from_the_end() -> None:
    for number in range(20):
        stream, expected = Stream(ZERO, number, 3), list(range(48))
        for i in range(47, 0, -1):
            j = stream.below(i + 1)
            expected[i], expected[j] = expected[j], expected[i]
        assert shuffled(list(range(48)), ZERO, number, 3) == expected


def test_a_shuffle_leaves_its_argument_as_it_is() -> None:
    cards = list(range(9))
    assert sorted(shuffled(cards, ZERO, 0, 0)) == cards == list(range(9))


@pytest.mark.rule("G3.1")
def test_the_commitment_has_the_check_value() -> None:
    expected = "fddc26607fc38d2546a0fc84d18dab93113ef180e838029d3609ebadc1011b9f"
    assert commitment(bytes(SALT_BYTES), ZERO, "m-1").hex() == expected


@pytest.mark.rule("G3.1")
def test_the_commitment_fixes_salt_seed_and_match() -> None:
    committed = commitment(bytes(SALT_BYTES), ZERO, "m-1")
    assert commitment(bytes([1]) * SALT_BYTES, ZERO, "m-1") != committed
    assert commitment(bytes(SALT_BYTES), bytes([1]) * SEED_BYTES, "m-1") != committed
    assert commitment(bytes(SALT_BYTES), ZERO, "札") != committed


@pytest.mark.rule("G2.1")
@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_another_seed_is_another_match(game: AnyGame) -> None:
    options = game.resolve_options({})
    _, events = game.new_match(game.min_seats, options, ZERO)
    _, again = game.new_match(game.min_seats, options, ZERO)
    _, others = game.new_match(game.min_seats, options, bytes([1]) * SEED_BYTES)
    assert events == again != others
