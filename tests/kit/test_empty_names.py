"""A name that is given and empty, such as of a shell variable without a value, never means all, or the caller's own."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.cli.empty_names import NAMING
from tests.support.kit.examples import command
from tests.support.kit.trees import leaves

FREE: dict[tuple[str, ...], set[str]] = {("match", "list"): {"label"}, ("record", "get"): {"label"}}
"""Filters of commands whose names are otherwise of free texts."""
BY_ITS_VALUE = {
    *((("arena", "verify"), name) for name in ("master", "commitment")),
    (("bot", "new"), "name"),
    (("games",), "game"),
    *((("match", "local"), name) for name in ("game", "bots")),
    (("record", "verify"), "commitment"),
}
"""What refuses an empty name in words of its own: it speaks to no service, or the name is of a form."""


def naming() -> list[tuple[tuple[str, ...], str]]:
    return [
        (path, parameter.name)
        for path in leaves()
        for parameter in command(path).params
        if parameter.name in NAMING | FREE.get(path, set()) and isinstance(parameter.type, click.types.StringParamType)
    ]


def value_for(parameter: click.Parameter, file: Path) -> str:
    """Returns a value that a parameter takes."""
    if isinstance(parameter.type, click.Choice):
        return str(parameter.type.choices[0])
    if isinstance(parameter.type, click.Path):
        return str(file)
    return "1" if isinstance(parameter.type, click.IntRange) else "x"


@pytest.mark.parametrize(
    ("path", "name"), naming(), ids=lambda value: value if isinstance(value, str) else " ".join(value)
)
def test_an_empty_name_is_refused_before_anything_is_done(path: tuple[str, ...], name: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    words: list[str] = []
    for parameter in command(path).params:
        value = "" if parameter.name == name else value_for(parameter, file)
        if isinstance(parameter, click.Argument) and (parameter.required or parameter.name == name):
            words.append(value)
        elif isinstance(parameter, click.Option) and (parameter.required or parameter.name == name):
            words += [parameter.opts[0], value]
    done = CliRunner().invoke(cli, [*path, *words, "--server", "127.0.0.1:1"][: None if takes_server(path) else -2])
    if (path, name) in BY_ITS_VALUE:
        assert done.exit_code in {1, 2}, done.output
        assert "error: " in done.stderr
        return
    assert (done.exit_code, "is empty: name what you mean, or leave it out" in done.stderr) == (2, True), done.output


def takes_server(path: tuple[str, ...]) -> bool:
    return any("--server" in parameter.opts for parameter in command(path).params)
