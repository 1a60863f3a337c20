"""The host of a worker fails: what it cannot start is no bot's fault, and it plays again once it can."""

from __future__ import annotations

from pathlib import Path

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import call, create, state_of, until
from tests.support.arena.programs.entered import ONE, counted, enter, voids
from tests.support.arena.programs.runtimes import alice, arena, extra, hosted, submit, worker
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

__all__ = ["alice", "arena", "extra", "hosted"]


def test_a_runtime_that_vanishes_is_the_hosts_fault_and_bots_play_on_when_it_is_back(
    arena: Arena, hosted: Service, alice: str, extra: Path
) -> None:
    with worker(arena, hosted, "upgraded", extra) as upgraded:
        submission = submit(arena, hosted, alice, "steady", runtime='"python-extra"')
        entrant = f"steady@{submission.version}"
        create(arena, ONE.format(name="upgrades", narrow=0))
        enter(arena, alice, "upgrades", "steady")
        until(arena, lambda: counted(arena, "upgrades", entrant), "it has played a block")
        away = extra.rename(extra.with_name("away"))
        until(
            arena, lambda: "runtime python-extra does not work here any more" in upgraded.output, "the worker says so"
        )
        until(arena, lambda: voids(arena, "upgrades", entrant), "what it played is void")
        assert set(voids(arena, "upgrades", entrant)) == {arena_pb2.VOID_CAUSE_HOST}
        before = len(counted(arena, "upgrades", entrant))
        away.rename(extra)
        until(arena, lambda: len(counted(arena, "upgrades", entrant)) > before, "it plays on by itself")
        assert "this host runs bots again; this worker plays again" in upgraded.output
        assert state_of(arena, "upgrades", "steady") == arena_pb2.ENTRY_STATE_PLAYING
        matches = [match for match in arena.matches("upgrades.1") if entrant in match.bots]
        assert not [match for match in matches if match.HasField("forfeited_seat")]
        assert set(voids(arena, "upgrades", entrant)) == {arena_pb2.VOID_CAUSE_HOST}
        call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="upgrades"))
