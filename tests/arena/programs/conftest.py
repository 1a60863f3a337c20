"""An arena with a worker that runs what is submitted, and what authors submit to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from fudaba.v1 import bots_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import author, register
from tests.support.arena.nodes import LIVES, Node, node
from tests.support.arena.programs.uploads import over, send
from tests.support.arena.running import Service, service
from tests.support.arena.sandbox.sandboxes import need_sandbox
from tests.support.arena.standing import Arena, standing
from tests.support.patience import PATIENCE

__all__ = ["need_sandbox"]


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    """Yields one that hands out its blocks, and takes all that a module's author sends."""
    most = "--uploads-per-day", "1000", "--build-minutes-per-day", "10000", "--upload-megabytes-per-day", "10000"
    with standing(hosted, "--workers", *most) as running:
        yield running


@pytest.fixture(scope="module")
def isolation(need_sandbox: None) -> Sequence[str]:
    """Returns the worker's options: a sandbox, unless a module says that its bots may do without
    (`isolation_if_possible`)."""
    return ()


@pytest.fixture(scope="module")
def worker(hosted: Service, arena: Arena, isolation: Sequence[str]) -> Iterator[Node]:
    """Yields one that runs submissions."""
    place = str(arena.folder / "data" / "submissions")
    with node(hosted, arena, "runs", "--submissions", place, *LIVES, *isolation) as running:
        yield running


@pytest.fixture(scope="module")
def alice(hosted: Service) -> str:
    """Returns the token of an author."""
    return author(hosted, "alice")


@pytest.fixture
def submit(hosted: Service, arena: Arena, alice: str, worker: Node) -> Callable[..., pb.Submission]:
    """Submits an archive for a bot, and waits until it is over."""

    def submitted(raw: bytes, bot: str, file: str = "bot.tar.gz", seconds: float = PATIENCE) -> pb.Submission:
        with hosted.client() as client:
            known = {listed.name for listed in client.bots.ListBots(bots_pb2.ListBotsRequest(), timeout=PATIENCE).bots}
        if bot not in known:
            register(hosted, alice, bot)
        return over(arena, alice, send(arena, alice, raw, bot, file), seconds)

    return submitted
