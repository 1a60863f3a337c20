"""A TCP relay whose connections can go deaf: open, but nothing passes, as behind a NAT that has forgotten them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self, final
from urllib.parse import urlsplit

from tests.support.patience import PATIENCE


@final
class DeafRelay:
    """Passes on what comes to its port. New connections pass after others have gone deaf."""

    def __init__(self, target: str, on_connection: Callable[[DeafRelay, int], None] = lambda _, __: None) -> None:
        """`target` is a URL of this machine. `on_connection` is called with each connection's number, from 1, before
        anything passes on it.
        """
        parts = urlsplit(target)
        self._target = str(parts.hostname), int(parts.port or 0)
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        self._open: list[_Link] = []
        self._on_connection = on_connection
        self._closed = False
        self.url = f"{parts.scheme}://127.0.0.1:{self._listening.getsockname()[1]}"
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def go_deaf(self) -> int:
        """Makes the present connections pass nothing on any more, and stay open. Returns how many there are."""
        with self._lock:
            links = [link for link in self._open if not link.is_over]
            for link in links:
                link.is_deaf = True
        return len(links)

    def close(self) -> None:
        """Ends everything."""
        self._closed = True
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._accepting.join(PATIENCE)  # else a connection that is being made would be left open
        self._listening.close()
        for link in self._open:
            link.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        while not self._closed:
            try:
                near, _ = self._listening.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(self._target)
            except OSError:  # the target has gone, or is being started again: the client sees its connection closed
                near.close()
                continue
            link = _Link(near, far)
            with self._lock:
                self._open.append(link)
            self._on_connection(self, len(self._open))
            for source, sink in (link.ends, link.ends[::-1]):
                threading.Thread(target=link.pump, args=(source, sink), daemon=True).start()


@final
class _Link:
    def __init__(self, near: socket.socket, far: socket.socket) -> None:
        self.ends = near, far
        self.is_deaf = False
        self.is_over = False

    def pump(self, source: socket.socket, sink: socket.socket) -> None:
        """Passes on what one end says; nothing, not even its end, once the link is deaf."""
        with suppress(OSError):
            while content := source.recv(65_536):
                if not self.is_deaf:
                    sink.sendall(content)
        if not self.is_deaf:
            self.end()

    def end(self) -> None:
        self.is_over = True
        for connection in self.ends:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
