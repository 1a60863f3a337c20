"""Keeps others' texts in a spreadsheet's cells from becoming formulas."""

from __future__ import annotations

from typing import Final

__all__ = ["FORMULA_BEGINNINGS", "safe_cell"]

FORMULA_BEGINNINGS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The characters with which a spreadsheet's formula begins."""


def safe_cell(text: str) -> str:
    """Returns the text with an apostrophe before anything that a spreadsheet would run, since authors choose their
    names.
    """
    return f"'{text}" if text.startswith(FORMULA_BEGINNINGS) else text
