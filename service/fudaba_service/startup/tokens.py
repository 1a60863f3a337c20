"""Tokens that a service makes at its start, and the files in which it hands them over."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Final, NamedTuple, final

from fudaba.text_files import NotText, read_text
from fudaba.v1 import errors_pb2
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.refusals import Refused
from fudaba_service.settings import Settings
from fudaba_serving.grpc.binding import CannotStart

__all__ = ["NewTokens", "make_tokens", "write_kept_token", "write_token"]

log = logging.getLogger(__name__)

_LABEL: Final = "made by fudaba serve"


@final
class NewTokens(NamedTuple):
    """The tokens made at a start; None for each that was not made."""

    organiser: str | None
    arena: str | None
    gateway: str | None


async def make_tokens(settings: Settings, tokens: Tokens) -> NewTokens:
    """Makes the missing and the requested tokens. Raises `CannotStart`."""
    try:
        organiser = await tokens.organiser_token(renew=settings.new_organiser_token)
    except Refused as refused:
        raise CannotStart(f"no organiser's token can be made: {refused}") from refused
    place = settings.organiser_token_file
    if organiser is None and place is not None and _is_empty(place):
        log.warning(
            "the organiser's token file %s is empty, and the store has a token that was made before: if it is kept "
            "nowhere else, start once with --new-organiser-token", place
        )  # fmt: skip
    arena = await _kept(settings.arena_token_file, Scope.ARENA, tokens)
    return NewTokens(organiser, arena, await _kept(settings.gateway_token_file, Scope.GATEWAY, tokens))


def _is_empty(path: Path) -> bool:
    """Returns whether a file is blank; False if it does not exist or is not readable for this process."""
    try:
        return not read_text(path).strip()
    except (OSError, NotText):
        return False


def _read(path: Path, scope: Scope) -> str:
    """Reads a token's file; empty if there is none. Raises `CannotStart`."""
    try:
        return read_text(path).strip()
    except FileNotFoundError:
        return ""
    except (OSError, NotText) as error:
        raise CannotStart(f"the {scope}'s token cannot be read from {path}: {error}; name another file") from error


async def _kept(path: Path | None, scope: Scope, tokens: Tokens) -> str | None:
    """Returns a new token of a scope, unless its file has a valid one. Raises `CannotStart`."""
    if path is None:
        return None
    known = _read(path, scope)
    if known:
        try:
            if (await tokens.owner(known)).scope == scope:
                return None
        except Refused as refused:  # the token was revoked, or belongs to another store
            # The token may be valid, so no second one is made.
            if refused.reason == errors_pb2.REASON_STORED_UNREADABLE:
                raise CannotStart(f"the {scope}'s token of {path} cannot be read in the store: {refused}") from refused
    token, _ = await tokens.create(Owner(scope=scope, label=_LABEL))
    return token


def write_token(path: Path, token: str) -> None:
    """Writes a new organiser's token to a file that only its owner can read. Raises `CannotStart`."""
    try:
        _write_secret(path, token)
    except OSError as error:
        raise CannotStart(
            f"the organiser's token cannot be written to {path}: {error.strerror}; name another file, and start with "
            "--new-organiser-token, since nobody has seen this one"
        ) from error


def write_kept_token(path: Path, whose: str, token: str) -> None:
    """Writes a new token, the arena's or the gateway's, to a file that only its owner can read. Raises
    `CannotStart`.
    """
    try:
        _write_secret(path, token)
    except OSError as error:
        raise CannotStart(
            f"the {whose}'s token cannot be written to {path}: {error.strerror}; name another file"
        ) from error


def _write_secret(path: Path, token: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    with os.fdopen(descriptor, "w") as file:
        os.fchmod(descriptor, 0o600)  # a file that was there before may be open to others
        os.ftruncate(descriptor, 0)
        file.write(token + "\n")
