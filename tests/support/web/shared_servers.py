"""A service, an arena and a gateway that the test modules of a folder share, one after another in a process.

To start them takes longer than most tests. What a module finds there others have left: it gives names of its own to
what it makes, and counts nothing else. One that cannot has its own: `own_servers.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext
from pathlib import Path
from typing import Any, Final, TypeVar

import pytest

from tests.support.arena.standing import Arena
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, arena_on, hosting, token_for_gateways, trusting_gateway

Entered = TypeVar("Entered")


class Standing:
    """The contexts that are entered once, and left with the last test of a folder."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._entered: dict[str, Any] = {}
        self._checks: dict[str, Callable[[], bool]] = {}

    def enter(
        self,
        name: str,
        begin: Callable[[], AbstractContextManager[Entered]],
        runs: Callable[[Entered], bool] = lambda entered: True,
    ) -> Entered:
        """Returns what goes by this name, which is begun if it does not stand yet;

        `runs` says whether it still does.
        """
        if name not in self._entered:
            begun = self._stack.enter_context(begin())
            self._entered[name] = begun
            self._checks[name] = lambda: runs(begun)
        found: Entered = self._entered[name]
        return found

    def once(self, name: str, make: Callable[[], Entered]) -> Entered:
        """Returns what goes by this name, which is made if it is not there yet."""
        return self.enter(name, lambda: nullcontext(make()))

    def leave_behind(self, item: pytest.Item, following: pytest.Item | None) -> None:
        """Leaves all, unless the test that follows is in the same folder.

        Where a module has ended what others share, its last test says so, and the next module starts all anew.
        """
        if following is None or following.path.parent != item.path.parent:
            self.leave()
        elif following.path != item.path:
            self.check(item.path.name)

    def check(self, module: str) -> None:
        """Fails, and leaves all, if some of it no longer runs after a module."""
        ended = [name for name, runs in self._checks.items() if not runs()]
        if ended:
            fault = AssertionError(f"what modules share no longer runs after {module}: {', '.join(ended)}")
            try:
                self.leave()
            except Exception as error:
                raise fault from error
            raise fault

    def leave(self) -> None:
        """Leaves all, what was entered last first."""
        self._entered.clear()
        self._checks.clear()
        self._stack.close()


STANDING: Final = Standing()


@pytest.fixture(scope="module")
def hosted() -> Service:
    return STANDING.enter("service", hosting, lambda service: service.running)


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Arena:
    return STANDING.enter("arena", lambda: arena_on(hosted), lambda arena: arena.process.poll() is None)


@pytest.fixture(scope="module")
def gateway_token(hosted: Service) -> Path:
    return token_for_gateways(hosted)


@pytest.fixture(scope="module")
def web(hosted: Service, arena: Arena) -> Gateway:
    return STANDING.enter(
        "gateway", lambda: trusting_gateway(hosted, arena), lambda gateway: gateway.process.poll() is None
    )
