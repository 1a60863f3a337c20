"""The programs with which the probe tries the relay, the lasting folder, and whether anything stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

__all__ = ["COUNT", "KEEPING", "MANY", "SPEAK", "STAY"]

KEEP: Final = """
import errno
try:
    for number in range(100):
        with open(f"/kept/{number}", "wb", buffering=0) as file: file.write(bytes(SIZE))
except OSError as error: print(errno.errorcode[error.errno])
"""
"""Fills its lasting folder with files of `SIZE` bytes."""
COUNT: Final = """
import os
sizes = [entry.stat().st_size for entry in os.scandir("/kept")]
print(sum(size > 0 for size in sizes), sum(sizes))
"""
"""Prints how many non-empty files it finds there, and their bytes."""
KEEPING: Final[Mapping[str, tuple[str, dict[str, Any], str, str]]] = {
    "kept": ("size of its folder that lives on", {"kept": 65_536}, KEEP.replace("SIZE", "8192"), "8 65536"),
    "kept_files": ("files in that folder", {"kept_files": 8}, KEEP.replace("SIZE", "4096"), "8 32768"),
}
"""For each limit of that folder: its subject, its setting, what exceeds it, and what is left then."""
_CONNECTED: Final = """
import socket
service = socket.socket(socket.AF_UNIX)
service.connect({path!r})
service.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n")
assert service.recv(24)
print("answered", flush=True)
"""
"""Begins a connection to the service. `path` is its socket."""
SPEAK: Final = f"""{_CONNECTED}
while True:
    service.sendall(bytes([0, 39, 16, 0, 0, 0, 0, 0, 1]) + bytes(10_000))
    assert service.recv(10_009)
"""
"""Speaks to the service without end."""
MANY: Final = f"""{_CONNECTED}
while True:
    service.sendall(bytes([0, 0, 1, 0, 0, 0, 0, 0, 1, 0]))
    assert service.recv(10)
"""
"""Sends the service messages without end."""
STAY: Final = """
import os, signal, time
for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}: signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(1000)
    os._exit(0)
print("ready", flush=True)
time.sleep(1000)
"""
"""Leaves a daemon, and ignores signals."""
