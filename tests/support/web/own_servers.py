"""A service, an arena and a gateway of a test module's own: it counts what there is, or changes what all see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.arena.standing import Arena
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, arena_on, hosting, token_for_gateways, trusting_gateway


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with hosting() as running:
        yield running


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    with arena_on(hosted) as running:
        yield running


@pytest.fixture(scope="module")
def gateway_token(hosted: Service) -> Path:
    return token_for_gateways(hosted)


@pytest.fixture(scope="module")
def web(hosted: Service, arena: Arena) -> Iterator[Gateway]:
    with trusting_gateway(hosted, arena) as running:
        yield running
