"""Authors with accounts of their own."""

from __future__ import annotations

from typing import Any, NamedTuple

from fudaba.v1 import accounts_pb2, bots_pb2
from tests.support.service.bots import bearer
from tests.support.service.organiser import Entrant, Organiser

NUMBERS = iter(range(10_000))
Metadata = tuple[tuple[str, str], ...]


class Author(NamedTuple):
    """An account, its author's token, and one bot with a token."""

    name: str
    display_name: str
    token: str
    bot: Entrant

    @property
    def metadata(self) -> Metadata:
        return bearer(self.token)


async def account(organiser: Organiser, **fields: Any) -> accounts_pb2.CreateAccountResponse:
    """Returns a new account."""
    request = accounts_pb2.CreateAccountRequest(name=f"ann-{next(NUMBERS)}", **fields)
    return await organiser.accounts.CreateAccount(request, metadata=organiser.metadata)  # type: ignore[no-any-return]


async def author(organiser: Organiser) -> Author:
    made = await account(organiser, display_name=f"Ann A. {next(NUMBERS)}")
    name, metadata = f"{made.account.name}-bot", bearer(made.token)
    await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), metadata=metadata)
    token = await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), metadata=metadata)
    return Author(made.account.name, made.account.display_name, made.token, Entrant(name, token.token))
