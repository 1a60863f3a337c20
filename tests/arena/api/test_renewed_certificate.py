"""A standing arena whose certificate is renewed in two halves: health and metrics say it, new connections see it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.arena.running import Service
from tests.support.arena.scraping import value_at
from tests.support.arena.standing import standing
from tests.support.certificates import certify
from tests.support.patience import wait_until
from tests.support.service.processes import free_port

UNUSABLE = "fudaba_tls_certificate_unusable"


def health(port: int, trusted: Path) -> str:
    """Returns what `fudaba health` says over a new connection; empty if it does not come about."""
    done = CliRunner().invoke(cli, ["health", "--server", f"localhost:{port}", "--ca-cert", str(trusted)])
    return done.stdout if done.exit_code == 0 else ""


def test_a_renewal_in_halves_is_reported_until_it_is_whole(
    hosted: Service, need_tool: Callable[[str], Path], tmp_path: Path
) -> None:
    openssl, cert, key = need_tool("openssl"), tmp_path / "cert.pem", tmp_path / "key.pem"
    certify(openssl, cert, key)
    before = tmp_path / "before.pem"
    before.write_bytes(cert.read_bytes())
    port, metrics = free_port(), free_port()
    listen = ("--listen", f"127.0.0.1:{port}", "--metrics", f"127.0.0.1:{metrics}")
    with standing(hosted, *listen, "--tls-cert", str(cert), "--tls-key", str(key)):
        assert health(port, before).endswith(" serves\n")
        certify(openssl, tmp_path / "next.pem", tmp_path / "next-key.pem")
        (tmp_path / "next.pem").replace(cert)
        wait_until(lambda: "cannot be used" in health(port, before), "the half that is written is reported")
        assert value_at(metrics, UNUSABLE) == 1
        (tmp_path / "next-key.pem").replace(key)
        wait_until(lambda: health(port, cert).endswith(" serves\n"), "new connections are shown it")
        assert value_at(metrics, UNUSABLE) == 0
