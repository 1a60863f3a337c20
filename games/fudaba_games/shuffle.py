"""The only source of chance, and the commitment to it (docs/rules/README.md, G2 and G3)."""

from __future__ import annotations

from hashlib import sha256
from struct import Struct
from typing import Final, final

from fudaba_games.game import SEED_BYTES, Chance

_SHUFFLE_TAG: Final = b"fudaba-shuffle-v1"
_COMMIT_TAG: Final = b"fudaba-commit-v1"
_RANGE_COUNT: Final = 1 << 64
_FOUR: Final = Struct(">4Q").unpack
"""Four big-endian integers of a part."""


@final
class Stream:
    """The stream of unsigned 64-bit integers of shuffle number `shuffle` of deal number `deal`."""

    __slots__ = ("_part", "_prefix", "_rest")

    def __init__(self, seed: bytes, deal: int, shuffle: int) -> None:
        self._prefix = seed + _SHUFFLE_TAG + deal.to_bytes(4, "big") + shuffle.to_bytes(4, "big")
        self._part = 0
        self._rest: list[int] = []

    def next(self) -> int:
        """Returns the next integer."""
        if not self._rest:
            part = sha256(self._prefix + self._part.to_bytes(8, "big")).digest()
            self._part += 1
            self._rest = list(_FOUR(part))
            self._rest.reverse()
        return self._rest.pop()

    def below(self, n: int) -> int:
        """Returns an integer from 0 to `n` - 1, each equally likely."""
        limit = _RANGE_COUNT - _RANGE_COUNT % n
        while (x := self.next()) >= limit:
            pass
        return x % n


def shuffled(cards: list[int], seed: bytes, deal: int, shuffle: int) -> list[int]:
    """Returns `cards`, given in deck order, shuffled; index 0 is the top."""
    result = list(cards)
    take = Stream(seed, deal, shuffle).next
    for i in range(len(result) - 1, 0, -1):
        # `Stream.below`, without a call: dealing is the larger part of a short deal.
        n = i + 1
        x = take()
        while x >= _RANGE_COUNT - _RANGE_COUNT % n:
            x = take()
        j = x % n
        result[i], result[j] = result[j], result[i]
    return result


def commitment(salt: bytes, seed: bytes, match_id: str) -> bytes:
    """Returns the 32 bytes that are published before the first card is dealt. They fix seed and match without revealing
    them.
    """
    return sha256(_COMMIT_TAG + salt + seed + match_id.encode()).digest()


def random_seed(chance: Chance) -> bytes:
    """Returns a random seed. A redeal uses one: its shuffles to come are as unknown as the cards."""
    return chance.getrandbits(8 * SEED_BYTES).to_bytes(SEED_BYTES, "big")
