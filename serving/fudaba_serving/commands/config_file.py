"""Reads the TOML file from which commands take their settings. Each command has a table; its keys are the options.

Reports all mistakes of the file at once, each with its line, before anything starts.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, final

import click

from fudaba.supervisor import ORGANISER_TOKEN_FILE
from fudaba.text_files import NotText, text_of
from fudaba.toml_lines import toml_lines
from fudaba.toml_reading import Mistake, Mistakes, TableReader, syntax_mistake
from fudaba_serving.commands.process_count import ProcessCount

__all__ = ["ConfigTable", "read_tables"]

_TEXTS: Final = {
    "data": "/var/lib/fudaba",
    "archive": "s3://bucket/fudaba",
    "listen": "127.0.0.1:7710",
    "redis": "redis://127.0.0.1:6379/0",
    "metrics": "127.0.0.1:9090",
    "tls-cert": "cert.pem",
    "tls-key": "key.pem",
    "organiser-token-file": ORGANISER_TOKEN_FILE,
}
"""Examples of settings with text values, for error messages."""


@final
class ConfigTable:
    """Checks a table of the file against the options of a command. `usage` is the command as a user types it."""

    def __init__(self, command: click.Command, usage: str) -> None:
        self._command = command
        self._usage = usage
        # The eager option is the file itself.
        self._options = {
            word.removeprefix("--"): param
            for param in command.params
            if isinstance(param, click.Option) and not param.is_eager
            for word in param.opts
            if word.startswith("--")
        }

    def check(self, table: TableReader) -> None:
        """Adds every mistake of a table to its list."""
        context = click.Context(self._command, info_name=self._usage)
        for key, (value, wrong) in table.items().items():
            option = self._options.get(_as_option(key))
            if option is None:
                wrong(f"{table.name} has no setting {key!r}; {self._meant(key)}")
            else:
                _check(key, value, option, context, wrong)

    def defaults(self, table: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the settings of a correct table, by the names of the command's parameters."""
        return {self._options[_as_option(key)].name or key: value for key, value in table.items()}

    def _meant(self, key: str) -> str:
        close = get_close_matches(_as_option(key), self._options, n=1)
        return f"did you mean {close[0]!r}?" if close else f"see {self._usage} --help"


def read_tables(path: Path, tables: Mapping[str, ConfigTable | None]) -> dict[str, dict[str, Any]]:
    """Returns the tables of a file, by their names. A table whose value in `tables` is None is not checked.

    Raises `click.UsageError` with a line `file:line: what is wrong; what to write` for each mistake.
    """
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise click.BadParameter(f"{path} cannot be read: {error.strerror or error}", param_hint="--config") from error
    try:
        text = text_of(raw)
    except NotText as error:
        raise _bad(path, [Mistake(error.line, str(error))]) from None
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _bad(path, [syntax_mistake(error, text)]) from None
    mistakes = Mistakes(toml_lines(text), "the file")
    top = TableReader(content, (), mistakes)
    expected = _or([f"[{name}]" for name in tables])
    for name, (value, wrong) in top.items().items():
        if name not in tables:
            kind = "table" if isinstance(value, dict) else "setting"
            shown = f"[{name}]" if isinstance(value, dict) else repr(name)
            wrong(f"there is no {kind} {shown}; write {expected}, and settings below it")
        elif not isinstance(value, dict):
            wrong(f"{name} is no table; write [{name}] above its settings")
        elif (table := tables[name]) is not None:
            table.check(top.table(name))
    if mistakes.found:
        raise _bad(path, mistakes.found)
    return content


def _as_option(key: str) -> str:
    return key.replace("_", "-")


def _or(names: Sequence[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _bad(path: Path, mistakes: Sequence[Mistake]) -> click.UsageError:
    return click.UsageError("\n".join(f"{path}:{mistake.line}: {mistake.text}" for mistake in sorted(set(mistakes))))


def _check(key: str, value: object, option: click.Option, context: click.Context, wrong: Callable[[str], None]) -> None:
    """Reports a value that its option does not take."""
    several = isinstance(value, list) and option.multiple
    values: list[Any] = value if several else [value]  # type: ignore[assignment]  # mypy does not see through `several`
    if not all(_fits(option, item) for item in values):
        shown = json.dumps(value, default=str, ensure_ascii=False)
        wrong(f"{key} is {shown}; write {_wanted(key, option)}")
        return
    try:
        option.process_value(context, values if option.multiple else value)
    except click.BadParameter as error:
        bounds = _bounds(option)
        wrong(
            f"{key} is {json.dumps(value)}; write {bounds}" if bounds else f"{key}: {error.message.removesuffix('.')}"
        )


def _is_whole(option: click.Option) -> bool:
    return isinstance(option.type, click.types.IntParamType)


def _is_number(option: click.Option) -> bool:
    return _is_whole(option) or isinstance(option.type, click.types.FloatParamType)


def _fits(option: click.Option, value: object) -> bool:
    """Returns whether a value has the type of its option. Click would take `"no"` for a flag and `3` for a path."""
    if option.is_flag:
        return isinstance(value, bool)
    if isinstance(value, bool):
        return False
    if isinstance(option.type, ProcessCount):
        return isinstance(value, int | str)
    if _is_number(option):
        whole = isinstance(value, int)
        return whole or (isinstance(value, float) and math.isfinite(value) and not _is_whole(option))
    return isinstance(value, str)


def _wanted(key: str, option: click.Option) -> str:
    """Describes the values of an option, for an error message."""
    if option.is_flag:
        return f"true or false, for example {key} = true"
    if isinstance(option.type, ProcessCount):
        return f'a number or "auto", for example {key} = "auto"'
    if _is_number(option):
        return f"a {'whole ' if _is_whole(option) else ''}number, for example {key} = 5"
    if isinstance(option.type, click.Choice):
        return f"{_bounds(option)}, for example {key} = {json.dumps(option.type.choices[-1])}"
    example = json.dumps(_TEXTS.get(_as_option(key), "..."))
    return (
        f"texts in quotes, for example {key} = [{example}]"
        if option.multiple
        else (f"a text in quotes, for example {key} = {example}")
    )


def _bounds(option: click.Option) -> str:
    """Describes the bounds of an option's values; empty if its type has none."""
    kind = option.type
    if isinstance(kind, click.Choice):
        return f"one of {', '.join(json.dumps(choice) for choice in kind.choices)}"
    if isinstance(kind, click.IntRange | click.FloatRange):
        number = "a whole number" if isinstance(kind, click.IntRange) else "a number"
        if kind.max is None:
            return f"{number} of at least {kind.min:,}"
        return f"{number} from {kind.min or 0:,} to {kind.max:,}"
    return ""
