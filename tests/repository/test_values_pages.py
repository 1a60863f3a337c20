"""The pages of docs/values are those of the sources, and leave nothing out that a bot gets."""

from __future__ import annotations

import importlib.util
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from fudaba_games.registry import GAMES

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "values"


@pytest.fixture(scope="module")
def values() -> Any:
    spec = importlib.util.spec_from_file_location("_values", ROOT / "scripts" / "_values.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_current(values: Any) -> None:
    there = {page.name: page.read_text(encoding="utf-8") for page in PAGES.glob("*.md")}
    assert there == values.pages(), "run scripts/generate"


@pytest.mark.parametrize("game", GAMES)
def test_a_page_names_all_that_the_package_of_the_game_gives(game: str) -> None:
    page = (PAGES / f"{game}.md").read_text(encoding="utf-8")
    package = import_module(f"fudaba_games.{game}")
    camel = "".join(word.capitalize() for word in game.split("_"))
    for name in set(package.__all__) - {f"{camel}Move", f"{camel}Event"}:
        assert f"### {name}\n" in page or f"| `{name}" in page, name
    for field in getattr(package, f"{camel}View")._fields:
        assert f"| `{field}: " in page, field


def test_the_texts_under_fields_constants_and_numbers_are_on_the_pages() -> None:
    mokkaik, nerts, makkaik = ((PAGES / f"{game}.md").read_text("utf-8") for game in ("mokkaik", "nerts", "makkaik"))
    assert "| `strength: int` | The strength of the best meld so far; -1 while nothing is laid. |" in mokkaik
    assert "| `NERTS_TOP = 0` | The source that is the top card of the seat's Nerts pile. |" in nerts
    assert "| `chosen: NertsMove \\| None` | This seat's move of this tick, while others are missing. |" in nerts
    assert "| `BETTING` | 3 | The seat stays or folds; the dealer names the base. |" in makkaik
    assert "| `pot: int` | The amount that has been paid in this deal. |" in makkaik


def test_the_page_for_authors_and_the_rules_lead_to_every_page() -> None:
    for place, index in (("docs/bots.md", "values/README.md"), ("docs/rules/README.md", "../values/README.md")):
        assert f"]({index})" in (ROOT / place).read_text(encoding="utf-8")
    text = (PAGES / "README.md").read_text(encoding="utf-8")
    for folder, link in ((PAGES, ""), (ROOT / "docs" / "rules", "../rules/")):
        pages = {page.name for page in folder.glob("*.md")} - {"README.md"}
        assert [page for page in sorted(pages) if f"]({link}{page})" not in text] == []
