"""`fudaba doctor installation` on real stores, certificates and folders: each fault has a state and a remedy."""

from __future__ import annotations

import json
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from redis import Redis

from fudaba.cli import cli
from fudaba_arena.sandbox.probe import Finding as Probed
from fudaba_serving.commands.installation import machine
from fudaba_serving.grpc.certificate_dates import BadCertificate, validity_of_der, validity_of_pem
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import short_folder

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)


@pytest.fixture
def folder() -> Iterator[Path]:
    with short_folder() as place:
        yield place


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FUDABA_REDIS", "FUDABA_ARENA_REDIS", "FUDABA_UP_DATA", "FUDABA_DATA", "FUDABA_WEB"):
        monkeypatch.delenv(name, raising=False)


def examined(*words: object) -> tuple[int, dict[str, dict[str, str]]]:
    """Returns the exit code, and the findings by name. The sandbox is left out."""
    arguments = ["doctor", "installation", "--no-sandbox", "--json", *map(str, words)]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code in {0, 1}, done.output
    findings = json.loads(done.stdout)
    for finding in findings:
        assert (finding["remedy"] == "") == (finding["state"] == "ok"), finding
    return done.exit_code, {finding["name"]: finding for finding in findings}


def certify(folder: Path, begin: datetime, end: datetime) -> tuple[Path, Path]:
    """Makes a certificate that is valid in this time, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    built = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    built = built.serial_number(7).not_valid_before(begin).not_valid_after(end)
    cert, key_file = folder / "cert.pem", folder / "key.pem"
    cert.write_bytes(built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    plain = serialization.NoEncryption()
    form = serialization.PrivateFormat.PKCS8
    key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, form, plain))
    return cert, key_file


@contextmanager
def speaking_tls(cert: Path, key: Path) -> Iterator[str]:
    """Yields an address that shows this certificate, once."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            plain, _ = listening.accept()
            with context.wrap_socket(plain, server_side=True) as secured:
                secured.recv(1)

        greeting = threading.Thread(target=greet)
        greeting.start()
        yield f"127.0.0.1:{listening.getsockname()[1]}"
        greeting.join()


@pytest.mark.parametrize("end", [NOW + DAY, datetime(2049, 12, 31, tzinfo=UTC), datetime(2061, 1, 2, tzinfo=UTC)])
def test_the_dates_of_a_certificate_are_read_as_openssl_wrote_them(folder: Path, end: datetime) -> None:
    cert, _ = certify(folder, NOW - DAY, end)
    content = cert.read_bytes()
    assert validity_of_pem(content) == (NOW - DAY, end)
    assert validity_of_der(ssl.PEM_cert_to_DER_cert(content.decode())) == (NOW - DAY, end)


@pytest.mark.parametrize("spoil", [lambda raw: b"", lambda raw: raw[:200], lambda raw: raw.replace(b"M", b"N")])
def test_what_is_no_certificate_has_no_dates(folder: Path, spoil: Callable[[bytes], bytes]) -> None:
    cert, _ = certify(folder, NOW - DAY, NOW + DAY)
    with pytest.raises(BadCertificate):
        validity_of_pem(spoil(cert.read_bytes()))


@pytest.mark.parametrize(
    ("begin", "end", "state", "words"),
    [
        (NOW - DAY, NOW + 60 * DAY, "ok", "60 days"),
        (NOW - DAY, NOW + 5 * DAY, "warning", "5 days"),
        (NOW - 9 * DAY, NOW - DAY, "failed", "expired"),
        (NOW + DAY, NOW + 60 * DAY, "failed", "not valid yet"),
    ],
)
def test_a_certificate_is_judged_by_its_dates(
    folder: Path, begin: datetime, end: datetime, state: str, words: str
) -> None:
    cert, key = certify(folder, begin, end)
    status, findings = examined("--cert", cert)
    assert findings[f"certificate {cert}"]["state"] == state
    assert words in findings[f"certificate {cert}"]["text"]
    assert status == (state == "failed")
    with speaking_tls(cert, key) as address:
        _, findings = examined("--address", address)
    assert findings[f"certificate of {address}"]["state"] == state


def test_a_certificate_that_does_not_fit_its_key_fails(folder: Path) -> None:
    cert, key = certify(folder, NOW - DAY, NOW + 60 * DAY)
    settings = folder / "fudaba.toml"
    settings.write_text(f'[serve]\ntls-cert = "{cert}"\ntls-key = "{key}"\n')
    assert examined("--config", settings)[1][f"certificate {cert}"]["state"] == "ok"
    (folder / "other").mkdir()
    certify(folder / "other", NOW - DAY, NOW + 60 * DAY)[1].replace(key)
    assert examined("--config", settings)[1][f"certificate {cert}"]["state"] == "failed"
    cert.unlink()
    assert "No such file" in examined("--config", settings)[1][f"certificate {cert}"]["text"]


def test_a_settings_file_with_a_mistake_is_refused_with_its_line(folder: Path) -> None:
    settings = folder / "fudaba.toml"
    settings.write_text("[serve]\nredi = 3\n")
    done = CliRunner().invoke(cli, ["doctor", "installation", "--config", str(settings)])
    assert (done.exit_code, f"{settings}:2:" in done.output) == (2, True)


@pytest.fixture
def store(folder: Path) -> Iterator[tuple[str, Redis]]:
    """Yields the URL of a store that is fit for a service, and a client."""
    with EmbeddedValkey(folder / "redis") as server, Redis.from_url(server.url) as client:
        client.config_set("maxmemory", 100_000_000)
        yield server.url, client


def test_a_fit_store_is_well_and_its_version_is_named(store: tuple[str, Redis]) -> None:
    status, findings = examined("--redis", store[0])
    of_store = {name: finding for name, finding in findings.items() if name.startswith("store of the service")}
    assert {finding["state"] for finding in of_store.values()} == {"ok"}
    assert "noeviction" in findings["store of the service"]["text"]
    assert status == 0


@pytest.mark.parametrize(
    ("setting", "value", "name", "state"),
    [
        ("maxmemory-policy", "allkeys-lru", "maxmemory-policy", "failed"),
        ("appendonly", "no", "appendonly", "warning"),
        ("appendfsync", "no", "appendfsync", "warning"),
        ("maxmemory", "1000000", "memory", "warning"),
    ],
)
def test_a_setting_with_which_a_store_loses_data_has_its_remedy(
    store: tuple[str, Redis], setting: str, value: str, name: str, state: str
) -> None:
    url, client = store
    client.config_set(setting, value)
    status, findings = examined("--arena-redis", url)
    assert findings[f"store of the arena, {name}"]["state"] == state
    assert status == (state == "failed")


def test_a_store_that_does_not_answer_fails_without_its_password(folder: Path) -> None:
    status, findings = examined("--redis", f"unix://{folder}/none.sock?password=secret", "--timeout", 1)
    assert findings["store of the service"]["state"] == "failed"
    assert status == 1
    assert "secret" not in json.dumps(findings)


def test_the_embedded_stores_and_the_disks_of_a_data_folder_are_examined(folder: Path) -> None:
    for part in ("service", "arena"):
        (folder / part).mkdir()
    with EmbeddedValkey(folder / "service" / "store"):
        _, findings = examined("--data", folder)
    assert findings["store of the service"]["state"] == "ok"
    assert {f"disk of {folder / part}" for part in ("service", "arena")} <= findings.keys()
    assert "store of the arena" not in findings
    _, findings = examined("--data", folder / "none")
    assert findings[f"disk of {folder / 'none'}"]["state"] == "failed"


def test_the_embedded_store_of_a_folder_in_the_settings_is_examined(folder: Path) -> None:
    settings = folder / "fudaba.toml"
    settings.write_text(f'[serve]\ndata = "{folder}"\n')
    with EmbeddedValkey(folder / "store"):
        _, findings = examined("--config", settings)
    assert findings["store of the service"]["state"] == "ok"


def test_an_embedded_store_that_does_not_run_is_a_warning(folder: Path) -> None:
    (folder / "store").mkdir()
    _, findings = examined("--data", folder)
    assert findings["store of the service"]["state"] == "warning"
    assert "was not examined" in findings["store of the service"]["text"]


def test_versions_and_limits_are_always_there() -> None:
    _, findings = examined()
    assert {"versions", "limit of files", "clock"} <= findings.keys()
    assert "Python 3." in findings["versions"]["text"]


def test_a_gateway_whose_clock_cannot_be_asked_fails() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    _, findings = examined("--web", f"http://127.0.0.1:{port}")
    assert findings[f"clock of http://127.0.0.1:{port}"]["state"] == "failed"


@contextmanager
def answering(date: datetime | None) -> Iterator[str]:
    """Yields the URL of a server that says this date, or none, once."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(4096)
                shown = date.strftime("date: %a, %d %b %Y %H:%M:%S GMT\r\n") if date else ""
                connection.sendall(f"HTTP/1.1 200 OK\r\n{shown}content-length: 0\r\n\r\n".encode())

        answering_thread = threading.Thread(target=answer)
        answering_thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        answering_thread.join()


@pytest.mark.parametrize(("ahead", "state"), [(0, "ok"), (-3600, "failed"), (3600, "failed")])
def test_the_clock_is_compared_with_a_gateways(ahead: int, state: str) -> None:
    with answering(datetime.now(UTC) + timedelta(seconds=ahead)) as url:
        _, findings = examined("--web", url)
    assert findings[f"clock of {url}"]["state"] == state


def test_a_gateway_that_sends_no_date_is_no_fault() -> None:
    with answering(None) as url:
        status, findings = examined("--web", url)
    assert (status, f"clock of {url}" in findings) == (0, False)


def test_doctor_alone_still_checks_the_way_to_a_service() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    done = CliRunner().invoke(cli, ["doctor", "--server", f"127.0.0.1:{port}", "--json"])
    assert [step["name"] for step in json.loads(done.stdout)] == ["name", "connection"]


@pytest.mark.parametrize(
    ("holds", "state", "words"),
    [
        ((True, True), "ok", "all 2 promises hold"),
        ((True, False), "warning", "does not enforce: memory"),
        ((), "warning", "was not tried"),
    ],
)
def test_the_sandbox_is_judged_by_what_a_worker_says_of_its_host(
    folder: Path, holds: tuple[bool, ...], state: str, words: str
) -> None:
    probed = [
        Probed(name, "a promise", held, "seen") for name, held in zip(("processes", "memory"), holds, strict=False)
    ]
    report = {"holds": all(holds), "findings": [asdict(finding) for finding in probed]}
    program = folder / "worker.py"
    program.write_text(f"print({json.dumps(json.dumps(report) if holds else 'no sandbox here')})")
    found = machine.sandbox([sys.executable, str(program)])
    assert (found.state, words in found.text) == (state, True)
