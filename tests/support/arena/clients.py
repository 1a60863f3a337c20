"""Clients that stay open: to make one for each look at a server costs more than the look."""

from __future__ import annotations

from typing import final

from fudaba.client import Client


@final
class Clients:
    """The clients of an address, for calls with one answer; each token has its own."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._open: dict[str, Client] = {}

    def with_token(self, token: str) -> Client:
        """Returns the client of a token."""
        if token not in self._open:
            self._open[token] = Client(self._address, token)
        return self._open[token]

    def close(self) -> None:
        """Closes all: the server has ended, and the next one is found at once by new ones."""
        while self._open:
            self._open.popitem()[1].close()
