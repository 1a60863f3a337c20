"""The files with which the page teaches the games."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

__all__ = ["LANGUAGES", "facts", "learning", "picture"]

LANGUAGES: Final = ("en", "ja")
_LEARN: Final = Path(__file__).resolve().parents[3] / "web/page/src/learn"


def learning(folder: str, name: str) -> Any:
    """Returns what a file of `web/page/src/learn` says."""
    return json.loads((_LEARN / folder / f"{name}.json").read_text(encoding="utf-8"))


def facts(game_id: str) -> Any:
    """Returns the numbers and pictures that all languages of a game share."""
    return learning("facts", game_id)


def picture(game_id: str, step: int) -> list[str]:
    """Returns the groups of cards in the picture of a step, counted from 1."""
    groups: list[dict[str, str]] = facts(game_id)["pictures"][step - 1]
    return [group["cards"] for group in groups]
