"""The line between the supervising process and a serving one: lines of JSON over a pair of sockets.

Down go the settings, the command to begin, and requests for metrics. Up go the readiness and the metrics. The line ends
with either process.
"""

from __future__ import annotations

import asyncio
import json
import socket
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final, Self, final

from fudaba_service.settings import Settings

__all__ = ["Line", "LineEnded", "packed", "unpacked"]

_MAX_LINE_BYTES: Final = 64 * 1024 * 1024
"""The bytes of a line. Metrics take some 100 kB."""
_PATHS: Final = tuple(field.name for field in fields(Settings) if "Path" in str(field.type))
"""The settings that are paths."""


class LineEnded(Exception):
    """The other process has ended, or closed the line."""


@final
class Line:
    """One end of a line between two processes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def over(cls, end: socket.socket) -> Self:
        """Returns the line over one of a pair of sockets."""
        return cls(*await asyncio.open_unix_connection(sock=end, limit=_MAX_LINE_BYTES))

    async def send(self, kind: str, value: object = None) -> None:
        """Sends a message. Raises `LineEnded`."""
        try:
            self._writer.write(json.dumps([kind, value]).encode() + b"\n")
            await self._writer.drain()
        except OSError as error:
            raise LineEnded from error

    async def receive(self) -> tuple[str, Any]:
        """Reads the next message. Raises `LineEnded`."""
        try:
            line = await self._reader.readline()
        except OSError as error:
            raise LineEnded from error
        if not line.endswith(b"\n"):
            raise LineEnded
        kind, value = json.loads(line)
        return kind, value

    def close(self) -> None:
        """Closes the line."""
        self._writer.close()


def packed(settings: Settings) -> dict[str, object]:
    """Returns settings as JSON values."""
    return {name: str(value) if isinstance(value, Path) else value for name, value in asdict(settings).items()}


def unpacked(values: dict[str, Any]) -> Settings:
    """Unpacks a message."""
    paths = {name: Path(values[name]) for name in _PATHS if values[name] is not None}
    return Settings(**values | paths)
