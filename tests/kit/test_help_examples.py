"""The examples in the help of every command are commands that there are; what prints a table prints JSON as well."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fudaba.cli import cli

pytest.importorskip("fudaba_arena", reason="the arena's extra is not installed")

from tests.support.kit.command_lines import understood, with_files
from tests.support.kit.examples import command
from tests.support.kit.trees import leaves

NOT_FOR_PROGRAMS = {
    ("arena", "export"),
    ("arena", "run"),
    ("arena", "serve"),
    ("bot", "revoke"),
    ("completion",),
    ("health",),
    ("ladder", "new"),
    ("match", "abort"),
    ("match", "release"),
    ("play",),
    ("proto",),
    ("serve",),
    ("up",),
    ("web",),
}
"""Commands that need no --json: they print an id, a sentence, files, nothing, or JSON Lines as it is."""


def groups_and_leaves() -> list[tuple[str, ...]]:
    paths = leaves()
    return sorted({(), *paths, *(path[:-1] for path in paths)})


def examples_of(path: tuple[str, ...]) -> list[str]:
    """Returns the command lines that the help of a command shows."""
    text = CliRunner().invoke(cli, [*path, "--help"], terminal_width=200).stdout
    return re.findall(r"^ {2,}(?:\w+=\S+ |eval \"\$\(|export \w+=\$\()*(fudaba .*)$", text, re.MULTILINE)


@pytest.mark.parametrize("path", leaves(), ids=" ".join)
def test_the_help_of_every_command_has_an_example_of_it(path: tuple[str, ...]) -> None:
    assert any(line.split()[1 : len(path) + 1] == list(path) for line in examples_of(path))


@pytest.mark.parametrize("path", groups_and_leaves(), ids=" ".join)
def test_an_example_is_a_command_that_there_is(
    path: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(with_files(tmp_path))
    for line in examples_of(path):
        assert understood(line), line


@pytest.mark.parametrize("path", leaves(), ids=" ".join)
def test_what_a_program_may_want_to_read_is_there_as_json(path: tuple[str, ...]) -> None:
    options = {option for parameter in command(path).params for option in parameter.opts}
    assert ("--json" in options) == (path not in NOT_FOR_PROGRAMS)


def test_what_the_list_of_commands_says_of_a_group_is_how_its_help_begins() -> None:
    listed = dict(
        re.findall(
            r"^  ([a-z]+) +(\S.*)$", CliRunner().invoke(cli, ["--help"], terminal_width=200).stdout, re.MULTILINE
        )
    )
    groups = {name: found for name in listed if isinstance(found := command((name,)), click.Group)}
    assert {"account", "arena", "bot", "ladder"} <= groups.keys()
    for name, group in groups.items():
        assert " ".join((group.help or "").split()).startswith(listed[name].rstrip(".")), name
