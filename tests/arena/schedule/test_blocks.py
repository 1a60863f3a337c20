"""Duplicate blocks: who sits where on which deal, and where the cards come from."""

from __future__ import annotations

import hmac
from collections import Counter
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba.seatings import seating_count, seatings
from fudaba_arena.schedule.blocks import Block, PlannedMatch, rotating_matches, shared_matches
from fudaba_arena.schedule.seeds import MASTER_BYTES, block_seed, commitment, deal_seed, match_seed

MASTER = bytes(range(32))


@given(st.integers(2, 6), st.integers(1, 3))
def test_a_rotating_block_replays_every_deal_in_every_seating(seats: int, deals: int) -> None:
    bots = [f"bot{number}" for number in range(seats)]
    matches = rotating_matches(bots, deals)
    assert {deal for deal, _ in matches} == set(range(deals))
    for deal in range(deals):
        assert [seating for number, seating in matches if number == deal] == list(seatings(bots))


@given(st.integers(2, 6), st.integers(1, 4), st.integers(1, 2))
def test_a_shared_block_gives_every_bot_each_deal_once_and_each_seat_equally_often(
    seats: int, groups: int, deals: int
) -> None:
    number = seating_count(seats)
    matches = shared_matches([[f"bot{group}-{seat}" for seat in range(seats)] for group in range(groups)], deals)
    met = Counter((deal, bot) for deal, seating in matches for bot in seating)
    assert set(met.values()) == {1}
    assert len(met) == number * deals * seats * groups
    sat = Counter((seat, bot) for _, seating in matches for seat, bot in enumerate(seating))
    assert set(sat.values()) == {deals * number // seats}
    for deal, together in Counter(deal for deal, _ in matches).items():
        assert together == groups, f"deal {deal} is compared with every group"


def test_seeds_are_what_the_documentation_says() -> None:
    assert commitment(MASTER) == sha256(b"fudaba-master-v1" + MASTER).digest()
    seed = hmac.new(MASTER, b"fudaba-block-v1" + (7).to_bytes(8, "big"), sha256).digest()
    assert block_seed(MASTER, 7) == seed
    deal = hmac.new(seed, b"fudaba-deal-v1" + (1).to_bytes(4, "big"), sha256).digest()
    assert deal_seed(seed, 1) == deal
    match = PlannedMatch("t-b7-b", 1, ("a", "b"))
    assert match_seed(MASTER, Block(7, 7, 0, 0, 0, 2, (match,)), match) == deal


def test_seeds_keep_their_values_between_releases() -> None:
    assert commitment(MASTER).hex() == "04720ec6309181142a88cb866eff465f0e9d01afa26094d5bb3c8adf9542e878"
    seed = block_seed(MASTER, 7)
    assert seed.hex() == "33136e7fe97510ccce68809bb1534349cd732963c8ea21f9f50496377a67669c"
    assert (
        deal_seed(block_seed(MASTER, 7), 1).hex() == "3d9bac5745f39870d643b9d82f98267a82dbdea7501239909d6bde0e39365579"
    )


def test_no_two_deals_of_a_tournament_share_a_seed() -> None:
    seeds = [deal_seed(block_seed(MASTER, number), deal) for number in range(50) for deal in range(4)]
    assert len(set(seeds)) == len(seeds)
    assert {len(seed) for seed in seeds} == {32}


@pytest.mark.parametrize("length", [0, MASTER_BYTES - 1, MASTER_BYTES + 1])
def test_a_master_of_another_length_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match=f"32 bytes, this one has {length}"):
        commitment(bytes(length))
    with pytest.raises(ValueError, match="32 bytes"):
        block_seed(bytes(length), 0)
