"""Draws the pictures that a link to the page shows elsewhere, into a folder. See scripts/previews."""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

from _chromium import chromium

from fudaba_games.registry import GAMES

_WIDTH, _HEIGHT = 1200, 630  # what most sites show whole
_STYLE = """
body { margin: 0; width: 1200px; height: 630px; background: #f6f1e4; color: #2b1d17; overflow: hidden;
       font-family: "Noto Sans CJK JP", sans-serif; position: relative; }
h1 { position: absolute; left: 80px; top: 70px; margin: 0; font-size: 104px; line-height: 1.1; letter-spacing: -1px; }
p { position: absolute; left: 84px; margin: 0; }
.native { top: 210px; font-size: 52px; color: #7a1f1f; }
.house { top: 500px; font-size: 34px; }
svg { position: absolute; left: 670px; top: 300px; overflow: visible; }
"""


def _card(turn: int) -> str:
    return (
        f'<g transform="rotate({turn} 260 720)"><rect x="160" y="0" width="200" height="290" rx="18" fill="#a32626" '
        'stroke="#fffdf7" stroke-width="8"/><path d="M260 60l50 85-50 85-50-85z" fill="#fffdf7"/></g>'
    )


def _drawn(title: str, native: str) -> str:
    # Backs of cards only: a picture of a match gives nothing away.
    cards = "".join(_card(turn) for turn in (-28, -14, 0, 14, 28))
    return (
        f'<!doctype html><style>{_STYLE}</style><h1>{escape(title)}</h1><p class="native">{escape(native)}</p>'
        f'<p class="house">Card games for programs</p><svg width="520" height="520">{cards}</svg>'
    )


def main(folder: Path) -> None:
    """Draws the house's own picture and one for each game."""
    texts = {"preview": ("Fudaba", "札場")}
    texts |= {f"preview-{name}": (game.name, f"{game.japanese_name} · Fudaba") for name, game in GAMES.items()}
    with chromium() as browser:
        page = browser.new_page(viewport={"width": _WIDTH, "height": _HEIGHT})
        for name, (title, native) in texts.items():
            page.set_content(_drawn(title, native))
            page.screenshot(path=folder / f"{name}.jpg", quality=60)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
