"""A service of a test module's own where an address gets few accounts and guests, and its gateway, without an arena."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, hosting, token_for_gateways, trusting_gateway

REGISTRATIONS_PER_HOUR: Final = 2
"""The number of accounts that an address gets here, and as many guests."""


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with hosting(REGISTRATIONS_PER_HOUR) as running:
        yield running


@pytest.fixture(scope="module")
def gateway_token(hosted: Service) -> Path:
    return token_for_gateways(hosted)


@pytest.fixture(scope="module")
def web(hosted: Service) -> Iterator[Gateway]:
    with trusting_gateway(hosted) as running:
        yield running
