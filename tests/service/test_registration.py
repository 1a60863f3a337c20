"""Registration: closed, by invitation or open, and limited by address."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from fudaba.v1 import accounts_pb2, catalog_pb2
from tests.support.service.bots import bearer
from tests.support.service.organiser import Organiser, refused
from tests.support.service.processes import Service


@pytest.fixture(params=["closed", "invite", "open"])
async def registering(request: pytest.FixtureRequest, folder: Any) -> AsyncIterator[tuple[str, Organiser]]:
    with Service(folder, "--registration", request.param, "--registrations-per-hour", "3") as service:
        service.start()
        async with Organiser(service.address, service.token) as client:
            yield request.param, client


async def test_registration_is_closed_by_invitation_or_open_and_limited_by_address(
    registering: tuple[str, Organiser],
) -> None:
    mode, organiser = registering
    games = await organiser.catalog.ListGames(catalog_pb2.ListGamesRequest())
    assert games.registration == catalog_pb2.Registration.Value(f"REGISTRATION_{mode.upper()}")
    create, gateway = organiser.accounts.CreateAccount, bearer((await organiser.token("gateway")).token)
    if mode == "closed":
        await refused(create(accounts_pb2.CreateAccountRequest(name="me")), "REGISTRATION_CLOSED", "ask the organiser")
        invitation = organiser.accounts.CreateInvitation(
            accounts_pb2.CreateInvitationRequest(), metadata=organiser.metadata
        )
        await refused(invitation, "REGISTRATION_CLOSED", "takes no invitation codes", "--registration invite")
        assert not (await organiser.catalog.ListGames(catalog_pb2.ListGamesRequest())).guests
        guest = organiser.accounts.CreateGuest(accounts_pb2.CreateGuestRequest())
        await refused(guest, "REGISTRATION_CLOSED", "no guests")
        return
    code = ""
    if mode == "invite":
        await refused(create(accounts_pb2.CreateAccountRequest(name="me")), "REGISTRATION_CLOSED", "code")
        wrong = accounts_pb2.CreateAccountRequest(name="me", invitation_code="0000-0000-0000")
        await refused(create(wrong), "INVITATION_NOT_FOUND")
        invite = accounts_pb2.CreateInvitationRequest()
        code = (await organiser.accounts.CreateInvitation(invite, metadata=organiser.metadata)).code
        # One that cannot be used for this name is not used up.
        bad = accounts_pb2.CreateAccountRequest(name="ME", invitation_code=code)
        await refused(create(bad), "MALFORMED")
    made = await create(accounts_pb2.CreateAccountRequest(name="me", invitation_code=code.lower()))
    assert made.info.scope == accounts_pb2.TOKEN_SCOPE_AUTHOR
    link = accounts_pb2.Link(issuer="i", subject="s")
    await refused(create(accounts_pb2.CreateAccountRequest(name="you", link=link)), "ORGANISER_ONLY", "gateway")
    if mode == "invite":
        again = accounts_pb2.CreateAccountRequest(name="you", invitation_code=code)
        await refused(create(again), "INVITATION_NOT_FOUND", "check its spelling", "used")
        # What was refused before counts for nothing; who is one too many can use the code later.
        made_codes = [await organiser.accounts.CreateInvitation(invite, metadata=organiser.metadata) for _ in "abc"]
        codes = [made_code.code for made_code in made_codes]
        for name, unused_code in zip("ab", codes, strict=False):
            await create(accounts_pb2.CreateAccountRequest(name=name, invitation_code=unused_code))
        late = accounts_pb2.CreateAccountRequest(name="c", invitation_code=codes[2])
        for _ in range(2):
            await refused(create(late), "QUOTA_EXCEEDED", "3 registrations an hour")
        return
    for name in ("a", "b"):
        await create(accounts_pb2.CreateAccountRequest(name=name))
    await refused(create(accounts_pb2.CreateAccountRequest(name="c")), "QUOTA_EXCEEDED", "127.0.0.1", "try again later")
    # A gateway names its client's address.
    client = (*gateway, ("fudaba-client-address", "192.0.2.7"))
    await create(accounts_pb2.CreateAccountRequest(name="c", link=link), metadata=client)
    login = accounts_pb2.ExchangeLoginRequest(link=link)
    assert (await organiser.accounts.ExchangeLogin(login, metadata=client)).info.account == "c"
