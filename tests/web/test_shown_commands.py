"""Commands that the page shows beside its forms are commands that there are, with options that they have."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import click
import pytest

from fudaba.cli import cli

pytest.importorskip("fudaba_arena", reason="the arena's extra is not installed")

SOURCES = Path(__file__).resolve().parents[2] / "web" / "page" / "src"
WORD = r'(?:"[a-z-]+"|[\w.]+\s+\? "[a-z-]+"\s+: "[a-z-]+")'
"""A word of a command, or two of which one is shown."""


def shown(source: str) -> list[list[str]]:
    """Returns the words that follow `fudaba`, up to the first that the form fills in."""
    found: list[list[str]] = []
    for words in re.findall(rf'"fudaba"((?:,\s*{WORD})+)', source):
        choices = [re.findall(r'"([a-z-]+)"', word) for word in re.findall(WORD, words)]
        found += [list(path) for path in itertools.product(*choices)]
    found += [line.split() for line in re.findall(r"fudaba ([a-z ]+) \$\{", source)]
    return found


def command(words: list[str]) -> click.Command:
    """Returns the command that words name; those behind it are its arguments."""
    found: click.Command = cli
    for word in words:
        if not isinstance(found, click.Group):
            break
        inner = found.get_command(click.Context(found), word)
        assert inner is not None, words
        found = inner
    assert not isinstance(found, click.Group), words
    return found


def test_a_shown_command_has_the_shown_options() -> None:
    showing: set[str] = set()
    for path in sorted(SOURCES.rglob("*.ts*")):
        source = path.read_text(encoding="utf-8")
        parameters = [parameter for words in shown(source) for parameter in command(words).params]
        if not parameters:
            continue
        showing.add(path.name)
        known = {name for parameter in parameters for name in [*parameter.opts, *parameter.secondary_opts]}
        assert set(re.findall(r'"(--[a-z-]+)"', source)) <= known, path.name
    assert {"chosen_blocks.ts", "first_lines.ts", "ladder_file.ts", "quotas.tsx"} <= showing
