"""Bots in sandboxes play whole matches: in Python and on Node, over a plain connection and over TLS."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import grpc
import pytest

from fudaba.client import Endpoint
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.limits import Limits
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import Cause, Sandbox
from tests.arena.sandbox.bots import neighbour
from tests.arena.sandbox.conftest import done, python
from tests.clients.conftest import node_bot
from tests.service.conftest import assert_no_fault
from tests.service.organiser import Organiser
from tests.service.processes import Service, short_folder

__all__ = ["node_bot"]
pytestmark = pytest.mark.asyncio(loop_scope="module")

FORGED = """
import os, socket
service = socket.socket(socket.AF_UNIX)
service.connect("/run/fudaba/service.sock")
service.sendall(b"PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n" + os.urandom(100_000))
while service.recv(65_536): pass
"""


def certify(openssl: Path, cert: Path, key: Path) -> None:
    """A certificate for this machine."""
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    command = [str(openssl), "req", "-x509", *curve, *name, "-days", "2", "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)


async def test_a_bot_plays_a_match_through_its_relay(sandbox: Sandbox, organiser: Organiser) -> None:
    async with neighbour(sandbox, organiser) as bot:
        await bot.undisturbed(await bot.begins())
        assert bot.relay.up > 0
        assert bot.relay.down > 0
        ending = await bot.running.kill()
    assert ending.cause is Cause.KILLED


async def test_forged_frames_harm_nobody_but_their_sender(
    bubblewrap: Bubblewrap, organiser: Organiser, service: Service
) -> None:
    relay = await Relay.open(Endpoint(service.address), bubblewrap.new_socket(), Limits())
    async with neighbour(bubblewrap, organiser) as bot:
        match_id = await bot.begins()
        await done(bubblewrap.start(python(FORGED, socket=relay.path)))
        assert relay.up > 100_000
        await bot.undisturbed(match_id)
    await relay.close()
    assert service.running


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
                relay = await Relay.open(Endpoint(address, tls=True), bubblewrap.new_socket(), Limits())
                ending, _ = await done(bubblewrap.start(python(FORGED, socket=relay.path)))
                assert (relay.up, relay.down) == (0, 0), ending
                await relay.close()
            assert_no_fault(service)


@pytest.mark.exhaustive
async def test_a_bot_on_node_plays_a_match_through_its_relay(
    bubblewrap: Bubblewrap, organiser: Organiser, node_bot: Path, need_tool: Callable[[str], Path]
) -> None:
    command = [str(need_tool("node").resolve()), str(node_bot / "dist" / "src" / "main.js")]
    async with neighbour(bubblewrap, organiser, command, {node_bot: node_bot}) as bot:
        await bot.undisturbed(await bot.begins())
