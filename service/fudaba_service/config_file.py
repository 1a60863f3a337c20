"""The TOML file from which `fudaba serve` takes settings."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Final

import click

from fudaba.cli.process_count import ProcessCount
from fudaba.text_files import NotText, read_text
from fudaba_service.settings import DEFAULT_LISTEN

__all__ = ["from_file"]

_TEXTS: Final = {
    "data": "/var/lib/fudaba",
    "archive": "s3://bucket/fudaba",
    "listen": DEFAULT_LISTEN,
    "redis": "redis://127.0.0.1:6379/0",
    "appendfsync": "always",
    "registration": "invite",
    "metrics": "127.0.0.1:9090",
    "tls_cert": "cert.pem",
    "tls_key": "key.pem",
    "organiser_token_file": "organiser.token",
}
"""Examples of the settings that are texts."""


def from_file(context: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
    """Takes the options' defaults from a TOML file."""
    if path is None:
        return None
    try:
        table = tomllib.loads(read_text(path)).get("serve")
    except (OSError, tomllib.TOMLDecodeError, NotText) as error:
        raise click.BadParameter(f"{path}: {error}") from error
    if not isinstance(table, dict):
        raise click.BadParameter(f"{path}: there is no table [serve]; write [serve] above the settings")
    known = {p.name: p for p in context.command.params if isinstance(p, click.Option) and p.name != "config"}
    for name, value in table.items():
        option = known.get(name.replace("-", "_"))
        if option is None:
            raise click.BadParameter(f"{path}: [serve] has no setting {name!r}; see fudaba serve --help")
        if not _fits(option, value):
            shown = json.dumps(value, default=str, ensure_ascii=False)
            raise click.BadParameter(f"{path}: {name} is {shown}; write {_wanted(name, option)}")
    context.default_map = {name.replace("-", "_"): value for name, value in table.items()}
    return path


def _is_number(option: click.Option) -> bool:
    return isinstance(option.type, click.types.FloatParamType | click.types.IntParamType)


def _fits(option: click.Option, value: object) -> bool:
    """Whether a value of a file has the option's type. Click would take `"no"` for a flag, and `3` for a path."""
    if option.is_flag:
        return isinstance(value, bool)
    if isinstance(option.type, ProcessCount):
        return isinstance(value, int | str) and not isinstance(value, bool)
    if _is_number(option):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, str)


def _wanted(name: str, option: click.Option) -> str:
    """What to write in a file for an option."""
    if option.is_flag:
        return f"true or false, for example {name} = true"
    if isinstance(option.type, ProcessCount):
        return f'a number or "auto", for example {name} = "auto"'
    if _is_number(option):
        return f"a number, for example {name} = 5"
    return f"a text in quotes, for example {name} = {json.dumps(_TEXTS.get(option.name or '', '...'))}"
