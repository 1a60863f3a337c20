"""What was credited for the network is counted in few numbers, which stay near enough to what it was."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from fudaba.v1 import record_pb2
from fudaba_arena.store.usage.seat_credit import SeatCredit, credited_in, percentile_ms


def record_of(credits_us: list[int], seat: int = 0) -> record_pb2.MatchRecord:
    record = record_pb2.MatchRecord()
    for credit_us in credits_us:
        record.log.add(seat=seat, spent=record_pb2.Spent(network_us=credit_us)).move.SetInParent()
    return record


def test_a_seat_has_the_credits_of_its_own_decisions_and_of_nothing_else() -> None:
    record = record_of([400, 600, 12_400, 300_000, 300_000])
    record.log.add(seat=0, spent=record_pb2.Spent(network_us=300_000)).timeout.SetInParent()
    record.log.add(seat=0, spent=record_pb2.Spent(network_us=300_000)).illegal.SetInParent()
    record.log.add(seat=1, spent=record_pb2.Spent(network_us=300_000)).move.SetInParent()
    [of_seat] = credited_in(record, [0])
    assert of_seat == SeatCredit(0, ((0, 1), (1, 1), (12, 1), (300, 3)))
    assert SeatCredit.from_values(of_seat.values()) == of_seat
    assert list(credited_in(record, [2])) == []


@pytest.mark.parametrize("seed", range(5))
def test_percentiles_are_right_to_two_and_a_half_milliseconds(seed: int) -> None:
    chance = random.Random(seed)
    credits_us = [chance.randrange(300_001) if chance.random() < 0.7 else 300_000 for _ in range(1_001)]
    [of_seat] = credited_in(record_of(credits_us), [0])
    assert len(of_seat.decisions) < 80
    counts = Counter(dict(of_seat.decisions))
    for percent, place in ((5, 50), (50, 500), (95, 950)):
        assert abs(percentile_ms(counts, percent) - sorted(credits_us)[place] / 1000) <= 2.5
