"""Tokens that were looked up in vain: a call with such a token is refused without another lookup."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final, final

__all__ = ["UnknownTokens"]

_CACHE_SECONDS: Final = 5.0
_MAX_TOKENS_KEPT: Final = 10_000


@final
class UnknownTokens:
    """The digests of the newest unknown tokens: at most ten thousand, each for five seconds or until it is `made`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._until: OrderedDict[str, float] = OrderedDict()

    def __contains__(self, digest: str) -> bool:
        return self._clock() < self._until.get(digest, 0.0)

    def __len__(self) -> int:
        return len(self._until)

    def add(self, digest: str) -> None:
        """Adds a token that was looked up in vain."""
        self._until[digest] = self._clock() + _CACHE_SECONDS
        self._until.move_to_end(digest)
        if len(self._until) > _MAX_TOKENS_KEPT:
            self._until.popitem(last=False)

    def made(self, digest: str) -> None:
        """Removes a token that was made."""
        self._until.pop(digest, None)
