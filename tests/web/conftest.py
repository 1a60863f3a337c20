"""A gateway as a process, before a real service and a real arena."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from tests.support.web.shared_servers import STANDING, arena, gateway_token, hosted, web

__all__ = ["arena", "gateway_token", "hosted", "web"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Ends what the tests share, after the last of them."""
    try:
        return (yield)
    finally:
        STANDING.leave_behind(item, nextitem)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Does so where a run was cut off."""
    STANDING.leave()
