"""What test modules share ends with none of them, or is told and begun anew."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.web.shared_servers import Standing


class Server:
    """Something that can end."""

    runs = True


def entered(standing: Standing, left: list[str], name: str = "service") -> Server:
    @contextmanager
    def begun() -> Iterator[Server]:
        yield Server()
        left.append(name)

    return standing.enter(name, begun, lambda server: server.runs)


def test_what_runs_stands_for_the_next_module() -> None:
    standing, left = Standing(), list[str]()
    first = entered(standing, left)
    standing.check("test_first.py")
    assert entered(standing, left) is first
    assert left == []


def test_the_module_that_has_ended_a_server_is_named_and_the_next_gets_all_anew() -> None:
    standing, left = Standing(), list[str]()
    first, gateway = entered(standing, left), entered(standing, left, "gateway")
    first.runs = False
    with pytest.raises(AssertionError, match=r"no longer runs after test_first\.py: service$"):
        standing.check("test_first.py")
    assert left == ["gateway", "service"]
    standing.check("test_second.py")
    assert entered(standing, left) is not first
    assert entered(standing, left, "gateway") is not gateway
