"""A sandboxed bot's connection is its seat's: whatever it calls, whatever it shows, it plays its match and no more."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any, NamedTuple

import pytest
import pytest_asyncio

from fudaba.v1 import accounts_pb2, matches_pb2
from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import SOCKET, Job
from fudaba_arena.tournament.limits import Limits
from fudaba_service.api.seat_connections import METHODS
from tests.support.arena.sandbox.bots import kit
from tests.support.arena.sandbox.sandboxes import done
from tests.support.folders import short_folder
from tests.support.service.bots import bearer
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import PATIENT, Entrant, Organiser
from tests.support.service.processes import Service

pytestmark = pytest.mark.asyncio(loop_scope="module")

MARK = "what-the-first-run-has-left"
UNKNOWN_LOOKUPS_COUNT = 150
"""More than the looks that an address has at once."""

FIRST = """
import json, os, secrets, sys
import grpc
from google.protobuf.message_factory import GetMessageClass
from fudaba._channel import service_error

match_id, mark = sys.argv[1:3]
channel = grpc.insecure_channel(os.environ["FUDABA_SERVER"])
own = (("authorization", "Bearer " + os.environ["FUDABA_TOKEN"]),)

def attempt(call):
    try:
        return "", call()
    except grpc.RpcError as error:
        return service_error(error).reason or error.code().name, None
"""

LEAVE = (
    FIRST
    + """
from fudaba.v1 import play_pb2, play_pb2_grpc
play = play_pb2_grpc.PlayServiceStub(channel)
for told in play.WatchSeat(play_pb2.WatchSeatRequest(match_id=match_id), metadata=own):
    if told.update.HasField("decision"):
        answer = play_pb2.Answer(match_id=match_id, decision_id=told.update.decision.decision_id, index=0, note=mark)
        play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=own)
        break
print(json.dumps("left"))
"""
)

FLOOD = (
    FIRST
    + """
from fudaba.v1 import accounts_pb2, accounts_pb2_grpc
accounts = accounts_pb2_grpc.AccountServiceStub(channel)

def unknown(_):
    metadata = (("authorization", f"Bearer fudaba-bot-{secrets.token_urlsafe(32)}"),)
    return attempt(lambda: accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=metadata))[0]

def guest(_):
    return attempt(lambda: accounts.CreateGuest(accounts_pb2.CreateGuestRequest()))[0]

print(json.dumps({"unknown": [unknown(n) for n in range(int(sys.argv[3]))], "guests": [guest(n) for n in range(5)]}))
"""
)

READ = (
    FIRST
    + """
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, catalog_pb2, matches_pb2, play_pb2

earlier, said = sys.argv[3], {}
for module in accounts_pb2, arena_pb2, bots_pb2, catalog_pb2, matches_pb2, play_pb2:
    for service in module.DESCRIPTOR.services_by_name.values():
        for method in service.methods:
            asks, answers = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
            path = f"/{service.full_name}/{method.name}"
            request = asks(match_id=earlier) if "match_id" in asks.DESCRIPTOR.fields_by_name else asks()
            kind = ("stream" if method.client_streaming else "unary") + "_"
            kind += "stream" if method.server_streaming else "unary"
            call = getattr(channel, kind)(path, asks.SerializeToString, answers.FromString)
            sent = iter([request]) if method.client_streaming else request
            for metadata in own, ():
                def answered():
                    got = call(sent, metadata=metadata, timeout=60)
                    return str(next(got, "") if method.server_streaming else got)
                reason, answer = attempt(answered)
                said.setdefault(path, []).append([reason, mark in (answer or "")])
for path in "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "/fudaba.v1.Nothing/Nothing":
    call = channel.stream_stream(path, None, None)
    said[path] = [[attempt(lambda: next(call(iter(()), metadata=own, timeout=60)))[0], False]]
call = channel.unary_unary("/grpc.health.v1.Health/Check", None, None)
said["/grpc.health.v1.Health/Check"] = [[attempt(lambda: call(b"", timeout=60))[0], False]]
print(json.dumps(said))
"""
)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service with two guests an hour of an address, which looks at a hundred tokens of an address at once."""
    with short_folder() as place:
        options = ("--guests", "--registrations-per-hour", "2", "--calls-per-second", "10")
        with Service(place, *options) as running:
            running.start()
            yield running
            assert_no_fault(running)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as client:
        yield client


async def ran(sandbox: Bubblewrap, organiser: Organiser, token: str, code: str, *arguments: str) -> Any:
    """Returns what a program in a sandbox of its own tells that plays a seat by its token."""
    relay = await Relay.open(organiser.endpoint, sandbox.new_socket(), Limits(), token)
    env = {"FUDABA_SERVER": f"unix:{SOCKET}", "FUDABA_TOKEN": token}
    job = Job(command=[sys.executable, "-c", code, *arguments], read_only=kit(), socket=relay.path, env=env)
    try:
        ending, output = await done(sandbox.start(job))
    finally:
        await relay.close()
    assert ending.code == 0, (ending, output)
    return json.loads(output)


class Seat(NamedTuple):
    """A seat of a match against the house."""

    match_id: str
    token: str
    """For this seat alone."""
    bot: Entrant


async def seat(organiser: Organiser) -> Seat:
    """Returns a new bot's seat."""
    bot = await organiser.entrant("thief")
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(house_bot="house-random")]
    request = matches_pb2.CreateMatchRequest(game="naga", seats=seats, clock=PATIENT)
    made = await organiser.matches.CreateMatch(request, metadata=bearer(bot.token))
    match_id = str(made.match.header.match_id)
    return Seat(match_id, await organiser.match_token(match_id, 0), bot)


async def test_a_bot_that_floods_its_relay_costs_nobody_else_a_look_at_a_token_or_a_guest(
    bubblewrap: Bubblewrap, organiser: Organiser
) -> None:
    own = await seat(organiser)
    said = await ran(bubblewrap, organiser, own.token, FLOOD, own.match_id, MARK, str(UNKNOWN_LOOKUPS_COUNT))
    # Some are refused for there being too many: of its own calls.
    assert set(said["unknown"]) <= {"WRONG_SCOPE", "TOO_FAST"}
    assert "WRONG_SCOPE" in said["unknown"]
    assert set(said["guests"]) <= {"WRONG_SCOPE", "TOO_FAST"}
    for _ in range(2):  # as many guests as an address may make
        made = await organiser.accounts.CreateGuest(accounts_pb2.CreateGuestRequest())
        assert made.token
    bots = [await organiser.entrant("good") for _ in range(20)]
    for bot in bots:
        identity = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(bot.token))
        assert identity.token.bot == bot.name


async def test_a_bot_reads_nothing_that_an_earlier_run_has_left_by_any_method_of_the_service(
    bubblewrap: Bubblewrap, organiser: Organiser
) -> None:
    earlier = await seat(organiser)
    await ran(bubblewrap, organiser, earlier.token, LEAVE, earlier.match_id, MARK)
    aborted = matches_pb2.AbortMatchRequest(match_id=earlier.match_id)
    await organiser.matches.AbortMatch(aborted, metadata=organiser.metadata)
    notes = matches_pb2.GetNotesRequest(match_id=earlier.match_id)
    left = await organiser.matches.GetNotes(notes, metadata=bearer(earlier.bot.token))
    assert MARK in str(left), "whoever is not in a sandbox reads it"
    now = await seat(organiser)
    said = await ran(bubblewrap, organiser, now.token, READ, now.match_id, MARK, earlier.match_id)
    assert said.pop("/grpc.health.v1.Health/Check") == [["", False]]
    assert not any(found for tries in said.values() for _, found in tries), said
    refused = {path: {reason for reason, _ in tries} for path, tries in said.items() if path not in METHODS}
    assert all(reasons <= {"WRONG_SCOPE", "TOO_FAST"} for reasons in refused.values()), refused
    assert {reason for reason, _ in said["/fudaba.v1.MatchService/GetMatch"]} == {"NOT_YOUR_MATCH"}
