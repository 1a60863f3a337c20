"""An account is suspended whose upload plays in a ladder: nobody waits for it, it loses nothing, and it comes back."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import (
    OPEN,
    author,
    call,
    create,
    number_of,
    playing_now,
    register,
    state_of,
    the_others_play_on,
    until,
)
from tests.support.arena.nodes import Node
from tests.support.arena.programs.entered import voids
from tests.support.arena.programs.uploads import GOOD, folder, over, send
from tests.support.arena.running import Service
from tests.support.arena.sandbox.sandboxes import isolation_if_possible
from tests.support.arena.standing import Arena

SLOW = GOOD.replace("return 0", "import time; time.sleep(len({p.bot for p in decision.match.players}) - 1); return 0")
"""It takes a second for a decision against others, and none in its check."""


@pytest.fixture(scope="module")
def isolation() -> Sequence[str]:
    """What is tested here is what a worker makes of bots that harm nobody."""
    return isolation_if_possible()


@pytest.mark.nightly("`api/test_accounts_in_play.py` has the same of a bot that its author runs")
def test_a_suspended_account_s_upload_is_left_out_loses_nothing_and_plays_again_by_itself(
    hosted: Service, arena: Arena, worker: Node
) -> None:
    create(arena, OPEN.format(name="barred", narrow=0))
    token = author(hosted, "jo")
    register(hosted, token, "jo-bot")
    sent = over(arena, token, send(arena, token, folder({"bot.py": SLOW}), "jo-bot"))
    assert sent.state == pb.SUBMISSION_STATE_ACCEPTED, sent
    entrant = f"jo-bot@{sent.version}"
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="barred", bot="jo-bot"), token)
    until(arena, lambda: playing_now(arena, "barred", entrant), "it is in the middle of a block")
    with hosted.client() as client:
        client.accounts.SuspendAccount(accounts_pb2.SuspendAccountRequest(account="jo", message="to look at it"))
        suspended = arena_pb2.ENTRY_STATE_SUSPENDED
        until(arena, lambda: state_of(arena, "barred", "jo-bot") == suspended, "it is suspended")
        until(arena, lambda: not playing_now(arena, "barred", entrant), "nothing of it is played")
        the_others_play_on(arena, "barred")
        assert set(voids(arena, "barred", entrant)) == {arena_pb2.VOID_CAUSE_SUSPENDED}
        before = number_of(arena, "barred", entrant)
        the_others_play_on(arena, "barred")
        assert not playing_now(arena, "barred", entrant)
        assert number_of(arena, "barred", entrant) == before
        client.accounts.ResumeAccount(accounts_pb2.ResumeAccountRequest(account="jo"))
    until(arena, lambda: number_of(arena, "barred", entrant) > before, "it plays again, by itself")
    assert state_of(arena, "barred", "jo-bot") == arena_pb2.ENTRY_STATE_PLAYING
    assert set(voids(arena, "barred", entrant)) == {arena_pb2.VOID_CAUSE_SUSPENDED}
    assert not [
        match for match in arena.matches("barred.1") if entrant in match.bots and match.HasField("forfeited_seat")
    ]
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="barred"))
