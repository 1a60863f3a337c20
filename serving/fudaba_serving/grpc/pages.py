"""The division of long lists into pages."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, final

from fudaba.refusals import Refused

__all__ = ["Pages"]

_DEFAULT_PAGE_SIZE: Final = 100
_MAX_PAGE_SIZE: Final = 1000
_CHECK_BYTES: Final = 6
"""The number of bytes that mark a token as one. They keep out mistakes; a forged token gains nothing."""


@final
class Pages:
    """A list of sorted names that is served in pages.

    A page's token is the last name of the page before. So the list may change between two calls: a name that stays in
    the list is neither left out nor repeated.
    """

    def __init__(self, list_name: str) -> None:
        self._list_name = list_name

    def page(self, names: Sequence[str], size: int, token: str) -> tuple[list[str], str]:
        """Returns the names after the token, and the token of the next page; it is empty after the last page."""
        start = bisect_right(names, self.place(token)) if token else 0
        found = list(names[start : start + self.size(size)])
        return found, self.token(found[-1]) if start + len(found) < len(names) else ""

    def token(self, name: str) -> str:
        """Returns the token of the page that begins after a name."""
        return urlsafe_b64encode(self._check(name) + name.encode()).decode().rstrip("=")

    @staticmethod
    def size(asked: int) -> int:
        """Returns the number of names on a page for which `asked` were asked; 0 asks for the default."""
        return min(asked or _DEFAULT_PAGE_SIZE, _MAX_PAGE_SIZE)

    def place(self, token: str) -> str:
        """Returns the name in a token. Refuses anything that is not a token of this list."""
        try:
            name = urlsafe_b64decode(token + "=" * (-len(token) % 4))[_CHECK_BYTES:].decode()
        except ValueError:
            name = ""
        if self.token(name) != token:
            raise Refused.malformed(
                f"page_token is not one that the list of {self._list_name} gave; take the next_page_token of the page "
                "before, or start again without one"
            )
        return name

    def _check(self, name: str) -> bytes:
        return sha256(f"{self._list_name}\n{name}".encode()).digest()[:_CHECK_BYTES]
