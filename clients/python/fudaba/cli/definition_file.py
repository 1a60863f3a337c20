"""A file that defines a tournament or a ladder: its text, and the mistakes that the arena finds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fudaba.cli.failures import Failure
from fudaba.cli.output import say
from fudaba.errors import ServiceError
from fudaba.text_files import NotText, read_text

__all__ = ["definition_text", "mistakes_reported"]


def definition_text(file: Path) -> str:
    """Returns the text of a file. Raises `Failure` if it is not text."""
    try:
        return read_text(file)
    except NotText as error:
        raise Failure(f"{file}: {error}") from None


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
