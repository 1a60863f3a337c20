"""The README names every game that there is."""

from __future__ import annotations

import re
from pathlib import Path

from fudaba_games.registry import GAMES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_lists_the_games_with_their_seats_and_pages() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| [")]
    seats = {
        one.id: f"{one.min_seats}" if one.min_seats == one.max_seats else f"{one.min_seats}-{one.max_seats}"
        for one in GAMES.values()
    }
    assert sorted(row.rpartition(" | ")[0] for row in rows) == sorted(
        f"| [{one.name}](docs/rules/{one.id}.md) | {one.japanese_name} | {seats[one.id]}" for one in GAMES.values()
    )


def test_the_links_of_the_readme_lead_somewhere() -> None:

    links = re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", TEXT)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
