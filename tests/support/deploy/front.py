"""The front of deploy/, as a process."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path
from typing import Final, Self, final

from tests.support.deploy.deployment import DEPLOY
from tests.support.patience import wait_until
from tests.support.service.processes import Process, free_port

__all__ = ["FRONT", "Front"]

FRONT: Final = DEPLOY / "front" / "nginx.conf.template"
TLS: Final = DEPLOY / "front" / "tls.conf"
GIVES_BACK: Final = {"MALLOC_TOP_PAD_": "0", "MALLOC_MMAP_THRESHOLD_": "4000"}
"""The response of the front, as its file says."""


@final
class Front(Process):
    """An nginx before a service, or an arena, at this address; with TLS if there is a file `cert.pem` in its folder.

    That and `key.pem` are then its certificate and key. It is made out to localhost, which is in `address`.
    """

    def __init__(
        self, folder: Path, nginx: Path, service: str, calls: int = 500, pace: str = "1m", streams: int = 400
    ) -> None:
        super().__init__(folder, "front")
        self._tls = (folder / "cert.pem").exists()
        self._listen = f"127.0.0.1:{free_port()}"
        self.address = self._listen.replace("127.0.0.1", "localhost") if self._tls else self._listen
        self._nginx = nginx
        self._service = service
        self._calls = calls
        self._pace = pace
        self._streams = streams

    def start(self) -> Self:
        """Starts it, and returns when it listens."""
        written = self.folder / "nginx.conf"
        tls = self.folder / "tls.conf"
        if self._tls:
            tls.write_text(TLS.read_text().replace("/run/secrets/tls_", f"{self.folder}/").replace(";", ".pem;"))
        values = {
            "FRONT_LISTEN": self._listen, "FRONT_SSL": "ssl" if self._tls else "", "FRONT_TLS": str(tls),
            "FRONT_SERVICE": self._service, "FRONT_FOLDER": str(self.folder), "FRONT_BYTES": self._pace,
            "FRONT_CALLS": str(self._calls), "FRONT_CALLS_AT_ONCE": "600", "FRONT_STREAMS": str(self._streams),
        }  # fmt: skip
        text = FRONT.read_text()
        for name, value in values.items():  # as envsubst does with these names: nginx has variables of its own
            text = text.replace(f"${{{name}}}", value)
        # Else root's workers are nobody, and the folder is root's.
        written.write_text(f"user root;\n{text}" if os.getuid() == 0 else text)
        self.launch([str(self._nginx), "-c", str(written), "-g", "daemon off;"], GIVES_BACK)
        wait_until(lambda: self._listens() or not self.running, "the start of the front")
        assert self.running, self.log
        return self

    def reload(self) -> None:
        """Makes it read its files again. New connections may still be served as before, for a moment."""
        self.signal(signal.SIGHUP)

    def __exit__(self, *_: object) -> None:
        # Not killed, as others are: its workers would go on.
        self.terminate()

    @property
    def pids(self) -> list[int]:
        """All its processes."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [self.pid, *map(int, children)]

    def _listens(self) -> bool:
        host, _, port = self._listen.rpartition(":")
        try:
            socket.create_connection((host, int(port))).close()
        except ConnectionRefusedError:
            return False
        return True
