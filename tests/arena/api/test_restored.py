"""An older backup of the arena beside its service: what the backup lacks is noticed, and does not come again."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba import records
from fudaba.cli import cli
from fudaba.v1 import record_pb2
from fudaba_arena.audit.export import export
from fudaba_arena.audit.verify import verify
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.tournament.season import season_name
from tests.support.arena.api.ladders import CALM, blocks, create, until
from tests.support.arena.running import Service
from tests.support.arena.scraping import value_at
from tests.support.arena.standing import Arena, standing
from tests.support.service.processes import free_port
from tests.support.sizes import some

NOTICED = "the arena's store is older than its service"
SEVERAL = some(4, 2)
"""Blocks of a ladder that are played before and after each step."""


@pytest.mark.exhaustive
async def test_a_restored_ladder_plays_on_with_ids_and_deals_of_its_own(hosted: Service, tmp_path: Path) -> None:
    port, season = free_port(), season_name("restored", 1)
    with standing(hosted, "--metrics", f"127.0.0.1:{port}") as arena:
        data = arena.folder / "data"
        create(arena, CALM.format(name="restored", narrow=0))
        play_on(arena, 0)
        assert arena.stop() == 0
        shutil.copytree(data, tmp_path / "backup")
        arena.start()
        play_on(arena, len(blocks(arena, "restored")))
        assert NOTICED not in arena.output, "an arena that was only started again has all that its service has"
        assert health(arena) == f"{arena.address} serves\n"
        assert NOTICED not in await status(data)
        assert arena.stop() == 0
        before = {match_id: seats(match.header) for match_id, match in hosted.matches(season).items()}

        shutil.rmtree(data)
        shutil.copytree(tmp_path / "backup", data)
        arena.start()
        until(arena, lambda: NOTICED in arena.output, "the arena notices it")
        play_on(arena, len(blocks(arena, "restored")))
        assert value_at(port, "fudaba_arena_restored_total") == 1
        until(arena, lambda: "older than its service" in health(arena), "health tells")
        shown = await status(data)
        assert f"{season}: on " in shown
        assert NOTICED in shown
        [listed] = json.loads(await status(data, "--json"))["tournaments"]
        assert [restored["unknown_matches"] > 0 for restored in listed["restored"]] == [True]
        assert "MATCH_EXISTS" not in arena.output
        assert arena.stop() == 0
        arena.start()
        play_on(arena, len(blocks(arena, "restored")))
        assert arena.output.count(NOTICED) == 1, "it is noticed once"
        assert arena.stop() == 0

        async with open_to_read(data, None) as store:
            state = await stored_state(store, season, keep_blocks=True)
        assert state is not None
        state.stored.closed = True
        lines = [json.dumps(line) for line in export(state)]
    counted = [line for line in map(json.loads, lines) if line["kind"] == "match" and line["counts"]]
    fresh = {line["match_id"] for line in counted} - before.keys()
    assert fresh
    for line in counted:
        match_id = line["match_id"]
        (tmp_path / f"{match_id}{records.SUFFIX}").write_bytes(records.pack(hosted.record(match_id)))
    report = verify(lines, records=tmp_path)
    assert (report.faults, report.records) == ([], len(counted))
    seeds = {hosted.record(match_id).seed for match_id in fresh}
    assert seeds.isdisjoint(hosted.record(match_id).seed for match_id in before)


def health(arena: Arena) -> str:
    return arena.command("health", "--server", arena.address).stdout


async def status(data: Path, *options: str) -> str:
    """Returns what `fudaba arena status` prints, which has an event loop of its own."""
    words = ["arena", "status", "--data", str(data), *options]
    return (await asyncio.to_thread(CliRunner().invoke, cli, words)).stdout


def play_on(arena: Arena, known: int) -> None:
    """Returns when some more blocks count."""
    until(arena, lambda: len(blocks(arena, "restored")) >= known + SEVERAL, "blocks are played")


def seats(header: record_pb2.MatchHeader) -> list[str]:
    return [f"{player.bot}@{player.version}" for player in header.players]
