"""The rules that a refusal may name stand on the pages: a bot's author finds there what `rule` says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from fudaba_games.registry import GAMES

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "games" / "fudaba_games"
PAGES = ROOT / "docs" / "rules"
DECK = "kamikisen"
_NAME = re.compile(r"[A-Z]+(_[A-Z]+)+")


def named_in(package: str) -> set[str]:
    """Returns the names of rules in a package's modules: all texts like one in refusals of illegal moves."""
    found = set()
    for path in (SOURCES / package).glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "IllegalMove(" not in text:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and _NAME.fullmatch(node.value):
                found.add(node.value)
    return found


def told_on(page: str) -> set[str]:
    """Returns the names in the last table of a page."""
    *_, section = (PAGES / f"{page}.md").read_text(encoding="utf-8").split("\n## Why a move is illegal\n")
    return set(re.findall(r"^\| `([A-Z_]+)` \| .", section, re.MULTILINE))


def of_the_deck(game_id: str) -> bool:
    """Returns whether a game is played with the Kamikisen deck."""
    return f"]({DECK}.md)" in (PAGES / f"{game_id}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("game_id", GAMES)
def test_every_rule_that_a_refusal_names_is_on_the_games_page_or_a_shared_one(game_id: str) -> None:
    named, own, shared = named_in(game_id), told_on(game_id), told_on("README")
    if of_the_deck(game_id):
        named |= named_in(DECK)
        shared |= told_on(DECK)
    assert named
    assert named - own - shared == set(), "not on a page"
    assert own - named == set(), "never named"
    assert own & shared == set(), "on two pages"


def test_what_stands_on_the_shared_pages_is_named_by_several_games() -> None:
    for page in ("README", DECK):
        for name in told_on(page):
            assert sum(name in named_in(game_id) | named_in(DECK) for game_id in GAMES) > 1, name
