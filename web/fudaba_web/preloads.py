"""The files that a path of the page loads in any case. Its document names them, so a browser asks for all of them at
once.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from html import escape
from typing import Final, final

__all__ = ["FILE", "Preloads", "fits", "preferred"]

FILE: Final = "preloads.json"
"""The file that the build writes beside the document: the files by path and language. `web/page/preloads.ts` makes
it.
"""
_FIRST_LANGUAGE: Final = "en"


@final
class Preloads:
    """The elements for the heads of documents."""

    def __init__(self, written: bytes) -> None:
        """Reads the files that the build has written."""
        by_path: Mapping[str, Mapping[str, list[str]]] = json.loads(written) if written else {}
        self._tags = [
            (path, {language: "".join(map(_tag, files)) for language, files in by_language.items()})
            for path, by_language in by_path.items()
        ]

    def tags(self, parts: tuple[str, ...], accept_language: str) -> str:
        """Returns the elements for a path, given by its parts, for a browser whose languages are these. None
        for a path that the page lacks.
        """
        for known, by_language in self._tags:
            if fits(known, parts):
                return by_language[preferred(accept_language, by_language)]
        return ""


def fits(known: str, parts: tuple[str, ...]) -> bool:
    """Returns whether a path, given by its parts, matches a pattern in the page's form, such as `/ladders/:ladder`."""
    known_parts = known.strip("/").split("/")
    return len(known_parts) == len(parts) and all(map(_stands_for, known_parts, parts))


def _stands_for(part: str, asked: str) -> bool:
    """Returns whether a part of a pattern in the page's form, such as `:ladder`, matches this part of a path."""
    return part == asked or (part.startswith(":") and asked != "")


def preferred(accept_language: str, languages: Collection[str]) -> str:
    """Chooses a language as the page does: the first of the browser's languages, in the browser's order, that the page
    has.
    """
    named = (language.strip()[:2].lower() for language in accept_language.split(","))
    return next((language for language in named if language in languages), _FIRST_LANGUAGE)


def _tag(file: str) -> str:
    kind = "stylesheet" if file.endswith(".css") else "modulepreload"
    return f'<link rel="{kind}" crossorigin href="/{escape(file)}">'
