"""What is played next, who is told, and why nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import (
    OPEN,
    author,
    blocks,
    call,
    create,
    playing,
    playing_now,
    register,
    until,
)
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

HEAD = 'name = "{name}"\ngame = "naga"\noptions = {{ deals = 1 }}\n'
BOT = '[[bots]]\nname = "{name}"\nbuiltin = "first"\n'
NEVER = """\
import asyncio
import fudaba

class Never(fudaba.Bot):
    async def choose(self, _):
        await asyncio.sleep(100_000)
"""
"""A bot that does not answer."""
TWO = BOT.format(name="one") + BOT.format(name="two")


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "rest", "why"),
    [
        ("nobody", "", "nobody is entered"),
        (
            "single",
            BOT.format(name="one"),
            "needs 2 bots of different authors, and of those who are entered there is 1",
        ),
        (
            "family",
            "".join(BOT.format(name=name) + 'author = "Ann"\n' for name in ("ann-1", "ann-2")),
            "needs 2 bots of different authors, and of those who are entered there is 1",
        ),
        ("future", "[season]\nbegins = 2100-01-01T00:00:00Z\n" + TWO, "the season begins at 2100-01-01 00:00:00 UTC"),
        (
            "certain",
            "narrow = 1000\nprovisional_blocks = 1\n" + TWO,
            "every entry has played 1 block or more, and has an interval of ± 1000 or less",
        ),
    ],
)
def test_a_ladder_of_which_nothing_is_played_says_why(arena: Arena, name: str, rest: str, why: str) -> None:
    create(arena, HEAD.format(name=name) + rest)
    request = arena_pb2.GetQueueRequest(tournament=name)

    def says_so() -> bool:
        queue = call(arena, "GetQueue", request, "")
        because = queue.idle_because
        assert bool(queue.idle_reason.cause) == bool(because)
        shown = arena.command("tournament", "queue", name).stdout
        return why in because and shown == f"nothing is played now: {because}\n"

    until(arena, says_so, why)


@pytest.mark.exhaustive
def test_who_is_absent_is_not_counted_among_those_who_could_play(hosted: Service, arena: Arena) -> None:
    create(arena, HEAD.format(name="lonely") + BOT.format(name="one"))
    token = author(hosted, "ida")
    register(hosted, token, "away")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="lonely", bot="away"), token)
    request = arena_pb2.GetQueueRequest(tournament="lonely")
    why = "needs 2 bots of different authors, and of those who are here there is 1"
    until(arena, lambda: why in call(arena, "GetQueue", request, "").idle_because, why)


def test_a_ladder_that_is_paused_says_that_and_not_that_nothing_is_left(arena: Arena) -> None:
    create(arena, HEAD.format(name="resting") + TWO, paused=True)
    why = "it is paused; its organiser resumes it with `fudaba ladder resume resting`"
    assert arena.command("tournament", "queue", "resting").stdout == f"nothing is played now: {why}\n"


def test_a_hidden_queue_is_the_organiser_s_alone(hosted: Service, arena: Arena) -> None:
    create(arena, HEAD.format(name="secret") + 'queue = "organiser"\n' + TWO)
    request = arena_pb2.GetQueueRequest(tournament="secret")
    for token in ("", author(hosted, "joe")):
        refusal = arena.refusal("GetQueue", request, token)
        assert refusal.reason == "ORGANISER_ONLY"
        assert "shows nobody else what secret.1 plays next" in refusal.message
    call(arena, "GetQueue", request)


@pytest.mark.exhaustive
def test_the_queue_says_who_holds_what_since_when_and_what_each_has_used(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    create(arena, OPEN.format(name="room", narrow=0) + "\n[clock]\nmove_ms = 600000\n")
    until(arena, lambda: blocks(arena, "room"), "the two others play")
    token = author(hosted, "nora")
    register(hosted, token, "never")
    (tmp_path / "never.py").write_text(NEVER)
    with playing(hosted, tmp_path, token, "never", "1", program=f"{tmp_path / 'never.py'}:Never"):
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="room", bot="never"), token)
        [held] = until(arena, lambda: playing_now(arena, "room", "never@1"), "it is in a block")
        answer = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament="room"), "")
        newest = call(arena, "GetQueue", arena_pb2.GetQueueRequest(tournament="room", shares_size=1), "")
        shown = arena.command("tournament", "queue", "room").stdout
        as_json = arena.json("tournament", "queue", "room")
    call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder="room"))
    by_entry = {share.entry: share for share in answer.shares}
    assert by_entry.keys() == {"first", "random", "never"}
    assert (answer.more_shares, len(newest.shares), newest.more_shares) == (0, 1, 2)
    never, first = by_entry["never"], by_entry["first"]
    assert (never.blocks, never.matches) == (1, 2)
    assert never.since == held.begin_time
    assert held.begin_time.ToMilliseconds() > 0
    assert (never.used_seconds, never.share, never.waits) == (0, 0, False)
    assert first.used_seconds > 0
    assert sum(share.share for share in answer.shares) == pytest.approx(1)
    assert [share.due_share for share in answer.shares] == pytest.approx([1 / 3] * 3)
    assert f"in play since {held.begin_time.ToDatetime():%Y-%m-%d %H:%M:%S}" in shown
    assert "blocks in play" in shown
    [printed_share] = [row for row in as_json["shares"] if row["entry"] == "never"]
    assert printed_share["blocks"] == 1
    assert printed_share["matches"] == 2
