"""Every role and every method: who may call what is what the contract says."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest
from google.protobuf import message_factory
from grpc import aio

from fudaba.v1 import accounts_pb2, bots_pb2, catalog_pb2, matches_pb2, play_pb2
from fudaba_serving.grpc.policy import NOBODY, ROLES, Reach, policy_at
from tests.support.folders import short_folder
from tests.support.service.bots import bearer, reason_of
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service

METHODS = {
    f"/{service.full_name}/{method.name}": method
    for module in (catalog_pb2, bots_pb2, matches_pb2, play_pb2, accounts_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
}
PERMISSIONS = {path: policy_at(path).reaches for path in METHODS}
SAMPLED = {NOBODY, "bot", "author"}
"""The roles that a sample looks at."""
CLOSED = {"TOKEN_MISSING", "ORGANISER_ONLY", "BOT_ONLY", "WRONG_SCOPE"}
"""What a caller is told whom the policy does not let in."""


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service that has guests."""
    with short_folder() as place, Service(place, "--guests", "--registrations-per-hour", "1000") as running:
        yield running.start()
        assert running.terminate() == 0, running.log


Tokens = dict[str, Callable[[], Awaitable[str]]]


@pytest.fixture
async def tokens(organiser: Organiser) -> Tokens:
    """Returns a new token of each role."""

    async def bot() -> str:
        return (await organiser.entrant()).token

    async def nobody() -> str:
        return ""

    def other(scope: str) -> Callable[[], Awaitable[str]]:
        async def make() -> str:
            return (await organiser.token(scope)).token

        return make

    async def match() -> str:
        pair = await organiser.entrant(), await organiser.entrant()
        return await organiser.match_token(await organiser.match(*pair), 0)

    async def author() -> str:
        request = accounts_pb2.CreateAccountRequest(name=f"author-{secrets.token_hex(4)}")
        return str((await organiser.accounts.CreateAccount(request, metadata=organiser.metadata)).token)

    async def guest() -> str:
        return str((await organiser.accounts.CreateGuest(accounts_pb2.CreateGuestRequest())).token)

    others = {scope: other(scope) for scope in ("arena", "gateway", "organiser")}
    return {NOBODY: nobody, "bot": bot, "match": match, "author": author, "guest": guest, **others}


async def answer(organiser: Organiser, method: str, token: str) -> str:
    """Returns the reason for which an empty request is refused; empty when it is not."""
    descriptor = METHODS[method]
    request = message_factory.GetMessageClass(descriptor.input_type)()
    response: Any = message_factory.GetMessageClass(descriptor.output_type)
    metadata = bearer(token) if token else None
    codec = (type(request).SerializeToString, response.FromString)
    try:
        if descriptor.client_streaming:
            stream: Any = organiser.channel.stream_stream(method, *codec)(metadata=metadata)
            await stream.done_writing()
            await stream.read()
            await stream.code()
        elif descriptor.server_streaming:
            await organiser.channel.unary_stream(method, *codec)(request, metadata=metadata).read()
        else:
            await organiser.channel.unary_unary(method, *codec)(request, metadata=metadata)
    except aio.AioRpcError as error:
        return reason_of(error)
    return ""


@pytest.mark.parametrize(
    "role", [pytest.param(role, marks=[] if role in SAMPLED else [pytest.mark.exhaustive]) for role in ROLES]
)
async def test_whom_the_table_lets_in_is_let_in_and_nobody_else(
    organiser: Organiser, tokens: Tokens, role: str
) -> None:
    for method, row in PERMISSIONS.items():
        # A new token each time: some of these calls end it.
        reason = await answer(organiser, method, await tokens[role]())
        if row[role] is Reach.NONE:
            assert reason in CLOSED, (method, role, reason)
            assert (reason == "TOKEN_MISSING") == (role == NOBODY)
        elif method.endswith("/CreateAccount") and role == NOBODY:
            assert reason == "REGISTRATION_CLOSED"  # so it is set here
        elif method.endswith("/AbortMatch") and row[role] is Reach.OWN:
            assert reason == "ORGANISER_ONLY"  # there is no such match of its own
        else:
            assert reason not in CLOSED, (method, role, reason)


async def test_who_is_not_let_in_is_told_whose_token_it_takes(organiser: Organiser, tokens: Tokens) -> None:
    for method, role, words in (
        ("MatchService/ReleaseMatches", "bot", "needs the organiser's token, not a bot's"),
        ("BotService/ListBots", "bot", "the scope of your token is bot; this call takes: organiser, arena, author"),
        ("PlayService/SubmitMove", "arena", "needs a bot's token, not an arena's"),
        ("AccountService/RotateToken", "", "authorization: Bearer TOKEN"),
    ):
        name = f"/fudaba.v1.{method}"
        request = message_factory.GetMessageClass(METHODS[name].input_type)()
        response: Any = message_factory.GetMessageClass(METHODS[name].output_type)
        call = organiser.channel.unary_unary(name, type(request).SerializeToString, response.FromString)
        with pytest.raises(aio.AioRpcError) as info:
            await call(request, metadata=bearer(await tokens[role]()) if role else None)
        assert words in (info.value.details() or "")
