"""A Redis as providers offer it: TLS alone, a user with few rights, and no CONFIG."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.certificates import certify
from tests.support.patience import until
from tests.support.service.bots import play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Process, Service, free_port

RIGHTS = "on >secret ~fudaba:* ~{fudaba:* &fudaba:* +@all -@dangerous -@admin +info"
"""As docs/operations.md has them."""


@pytest.mark.exhaustive
async def test_a_match_is_played_on_a_redis_with_tls_and_a_user_with_few_rights(
    folder: Path, need_tool: Callable[[str], Path]
) -> None:
    openssl, redis = need_tool("openssl"), str(need_tool("redis-server"))
    cert, key, port = folder / "cert.pem", folder / "key.pem", free_port()
    certify(openssl, cert, key)
    (folder / "users.acl").write_text(f"user default off\nuser service {RIGHTS}\n")
    options = ["--port", "0", "--tls-port", str(port), "--tls-cert-file", str(cert), "--tls-key-file", str(key)]
    options += ["--tls-auth-clients", "no", "--tls-ca-cert-file", str(cert), "--aclfile", str(folder / "users.acl")]
    options += ["--appendonly", "yes", "--dir", str(folder)]
    url = f"rediss://service:secret@localhost:{port}/0?ssl_ca_certs={cert}"
    with Process(folder, "redis") as server, Service(folder, "--redis", url) as service:
        server.launch([redis, *options])
        await until(lambda: "Ready to accept connections" in server.log or not server.running)
        assert server.running, server.log
        plain = Service(folder, "--redis", f"redis://service:secret@localhost:{port}/0", name="plain")
        said = await asyncio.to_thread(plain.refuses_to_start)
        assert "talks TLS there: write rediss:// instead of redis://" in said
        await asyncio.to_thread(service.start)
        assert "it does not show its settings" in service.log
        async with Organiser(service.address, service.token) as organiser:
            pair = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(*pair)
            await play_match(*organiser.by_chance(*pair))
            assert await organiser.record(match_id)
        assert service.terminate() == 0, service.log
        assert_no_fault(service)
