"""Lists that a service returns in pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, Protocol, TypeVar

__all__ = ["every_page"]

_TIMEOUT_SECONDS: Final = 60.0
"""The timeout for one page."""


class _Paged(Protocol):
    page_token: str


class _Page(Protocol):
    @property
    def next_page_token(self) -> str: ...


PageT = TypeVar("PageT", bound=_Page)


def every_page(call: Callable[..., PageT], request: _Paged) -> Iterator[PageT]:
    """Yields all pages of a list. `request` is for the first one. Raises `ServiceError`."""
    while True:
        page = call(request, timeout=_TIMEOUT_SECONDS)
        yield page
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token
