"""The README names every game that there is, links to what exists, and prints the example as it is."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from fudaba_games.registry import GAMES

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readme_lists_the_games_with_their_seats_and_pages() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| [")]
    seats = {
        game.id: f"{game.min_seats}" if game.min_seats == game.max_seats else f"{game.min_seats}-{game.max_seats}"
        for game in GAMES.values()
    }
    assert sorted(row.rpartition(" | ")[0] for row in rows) == sorted(
        f"| [{game.name}](docs/rules/{game.id}.md) | {game.japanese_name} | {seats[game.id]}" for game in GAMES.values()
    )


PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_of_a_page_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    lost = []
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


def anchors(page: Path) -> set[str]:
    """Returns what links can name in a page: its headings, and the ids in it."""
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


def test_the_bot_of_the_readme_is_the_example_and_has_nine_lines() -> None:
    [printed] = re.findall(r"^```python\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)
    example = (ROOT / "docs" / "examples" / "first_bot.py").read_text(encoding="utf-8")
    assert "A bot in nine lines" in TEXT
    assert len([line for line in printed.splitlines() if line.strip()]) == 9
    assert without_docstrings(printed) == without_docstrings(example)


def without_docstrings(code: str) -> str:
    """Returns a program's structure: neither comments nor docstrings nor empty lines."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:]
    return ast.unparse(tree)
