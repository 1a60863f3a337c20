"""Probes what this host can enforce by doing it: a sandbox for each limit, and attacks on each isolation."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
import sys
import sysconfig
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from fudaba.client import Endpoint
from fudaba_arena.limits import MEGABYTE
from fudaba_arena.sandbox import attacks
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.leftovers import UIDS
from fudaba_arena.sandbox.probe_programs import COUNT, KEEPING, MANY, SPEAK, STAY
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import SOCKET, Cause, Ending, Job, SandboxUnavailable
from fudaba_arena.tournament.limits import Limits

__all__ = ["ISOLATION", "PROGRAM", "TRIALS", "Finding", "Judge", "describe_run", "own_python", "probe"]

ISOLATION: Final[Mapping[str, str]] = {
    "files": "it reads nothing of the host's or of another bot's",
    "environment": "it sees no variables but its own",
    "network": "it reaches no network, no other socket, and makes none of another kind",
    "processes outside": "it neither sees nor touches others",
    "kernel": "mount, namespaces, io_uring, 32-bit calls and the like are refused",
    "writing": "it writes nowhere but in /tmp and /dev/shm",
}
_KINDS: Final = {name: name.partition(" ")[0] for name in ISOLATION}
PROGRAM: Final = Path("/run/probe.py")
"""The program that reports the attempts."""
_MIN_WORK_SECONDS: Final = 0.05
"""The processor time after which a program is surely in its group and working."""
_VARIABLES: Final = ("PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "PWD", "OLDPWD", "SHLVL", "_")
_CREDENTIALS: Final = struct.Struct("3i")
_APPARMOR: Final = (
    "AppArmor keeps users from making namespaces (Ubuntu 23.10 and newer): add a profile for bwrap that allows"
    " `userns`, or set kernel.apparmor_restrict_unprivileged_userns=0"
)
_SETTINGS: Final = (
    ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", _APPARMOR),
    ("/proc/sys/kernel/unprivileged_userns_clone", "0", "set kernel.unprivileged_userns_clone=1"),
    ("/proc/sys/user/max_user_namespaces", "0", "set user.max_user_namespaces to 1000 or more"),
)
_IN_CONTAINER: Final = (
    "if this is a container, start it so that it may make namespaces and mount /proc (with Docker: --privileged, or"
    " --cap-add SYS_ADMIN --security-opt seccomp=unconfined --security-opt apparmor=unconfined"
    " --security-opt systempaths=unconfined)"
)


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the probe."""

    name: str
    promise: str
    holds: bool
    detail: str
    """The observation, or the reason for a failure with the remedy."""


def own_python() -> dict[Path, Path]:
    """Returns the folders that this process's Python needs in a sandbox, each at its own path."""
    paths = sysconfig.get_paths()
    wanted = [sys.prefix, sys.base_prefix, paths["stdlib"], paths["platstdlib"]]
    shown: dict[Path, Path] = {}
    for path in sorted({Path(wanted_path) for wanted_path in wanted}, key=lambda candidate: len(candidate.parts)):
        if path.is_dir() and not any(path.is_relative_to(shown_path) for shown_path in (Path("/usr"), *shown)):
            shown[path] = path
    return shown


async def probe(root: Path | None = None) -> list[Finding]:
    """Tries everything; takes some seconds."""
    try:
        sandbox = Bubblewrap.open(root)
    except SandboxUnavailable as error:
        return [Finding("sandbox", "bubblewrap can be used", False, str(error))]
    try:
        return [finding async for finding in _Probe(sandbox).findings()]
    finally:
        await sandbox.close()


@final
class _Probe:
    def __init__(self, sandbox: Bubblewrap) -> None:
        self._sandbox = sandbox
        self._neighbour = sandbox.new_socket()

    async def findings(self) -> AsyncIterator[Finding]:
        """Makes all checks, or only the first if no sandbox starts."""
        began = time.monotonic()
        ending, output = await self._run("print('started')")
        took = time.monotonic() - began
        started = ending.cause is Cause.EXIT and ending.code == 0 and output.strip() == "started"
        version = self._sandbox.cgroups.version or "none"
        detail = f"Python started and ended in {1000 * took:.0f} ms; control groups: {version}"
        yield Finding("sandbox", "a program starts in it", started, detail if started else _advice(ending))
        if not started:
            return
        for isolation in await self._isolation():
            yield isolation
        yield await self._identity()
        for name, (promise, code, limits, judge) in TRIALS.items():
            if name not in self._sandbox.enforces:
                yield Finding(name, promise, False, self._sandbox.cgroups.why_not)
                continue
            ending, output = await self._run(code, **limits)
            yield Finding(name, promise, judge(ending, output), describe_run(ending, output))
        yield await self._cores()
        yield await self._frozen()
        async for finding in self._kept():
            yield finding
        yield await self._relayed(
            "traffic", "it speaks to the service, as much as it may", SPEAK, Cause.TRAFFIC, traffic=100_000
        )
        yield await self._relayed(
            "messages", "it sends the service no more messages than it may", MANY, Cause.MESSAGES, messages=100
        )
        yield await self._rest()

    def _job(self, code: str, *arguments: str, shown: Mapping[Path, Path] | None = None, **more: Any) -> Job:
        command = [sys.executable, "-I", "-S", *(["-c", code] if code else [str(PROGRAM)]), *arguments]
        # Where it did not end by itself, the wall does it: a probe is always over.
        limits = Limits(**({"wall": 60.0} | more.pop("limits", {})))
        return Job(command=command, read_only=own_python() | dict(shown or {}), limits=limits, name="the probe", **more)

    async def _run(self, code: str, kept: KeptFiles | None = None, /, **limits: Any) -> tuple[Ending, str]:
        running = self._sandbox.start(self._job(code, limits=limits, kept=kept))
        try:
            ending = await running.wait()
        finally:
            await running.kill()
        return ending, (running.stdout + running.stderr).decode(errors="replace")

    async def _isolation(self) -> list[Finding]:
        secret = self._neighbour.with_name("secret")
        secret.write_text("a neighbour's", encoding="ascii")
        secret.chmod(0o644)
        name = f"fudaba-probe-{os.getpid()}"
        with contextlib.ExitStack() as stack:
            ports = stack.enter_context(contextlib.closing(socket.create_server(("127.0.0.1", 0))))
            for address in (f"\0{name}", str(self._neighbour)):
                server = stack.enter_context(contextlib.closing(socket.socket(socket.AF_UNIX)))
                server.bind(address)
                server.listen()
            given = {
                "secrets": [str(secret), str(self._neighbour.parent.parent)],
                "shown": sorted({part for path in own_python() for part in path.parts}),
                "variables": _VARIABLES,
                "port": ports.getsockname()[1],
                "abstract": f"\0{name}",
                "neighbour": str(self._neighbour),
                "pids": [os.getpid(), os.getppid()],
                "read_only": [str(python_path) for python_path in own_python()],
            }
            shown = {PROGRAM: Path(attacks.__file__)}
            running = self._sandbox.start(self._job("", json.dumps(given), shown=shown))
            ending = await running.wait()
        if ending.code != 0:
            why = f"the attempts did not run: {describe_run(ending, running.stderr.decode(errors='replace'))}"
            return [Finding(name, promise, False, why) for name, promise in ISOLATION.items()]
        got = json.loads(running.stdout)
        return [
            Finding(name, promise, kind not in got, f"it got {got[kind]}" if kind in got else "tried, got nothing")
            for (name, promise), kind in zip(ISOLATION.items(), _KINDS.values(), strict=True)
        ]

    async def _identity(self) -> Finding:
        """Returns the program's identity on the host, as the kernel reports it to its peer."""
        path = self._sandbox.new_socket()
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as server:
            server.bind(str(path))
            server.listen()
            server.setblocking(False)
            code = f"import socket; socket.socket(socket.AF_UNIX).connect({str(SOCKET)!r})"
            running = self._sandbox.start(self._job(code, socket=path))
            ending = await running.wait()
            promise = "it has a uid of its own, which is not the worker's"
            try:
                caller, _ = server.accept()
            except BlockingIOError:
                seen = describe_run(ending, running.stderr.decode(errors="replace"))
                return Finding("uid", promise, False, f"it does not reach its socket: {seen}")
            with caller:
                _, uid, _ = _CREDENTIALS.unpack(
                    caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
                )
        return Finding("uid", promise, uid in UIDS, f"uid {uid}")

    async def _cores(self) -> Finding:
        """Checks the share of cores: two processes take all they can get, and must wait once they have used their
        share.
        """
        promise = "processor time in each second"
        if "cores" not in self._sandbox.enforces:
            return Finding("cores", promise, False, self._sandbox.cgroups.why_not)
        running = self._sandbox.start(self._job(_SPREAD, limits={"cores": 0.05}))
        while not running.counts().throttled and await _ending_soon(running.wait()) is None:
            continue
        waited = (await running.kill()).usage.throttled
        return Finding("cores", promise, bool(waited), "it had to wait" if waited else "it never had to wait")

    async def _frozen(self) -> Finding:
        """Checks that a computing program stops while it is frozen, and then goes on."""
        promise = "it stands still while it may not ponder"
        if not self._sandbox.freezes:
            return Finding("ponder", promise, False, self._sandbox.cgroups.why_not_frozen)
        running = self._sandbox.start(self._job(_SPREAD, freezes=True))
        freezer = running.freezer
        seen = "it does not stand still"
        if freezer is not None:
            while freezer.cpu() < _MIN_WORK_SECONDS and await _ending_soon(running.wait()) is None:
                continue
            freezer.freeze()
            while not freezer.frozen and await _ending_soon(running.wait()) is None:
                continue
            before = freezer.cpu()
            await _ending_soon(running.wait())
            stood = freezer.cpu() == before
            freezer.thaw()
            while freezer.cpu() == before and await _ending_soon(running.wait()) is None:
                continue
            seen = "frozen, and woken up again" if stood and freezer.cpu() > before else seen
        await running.kill()
        return Finding("ponder", promise, seen.startswith("frozen"), seen)

    async def _kept(self) -> AsyncIterator[Finding]:
        """Checks that a program can keep as much as it may, and that another program finds it."""
        for name, (promise, limits, code, whole) in KEEPING.items():
            with tempfile.TemporaryDirectory() as place:
                kept = KeptFiles(Path(place) / "kept.tar")
                ending, output = await self._run(code, kept, **limits)
                _, found = await self._run(COUNT, kept, **limits)
                holds = output.strip() == "ENOSPC" and found.strip() == whole
                yield Finding(name, promise, holds, kept.note or describe_run(ending, output))

    async def _relayed(self, name: str, promise: str, code: str, cause: Cause, **limits: int) -> Finding:
        """Checks the worker's own relay: it shows that the program gets through it, and no further."""
        echo, path = self._sandbox.new_socket(), self._sandbox.new_socket()
        job = self._job(code.format(path=str(SOCKET)), socket=path, limits={"connections": 2, **limits})
        async with _echoing(echo):
            relay = await Relay.open(Endpoint(f"unix:{echo}"), path, job.limits, "a-seat")
            try:
                running = self._sandbox.start(job)
                relay.over = lambda: running.condemn(relay.cause)
                ending = await running.wait()
            finally:
                await relay.close()
        output = running.stdout.decode(errors="replace")
        holds = ending.cause is cause and output.startswith("answered\n")
        return Finding(name, promise, holds, describe_run(ending, output))

    async def _rest(self) -> Finding:
        """Kills a program that left a daemon and ignores signals."""
        promise = "a program that is killed leaves no process, control group, mount or file"
        running = self._sandbox.start(self._job(STAY))
        while b"ready" not in running.stdout:
            if (ending := await _ending_soon(running.wait())) is not None:
                output = (running.stdout + running.stderr).decode(errors="replace")
                return Finding("leftovers", promise, False, f"it ended by itself: {describe_run(ending, output)}")
        await running.kill()
        left = running.remains()
        return Finding("leftovers", promise, not left, f"left: {', '.join(left)}" if left else "killed, nothing left")


async def _ending_soon(ending: Awaitable[Ending]) -> Ending | None:
    """Waits a moment. Returns how a program ended; None while it runs."""
    try:
        async with asyncio.timeout(0.02):
            return await ending
    except TimeoutError:
        return None


@contextlib.asynccontextmanager
async def _echoing(path: Path) -> AsyncIterator[None]:
    """Sends back what a socket receives."""
    writers: set[asyncio.StreamWriter] = set()

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writers.add(writer)
        with contextlib.suppress(OSError):
            while piece := await reader.read(65_536):
                writer.write(piece)
                await writer.drain()
        writer.close()

    server = await asyncio.start_unix_server(echo, str(path))
    try:
        yield
    finally:
        server.close()
        for writer in writers:  # whose end nobody may have seen yet
            writer.transport.abort()


def _advice(ending: Ending) -> str:
    """Returns why no sandbox starts, and the remedy."""
    why = ending.why or f"it ended with {ending.cause}"
    for name, value, todo in _SETTINGS:
        with contextlib.suppress(OSError):
            if Path(name).read_text(encoding="ascii").strip() == value:
                return f"{why}; {todo}"
    return f"{why}; {_IN_CONTAINER}"


def describe_run(ending: Ending, output: str) -> str:
    """Describes how a program ended, and its last output."""
    texts = {Cause.EXIT: f"exit code {ending.code}", Cause.SIGNAL: f"signal {ending.signal}"}
    last = output.strip().rpartition("\n")[2][:120]
    said = texts.get(ending.cause, f"cause {ending.cause}")
    return f"{said}: {last}" if last and ending.cause in texts else said


Judge = Callable[[Ending, str], bool]
"""Judges whether a limit held, from the end of a program that exceeded it and its output."""


def _by(cause: Cause) -> Judge:
    return lambda ending, _: ending.cause is cause


def _says(text: str) -> Judge:
    return lambda ending, output: ending.code == 0 and output.strip() == text


_MEMORY: Final = """
import os, time
os.fork(); os.fork()
held = b"x" * 50_000_000
time.sleep(1000)
"""
_FORK: Final = """
import os
while True:
    try: os.fork()
    except OSError: pass
"""
_SPREAD: Final = """
import os
os.fork()
while True: pass
"""
_LARGE_FILE: Final = """
import errno
try:
    with open("/tmp/large", "wb", buffering=0) as file:
        while True: file.write(bytes(100_000))
except OSError as error: print(errno.errorcode[error.errno])
"""
_MANY_FILES: Final = """
import errno
held = []
try:
    while True: held.append(open("/dev/null"))
except OSError as error: print(errno.errorcode[error.errno])
"""
_FILL: Final = """
import errno
for place in "/tmp", "/dev/shm":
    try:
        for number in range(1000):
            with open(f"{place}/{number}", "wb", buffering=0) as file: file.write(bytes(1_000_000))
    except OSError as error: print(errno.errorcode[error.errno], end=" ")
"""
TRIALS: Final[Mapping[str, tuple[str, str, dict[str, Any], Judge]]] = {
    "memory": ("all its processes together", _MEMORY, {"memory": 120 * MEGABYTE}, _by(Cause.MEMORY)),
    "processes": ("processes and threads", _FORK, {"processes": 16}, _by(Cause.PROCESSES)),
    "cpu": ("processor time of all its processes together", _SPREAD, {"cpu": 1.0}, _by(Cause.CPU)),
    "wall": ("time", "import time; time.sleep(1000)", {"wall": 0.5}, _by(Cause.WALL)),
    "file_size": ("size of one file", _LARGE_FILE, {"file_size": MEGABYTE}, _says("EFBIG")),
    "open_files": ("open files of one process", _MANY_FILES, {"open_files": 64}, _says("EMFILE")),
    "disk": ("files in /tmp and /dev/shm", _FILL, {"disk": 8 * MEGABYTE}, _says("ENOSPC ENOSPC")),
    "output": ("standard output and error", "while True: print('x' * 1000)", {"output": MEGABYTE}, _by(Cause.OUTPUT)),
}  # fmt: skip
"""For each limit: its subject, a program that exceeds it, its setting, and the expected end."""
