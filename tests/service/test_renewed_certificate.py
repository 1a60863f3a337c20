"""A certificate that is renewed in two halves while a service serves: streams go on, and health and metrics say it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import grpc
import httpx
from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.certificates import certify
from tests.support.patience import until
from tests.support.service.bots import Stream
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service, free_port


def health(port: str, trusted: Path) -> str:
    """Returns what `fudaba health` says over a new connection; empty if it does not come about."""
    done = CliRunner().invoke(cli, ["health", "--server", f"localhost:{port}", "--ca-cert", str(trusted)])
    return done.stdout if done.exit_code == 0 else ""


def unusable(metrics: str) -> bool:
    page = httpx.get(f"http://{metrics}/metrics").text
    return "\nfudaba_tls_certificate_unusable 1.0" in page


async def test_a_stream_goes_on_while_a_renewal_comes_in_halves(
    folder: Path, need_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    openssl, cert, key = need_tool("openssl"), tmp_path / "cert.pem", tmp_path / "key.pem"
    certify(openssl, cert, key)
    before = tmp_path / "before.pem"
    before.write_bytes(cert.read_bytes())
    trust = grpc.ssl_channel_credentials(before.read_bytes())
    metrics = f"127.0.0.1:{free_port()}"
    options = ("--tls-cert", str(cert), "--tls-key", str(key), "--metrics", metrics)
    with Service(folder, *options, listen="127.0.0.1:0") as service:
        service.start()
        port = service.address.rpartition(":")[2]
        async with Organiser(f"localhost:{port}", service.token, trust) as organiser:
            entrant = await organiser.entrant()
            async with Stream(f"localhost:{port}", entrant.token, trust) as stream:
                assert (await stream.hello()).bot == entrant.name
                certify(openssl, tmp_path / "next.pem", tmp_path / "next-key.pem")
                (tmp_path / "next-key.pem").replace(key)
                await until(lambda: unusable(metrics), "the half that is written is reported")
                assert "the renewed one on its disk cannot be used" in health(port, before)
                (tmp_path / "next.pem").replace(cert)
                await until(
                    lambda: health(port, cert).endswith(" serves\n"), "new connections are shown the renewed one"
                )
                assert not health(port, before)
                assert not unusable(metrics)
                match_id = await organiser.match(entrant, await organiser.entrant())
                assert (await stream.update()).match_id == match_id
