"""The commands that are printed for oneself and for others: they can be typed as they are."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fudaba.cli import cli
from fudaba.cli.connection import Connection

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.folders import short_folder
from tests.support.service.processes import Service

FROM_ELSEWHERE = {"FUDABA_SERVER": None, "FUDABA_TLS": None, "FUDABA_CA_CERT": None, "FUDABA_TOKEN": None}


def typed(line: str, token: str = "", code: int = 0) -> Result:
    """Returns what a shell does with a line, where no variable is set but the token's."""
    words = shlex.split(line)
    assert words[0] == "fudaba"
    result = CliRunner().invoke(cli, words[1:], env=FROM_ELSEWHERE | {"FUDABA_TOKEN": token or None})
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory, need_tool: Callable[[str], Path]) -> Iterator[tuple[Service, str]]:
    """Yields a service over TLS, and the options that name it; the authority's file has a blank in its name."""
    folder = tmp_path_factory.mktemp("tls") / "with blank"
    folder.mkdir()
    key, cert = folder / "key.pem", folder / "ca.pem"
    subprocess.run(
        [need_tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    with short_folder() as place, Service(place, "--tls-cert", str(cert), "--tls-key", str(key)) as running:
        running.start()
        yield running, f"--server {running.address} --tls --ca-cert {shlex.quote(str(cert))}"


def test_a_friend_and_the_creator_can_type_what_is_printed(secure: tuple[Service, str], tmp_path: Path) -> None:
    service, where = secure
    tokens = [typed(f"fudaba bot create {name} {where}", service.token).stdout.strip() for name in ("anna", "bert")]
    made = typed(f"fudaba match create naga --seat invite --seat open {where}", service.token)
    lines = re.findall(r"^seat \d: .*?: (fudaba match join .*)$", made.stderr, re.MULTILINE)
    assert len(lines) == 2
    for seat, (line, token) in enumerate(zip(lines, tokens, strict=True)):
        file = tmp_path / f"token {seat}"
        file.write_text(token)
        joined = typed(f"{line} --token-file {shlex.quote(str(file))}")
        assert f"seat {seat} of a match" in joined.stderr
        [mine] = re.findall(r"play yourself: (fudaba play .*)$", joined.stderr, re.MULTILINE)
        assert mine.endswith(f"{where} --token-file {shlex.quote(str(file))}")
        assert "needs a terminal" in typed(mine, code=1).stderr


def test_a_command_names_what_leads_to_the_service_and_no_token() -> None:
    far = Connection("play.example.org:7710", "secret", tls=True, ca_cert="", token_file="t")
    assert far.command("play", "--match", "m-1") == "fudaba play --match m-1 --server play.example.org:7710 --tls"
    assert far.command("x", own=True) == "fudaba x --server play.example.org:7710 --tls --token-file t"


def test_the_usual_address_is_named_only_where_a_variable_says_another(monkeypatch: pytest.MonkeyPatch) -> None:
    near = Connection("127.0.0.1:7710", "secret", tls=False, ca_cert="")
    monkeypatch.delenv("FUDABA_SERVER", raising=False)
    assert near.command("match", "join", "m-1") == "fudaba match join m-1"
    monkeypatch.setenv("FUDABA_SERVER", "elsewhere:1")
    assert near.command("match", "join", "m-1") == "fudaba match join m-1 --server 127.0.0.1:7710"
