"""The recipe of docs/backups.md that backs up a service and its arena: as printed, and restored of two moments."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from fudaba.v1 import arena_pb2
from fudaba_arena.audit.export import export
from fudaba_arena.audit.verify import verify
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.tournament.season import season_name
from tests.support.arena.api.ladders import OPEN, blocks, call, create, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import FUDABA
from tests.support.wheels import ROOT

BEGINS = "## A service and an arena in folders of their own"
NOTICED = "the arena's store is older than its service"


def recipe() -> str:
    page = (ROOT / "docs" / "backups.md").read_text(encoding="utf-8")
    return textwrap.dedent(page.partition(BEGINS)[2].partition("```\n")[2].partition("```")[0])


def backed_up(service: Service, arena: Arena, home: Path) -> Path:
    """Returns where the recipe, as printed, has restored what it backed up of both, which go on meanwhile."""
    (home / "backups").mkdir(parents=True)
    (home / "fudaba").symlink_to(service.folder / "data")
    (home / "fudaba-arena").symlink_to(arena.folder / "data")
    script = recipe().replace("/backups", str(home / "backups"))
    path = f"{FUDABA.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", script],
        env=os.environ | {"HOME": str(home), "PATH": path},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return home / "restored"


def counting(arena: Arena) -> tuple[dict[int, arena_pb2.Block], set[str]]:
    """Returns the blocks that count, by their numbers, and the ids of the matches that do."""
    matches = arena.matches(season_name("kept", 1))
    ids = {match.match_id for match in matches if match.counting == arena_pb2.MATCH_COUNTING_COUNTED}
    return {block.number: block for block in blocks(arena, "kept")}, ids


@contextmanager
def restored(of_service: Path, of_arena: Path, tokens: Path) -> Iterator[Arena]:
    """Yields an arena that is not started yet, on a service that is: both with what was restored."""
    with short_folder() as place, short_folder() as other:
        shutil.copytree(of_service, place / "data")
        for name in ("token", "arena-token"):
            shutil.copy(tokens / name, place)
        service = Service(place)
        arena = Arena(service, other)
        shutil.copytree(of_arena, arena.folder / "data")
        try:
            yield arena
        finally:
            service.stop()


def play_on(arena: Arena, more: int) -> None:
    known = len(blocks(arena, "kept"))
    until(arena, lambda: len(blocks(arena, "kept")) >= known + more, "blocks are played")


@pytest.mark.nightly(
    "`test_restored.py` restores an older folder of an arena, and the tests of backups run both commands"
)
async def test_an_older_backup_of_the_arena_beside_its_service_plays_on_and_counts_no_other_match(
    hosted: Service, tmp_path: Path
) -> None:
    with standing(hosted) as arena:
        create(arena, OPEN.format(name="kept", narrow=0))
        play_on(arena, 2)
        first = await asyncio.to_thread(backed_up, hosted, arena, tmp_path / "first")
        play_on(arena, 3)
        second = await asyncio.to_thread(backed_up, hosted, arena, tmp_path / "second")
        assert arena.stop() == 0
    with restored(second / "service", first / "arena", hosted.folder) as arena:
        arena.start()
        play_on(arena, 3)
        assert NOTICED in arena.output
        assert "MATCH_EXISTS" not in arena.output
        assert arena.stop() == 0
        async with open_to_read(arena.folder / "data", None) as store:
            state = await stored_state(store, season_name("kept", 1), keep_blocks=True)
        assert state is not None
        state.stored.closed = True
        assert verify([json.dumps(line) for line in export(state)]).faults == []


@pytest.mark.nightly(
    "`test_restored.py` restores an older folder of an arena, and the tests of backups run both commands"
)
async def test_an_older_backup_of_the_service_beside_its_arena_plays_on_and_keeps_all_that_counted(
    hosted: Service, tmp_path: Path
) -> None:
    with standing(hosted) as arena:
        create(arena, OPEN.format(name="kept", narrow=0))
        play_on(arena, 2)
        first = await asyncio.to_thread(backed_up, hosted, arena, tmp_path / "first")
        play_on(arena, 3)
        second = await asyncio.to_thread(backed_up, hosted, arena, tmp_path / "second")
        assert arena.stop() == 0
    with restored(first / "service", second / "arena", hosted.folder) as arena:
        arena.start()
        before, ids = counting(arena)
        assert len(before) >= 5
        play_on(arena, 3)
        after, later_ids = counting(arena)
        assert {number: after.get(number) for number in before} == before, "what counted counts, as it was"
        assert ids < later_ids
        assert NOTICED not in arena.output
        assert not any(word in arena.output for word in ("MATCH_EXISTS", "fault ", "Traceback"))
        request = arena_pb2.ListBlocksRequest(tournament="kept", state=arena_pb2.BLOCK_STATE_VOID, page_size=1000)
        void = call(arena, "ListBlocks", request, "").blocks
        assert {block.void_cause for block in void} <= {arena_pb2.VOID_CAUSE_LOST, arena_pb2.VOID_CAUSE_STOPPED}
        assert not any(block.absent_bots for block in void), "what the service lacks is put down to nobody"
        assert arena.stop() == 0
        async with open_to_read(arena.folder / "data", None) as store:
            state = await stored_state(store, season_name("kept", 1), keep_blocks=True)
        assert state is not None
        state.stored.closed = True
        assert verify([json.dumps(line) for line in export(state)]).faults == []
