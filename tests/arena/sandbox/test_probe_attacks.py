"""What a program tries to reach from inside: nothing of it succeeds, and where it may, the same attempts do succeed."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from fudaba.client import Endpoint
from fudaba_arena.sandbox import attacks
from fudaba_arena.sandbox.bubblewrap import Bubblewrap, Wrapped
from fudaba_arena.sandbox.probe import ISOLATION, own_python
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import Job, Sandbox
from fudaba_arena.sandbox.unsafe import Unsafe
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.bots import neighbour
from tests.support.service.organiser import Organiser

pytestmark = pytest.mark.asyncio(loop_scope="module")

KINDS = [name.partition(" ")[0] for name in ISOLATION]
ALLOW_ALL = b"\x06\x00\x00\x00\x00\x00\xff\x7f"
# Without a sandbox no more is tried than reading and connecting: the rest would be done to this very machine.
HARMLESS = """
import json, sys
sys.path.insert(0, sys.argv[2])
import attacks
given = json.loads(sys.argv[1])
print(json.dumps({kind: dict(attacks.ATTEMPTS[kind](given)) for kind in ("files", "environment", "network")}))
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def given(bubblewrap: Bubblewrap) -> AsyncIterator[dict[str, Any]]:
    """Yields what there is to be reached: files and a socket of another bot, servers, processes."""
    secret = bubblewrap.new_socket().with_name("secret")
    secret.write_text("another bot's")
    secret.chmod(0o644)
    relay = await Relay.open(Endpoint("unix:/nowhere"), bubblewrap.new_socket(), Limits(), "a-seat")
    name = f"\0fudaba-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as port, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(name)
        abstract.listen()
        yield {
            "secrets": [str(secret), str(secret.parent.parent), str(Path.home())],
            "shown": sorted({part for path in own_python() for part in path.parts}),
            "variables": ["PATH", "HOME", "TMPDIR", "LANG", "LC_CTYPE", "PWD"],
            "port": port.getsockname()[1],
            "abstract": name,
            "neighbour": str(relay.path),
            "pids": [os.getpid(), os.getppid()],
            "read_only": [str(path) for path in own_python()],
        }
    await relay.close()


async def got(sandbox: Sandbox, given: dict[str, Any], code: str = "") -> Any:
    """Returns what the attempts got, made in a sandbox."""
    file = Path(attacks.__file__)
    shown = own_python() | ({Path("/run/attacks.py"): file} if sandbox.isolated else {})
    program = ["-c", code] if code else ["/run/attacks.py"]
    command = [sys.executable, "-I", "-S", *program, json.dumps(given), str(file.parent)]
    running = sandbox.start(Job(command=command, read_only=shown))
    ending = await running.wait()
    assert ending.code == 0, (ending, running.stdout, running.stderr)
    return json.loads(running.stdout)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def got_inside(bubblewrap: Bubblewrap, given: dict[str, Any]) -> Any:
    return await got(bubblewrap, given)


@pytest.mark.parametrize("kind", KINDS)
async def test_an_attempt_gets_nothing(got_inside: Any, kind: str) -> None:
    assert got_inside.get(kind) is None


@pytest.mark.exhaustive
async def test_whoever_tries_all_of_them_disturbs_nobody(
    bubblewrap: Bubblewrap, given: dict[str, Any], organiser: Organiser
) -> None:
    async with neighbour(bubblewrap, organiser) as good:
        match_id = await good.begins()
        assert isinstance(good.running, Wrapped)
        its = {"neighbour": str(good.relay.path), "pids": [*given["pids"], good.running.pid]}
        found = await got(bubblewrap, given | its)
        assert not any(found.values())
        await good.undisturbed(match_id)


async def test_where_there_is_no_sandbox_the_same_attempts_succeed(unsafe: Unsafe, given: dict[str, Any]) -> None:
    found = await got(unsafe, given | {"variables": []}, HARMLESS)
    assert any(name in found["files"] for name in ("/etc/shadow", given["secrets"][0]))
    assert found["files"].keys() >= set(given["secrets"][:2])
    assert str(os.getpid()) in found["environment"]
    assert {f"AF_INET {('127.0.0.1', given['port'])}", f"AF_UNIX {given['abstract']}"} <= found["network"].keys()
    assert f"AF_UNIX {given['neighbour']}" in found["network"]


async def test_without_the_filter_of_system_calls_attempts_succeed(
    bubblewrap: Bubblewrap, given: dict[str, Any]
) -> None:
    with unfiltered(bubblewrap):
        found = await got(bubblewrap, given)
    assert {"kernel", "processes"} <= found.keys()
    assert "ptrace" in found["processes"]


@contextlib.contextmanager
def unfiltered(sandbox: Bubblewrap) -> Iterator[None]:
    before, sandbox.filters = sandbox.filters, (ALLOW_ALL, ALLOW_ALL)
    try:
        yield
    finally:
        sandbox.filters = before
