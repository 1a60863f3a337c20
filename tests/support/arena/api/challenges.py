"""Challenges of a standing arena, for tests: ladders with entries, who challenges them, and how that stands."""

from __future__ import annotations

from typing import Any

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import WAITING, author, call, create, register, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

FINISHED = arena_pb2.CHALLENGE_STATE_FINISHED
WAITS = arena_pb2.CHALLENGE_STATE_WAITING
PLAYS = arena_pb2.CHALLENGE_STATE_PLAYING


def ladder(arena: Arena, name: str, challenges: str = 'challenges = "anyone"', **changes: str) -> None:
    """Creates a ladder of which nothing is played, with the entries `first` and `random` of the arena's own."""
    definition = WAITING.format(name=name, narrow=25)
    for before, after in changes.items():
        assert before in definition
        definition = definition.replace(before, after)
    create(arena, f"{challenges}\n{definition}")


def entered(hosted: Service, arena: Arena, ladder: str, account: str, bot: str) -> str:
    """Returns a bot of a new author, entered in a ladder; the author's token."""
    token = author(hosted, account)
    register(hosted, token, bot)
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder=ladder, bot=bot), token)
    return token


def ask(arena: Arena, token: str | None, bot: str, blocks: int = 1, **more: Any) -> arena_pb2.Challenge:
    request = arena_pb2.CreateChallengeRequest(bot=bot, blocks=blocks, **more)
    answer: arena_pb2.CreateChallengeResponse = call(arena, "CreateChallenge", request, token)
    return answer.challenge


def show(arena: Arena, challenge: arena_pb2.Challenge, token: str | None = None) -> arena_pb2.Challenge:
    request = arena_pb2.GetChallengeRequest(challenge_id=challenge.challenge_id)
    answer: arena_pb2.GetChallengeResponse = call(arena, "GetChallenge", request, token)
    return answer.challenge


def wait_for(
    arena: Arena, challenge: arena_pb2.Challenge, state: arena_pb2.ChallengeState.ValueType = FINISHED
) -> arena_pb2.Challenge:
    """Returns the challenge, once it is in a state."""

    def reached() -> arena_pb2.Challenge | None:
        now = show(arena, challenge)
        return now if now.state == state else None

    found: arena_pb2.Challenge = until(arena, reached, f"challenge {challenge} reaches {state}")
    return found
