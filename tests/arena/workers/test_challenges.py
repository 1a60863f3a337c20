"""Challenges that workers play: below what is rated, with bots of any kind, whatever restarts."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba.v1 import arena_pb2
from fudaba_arena.store.answers import key
from tests.support.arena.api.challenges import PLAYS, ask, ladder, show, wait_for
from tests.support.arena.api.ladders import author, call, playing, register, until
from tests.support.arena.commands.tournaments import PLAYER, RANDOM, SENSIBLE, bot, head
from tests.support.arena.nodes import check_whole, node
from tests.support.arena.running import Service, gated
from tests.support.arena.standing import Arena
from tests.support.service.processes import RedisServer


def passed_over(arena: Arena, name: str) -> arena_pb2.Challenge:
    """Returns a challenge that waits for room, on which no worker has begun."""
    while True:
        asked = ask(arena, None, "first", 1, with_bot="random", ladder=name)

        def settled(asked: arena_pb2.Challenge = asked) -> arena_pb2.Challenge | None:
            now = show(arena, asked)
            return now if now.state == PLAYS or now.cause == arena_pb2.CHALLENGE_CAUSE_NO_ROOM else None

        if until(arena, settled, "it waits for room, or is handed out").state != PLAYS:
            return asked
        # The rated block was not known yet to wait for a worker.
        call(arena, "CancelChallenge", arena_pb2.CancelChallengeRequest(challenge_id=asked.challenge_id))


@pytest.mark.exhaustive
def test_workers_play_rated_blocks_first(hosted: Service, arena: Arena, redis: RedisServer) -> None:
    ladder(arena, "below")
    arena.create(head("above", blocks=1) + SENSIBLE + RANDOM)
    with redis.client() as client:
        until(arena, lambda: client.exists(key("above", "block:0")), "a rated block is there for workers")
    challenge = passed_over(arena, "below")
    with node(hosted, arena, "single", "--blocks", "1"):
        check_whole(arena, "above")
        over = wait_for(arena, challenge)
    rated = [match.end.end_time.ToMilliseconds() for match in hosted.matches("above").values()]
    begun = [match.start_time.ToMilliseconds() for match in hosted.matches(over.label).values()]
    assert (len(rated), len(begun)) == (2, 2)
    assert min(begun) >= max(rated)


@pytest.mark.exhaustive
def test_commands_and_remote_bots_play_challenges_and_an_arena_that_is_killed_goes_on(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    command = bot("program", PLAYER, env=gated(gate))
    ladder(arena, "kinds", **{'[[bots]]\nname = "first"\nbuiltin = "first"\n': command})
    token = author(hosted, "kate")
    register(hosted, token, "kim")
    with playing(hosted, tmp_path, token, "kim", "2"), node(hosted, arena, "mixed"):
        challenge = ask(arena, token, "program", 2, with_bot="kim", ladder="kinds")
        until(arena, lambda: show(arena, challenge).state == PLAYS and hosted.matches(challenge.label), "it is played")
        arena.kill()
        gate.touch()
        arena.start()
        over = wait_for(arena, challenge)
    assert (over.blocks_counted, over.matches_counted) == (2, 4)
    assert over.commitment == challenge.commitment
