"""What a built site would ask of other hosts when a page is opened."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

__all__ = ["foreign_requests"]

_LOADED: Final = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "srcset", "object": "data"}
"""The attribute of each element whose address a browser loads by itself."""
_NOT_LOADED: Final = frozenset({"canonical", "alternate", "next", "prev"})
"""The relations of a `link` that a browser does not load."""


def foreign_requests(site: Path) -> list[str]:
    """Returns the addresses on other hosts that the pages of a site load, each once."""
    found: set[str] = set()
    for page in site.rglob("*.html"):
        parser = _Loads()
        parser.feed(page.read_text(encoding="utf-8"))
        found.update(parser.foreign)
    found.update(address for sheet in site.rglob("*.css") for address in _addresses(sheet))
    return sorted(found)


def _addresses(sheet: Path) -> Iterator[str]:
    """Yields the addresses on other hosts that a style sheet loads."""
    for part in sheet.read_text(encoding="utf-8").split("url(")[1:]:
        address = part.partition(")")[0].strip("\"'")
        if _is_foreign(address):
            yield address


def _is_foreign(address: str) -> bool:
    return address.startswith(("http:", "https:", "//"))


class _Loads(HTMLParser):
    """Collects what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """See `HTMLParser`."""
        given = dict(attrs)
        address = given.get(_LOADED.get(tag, "")) or ""
        if _is_foreign(address) and not (tag == "link" and _NOT_LOADED.intersection((given.get("rel") or "").split())):
            self.foreign.append(address)
