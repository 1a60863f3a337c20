"""A dependency that runs a program while a bot is built gets no further than the sandbox of the build."""

from __future__ import annotations

import asyncio
import json
import secrets
import stat
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from fudaba_arena.programs.building import BUILD_LIMITS, BUILT_LIMITS, build
from fudaba_arena.programs.installed_runtimes import found
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.submissions.unpacking import unpack
from tests.support.arena.programs.poisoned import POISONED
from tests.support.arena.programs.uploads import commands_with
from tests.support.clients.languages import BUILD_SECONDS
from tests.support.patience import wait_until

POISON = """
import ctypes, json, os, socket

libc = ctypes.CDLL(None, use_errno=True)

def call(name, *arguments):
    if getattr(libc, name)(*arguments): raise OSError(ctypes.get_errno(), name)

def write(path):
    open(path, "w").write("evil")

def socket_of(family, kind=socket.SOCK_STREAM):
    socket.socket(family, kind).close()

attempts = {
    "write the sources": lambda: write("/bot/evil"),
    "write the system": lambda: write("/usr/evil"),
    "write beside the root": lambda: write("/evil"),
    "write the settings": lambda: write("/etc/evil"),
    "write a file of the host's": lambda: write(HOST_FILE),
    "read a file of the host's": lambda: open(HOST_FILE).read(),
    "read the passwords": lambda: open("/etc/shadow").read(),
    "call by IPv4": lambda: socket.create_connection(("127.0.0.1", HOST_PORT)),
    "listen by IPv6": lambda: socket_of(socket.AF_INET6),
    "listen on links": lambda: socket_of(socket.AF_PACKET, socket.SOCK_RAW),
    "ask the kernel's network": lambda: socket_of(socket.AF_NETLINK, socket.SOCK_RAW),
    "call the host": lambda: socket_of(40),
    "be root": lambda: os.setuid(0),
    "have namespaces": lambda: call("unshare", 0x10000000),
    "mount": lambda: call("mount", b"none", b"/tmp", b"tmpfs", 0, None),
    "have another root": lambda: os.chroot("/tmp"),
    "make a device": lambda: os.mknod("/tmp/device", 0o20666, os.makedev(1, 1)),
    "signal others": lambda: os.kill(HOST_PROCESS, 0),
}
told = {}
for name, attempt in attempts.items():
    try:
        attempt()
        told[name] = ""
    except OSError as error:
        told[name] = type(error).__name__
write("/tmp/evil")
write("../evil")
os.symlink("/etc/passwd", "link")
write("raised")
try: os.chmod("raised", 0o6755)
except OSError: pass
if os.fork() == 0:
    os.setsid()
    for stream in range(3): os.dup2(os.open("/dev/null", os.O_RDWR), stream)  # or who builds waits for it
    if os.fork() == 0: os.execvp("sleep", ["sleep", DAEMON])
    os._exit(0)
write("told.json")
json.dump(told, open("told.json", "w"))
"""
DAEMON = str(100_000 + secrets.randbelow(1_000_000_000))
"""Seconds that a process of a build of this run sleeps, and of no other run on this machine."""
AT_GATE = ("make", "npm")
AT_NIGHT = pytest.mark.nightly(
    "the same with Make and npm: what runs in a build is the same program in the same sandbox"
)


@pytest.fixture
async def host(tmp_path: Path) -> AsyncIterator[dict[str, str | int]]:
    """Yields what poison is told of this host: a file, a port at which nobody may call, and a process."""
    (tmp_path / "file").write_text("the host's", encoding="utf-8")
    calls = list[object]()
    server = await asyncio.start_server(lambda *both: calls.append(both), "127.0.0.1", 0)
    process = await asyncio.create_subprocess_exec("sleep", str(4 * BUILD_SECONDS))
    port = server.sockets[0].getsockname()[1]
    yield {"HOST_FILE": str(tmp_path / "file"), "HOST_PORT": port, "HOST_PROCESS": process.pid, "DAEMON": DAEMON}
    assert process.returncode is None
    process.kill()
    await process.wait()
    server.close()
    assert calls == []
    assert (tmp_path / "file").read_text() == "the host's"


@pytest.mark.timeout(2 * BUILD_SECONDS)
@pytest.mark.parametrize("tool", [tool if tool in AT_GATE else pytest.param(tool, marks=AT_NIGHT) for tool in POISONED])
@pytest.mark.exhaustive
async def test_a_poisoned_dependency_reaches_nothing_but_the_folder_of_its_build(
    need_tool: Callable[[str], Path], need_sandbox: None, host: dict[str, str | int], tmp_path: Path, tool: str
) -> None:
    poisoned = POISONED[tool]
    for name in poisoned.tools:
        need_tool(name)
    source, archive = tmp_path / "source", tmp_path / "built.tar.gz"
    poisoned.write(source, reduce(lambda code, word: code.replace(word, repr(host[word])), host, POISON))
    before = sorted(source.rglob("*"))
    manifest = Manifest("bot", ("naga",), poisoned.language, ("./bot",), build=tuple(poisoned.build))
    [runtime] = found([poisoned.language])
    shown, path = own_python() | dict(runtime.shown), [*runtime.path, str(Path(sys.prefix) / "bin")]
    runtime = replace(runtime, shown=shown, path=path)
    sandbox = Bubblewrap.open()
    try:
        limits = replace(BUILD_LIMITS, wall=float(BUILD_SECONDS))
        built = await build(sandbox, manifest, runtime, source, archive, limits)
    finally:
        await sandbox.close()
    assert built.passed, built.output
    wait_until(lambda: not commands_with(f"sleep\0{DAEMON}".encode()), "no process of the build is left")
    assert sorted(source.rglob("*")) == before
    unpack(archive, "bot", tmp_path / "built", BUILT_LIMITS)
    attempts = json.loads((tmp_path / "built" / "told.json").read_text())
    assert {attempt for attempt, error in attempts.items() if not error} == set()
    made = list((tmp_path / "built").rglob("*"))
    assert not [path for path in made if path.is_symlink()]
    assert not [path for path in made if path.stat().st_mode & (stat.S_ISUID | stat.S_ISGID)]
    assert (tmp_path / "built" / "link").read_text().startswith("bot:x:"), "a link shows the sandbox's own file"
    assert not [path for path in made if path.name == "evil" and path.is_file()]
