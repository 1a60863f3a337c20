"""What authors install, as the page tells them."""

from __future__ import annotations

import zipfile
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway

URL = "https://play.example.org/dist/fudaba-0.1.0-py3-none-any.whl"
SHA256 = "0123456789abcdef" * 4


def test_nothing_is_offered_until_somebody_says_what(web: Gateway) -> None:
    assert web.http.get("/wheel").json() == {"url": "", "sha256": ""}


def test_the_wheel_is_told_with_its_hash(hosted: Service) -> None:
    with gateway(hosted.folder, hosted.address, "", "--wheel", f"{URL}#sha256={SHA256}") as running:
        assert running.http.get("/wheel").json() == {"url": URL, "sha256": SHA256}


@pytest.mark.parametrize(
    "said",
    [
        URL,
        f"{URL}#sha256=0123",
        f"{URL}#md5={SHA256}",
        f"https://x/$(id).whl#sha256={SHA256}",
        f"https://x/'.whl#sha256={SHA256}",
        f"https://x/fudaba.tar.gz#sha256={SHA256}",
    ],
)
def test_what_is_no_wheel_with_its_hash_is_refused_with_what_to_write(said: str) -> None:
    refused = CliRunner().invoke(cli, ["web", "--wheel", said])
    assert refused.exit_code == 2
    assert "is not a wheel with its hash: write https://HOST/" in " ".join(refused.output.split())


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "fudaba-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("fudaba/__init__.py", "")
    return path


def test_a_file_is_served_with_the_hash_that_is_told_whatever_becomes_of_it(hosted: Service, wheel: Path) -> None:
    content = wheel.read_bytes()
    with gateway(hosted.folder, hosted.address, "", "--wheel", str(wheel)) as running:
        wheel.write_bytes(b"another")
        link = running.http.get("/wheel").json()
        assert link == {"url": f"/wheel/{wheel.name}", "sha256": sha256(content).hexdigest()}
        answer = running.http.get(link["url"])
        assert answer.content == content
        again = running.http.get(link["url"], headers={"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304
        assert running.http.get("/wheel/fudaba-9.whl").status_code == 404


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("fudaba", None, "does not have the name of a Fudaba wheel"),
        ("fudaba-0.1.0.tar.gz", b"", "does not have the name of a Fudaba wheel"),
        ("other-0.1.0-py3-none-any.whl", b"", "does not have the name of a Fudaba wheel"),
        ("fudaba-$(id)-py3-none-any.whl", b"", "does not have the name of a Fudaba wheel"),
        ("fudaba-0.1.0-py3-none-any.whl", None, "cannot be read: No such file or directory; in a clone, `scripts/page"),
        ("fudaba-0.1.0-py3-none-any.whl", b"PK", "it is no zip archive"),
    ],
)
def test_a_file_that_is_no_wheel_is_refused_with_what_to_do(
    tmp_path: Path, name: str, content: bytes | None, said: str
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    refused = CliRunner().invoke(cli, ["web", "--wheel", str(tmp_path / name)])
    assert refused.exit_code == 2
    assert said in " ".join(refused.output.split())
