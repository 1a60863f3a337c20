"""A file that defines a tournament or a ladder: its text, and the mistakes that the arena finds."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import say
from fudaba.errors import ServiceError
from fudaba.text_files import NotText, read_text

__all__ = ["definition_text", "mistakes_reported", "seeded_definition"]


def definition_text(file: Path) -> str:
    """Returns the text of a file. Raises `Failure` if it is not text."""
    try:
        return read_text(file)
    except NotText as error:
        raise Failure(f"{file}: {error}") from None


def seeded_definition(file: Path, ladder: str | None, top: int | None, season: int | None) -> str:
    """Returns the text of a tournament's file; with a ladder, it asks for that ladder's best bots. Raises `Failure` if
    the file is not text, and `click.UsageError`.
    """
    text = definition_text(file)
    if ladder is None:
        if top is not None or season is not None:
            raise click.UsageError("--top and --season are of --from-ladder; name a ladder too")
        return text
    if top is None:
        raise click.UsageError("--from-ladder needs --top: how many bots the ladder sends")
    with suppress(tomllib.TOMLDecodeError):  # the arena says what is wrong with it
        if "from_ladder" in tomllib.loads(text):
            raise click.UsageError(f"{file} has [from_ladder] already; leave it out, or --from-ladder")
    wanted = {"ladder": ladder, "top": top, **({"season": season} if season is not None else {})}
    # It stands behind what is written, so that mistakes keep their lines.
    return "\n".join([text, "[from_ladder]", *(f"{key} = {json.dumps(value)}" for key, value in wanted.items()), ""])


@contextmanager
def mistakes_reported(file: Path) -> Iterator[None]:
    """Prints each mistake of a file as a line, and exits with code 2."""
    try:
        yield
    except ServiceError as error:
        if error.reason not in {"BAD_TOURNAMENT", "LADDER_FIXED"}:
            raise
        for field, text in error.violations:
            line = field.removeprefix("definition")
            say(f"{file}{line}: {text}" if field else text, err=True)
        sys.exit(2)
