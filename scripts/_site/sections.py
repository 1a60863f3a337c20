"""The site's sections and pages, as docs/site.toml lists them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

__all__ = ["BadSite", "Section", "read_sections"]

_LISTED: Final = "docs/site.toml"


@final
class BadSite(Exception):
    """The site cannot be built. The message names the place and the remedy."""


@final
@dataclass(frozen=True, slots=True)
class Section:
    """A section of the site's navigation."""

    title: str
    pages: tuple[Path, ...]
    """The pages in order, relative to the checkout."""
    generated: tuple[str, ...]
    """The names of the generated parts that follow the pages."""


def read_sections(root: Path) -> list[Section]:
    """Reads the sections of a checkout. Raises `BadSite` if the list names a page that is not there, names a page
    twice, or leaves a page of docs/ out.
    """
    listed = tomllib.loads((root / _LISTED).read_text(encoding="utf-8"))
    sections = [
        Section(
            section["title"],
            tuple(page for pattern in section["pages"] for page in _matching(root, pattern)),
            tuple(section.get("generated", ())),
        )
        for section in listed["section"]
    ]
    pages = [page for section in sections for page in section.pages]
    for page in pages:
        if pages.count(page) > 1:
            raise BadSite(f"{_LISTED}: {page} stands in it more than once; leave it in one section")
    for path in sorted((root / "docs").rglob("*.md")):
        if path.relative_to(root) not in pages:
            raise BadSite(f"{_LISTED}: {path.relative_to(root)} is in no section; add it to the one that it belongs to")
    return sections


def _matching(root: Path, pattern: str) -> list[Path]:
    """Returns the pages that a pattern fits, a folder's README before its other pages."""
    found = sorted(root.glob(pattern), key=lambda path: (path.parent, path.name != "README.md", path.name))
    if not found:
        raise BadSite(f"{_LISTED}: there is no page {pattern}; correct the name, or leave it out")
    return [path.relative_to(root) for path in found]
