"""`--output FILE` of commands that make a token or a code: the destination instead of standard output."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, final

import click

from fudaba.cli.failures import Failure
from fudaba.cli.output import print_json, say

__all__ = ["SecretOutput", "output_option", "secret_output"]

_FILE_MODE: Final = 0o600
"""Only the owner may read the file."""


def output_option(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the option. The command gets it as `output`, for `secret_output`."""
    return click.option(
        "-o",
        "--output",
        type=click.Path(path_type=Path),
        metavar="FILE",
        help="Write the secret to this new file, which only you can read.  [default: standard output]",
    )(function)


@contextmanager
def secret_output(path: Path | None) -> Iterator[SecretOutput]:
    """Opens the destination of a secret that is about to be made; None for standard output.

    The file is made first, so that every secret has a destination, and is removed again if no secret comes. Raises
    `Failure` if it exists or cannot be made.
    """
    if path is None:
        yield SecretOutput(None, -1)
        return
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0), _FILE_MODE)
    except FileExistsError:
        raise Failure(f"{path} exists already, so nothing was made; name another file, or move that one away") from None
    except OSError as error:
        raise Failure(f"{path} cannot be written ({error.strerror}), and nothing was made") from error
    output = SecretOutput(path, descriptor)
    try:
        yield output
    finally:
        os.close(descriptor)
        if not output.written:
            path.unlink(missing_ok=True)


@final
class SecretOutput:
    """Takes one secret, and names its owner."""

    def __init__(self, path: Path | None, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self.written = False

    def tell(self, secret: str, about: str) -> None:
        """Writes a secret, or prints it with a description on standard error, such as `the token of bot b`."""
        if self._path is None:
            say(f"{about}, shown this once:", err=True)
            say(secret)
        else:
            self.write(secret)
            say(f"{about} is written to {self._path}", err=True)

    def tell_json(self, field: str, secret: str, rest: dict[str, Any]) -> None:
        """Prints JSON with a secret in a field. If the secret goes to a file, `output` names the file instead."""
        if self._path is None:
            print_json({**rest, field: secret})
        else:
            self.write(secret)
            print_json({**{name: value for name, value in rest.items() if name != field}, "output": str(self._path)})

    def write(self, secret: str) -> None:
        """Writes a secret to the file, and prints nothing."""
        line = f"{secret}\n".encode()
        while line:
            line = line[os.write(self._descriptor, line) :]
        os.fsync(self._descriptor)
        self.written = True
