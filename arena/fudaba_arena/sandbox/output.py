"""Receives a program's standard output and error: counts all of it, and keeps an excerpt."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final, final

from fudaba.excerpts import Excerpt

__all__ = ["Output"]

_PIECE_BYTES: Final = 65_536
_MAX_PIECES_PER_PIPE: Final = 17
"""The highest number of pieces in a pipe, even one of the largest size."""


@final
class Output:
    """A pipe with a kept excerpt."""

    def __init__(self, kept: int) -> None:
        self._excerpt = Excerpt(kept)
        self._heard: Callable[[bytes], None] = lambda _: None
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)

    def begin(self, heard: Callable[[bytes], None]) -> None:
        """Starts to read once the program has the other end. Reports what arrives each time."""
        self._heard = heard
        self._close_writer()
        asyncio.get_running_loop().add_reader(self._reader, self._read)

    def end(self) -> None:
        """Reads the rest of the pipe, and closes it."""
        self._close_writer()
        for _ in range(_MAX_PIECES_PER_PIPE):
            if not self._read():
                break
        if self._reader >= 0:
            self._stop()

    @property
    def text(self) -> bytes:
        """The kept excerpt."""
        return self._excerpt.text

    def _read(self) -> bool:
        """Reads one piece, so that one program does not hold the loop. Returns whether there may be more."""
        if self._reader < 0:
            return False
        try:
            piece = os.read(self._reader, _PIECE_BYTES)
        except BlockingIOError:
            return False
        if not piece:
            self._stop()
            return False
        self._excerpt.add(piece)
        self._heard(piece)
        return True

    def _stop(self) -> None:
        asyncio.get_running_loop().remove_reader(self._reader)
        os.close(self._reader)
        self._reader = -1

    def _close_writer(self) -> None:
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1
