"""How a `fudaba up` takes over the data folder of a running one, which hands it over.

The running one listens on a Unix socket in its data folder. Another one asks there with a line of JSON, and gets one: a
refusal, or the promise to stop. The connection ends when the running one has ended with its parts.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, final

import fudaba
from fudaba import tether
from fudaba.errors import FudabaError
from fudaba.supervisor import PROGRAM
from fudaba_serving.commands.data_folder import ARENA, SERVICE
from fudaba_serving.process.folder_lock import holder

__all__ = ["TAKEOVER_REFUSED_STATUS", "TakeoverListener", "TakeoverRefused", "check_unused", "take_over"]

TAKEOVER_REFUSED_STATUS: Final = 3
"""The exit status where the running `fudaba up` goes on."""
_SOCKET: Final = "up.sock"
_STORE: Final = "store"
_OWN_FILES: Final = Path("/proc/self/fd")
_ANSWER_SECONDS: Final = 10.0
_END_SECONDS: Final = 180.0
"""More than all parts together may take to stop."""
_NO_OBSTACLE_STATUSES: Final = {0, 3}
"""The exit statuses of `fudaba data check` for data that this release can take, as far as it has looked into them."""


@final
class TakeoverRefused(FudabaError):
    """The running `fudaba up` goes on. The text says why, and what to do."""


@final
class TakeoverListener:
    """Takes the request to hand over a data folder.

    `refusal` returns why it cannot hand over now; an empty text if it can. `hand_over` begins to stop, and gets the
    description of who asked.
    """

    def __init__(self, data: Path, refusal: Callable[[], str], hand_over: Callable[[str], object]) -> None:
        self._data = data
        self._refusal = refusal
        self._hand_over = hand_over
        self._server: asyncio.Server | None = None
        self._kept: list[asyncio.StreamWriter] = []
        """The connections that end with this process."""

    async def start(self) -> None:
        """Starts to listen. Call it after `check_unused` or `take_over`, since it replaces a socket. Raises OSError."""
        with _address(self._data) as address:
            self._server = await asyncio.start_unix_server(self._asked, address)

    def close(self) -> None:
        """Ends listening; who was promised the folder waits on until this process ends."""
        if self._server is not None:
            self._server.close()
            (self._data / _SOCKET).unlink(missing_ok=True)

    async def _asked(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                request = _read(await reader.readline())
            refusal = self._refusal()
            writer.write(_line({"refusal": refusal, "pid": os.getpid(), "release": fudaba.__version__}))
            await writer.drain()  # fails if the asker is gone: nobody would start after this one has stopped
        except (OSError, ValueError, TimeoutError):
            writer.close()
            return
        if refusal:
            writer.close()
            return
        self._kept.append(writer)
        self._hand_over(f"process {request.get('pid')} of release {request.get('release')}")


async def check_unused(data: Path) -> None:
    """Checks that no `fudaba up` runs with a data folder. Raises `TakeoverRefused`."""
    if await _runs(data):
        raise TakeoverRefused(f"a `fudaba up` runs with {data}: stop it, or take over from it with --takeover")


async def take_over(data: Path) -> Mapping[str, Any] | None:
    """Has the `fudaba up` that runs with a data folder hand it over, and waits until it has ended with its parts.

    It is not asked before this release has looked into the data and can take them.

    Returns its `pid` and `release`; None if there is none. Raises `TakeoverRefused`, and `FudabaError` if it
    does not end.
    """
    if not await _runs(data):
        _check_free(data)
        return None
    _check_data(data)
    found = await _connection(data)
    if found is None:
        return None  # it has ended meanwhile
    reader, writer = found
    try:
        async with asyncio.timeout(_ANSWER_SECONDS):
            writer.write(_line({"pid": os.getpid(), "release": fudaba.__version__}))
            answer = _read(await reader.readline())
    except (OSError, ValueError, TimeoutError):
        writer.close()
        raise TakeoverRefused(
            f"the `fudaba up` that runs with {data} does not answer: look into its log, and stop it"
        ) from None
    if answer.get("refusal"):
        writer.close()
        raise TakeoverRefused(f"the `fudaba up` that runs with {data} is not taken over: {answer['refusal']}")
    try:
        async with asyncio.timeout(_END_SECONDS):
            await reader.read()
    except ConnectionError:
        pass  # it was killed: its parts end with it, and its store's lock is waited for
    except TimeoutError:
        raise FudabaError(
            f"process {answer.get('pid')} is handing over {data}, but does not end: look into its log"
        ) from None
    finally:
        writer.close()
    return answer


def _check_data(data: Path) -> None:
    """Checks that this release can take what is in a data folder in use. Raises `TakeoverRefused`.

    What `fudaba data check` could not look into, such as a store that it has no room to copy, is no obstacle.
    """
    if not any((data / part).is_dir() for part in (SERVICE, ARENA)):
        return
    done = subprocess.run(
        [*PROGRAM, "data", "check", str(data)], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if done.returncode not in _NO_OBSTACLE_STATUSES:
        said = (done.stdout + done.stderr).strip() or f"it ended with {tether.how_ended(done.returncode)}"
        raise TakeoverRefused(f"release {fudaba.__version__} cannot take {data}, as `fudaba data check` says:\n{said}")


def _check_free(data: Path) -> None:
    """Checks that nothing uses the folders of the parts, such as a release that hands nothing over."""
    for folder in (data / part / inner for part in (SERVICE, ARENA) for inner in ("", _STORE)):
        user = holder(folder)
        if user is not None:
            raise TakeoverRefused(f"{folder} is in use by {user}, which cannot hand it over: stop that first")


async def _runs(data: Path) -> bool:
    """Returns whether a `fudaba up` runs with a data folder."""
    found = await _connection(data)
    if found is not None:
        found[1].close()
    return found is not None


async def _connection(data: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
    """Returns a connection to the `fudaba up` that runs with a data folder; None if there is none."""
    try:
        with _address(data) as address:
            return await asyncio.open_unix_connection(address)
    except OSError:  # there is no socket, or nobody listens; the locks of the parts keep their folders anyway
        return None


@contextmanager
def _address(data: Path) -> Iterator[str]:
    """Yields the path of the socket. The system takes some 100 bytes, so on Linux it is a short one."""
    folder = os.open(data, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield str((_OWN_FILES / str(folder) if _OWN_FILES.is_dir() else data) / _SOCKET)
    finally:
        os.close(folder)


def _line(values: Mapping[str, object]) -> bytes:
    return json.dumps(values).encode() + b"\n"


def _read(line: bytes) -> Mapping[str, Any]:
    """Returns the values of a line. Raises ValueError."""
    values = json.loads(line)
    if not isinstance(values, dict):
        raise ValueError("the line has no object")
    return values
