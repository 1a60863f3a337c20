"""What is played next, who is told, and why nothing is."""

from __future__ import annotations

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.front.ladders import author, call, create, register, until
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

HEAD = 'name = "{name}"\ngame = "naga"\noptions = {{ deals = 1 }}\n'
BOT = '[[bots]]\nname = "{name}"\nbuiltin = "first"\n'
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

    def told() -> bool:
        because = call(arena, "GetQueue", request, "").idle_because
        shown = arena.command("tournament", "queue", name).stdout
        return why in because and shown == f"nothing is played now: {because}\n"

    until(arena, told, why)


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
