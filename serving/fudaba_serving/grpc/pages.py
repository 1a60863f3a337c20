"""Long lists in pages."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, final

from fudaba.refusals import Refused

__all__ = ["Pages"]

_DEFAULT: Final = 100
_LARGEST: Final = 1000
_CHECK: Final = 6
"""How many bytes of a token say that it is one. They keep out mistakes; nothing is to be had by a forged place."""


@final
class Pages:
    """A list whose names are sorted. A page's token is the last name before it, so that the list may change between
    two calls: nothing that stays in it is left out or given twice.
    """

    def __init__(self, of: str) -> None:
        self._of = of

    def page(self, names: Sequence[str], size: int, token: str) -> tuple[list[str], str]:
        """The names that come after the token; and the token of the next page, empty after the last."""
        start = bisect_right(names, self.place(token)) if token else 0
        found = list(names[start : start + self.size(size)])
        return found, self.token(found[-1]) if start + len(found) < len(names) else ""

    def token(self, name: str) -> str:
        """The token of the page that begins after a name."""
        return urlsafe_b64encode(self._check(name) + name.encode()).decode().rstrip("=")

    @staticmethod
    def size(asked: int) -> int:
        """How much a page has of which so much was asked for."""
        return min(asked or _DEFAULT, _LARGEST)

    def place(self, token: str) -> str:
        """The name in a token. Refuses what is not a token of this list."""
        try:
            name = urlsafe_b64decode(token + "=" * (-len(token) % 4))[_CHECK:].decode()
        except ValueError:
            name = ""
        if self.token(name) != token:
            raise Refused.malformed(
                f"page_token is not one that the list of {self._of} gave; take the next_page_token of the page before, "
                "or start again without one"
            )
        return name

    def _check(self, name: str) -> bytes:
        return sha256(f"{self._of}\n{name}".encode()).digest()[:_CHECK]
