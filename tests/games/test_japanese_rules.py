"""The rules in Japanese are whole: each English page has one with the same numbers, tables and examples."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path

import pytest

RULES = Path(__file__).resolve().parents[2] / "docs" / "rules"
PAGES = sorted(page.name for page in RULES.glob("*.md"))

_NUMBER = re.compile(r"^- \*\*([A-Z]+\d+\.\d+)\*\*", re.MULTILINE)
_SECTION = re.compile(r"^## ([A-Z]+\d+)\.", re.MULTILINE)
_MOVE = re.compile(r"`([^`]+)`")
_CARDS = re.compile(r"\b(?:[rb][S0-8KT]|[A2-9TJQK][CDHS]|[DLFWATE][1-7]|MI|MC|X[12])\b")


def texts(name: str) -> tuple[str, str]:
    """Returns a page in English and in Japanese."""
    return (RULES / name).read_text(encoding="utf-8"), (RULES / "ja" / name).read_text(encoding="utf-8")


def tables(page: str) -> list[list[str]]:
    """Returns the rows of each table of a page."""
    return [block.splitlines() for block in re.findall(r"(?:^\|.*\n)+", page, re.MULTILINE)]


def test_every_page_is_in_japanese() -> None:
    assert sorted(page.name for page in (RULES / "ja").glob("*.md")) == PAGES


@pytest.mark.parametrize("name", PAGES)
def test_all_sections_and_numbers_are_there_in_order(name: str) -> None:
    english, japanese = texts(name)
    assert _SECTION.findall(japanese) == _SECTION.findall(english)
    assert _NUMBER.findall(japanese) == _NUMBER.findall(english)


@pytest.mark.parametrize("name", PAGES)
def test_the_same_rules_are_rulings(name: str) -> None:
    english, japanese = texts(name)
    assert _rulings(japanese, "**裁定**") == _rulings(english, "**Ruling**")


def _rulings(page: str, mark: str) -> list[str]:
    rules = re.split(r"^(?=- \*\*[A-Z]+\d+\.\d+\*\*|\n)", page, flags=re.MULTILINE)
    return [number for rule in rules if mark in rule for number in _NUMBER.findall(rule)]


@pytest.mark.parametrize("name", PAGES)
def test_every_table_has_the_same_rows_and_cards(name: str) -> None:
    english, japanese = (tables(page) for page in texts(name))
    assert [len(rows) for rows in japanese] == [len(rows) for rows in english]
    for row, translated in zip(chain(*english), chain(*japanese), strict=True):
        assert set(_CARDS.findall(row)) == set(_CARDS.findall(translated))


@pytest.mark.parametrize("name", PAGES)
def test_options_and_texts_of_moves_are_the_same(name: str) -> None:
    english, japanese = (set(_MOVE.findall(page)) for page in texts(name))
    assert japanese <= english | {"second_pass"}
    missing = {move for move in english - japanese if not re.fullmatch(r"[A-Z_a-z]+|[\w ]", move)}
    assert not missing
