"""Whether everybody can read a page."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[3]
AXE = ROOT / "web/page/node_modules/axe-core/axe.min.js"
"""The checker of accessibility."""


def check_readable(page: Page) -> None:
    """Checks that a screen reader can read what is shown, and nothing is wider than the window."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    # What is drawn on a card is no label: its name says the same in words.
    rules = {"label-content-name-mismatch": {"enabled": False}}
    found = page.evaluate("(rules) => axe.run({ resultTypes: ['violations'], rules })", rules)
    assert [
        (violation["id"], [node["html"][:160] for node in violation["nodes"]]) for violation in found["violations"]
    ] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
