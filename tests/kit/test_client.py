"""The kit's clients where the service comes and goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import catalog_pb2
from tests.support.kit.served import Served
from tests.support.patience import wait_until


def answers(client: Client) -> bool:
    """Returns whether the service answers a call; it has far longer for that than it needs."""
    try:
        return bool(client.catalog.ListGames(catalog_pb2.ListGamesRequest(), timeout=60).games)
    except ServiceError:
        return False


@pytest.mark.parametrize("begins", [pytest.param("refused", marks=pytest.mark.exhaustive), "connected"])
def test_a_client_finds_the_service_that_starts_after_calls_were_refused(tmp_path: Path, begins: str) -> None:
    served = Served(tmp_path)
    with Client(f"unix:{tmp_path}/s") as client:
        if begins == "connected":
            served.start()
            assert answers(client)
            served.kill()
        for _ in range(3):
            assert not answers(client)
        served.start()
        try:
            wait_until(lambda: answers(client), "the service answers the same client")
        finally:
            served.kill()
