"""Takes in what a program writes to its standard output and error: it counts all, and keeps a part."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import Final, final

from fudaba.excerpts import Excerpt

__all__ = ["Output"]

_PIECE_BYTES: Final = 65_536
_MAX_PIECES_PER_PIPE: Final = 17
"""A pipe holds no more pieces than these, even one that was made as large as it may be."""


@final
class Output:
    """A pipe, of which an excerpt is kept."""

    def __init__(self, kept: int) -> None:
        self._excerpt = Excerpt(kept)
        self._heard: Callable[[bytes], None] = lambda _: None
        self._reader, self.writer = os.pipe()
        os.set_blocking(self._reader, False)

    def begin(self, heard: Callable[[bytes], None]) -> None:
        """Reads from now on, since the program has the other end, and passes on what came each time."""
        self._heard = heard
        self._close_writer()
        asyncio.get_running_loop().add_reader(self._reader, self._read)

    def end(self) -> None:
        """Takes what is still in the pipe, and closes it."""
        self._close_writer()
        for _ in range(_MAX_PIECES_PER_PIPE):
            if not self._read():
                break
        if self._reader >= 0:
            self._stop()

    @property
    def text(self) -> bytes:
        """The excerpt that is kept."""
        return self._excerpt.text

    def _read(self) -> bool:
        """Takes one piece, so that one program does not keep the loop; returns whether there may be more."""
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
