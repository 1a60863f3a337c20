"""The pages of the site as its generator reads them: copies of the checkout's pages, laid out as there.

A link that the repository shows as a folder or a file needs a page here: a folder's README, or a copy of the file.
A link to a folder whose README is no page of the site becomes plain text.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection, Mapping
from functools import partial
from pathlib import Path
from posixpath import relpath
from typing import Final

__all__ = ["copy_pages"]

_LINK: Final = re.compile(r"(?P<text>\[[^\]]*\])\((?P<target>[^)#\s]+)(?P<anchor>#[^)\s]*)?\)")
_ATTRIBUTE: Final = re.compile(r"(?:src|srcset|href)=\"(?P<target>[^\"#]+)\"")
_ELSEWHERE: Final = re.compile(r"[a-z][a-z0-9+.-]*:|/")
"""The beginning of a link that does not lead to another file of the checkout."""


def copy_pages(root: Path, pages: Collection[Path], source: Path, described: Mapping[Path, Path]) -> None:
    """Copies pages of a checkout into the folder `source`, with the files that they link to.

    `described` has the pages of the site that stand for folders of the checkout.
    """
    for_folders = {page.parent: page for page in pages if page.name == "README.md"} | dict(described)
    for page in pages:
        text = (root / page).read_text(encoding="utf-8")
        for attribute in _ATTRIBUTE.finditer(text):
            _copy_linked(root, page, attribute["target"], source)
        text = _LINK.sub(partial(_followed, root, page, source, for_folders), text)
        copy = source / page
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text, encoding="utf-8")


def _followed(root: Path, page: Path, source: Path, for_folders: Mapping[Path, Path], link: re.Match[str]) -> str:
    """Returns a link as the site has it."""
    path = _copy_linked(root, page, link["target"], source)
    if path is None or not (root / path).is_dir():
        return link[0]  # the generator refuses what leads nowhere, and shows the place
    if path not in for_folders:
        return link["text"][1:-1]
    return f"{link['text']}({relpath(for_folders[path], page.parent)}{link['anchor'] or ''})"


def _copy_linked(root: Path, page: Path, target: str, source: Path) -> Path | None:
    """Returns the path in the checkout that a link of a page leads to; None if it leads elsewhere. A file that is no
    page is copied.
    """
    path = (root / page.parent / target).resolve()
    if _ELSEWHERE.match(target) or not path.is_relative_to(root):
        return None
    if path.is_file() and path.suffix != ".md":
        copy = source / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return path.relative_to(root)
