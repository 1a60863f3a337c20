"""What authors install, as the page tells them."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from tests.service.processes import Service
from tests.web.conftest import Gateway, gateway

URL = "https://play.example.org/dist/fudaba-0.1.0-py3-none-any.whl"
SHA256 = "0123456789abcdef" * 4


def test_nothing_is_offered_until_somebody_says_what(web: Gateway) -> None:
    assert web.http.get("/wheel").json() == {"url": "", "sha256": ""}


def test_the_wheel_is_told_with_its_hash(hosted: Service) -> None:
    with gateway(hosted.folder, hosted.address, "", "--wheel", f"{URL}#sha256={SHA256}") as one:
        assert one.http.get("/wheel").json() == {"url": URL, "sha256": SHA256}


@pytest.mark.parametrize(
    "said",
    [
        "fudaba",
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
    assert "is no wheel with its hash: write https://HOST/" in " ".join(refused.output.split())
