"""Links between pages of Markdown, as a reader follows them."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

_LINK = re.compile(r"\[[^\]]+\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def dead_links(pages: Mapping[str, str]) -> list[str]:
    """Returns the links within these pages, by the pages' names, that lead to no page or to no place in one."""
    dead = []
    for name, text in pages.items():
        for target, place in _LINK.findall(re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)):
            if "://" in target:
                continue
            page = posixpath.normpath(posixpath.join(posixpath.dirname(name), target)) if target else name
            if page not in pages or (place and place not in _places(pages[page])):
                dead.append(f"{name}: {target}#{place}")
    return dead


def _places(page: str) -> set[str]:
    """Returns the anchors of a page: its own, and those of its headings."""
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    slugs = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', page))
