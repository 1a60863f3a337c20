"""A gateway shows a renewed certificate without a restart."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.support.certificates import certify
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import free_port
from tests.support.web.gateways import Gateway, gateway


def answers(web: Gateway, trust: ssl.SSLContext) -> bool:
    """Returns whether it answers over a new connection, to somebody with this trust."""
    try:
        page = httpx.get(web.url.replace("127.0.0.1", "localhost"), verify=trust, timeout=PATIENCE)
    except httpx.ConnectError:
        return False
    return page.status_code == 200


@pytest.mark.exhaustive
def test_new_connections_are_shown_the_renewed_certificate(need_tool: Callable[[str], Path]) -> None:
    with short_folder() as folder:
        cert, key = folder / "cert.pem", folder / "key.pem"
        certify(need_tool("openssl"), cert, key)
        before = ssl.create_default_context(cafile=str(cert))
        shown = ("--tls-cert", str(cert), "--tls-key", str(key))
        with gateway(folder, f"127.0.0.1:{free_port()}", "", *shown) as web:
            assert answers(web, before)
            certify(need_tool("openssl"), cert, key)
            after = ssl.create_default_context(cafile=str(cert))
            wait_until(lambda: answers(web, after), "the renewed certificate is shown")
            assert not answers(web, before)
