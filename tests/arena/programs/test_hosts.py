"""A submitted bot's block on several hosts: which worker plays which sitting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import call, create, register, until
from tests.support.arena.nodes import Node, node
from tests.support.arena.programs.entered import ONE, counted, enter
from tests.support.arena.programs.uploads import GOOD, folder, over, send
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.patience import wait_until

ROOMY = "--heartbeat", "600", "--bots", "64", "--cores", "64"
"""No worker counts as dead or has no room, however much else the machine does."""
OTHER = "other hosts that play submitted bots: 1"
"""What a worker says that knows of one."""
Start = Callable[..., Node]


@pytest.fixture
def other(hosted: Service) -> Iterator[Arena]:
    with standing(hosted, "--workers") as running:
        yield running


@pytest.fixture
def start(hosted: Service, other: Arena) -> Iterator[Start]:
    """Starts a worker that is told its host."""
    with ExitStack() as stack:

        def started(host: str, *options: str) -> Node:
            place = str(other.folder / "data" / "submissions")
            sandbox = "--submissions", place, "--unsafe-no-sandbox", "--host", host
            return stack.enter_context(node(hosted, other, f"n-{host}", *sandbox, *options))

        yield started


def play(hosted: Service, arena: Arena, alice: str, bot: str, blocks: int) -> str:
    """Plays this many blocks of a ladder with a submitted bot; returns its name there."""
    register(hosted, alice, bot)
    submission = over(arena, alice, send(arena, alice, folder({"bot.py": GOOD}), bot))
    create(arena, ONE.format(name=bot, narrow=0))
    enter(arena, alice, bot, bot)
    entrant = f"{bot}@{submission.version}"
    until(arena, lambda: len(counted(arena, bot, entrant)) >= blocks, f"{bot} has played {blocks} blocks")
    call(arena, "LeaveLadder", arena_pb2.LeaveLadderRequest(ladder=bot, bot=bot), alice)
    return entrant


def sittings(arena: Arena, ladder: str, entrant: str) -> dict[tuple[int, int], list[str]]:
    """Returns the workers that played each deal of the blocks that count, by block and deal."""
    counting = {block.number for block in counted(arena, ladder, entrant)}
    found: dict[tuple[int, int], list[str]] = defaultdict(list)
    for match in arena.json("arena", "matches", "--tournament", f"{ladder}.1"):
        if match["block"] in counting:
            found[match["block"], match["deal"]].append(match["worker"])
    return found


@pytest.mark.nightly("`workers/test_hosts.py` has the next sitting at a deal on another host where there is one")
def test_the_sittings_of_a_deal_are_on_different_hosts_where_there_are_two(
    hosted: Service, other: Arena, alice: str, start: Start
) -> None:
    nodes = [start("rack-1", *ROOMY), start("rack-2", *ROOMY)]
    wait_until(lambda: all(OTHER in peer.output for peer in nodes), "each knows of the other")
    listed = other.json("arena", "workers", "--data", str(other.folder / "data"))["workers"]
    host_of = {row["name"]: row["host"] for row in listed}
    assert set(host_of.values()) == {"rack-1", "rack-2"}
    entrant = play(hosted, other, alice, "apart", 3)
    found = sittings(other, "apart", entrant)
    assert len(found) >= 3
    for workers in found.values():
        assert len(workers) == 2
        assert {host_of[worker] for worker in workers} == {"rack-1", "rack-2"}


@pytest.mark.nightly("`workers/test_hosts.py` loses no sitting and doubles none, whichever workers die")
def test_when_the_other_host_dies_this_one_plays_all_sittings_and_none_is_lost(
    hosted: Service, other: Arena, alice: str, start: Start
) -> None:
    stays, dies = start("rack-1"), start("rack-2")
    wait_until(lambda: OTHER in stays.output, "it knows of the other")
    register(hosted, alice, "left")
    submission = over(other, alice, send(other, alice, folder({"bot.py": GOOD}), "left"))
    create(other, ONE.format(name="left", narrow=0))
    enter(other, alice, "left", "left")
    entrant = f"left@{submission.version}"
    until(other, lambda: counted(other, "left", entrant), "a block has been played")
    dies.die()
    before = len(counted(other, "left", entrant))
    until(other, lambda: len(counted(other, "left", entrant)) >= before + 3, "the others are played")
    counting = [block.number for block in counted(other, "left", entrant)]
    assert len(counting) == len(set(counting))
    found = sittings(other, "left", entrant)
    assert {len(workers) for workers in found.values()} == {2}
    assert any(set(workers) == {stays.name} for workers in found.values())
