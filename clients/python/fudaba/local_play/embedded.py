"""A private service that runs while it is needed. Its data folder is removed when it ends."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from fudaba import forked_program
from fudaba.client import Endpoint
from fudaba.errors import FudabaError
from fudaba.installing import how_to_install
from fudaba.safe_text import QUOTED
from fudaba.supervisor import ORGANISER_TOKEN_FILE, PROGRAM, Child, NotStarted

__all__ = ["embedded_service"]

_SERVES: Final = re.compile(r"^fudaba serves on (\S+)$")
_SERVICE: Final = "fudaba_service.startup.server"
"""The module that a service imports at its start."""
_OF_A_GAME: Final = ("fudaba_games.{}.rules", "fudaba.codec.{}")
"""The modules that it imports for a game."""
_STOP_TIMEOUT_SECONDS: Final = 20.0
_MAX_OUTPUT_LINES: Final = 20
"""The number of lines: enough for an error that quotes a store's log, and for some lines before it."""
_LIMITS: Final = ("--calls-per-second", "0", "--messages-per-second", "0", "--streams-per-account", "10000")
"""The limits of the service, which has no other users."""


@asynccontextmanager
async def embedded_service(games: Sequence[str], main: Callable[[], object] | None = None) -> AsyncIterator[Endpoint]:
    """Starts a service for these games, and yields its address and its organiser's token. It ends with the context.

    It is a separate process, `fudaba serve`. If this process does nothing else, `main` is the function behind that
    command; then it is started as a fork, if possible. Raises `FudabaError` if it cannot be started.
    """
    if find_spec("fudaba_service") is None:
        raise FudabaError(
            f"this needs the service: {how_to_install('service')}; "
            "built-in bots and Python classes play without it with --in-process"
        )
    if main is not None and forked_program.can_fork():
        forked_program.load([_SERVICE, *(module.format(game) for game in games for module in _OF_A_GAME)])
    with tempfile.TemporaryDirectory(prefix="fudaba-", ignore_cleanup_errors=True) as place:
        folder, lines = Path(place), deque[str](maxlen=_MAX_OUTPUT_LINES)
        token = folder / ORGANISER_TOKEN_FILE
        words = [*PROGRAM, "serve", "--data", str(folder / "data"), "--organiser-token-file", str(token), *_LIMITS]
        for game in games:
            words += ["--load-game", game]
        service = Child(
            "service",
            lambda address: [*words, "--listen", address or "127.0.0.1:0"],
            _SERVES,
            lambda _, line: lines.append(line),
            {name: value for name, value in os.environ.items() if not name.startswith("FUDABA_")}
            | {"PYTHONUNBUFFERED": "1"},
            first_starts=1,  # somebody waits for it
            main=main,
        )
        keeping = asyncio.create_task(service.keep())
        ready = asyncio.create_task(service.ready.wait())
        try:
            await asyncio.wait((keeping, ready), return_when=asyncio.FIRST_COMPLETED)
            if keeping.done():
                try:
                    keeping.result()
                except NotStarted:
                    said = "".join(f"{QUOTED}{line}" for line in lines)
                    raise FudabaError(f"the service cannot be started; its last lines:{said}") from None
            yield Endpoint(service.address, token.read_text(encoding="utf-8").strip())
        finally:
            ready.cancel()
            await service.stop(_STOP_TIMEOUT_SECONDS)
            await asyncio.gather(keeping, return_exceptions=True)
