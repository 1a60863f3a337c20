"""The lines of an export, by their kinds and subjects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias, final

from fudaba_arena.audit.faults import ExportFault

__all__ = ["LineKey", "SortedLines"]

LineKey: TypeAlias = tuple[Any, ...]
"""A line's kind, with the block, deal or match that it describes."""
_FIELDS: Final = {"block": ("block",), "deal": ("block", "deal"), "match": ("match_id",)}
"""The fields that distinguish a line from all others of its kind."""
_OTHERS: Final = ("round", "entry", "chosen", "annulment", "published", "standings")
"""The kinds of lines that do not belong to a block."""


@final
class SortedLines:
    """The lines of an export after its head. A second line about the same subject is a fault."""

    def __init__(self, lines: Sequence[dict[str, Any]]) -> None:
        self.faults: list[ExportFault] = []
        """The faults of the lines as a whole, in their order."""
        self.blocks: dict[int, dict[str, Any]] = {}
        """The lines of blocks, by number."""
        self.deals: dict[tuple[int, int], dict[str, Any]] = {}
        """The lines of deals, by block and number."""
        self.matches: dict[str, dict[str, Any]] = {}
        """The lines of matches, by id."""
        self.digests: list[bytes] = []
        """The digests of the matches, in the order of the export."""
        self.others: dict[str, list[dict[str, Any]]] = {kind: [] for kind in _OTHERS}
        """The lines that do not belong to a block, by kind."""
        self.end: dict[str, Any] | None = None
        """The end line; None if there is none."""
        self.keys: dict[LineKey, None] = {}
        """The subjects of the lines of blocks, deals and matches, in the order of the export."""
        self._sort(lines)

    def _sort(self, lines: Sequence[dict[str, Any]]) -> None:
        for line in lines:
            self._add(line)
        if self.end is not None and lines[-1]["kind"] != "end":
            self._wrong("END", "there are lines after the end line")

    def _wrong(self, code: str, text: str, **where: Any) -> None:
        self.faults.append(ExportFault(code, text, **where))

    def _add(self, line: dict[str, Any]) -> None:
        kind = line["kind"]
        if kind in _FIELDS:
            self._file(line)
        elif kind in self.others:
            self.others[kind].append(line)
        elif kind == "tournament":
            self._wrong("DEFINITION", "there is a second tournament line, and an export is of one tournament")
        elif kind == "end":
            if self.end is not None:
                self._wrong("END", "there is a second end line")
            self.end = line

    def _file(self, line: dict[str, Any]) -> None:
        """Stores a line under its block."""
        line_key, kind = _line_key(line), line["kind"]
        if line_key in self.keys:
            code = {"block": "BLOCK", "deal": "DEAL_SEED", "match": "MATCH"}[kind]
            where = {name: line[name] for name in ("block", *_FIELDS[kind])}
            self._wrong(code, "it is there twice", **where)
        self.keys[line_key] = None
        if kind == "block":
            self.blocks[line["block"]] = line
        elif kind == "deal":
            self.deals[line["block"], line["deal"]] = line
        else:
            self.matches[line["match_id"]] = line
            self.digests.append(bytes.fromhex(line["digest"]))


def _line_key(line: Mapping[str, Any]) -> LineKey:
    return (line["kind"], *(line[name] for name in _FIELDS[line["kind"]]))
