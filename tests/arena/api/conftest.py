"""What tests of a standing arena share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    """Yields an arena of the module's own."""
    with standing(hosted) as running:
        yield running
