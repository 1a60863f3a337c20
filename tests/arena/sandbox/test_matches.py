"""Bots in sandboxes play whole matches: in Python and on Node, over a plain connection and over TLS."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import grpc
import pytest

from fudaba.client import Endpoint
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import Cause, Sandbox
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.bots import neighbour
from tests.support.arena.sandbox.sandboxes import done, python, said
from tests.support.certificates import certify
from tests.support.clients.languages import LANGUAGES
from tests.support.clients.projects import built_project
from tests.support.folders import short_folder
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

FORGED = """
import os, socket
service = socket.socket(socket.AF_UNIX)
service.connect("/run/fudaba/service.sock")
service.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + os.urandom(100_000))
while service.recv(65_536): pass
"""
FRAMES = """
import os, socket, struct, sys

def frame(kind, flags, stream, body=b""):
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body

GET = b"\\x82\\x86\\x84"
SENT = {
    "noise": os.urandom(100_000),
    "pings": 20_000 * frame(6, 0, 0, bytes(8)),
    "settings": 20_000 * frame(4, 0, 0, struct.pack(">HI", 4, 65_535)),
    "resets": b"".join(frame(1, 5, one, GET) + frame(3, 0, one, bytes(4)) for one in range(1, 20_000, 2)),
    "continuations": frame(1, 0, 1, GET) + 2_000 * frame(9, 0, 1, 1_000 * b"\\x82"),
    "too long": b"\\xff\\xff\\xff\\x00\\x00" + struct.pack(">I", 1) + bytes(100_000),
    "windows": 2_000 * frame(8, 0, 0, struct.pack(">I", 0x7FFF_FFFF)),
}

def connected():
    service = socket.socket(socket.AF_UNIX)
    service.connect("/run/fudaba/service.sock")
    service.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + frame(4, 0, 0))
    return service

service = connected()
try:
    service.sendall(SENT[sys.argv[1]])
    service.shutdown(socket.SHUT_WR)
    while service.recv(65_536): pass
except ConnectionError: pass
"""
HELD = """
import time
held = [connected() for _ in range(8)]
for one in held:
    one.setblocking(False)
    try:
        for _ in range(100): one.sendall(SENT["pings"])
    except OSError: pass
print("held", flush=True)
time.sleep(1000)
"""


async def test_a_bot_plays_a_match_through_its_relay(on_host: Sandbox, organiser: Organiser) -> None:
    async with neighbour(on_host, organiser) as bot:
        await bot.undisturbed(await bot.begins())
        assert bot.relay.up > 0
        assert bot.relay.down > 0
        ending = await bot.running.kill()
    assert ending.cause is Cause.KILLED


@pytest.mark.parametrize(
    "kind",
    [
        *("noise", "resets", "continuations"),
        *(
            pytest.param(attack, marks=pytest.mark.exhaustive)
            for attack in ("pings", "settings", "too long", "windows")
        ),
    ],
)
async def test_forged_frames_harm_nobody_but_their_sender(
    bubblewrap: Bubblewrap, organiser: Organiser, service: Service, kind: str
) -> None:
    relay = await Relay.open(Endpoint(service.address), bubblewrap.new_socket(), Limits(), "a-seat")
    async with neighbour(bubblewrap, organiser) as bot:
        match_id = await bot.begins()
        ending, output = await done(bubblewrap.start(python(FRAMES, kind, socket=relay.path)))
        assert ending.code == 0, output
        assert relay.up > 1_000, "what is forged is refused at once, and what is dear is read slowly"
        await bot.undisturbed(match_id)
    await relay.close()
    assert service.running


@pytest.mark.exhaustive
async def test_whoever_takes_no_answer_holds_up_nobody_else(
    bubblewrap: Bubblewrap, organiser: Organiser, service: Service
) -> None:
    relay = await Relay.open(Endpoint(service.address), bubblewrap.new_socket(), Limits(), "a-seat")
    async with neighbour(bubblewrap, organiser) as bot:
        running = bubblewrap.start(python(FRAMES + HELD, "pings", socket=relay.path))
        await said(running, "held")
        await bot.undisturbed(await bot.begins())
        await running.kill()
        assert running.remains() == []
    await relay.close()
    assert relay.connections == 0


@pytest.mark.exhaustive
async def test_a_bot_plays_on_a_service_with_tls(bubblewrap: Bubblewrap, need_tool: Callable[[str], Path]) -> None:
    openssl = need_tool("openssl")
    with short_folder() as folder:
        cert, key = folder / "cert.pem", folder / "key.pem"
        certify(openssl, cert, key)
        options = ["--tls-cert", str(cert), "--tls-key", str(key)]
        with Service(folder, *options) as service:
            service.start()
            address = f"localhost:{service.address.rpartition(':')[2]}"
            trust = grpc.ssl_channel_credentials(cert.read_bytes())
            async with Organiser(address, service.token, trust) as organiser:
                trusted = Endpoint(address, ca_cert=str(cert))
                async with neighbour(bubblewrap, organiser, service=trusted) as bot:
                    await bot.undisturbed(await bot.begins())
                # Whom the certificate does not vouch for gets no word of a bot.
                relay = await Relay.open(Endpoint(address, tls=True), bubblewrap.new_socket(), Limits(), "a-seat")
                ending, _ = await done(bubblewrap.start(python(FORGED, socket=relay.path)))
                assert (relay.up, relay.down) == (0, 0), ending
                await relay.close()
            assert_no_fault(service)


@pytest.mark.exhaustive
async def test_a_bot_on_node_plays_a_match_through_its_relay(
    bubblewrap: Bubblewrap,
    organiser: Organiser,
    tmp_path_factory: pytest.TempPathFactory,
    need_tool: Callable[[str], Path],
) -> None:
    LANGUAGES["node"].need(need_tool)
    project = built_project("node", tmp_path_factory)
    command = [str(need_tool("node").resolve()), str(project / "bot.js")]
    async with neighbour(bubblewrap, organiser, command, {project: project}) as bot:
        await bot.undisturbed(await bot.begins())
