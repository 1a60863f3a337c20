"""Texts of others in cells that a spreadsheet opens: they stay texts."""

from __future__ import annotations

from typing import Final

__all__ = ["FORMULA_BEGINNINGS", "safe_cell"]

FORMULA_BEGINNINGS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""The characters with which a spreadsheet's formula begins."""


def safe_cell(text: str) -> str:
    """Returns the text with an apostrophe before anything that a spreadsheet would run: authors choose their names."""
    return f"'{text}" if text.startswith(FORMULA_BEGINNINGS) else text
