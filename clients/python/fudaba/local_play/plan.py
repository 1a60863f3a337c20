"""Plans the matches: each deal once in every order of the bots, so that the luck of deal and seat cancels."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import count, islice
from typing import final

from fudaba.seatings import seating_count, seatings
from fudaba_games.game import SEED_BYTES

__all__ = ["PlannedMatch", "deal_seed", "planned"]


def deal_seed(seed: int | None, deal: int) -> bytes:
    """Returns the 32 bytes of a deal in a run with `seed`; random bytes without one."""
    if seed is None:
        return secrets.token_bytes(SEED_BYTES)
    return sha256(f"fudaba-simulate {seed} {deal}".encode()).digest()


@final
@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match to play."""

    match_id: str
    deal: int
    """The number of the deal, from 0."""
    order: tuple[int, ...]
    """The bot in each seat."""
    seed: bytes


def planned(seats: int, matches: int, seed: int | None) -> list[PlannedMatch]:
    """Returns the matches, deal by deal.

    The last deal is in every order only if `matches` is a multiple of the number of orders.
    """
    return list(islice(_all(seats, seed), matches))


def _all(seats: int, seed: int | None) -> Iterator[PlannedMatch]:
    names = [str(number) for number in range(seats)]
    orders = [tuple(int(name) for name in seating) for seating in seatings(names)]
    digits = len(str(seating_count(seats)))
    for deal in count():
        dealt = deal_seed(seed, deal)
        for number, order in enumerate(orders):
            yield PlannedMatch(f"deal-{deal + 1:03}-{number + 1:0{digits}}", deal, order, dealt)
