"""Long lists in pages."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Final

from fudaba_service.refusals import Refused

__all__ = ["page"]

_DEFAULT: Final = 100
_LARGEST: Final = 1000
_LONGEST: Final = 200


def page(names: Sequence[str], size: int, token: str) -> tuple[list[str], str]:
    """The names, which are sorted, that come after the token; and the token of the next page, empty after the last.

    A token is the last name of its page, so that a list may change between two calls: nothing that stays in it is
    left out or given twice.
    """
    if len(token) > _LONGEST:
        raise Refused.malformed("page_token is none that this list gave; start again without one")
    size = min(size or _DEFAULT, _LARGEST)
    start = bisect_right(names, token) if token else 0
    found = list(names[start : start + size])
    return found, found[-1] if start + size < len(names) else ""
