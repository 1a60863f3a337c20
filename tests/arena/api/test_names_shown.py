"""Names that would control a terminal, or pass for others: nobody can bring one in, wherever names are shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, matches_pb2, record_pb2
from fudaba.v1 import submissions_pb2 as pb
from tests.support.arena.api.ladders import OPEN, author, register
from tests.support.arena.running import Service, service
from tests.support.arena.standing import Arena, standing

EVIL = ("\x1b[2J", "\x07", "a\nb", "\u202e", "\x9b31m", "\u200b")
LADDER = OPEN.format(name="shown", narrow=0)
Call = Callable[[Client, str], Any]


def named(text: str) -> str:
    """As TOML has it."""
    return "".join(f"\\u{ord(char):04x}" if not char.isalnum() else char for char in text)


OF_SERVICE: dict[str, Call] = {
    "bot": lambda to, evil: to.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"a{evil}")),
    "author": lambda to, evil: to.bots.CreateBot(bots_pb2.CreateBotRequest(name="shown-1", author=f"A{evil}")),
    "first version": lambda to, evil: to.bots.CreateBot(bots_pb2.CreateBotRequest(name="shown-2", version=f"1{evil}")),
    "version": lambda to, evil: to.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot="known", version=f"2{evil}")),
    "account": lambda to, evil: to.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=f"a{evil}")),
    "display name": lambda to, evil: to.accounts.CreateAccount(
        accounts_pb2.CreateAccountRequest(name="shown-3", display_name=f"A{evil}")
    ),
    "token's label": lambda to, evil: to.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="known", label=f"l{evil}")),
    "match": lambda to, evil: to.matches.CreateMatch(
        matches_pb2.CreateMatchRequest(game="naga", match_id=f"m{evil}", players=2 * [record_pb2.Player(bot="known")])
    ),
    "match's label": lambda to, evil: to.matches.CreateMatch(
        matches_pb2.CreateMatchRequest(
            game="naga", label=f"l{evil}", several_seats=True, players=2 * [record_pb2.Player(bot="known")]
        )
    ),
}
OF_ARENA: dict[str, Call] = {
    "ladder": lambda to, evil: to.arena.CreateLadder(
        arena_pb2.CreateLadderRequest(definition=LADDER.replace("shown", f"shown{named(evil)}", 1))
    ),
    "bot of a ladder": lambda to, evil: to.arena.CreateLadder(
        arena_pb2.CreateLadderRequest(definition=LADDER.replace('name = "random"', f'name = "random{named(evil)}"'))
    ),
    "submission": lambda to, evil: to.arena.CreateSubmission(
        pb.CreateSubmissionRequest(bot="known", submission_id=f"s{evil}", file="a.py", size=1, sha256=bytes(32))
    ),
    "submission's file": lambda to, evil: to.arena.CreateSubmission(
        pb.CreateSubmissionRequest(bot="known", file=f"a{evil}.py", size=1, sha256=bytes(32))
    ),
    "submission's message": lambda to, evil: to.arena.CreateSubmission(
        pb.CreateSubmissionRequest(bot="known", file="a.py", message=f"m{evil}", size=1, sha256=bytes(32))
    ),
}


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    with standing(hosted) as running:
        register(hosted, author(hosted, "knower"), "known")
        yield running


@pytest.mark.parametrize("evil", EVIL, ids=ascii)
def test_no_name_comes_in_that_cannot_be_shown(hosted: Service, arena: Arena, evil: str) -> None:
    for calls, client in ((OF_SERVICE, hosted.client()), (OF_ARENA, arena.client())):
        with client as to:
            for call_name in calls:
                with pytest.raises(ServiceError) as refusal:
                    calls[call_name](to, evil)
                assert refusal.value.code == "INVALID_ARGUMENT", (call_name, refusal.value)
                assert str(refusal.value).isprintable(), (call_name, refusal.value)
