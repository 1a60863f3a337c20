"""`fudaba up --takeover` between two releases: the later one takes over from the earlier one, and that one again."""

from __future__ import annotations

import asyncio

import pytest

from fudaba.client import Client
from fudaba.v1 import arena_pb2
from tests.support.folders import short_folder
from tests.support.fudaba_up import Up, up
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.in_progress import match_in_progress
from tests.support.service.organiser import Organiser
from tests.support.takeovers import LADDER, UNHURRIED, blocks, check_played_on, pausing
from tests.support.upgrade.releases import HANDS_OVER, installed

FURTHER_BLOCKS_COUNT = 3


@pytest.mark.nightly("`serving/commands/test_takeover.py` has this release take over from itself")
async def test_a_ladder_and_a_match_go_on_through_an_upgrade_and_back() -> None:
    earlier = installed(HANDS_OVER)
    with short_folder() as place, up(folder=place, log="earlier", packages=earlier) as former:
        await asyncio.to_thread(former.wait_until_up)
        service, token = f"unix:{place}/s", (place / "d" / "organiser.token").read_text().strip()
        with Client(former.arena, token) as client:
            client.arena.CreateLadder(arena_pb2.CreateLadderRequest(definition=LADDER), timeout=PATIENCE)
        await asyncio.to_thread(plays_on, former, 0)
        go_on = asyncio.Event()
        async with (
            Organiser(service, token) as organiser,
            match_in_progress(organiser, [service], UNHURRIED, pausing(go_on)) as match,
        ):
            before = blocks(former.arena)
            with up("--takeover", folder=place, log="later") as later:
                await asyncio.to_thread(taken_over, later, former)
                await asyncio.to_thread(plays_on, later, len(before))
                between = blocks(later.arena)
                check_played_on(before, between)
                with up("--takeover", folder=place, log="back", packages=earlier) as back:
                    await asyncio.to_thread(taken_over, back, later)
                    await asyncio.to_thread(plays_on, back, len(between))
                    check_played_on(between, blocks(back.arena))
                    assert not match.playing.done()
                    go_on.set()
                    await match.check(organiser)
                    assert all(player.connections > 1 for player in match.players)
                    back.process.terminate()
                    assert back.process.wait(PATIENCE) == 0, back.log


def taken_over(now: Up, former: Up) -> None:
    """Returns once one has taken over from the other, which has then ended well."""
    now.wait_until_up()
    assert former.process.wait(PATIENCE) == 0, former.log
    assert f"took over from process {former.process.pid} of release" in now.log


def plays_on(site: Up, number: int) -> None:
    """Returns once further blocks of the ladder are over, beyond this number."""
    reached = number + FURTHER_BLOCKS_COUNT
    wait_until(lambda: len(blocks(site.arena)) >= reached, lambda: f"the ladder goes on: {site.log}")
