"""A program that tells another one on its host bits, or hears them, by every object that both may reach.

It runs in sandboxes, with Python's standard library alone. Over a unix socket it is told in turns to send a bit by each
object, or to say what it hears there: so whoever hunts needs no clock, and load makes nobody miss a bit. The first line
says what both know of each other: the name that they meet under, and the numbers of system calls.
"""

from __future__ import annotations

import errno
import json
import socket
from typing import Any

from tests.support.arena.sandbox.channels import caches, counters, kernel_wide, locks, meetings
from tests.support.arena.sandbox.channels.channel import Channel

_KINDS: tuple[type[Channel], ...] = (
    locks.Flock,
    locks.FlockOfRuntime,
    locks.FlockOfDevice,
    locks.RecordLock,
    locks.OpenFileLock,
    locks.Lease,
    locks.Inotify,
    locks.Dnotify,
    caches.Cached,
    caches.CachedByMincore,
    caches.CachedByCachestat,
    caches.CachedName,
    caches.TimesOfDevice,
    caches.TimesOfFile,
    counters.Terminals,
    counters.Files,
    counters.Inodes,
    counters.Threads,
    counters.ThreadsBySysinfo,
    counters.Memory,
    counters.Pressure,
    counters.Space,
    meetings.SharedMemory,
    meetings.NamedSocket,
    meetings.AbstractSocket,
    meetings.Port,
    meetings.SystemV,
    meetings.Semaphores,
    meetings.Processes,
    meetings.Keyring,
    kernel_wide.MappedByPagemap,
    kernel_wide.MappedBySmaps,
    kernel_wide.EventNumber,
    kernel_wide.PipeNumber,
    kernel_wide.MemoryFileNumber,
)
CHANNELS = {kind.__name__: kind for kind in _KINDS}
"""Every object by name."""


def main(path: str) -> None:
    """Runs the commands that it reads, until there are no more."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        with connection.makefile("rw", encoding="ascii") as lines:
            given = json.loads(lines.readline())
            channels = {name: CHANNELS[name](given) for name in given["channels"]}
            answer: dict[str, float | str] = {}
            while True:
                lines.write(json.dumps(answer) + "\n")
                lines.flush()
                if not (line := lines.readline()):
                    return
                order = json.loads(line)
                answer = {name: _turn(channels[name], order, name) for name in order["channels"]}


def _turn(channel: Channel, order: dict[str, Any], name: str) -> float | str:
    """Returns what it heard; the name of the error where it is refused."""
    try:
        if order["turn"] == "hear":
            return channel.hear(order["number"])
        if order["turn"] == "send":
            channel.send(order["number"], bool(order["bits"][name]))
        elif order["turn"] == "release":
            channel.release()
        else:
            channel.ready()
    except (OSError, LookupError, ValueError) as error:
        number = getattr(error, "errno", None)
        return errno.errorcode.get(number, str(number)) if number is not None else type(error).__name__
    return 0.0
