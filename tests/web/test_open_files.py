"""Callers cannot use up the files that a gateway itself needs."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Final

import httpx
import pytest

from tests.support.descriptors import MAX_FILES, STARTS_WITH_FEW, connected, none_left, open_files
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service
from tests.support.web.gateways import NO_TLS, Gateway, gateway

LIST: Final = "CatalogService/ListGames"
HALF_A_BODY: Final = (
    b"POST /fudaba.v1.CatalogService/ListGames HTTP/1.1\r\nHost: x\r\n"
    b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
)
WAITS: Final = "import fudaba_web.server as server; server._IDLE_SECONDS = server._MAX_PAUSE_SECONDS = {}"


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_idle_connections_leave_a_gateway_its_files_and_its_callers_an_answer(hosted: Service, tmp_path: Path) -> None:
    limited = Gateway(tmp_path, hosted.address, "", first=f"{STARTS_WITH_FEW}; {WAITS.format(3_600)}")
    try:
        assert f"may have {MAX_FILES} files open, so it accepts {MAX_FILES // 2} connections" in limited.output
        assert limited.answer(LIST)
        address = limited.url.removeprefix("http://")
        with connected(address, 2 * MAX_FILES, b"GET / HTTP/1.1\r\n", PATIENCE):
            wait_until(lambda: open_files(limited.process.pid) < MAX_FILES - 20, "the further ones are closed")
            assert limited.answer(LIST), "a caller that was there before goes on"
            with (
                httpx.Client(base_url=limited.url, timeout=PATIENCE, verify=NO_TLS) as further,
                pytest.raises(httpx.TransportError),
            ):
                further.get("/")
        with httpx.Client(base_url=limited.url, timeout=PATIENCE, verify=NO_TLS) as later:

            def serves() -> bool:
                try:
                    return later.post(f"/fudaba.v1.{LIST}", json={}).is_success
                except httpx.TransportError:
                    return False  # it has not read yet that the others have gone

            wait_until(serves, "there is room when the others have gone")
        assert "Too many open files" not in limited.output
        assert "Traceback" not in limited.output
        assert limited.close() == 0
    finally:
        limited.process.kill()


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="sets the limit of another process")
def test_a_gateway_that_has_no_file_left_for_a_while_serves_its_callers_and_later_everybody(
    hosted: Service, tmp_path: Path
) -> None:
    with gateway(tmp_path, hosted.address) as crowded:
        assert crowded.answer(LIST)
        with none_left(crowded.process.pid):
            assert crowded.answer(LIST), "a caller that was there before goes on"
            with (
                httpx.Client(base_url=crowded.url, timeout=1.0, verify=NO_TLS) as further,
                pytest.raises(httpx.TransportError),
            ):
                further.get("/")
        with httpx.Client(base_url=crowded.url, timeout=PATIENCE, verify=NO_TLS) as later:
            assert later.post(f"/fudaba.v1.{LIST}", json={}).is_success


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HTTP/1.1\r\nHost: ",
        HALF_A_BODY,
    ],
)
def test_a_gateway_closes_a_connection_whose_request_does_not_come_whole(
    hosted: Service, tmp_path: Path, begun: bytes
) -> None:
    limited = Gateway(tmp_path, hosted.address, "", first=WAITS.format(0.5))
    try:
        with (
            connected(limited.url.removeprefix("http://"), 1, begun, PATIENCE) as [connection],
            contextlib.suppress(ConnectionResetError),  # that is an end, too
        ):
            assert connection.recv(1) == b""
        assert limited.answer(LIST)
        assert "Traceback" not in limited.output
        assert limited.close() == 0
    finally:
        limited.process.kill()
