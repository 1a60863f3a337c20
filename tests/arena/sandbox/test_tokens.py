"""What a bot can do with the token of its match: play its seat, for as long as the match goes on, and nothing else."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from fudaba.v1 import matches_pb2
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import SOCKET, Job
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.bots import kit, neighbour
from tests.support.arena.sandbox.sandboxes import done
from tests.support.service.organiser import PATIENT, Organiser

pytestmark = pytest.mark.asyncio(loop_scope="module")

TRIES = """
import json, sys
import grpc
from fudaba._channel import service_error
from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2, play_pb2

server, token, own, other = sys.argv[1:]
hello = play_pb2.PlayRequest(hello=play_pb2.Hello())
who = [("authorization", f"Bearer {token}")]
said = {}
with Client(server, token) as client:
    tries = {
        "play": lambda: next(client.play.Play(iter([hello]), timeout=60, metadata=who)),
        "resign": lambda: client.matches.ResignMatch(matches_pb2.ResignMatchRequest(match_id=own)),
        "resign another match": lambda: client.matches.ResignMatch(matches_pb2.ResignMatchRequest(match_id=other)),
        "abort": lambda: client.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=own)),
        "create a match": lambda: client.matches.CreateMatch(matches_pb2.CreateMatchRequest(game="naga")),
        "read another match": lambda: client.matches.GetRecord(matches_pb2.GetRecordRequest(match_id=other)),
        "another seat's token": lambda: client.accounts.CreateMatchToken(
            accounts_pb2.CreateMatchTokenRequest(match_id=own, seat=1)
        ),
        "a bot's token": lambda: client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="good")),
        "list bots": lambda: client.bots.ListBots(bots_pb2.ListBotsRequest()),
        "list accounts": lambda: client.accounts.ListAccounts(accounts_pb2.ListAccountsRequest()),
    }
    for name in tries:
        try:
            tries[name]()
        except ServiceError as error:
            said[name] = error.reason
        except grpc.RpcError as error:
            said[name] = service_error(error).reason
        else:
            said[name] = ""
print(json.dumps(said))
"""


async def tried(sandbox: Bubblewrap, organiser: Organiser, token: str, own: str, other: str) -> Any:
    """Returns the reasons for which a program in a sandbox of its own is refused that tries all it can with a token."""
    relay = await Relay.open(organiser.endpoint, sandbox.new_socket(), Limits(), token)
    command = [sys.executable, "-c", TRIES, f"unix:{SOCKET}", token, own, other]
    job = Job(command=command, read_only=kit(), socket=relay.path)
    ending, output = await done(sandbox.start(job))
    await relay.close()
    assert ending.code == 0, (ending, output)
    return json.loads(output)


async def test_a_token_is_good_for_one_seat_of_one_match_wherever_it_is_used(
    bubblewrap: Bubblewrap, organiser: Organiser
) -> None:
    async with neighbour(bubblewrap, organiser) as good:
        others = await good.begins()
        own = await organiser.match(await organiser.entrant("thief"), await organiser.entrant("other"), clock=PATIENT)
        token = await organiser.match_token(own, 0)
        said = await tried(bubblewrap, organiser, token, own, others)
        assert said.pop("play") == ""  # it may play, though it cannot resign before the match has begun
        assert all(said.values()), said
        await good.undisturbed(others)
        await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=own), metadata=organiser.metadata)
        # For an hour it is still known, so that its bot hears of the end; there is nothing left to do with it.
        after = await tried(bubblewrap, organiser, token, own, others)
        assert after.pop("resign") == "MATCH_OVER"
        assert after.pop("play") == ""
        assert after["read another match"] == "WRONG_SCOPE"  # what is over anybody may read, but from a sandbox
        assert all(after.values()), after
