"""Long lists in pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_service.refusals import Refused

__all__ = ["page"]

_DEFAULT: Final = 100
_LARGEST: Final = 1000


def page(names: Sequence[str], size: int, token: str) -> tuple[list[str], str]:
    """The names after the one that the token names, and the token of the next page. Refuses foreign tokens."""
    size = min(size or _DEFAULT, _LARGEST)
    start = 0
    if token:
        if token not in names:
            raise Refused.malformed("page_token is not one of this list; start again without one")
        start = names.index(token) + 1
    found = list(names[start : start + size])
    return found, found[-1] if start + size < len(names) else ""
