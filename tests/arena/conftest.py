"""What tests of whole runs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.arena.running import Service, service


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    """Yields a service of the module's own. Each test has a tournament with a name of its own."""
    with service() as running:
        yield running
