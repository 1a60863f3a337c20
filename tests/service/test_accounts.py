"""Accounts of authors: made, joined, linked, suspended, deleted; and what an author may do with what is whose."""

from __future__ import annotations

import asyncio
import re

import grpc
import pytest

from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2
from tests.support.service.authors import NUMBERS, author
from tests.support.service.bots import Bot, Stream, bearer, by_chance, check_ended
from tests.support.service.organiser import PATIENT, Organiser, StoreView, check_refusal, refused


async def get(organiser: Organiser, name: str) -> accounts_pb2.Account:
    request = accounts_pb2.GetAccountRequest(account=name)
    return (await organiser.accounts.GetAccount(request, metadata=organiser.metadata)).account  # type: ignore[no-any-return]


async def bot_of(organiser: Organiser, name: str) -> bots_pb2.Bot:
    found = await organiser.bots.GetBot(bots_pb2.GetBotRequest(bot=name), metadata=organiser.metadata)
    return found.bot  # type: ignore[no-any-return]


# --- one account, one owner


@pytest.mark.exhaustive
async def test_of_many_who_ask_for_an_account_in_one_moment_one_gets_it(organiser: Organiser) -> None:
    for _ in range(5):
        request = accounts_pb2.CreateAccountRequest(name=f"wanted-{next(NUMBERS)}")
        asked = [organiser.accounts.CreateAccount(request, metadata=organiser.metadata) for _ in range(12)]
        answers = await asyncio.gather(*asked, return_exceptions=True)
        assert len([answer for answer in answers if isinstance(answer, accounts_pb2.CreateAccountResponse)]) == 1
        refusals = [answer for answer in answers if isinstance(answer, grpc.RpcError)]
        assert len(refusals) == 11
        for refusal in refusals:
            check_refusal(refusal, "ACCOUNT_EXISTS")


async def test_whoever_was_too_late_for_a_name_leaves_the_login_of_the_one_who_has_it(
    organiser: Organiser,
) -> None:
    request = accounts_pb2.CreateAccountRequest(name=f"wanted-{next(NUMBERS)}")
    request.link.issuer, request.link.subject = "https://id.example", "7"
    asked = [organiser.accounts.CreateAccount(request, metadata=organiser.metadata) for _ in range(12)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert len([answer for answer in answers if isinstance(answer, accounts_pb2.CreateAccountResponse)]) == 1
    taken = accounts_pb2.CreateAccountRequest(name=f"other-{next(NUMBERS)}", link=request.link)
    await refused(
        organiser.accounts.CreateAccount(taken, metadata=organiser.metadata), "ACCOUNT_EXISTS", "belongs to another"
    )


# --- what is whose


async def test_an_author_manages_own_bots_versions_and_tokens(organiser: Organiser) -> None:
    ann = await author(organiser)
    bots, name, metadata = organiser.bots, ann.bot.name, ann.metadata
    got = (await bots.GetBot(bots_pb2.GetBotRequest(bot=name), metadata=metadata)).bot
    assert (got.account, got.author) == (ann.name, ann.display_name)
    await bots.CreateVersion(bots_pb2.CreateVersionRequest(bot=name, version="2"), metadata=metadata)
    assert [bot.name for bot in (await bots.ListBots(bots_pb2.ListBotsRequest(), metadata=metadata)).bots] == [name]
    listed = await organiser.accounts.ListTokens(accounts_pb2.ListTokensRequest(), metadata=metadata)
    assert sorted(token.scope for token in listed.tokens) == [
        accounts_pb2.TOKEN_SCOPE_AUTHOR,
        accounts_pb2.TOKEN_SCOPE_BOT,
    ]
    assert {token.account for token in listed.tokens} == {ann.name}
    [bots_token] = [token for token in listed.tokens if token.bot]
    rotate = accounts_pb2.RotateTokenRequest(token_id=bots_token.token_id)
    rotated = await organiser.accounts.RotateToken(rotate, metadata=metadata)
    assert (rotated.info.bot, rotated.info.account) == (name, ann.name)
    own = await organiser.accounts.GetAccount(accounts_pb2.GetAccountRequest(), metadata=metadata)
    assert own.account.name == ann.name
    rename = accounts_pb2.UpdateAccountRequest(display_name="Ann B.")
    await organiser.accounts.UpdateAccount(rename, metadata=metadata)
    assert (await bot_of(organiser, name)).author == "Ann B."


async def test_an_author_gets_at_nothing_of_others(organiser: Organiser, store: StoreView) -> None:
    ann, ben = await author(organiser), await author(organiser)
    free = await organiser.entrant()
    listed = await organiser.accounts.ListTokens(accounts_pb2.ListTokensRequest(), metadata=ben.metadata)
    theirs = listed.tokens[0].token_id
    bots, accounts, metadata = organiser.bots, organiser.accounts, ann.metadata
    for other in (ben.bot.name, free.name):
        for method, request in (
            (bots.GetBot, bots_pb2.GetBotRequest(bot=other)),
            (bots.CreateVersion, bots_pb2.CreateVersionRequest(bot=other, version="x")),
            (bots.CreateToken, bots_pb2.CreateTokenRequest(bot=other)),
            (bots.RevokeTokens, bots_pb2.RevokeTokensRequest(bot=other)),
        ):
            await refused(method(request, metadata=metadata), "NOT_YOURS", other)
    for method, kind, more in (
        (accounts.GetAccount, accounts_pb2.GetAccountRequest, {}),
        (accounts.UpdateAccount, accounts_pb2.UpdateAccountRequest, {}),
        (accounts.DeleteAccount, accounts_pb2.DeleteAccountRequest, {}),
        (accounts.AddMember, accounts_pb2.AddMemberRequest, {"member": "x"}),
        (accounts.RemoveMember, accounts_pb2.RemoveMemberRequest, {"member": ben.name}),
        (accounts.RemoveLink, accounts_pb2.RemoveLinkRequest, {}),
        (accounts.ListTokens, accounts_pb2.ListTokensRequest, {}),
        (accounts.CreateAccountToken, accounts_pb2.CreateAccountTokenRequest, {"scope": 2}),
    ):
        await refused(method(kind(account=ben.name, **more), metadata=metadata), "NOT_YOURS", ben.name)
    for method, asked in (
        (accounts.RevokeToken, accounts_pb2.RevokeTokenRequest(token_id=theirs)),
        (accounts.RotateToken, accounts_pb2.RotateTokenRequest(token_id=theirs)),
    ):
        await refused(method(asked, metadata=metadata), "TOKEN_NOT_FOUND")
    for scope in ("ORGANISER", "ARENA", "GATEWAY"):
        wanted = accounts_pb2.CreateAccountTokenRequest(scope=accounts_pb2.TokenScope.Value(f"TOKEN_SCOPE_{scope}"))
        await refused(accounts.CreateAccountToken(wanted, metadata=metadata), "ORGANISER_ONLY")
    # An arena has the bots of no account.
    arena = bearer((await organiser.token("arena")).token)
    await refused(bots.CreateToken(bots_pb2.CreateTokenRequest(bot=ann.bot.name), metadata=arena), "NOT_YOURS")
    await bots.CreateToken(bots_pb2.CreateTokenRequest(bot=free.name), metadata=arena)


async def test_an_arena_learns_of_an_account_its_names_and_nothing_else(organiser: Organiser) -> None:
    ann, arena = await author(organiser), bearer((await organiser.token("arena")).token)
    accounts = organiser.accounts
    link = accounts_pb2.Link(issuer="https://login.example", subject=f"ann-{ann.name}")
    [member] = (await get(organiser, ann.name)).members
    for call in (
        accounts.AddLink(
            accounts_pb2.AddLinkRequest(account=ann.name, member=member.name, link=link), metadata=organiser.metadata
        ),
        accounts.UpdateAccount(
            accounts_pb2.UpdateAccountRequest(account=ann.name, lock_display_name=True), metadata=organiser.metadata
        ),
        accounts.SuspendAccount(
            accounts_pb2.SuspendAccountRequest(account=ann.name, message="for a while"), metadata=organiser.metadata
        ),
    ):
        await call
    whole = await get(organiser, ann.name)
    can_have = {field.name for field in whole.DESCRIPTOR.fields} - {"looks_like"}  # new names that do are refused
    assert {field.name for field, _ in whole.ListFields()} == can_have
    seen = await accounts.GetAccount(accounts_pb2.GetAccountRequest(account=ann.name), metadata=arena)
    assert seen.account == accounts_pb2.Account(name=ann.name, display_name=ann.display_name)

    nobody = accounts_pb2.GetAccountRequest(account=f"{ann.name}-x")
    await refused(accounts.GetAccount(nobody, metadata=arena), "ACCOUNT_NOT_FOUND", nobody.account)
    for method, request, reason in (
        (accounts.GetAccount, accounts_pb2.GetAccountRequest(), "ACCOUNT_NOT_FOUND"),  # it has no account of its own
        (accounts.ListAccounts, accounts_pb2.ListAccountsRequest(), "ORGANISER_ONLY"),
        (accounts.ListTokens, accounts_pb2.ListTokensRequest(account=ann.name), "WRONG_SCOPE"),
        (accounts.RemoveMember, accounts_pb2.RemoveMemberRequest(account=ann.name, member=member.name), "WRONG_SCOPE"),
        (accounts.DeleteAccount, accounts_pb2.DeleteAccountRequest(account=ann.name), "WRONG_SCOPE"),
    ):
        await refused(method(request, metadata=arena), reason)
    assert await get(organiser, ann.name) == whole


async def test_an_author_calls_off_matches_that_own_bots_have_open(organiser: Organiser) -> None:
    ann, ben = await author(organiser), await author(organiser)
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(open=matches_pb2.Seat.Open())]
    request = matches_pb2.CreateMatchRequest(game="naga", seats=seats)
    made = await organiser.matches.CreateMatch(request, metadata=bearer(ann.bot.token))
    abort = matches_pb2.AbortMatchRequest(match_id=made.match.header.match_id)
    await refused(organiser.matches.AbortMatch(abort, metadata=ben.metadata), "ORGANISER_ONLY")
    done = await organiser.matches.AbortMatch(abort, metadata=ann.metadata)
    assert done.match.state == matches_pb2.MATCH_STATE_ABORTED


async def test_a_bot_of_an_earlier_release_keeps_its_author_and_can_be_given_to_an_account(
    organiser: Organiser,
) -> None:
    name = f"old-{next(NUMBERS)}"
    create = bots_pb2.CreateBotRequest(name=name, author="somebody")
    await organiser.bots.CreateBot(create, metadata=organiser.metadata)
    token = await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), metadata=organiser.metadata)
    old = await bot_of(organiser, name)
    assert (old.author, old.account) == ("somebody", "")
    ann = await author(organiser)
    assign = accounts_pb2.AssignBotRequest(bot=name, account=ann.name)
    await organiser.accounts.AssignBot(assign, metadata=organiser.metadata)
    assert (await bot_of(organiser, name)).author == ann.display_name
    identity = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(token.token))
    assert identity.token.account == ann.name
    await organiser.bots.GetBot(bots_pb2.GetBotRequest(bot=name), metadata=ann.metadata)


# --- suspended and deleted


async def test_a_suspended_account_is_told_why_loses_nothing_and_goes_on_once_resumed(organiser: Organiser) -> None:
    ann, other = await author(organiser), await organiser.entrant()
    match_id = await organiser.match(ann.bot, other)
    opponent = Bot(organiser.address, other.token, by_chance)
    suspend = accounts_pb2.SuspendAccountRequest(account=ann.name, message="too many matches")
    watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id), metadata=ann.metadata)
    await watch.read()
    minted = await organiser.match_token(match_id, 0)
    async with Stream(organiser.address, ann.bot.token) as stream:
        await stream.hello()
        await stream.update()
        stream.pongs = False
        done = await organiser.accounts.SuspendAccount(suspend, metadata=organiser.metadata)
        assert (done.account.suspended, done.account.suspend_message) == (True, "too many matches")
        check_refusal(await stream.ending(), "ACCOUNT_SUSPENDED", ann.name, "too many matches", "nothing is lost")
    check_refusal(await check_ended(watch), "ACCOUNT_SUSPENDED")
    for token in (ann.token, ann.bot.token, minted):
        call = organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(token))
        await refused(call, "ACCOUNT_SUSPENDED")
    create = bots_pb2.CreateTokenRequest(bot=ann.bot.name)
    await refused(organiser.bots.CreateToken(create, metadata=organiser.metadata), "ACCOUNT_SUSPENDED", "resume")
    assert not (await organiser.get(match_id)).HasField("end")
    resume = accounts_pb2.ResumeAccountRequest(account=ann.name)
    await organiser.accounts.ResumeAccount(resume, metadata=organiser.metadata)
    mine = Bot(organiser.address, ann.bot.token, by_chance)
    await asyncio.gather(mine.play(), opponent.play())
    await organiser.record(match_id)


async def test_a_deleted_account_leaves_its_results_under_a_pseudonym_and_nobody_gets_its_name(
    organiser: Organiser, store: StoreView
) -> None:
    ann, other = await author(organiser), await organiser.entrant()
    link = accounts_pb2.Link(issuer="https://login.example", subject=f"s-{ann.name}")
    add = accounts_pb2.AddLinkRequest(account=ann.name, member=ann.name, link=link)
    await organiser.accounts.AddLink(add, metadata=organiser.metadata)
    match_id = await organiser.match(ann.bot, other, clock=PATIENT)
    minted = await organiser.match_token(match_id, 0)
    async with Stream(organiser.address, minted) as stream:
        await stream.hello()
        await stream.update()
        stream.pongs = False
        await refused(
            organiser.accounts.DeleteAccount(accounts_pb2.DeleteAccountRequest(), metadata=ann.metadata), "MALFORMED"
        )
        delete = accounts_pb2.DeleteAccountRequest(account=ann.name)
        gone = await organiser.accounts.DeleteAccount(delete, metadata=ann.metadata)
        assert re.fullmatch(r"deleted-[0-9a-f]{8}", gone.pseudonym)
        check_refusal(await stream.ending(), "TOKEN_UNKNOWN", "revoked")
    for token in (ann.token, ann.bot.token, minted):
        call = organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(token))
        await refused(call, "TOKEN_UNKNOWN")
    bot = await bot_of(organiser, ann.bot.name)
    assert (bot.author, bot.account) == (gone.pseudonym, gone.pseudonym)
    # The match is not ended for the other one, who may win by the clock.
    assert not (await organiser.get(match_id)).HasField("end")
    again = accounts_pb2.CreateAccountRequest(name=ann.name)
    await refused(organiser.accounts.CreateAccount(again, metadata=organiser.metadata), "ACCOUNT_EXISTS")
    create = bots_pb2.CreateTokenRequest(bot=ann.bot.name)
    await refused(organiser.bots.CreateToken(create, metadata=organiser.metadata), "ACCOUNT_NOT_FOUND")
    for key in (b"fudaba:accounts", b"fudaba:links", b"{fudaba:tokens}:barred"):
        assert ann.name not in repr(store.everything().get(key))


# --- members and logins


async def test_a_team_has_members_with_logins_and_tokens_that_go_with_them(organiser: Organiser) -> None:
    ann = await author(organiser)
    accounts, gateway = organiser.accounts, bearer((await organiser.token("gateway")).token)
    await accounts.AddMember(accounts_pb2.AddMemberRequest(member="ben"), metadata=ann.metadata)
    link = accounts_pb2.Link(issuer="https://login.example", subject=f"ben-{ann.name}")
    exchange = accounts_pb2.ExchangeLoginRequest(link=link)
    await refused(accounts.ExchangeLogin(exchange, metadata=gateway), "ACCOUNT_NOT_FOUND")
    add = accounts_pb2.AddLinkRequest(account=ann.name, member="ben", link=link)
    await accounts.AddLink(add, metadata=gateway)
    login = await accounts.ExchangeLogin(exchange, metadata=gateway)
    assert (login.info.account, login.info.member) == (ann.name, "ben")
    assert login.info.HasField("expire_time")
    own = accounts_pb2.CreateAccountTokenRequest(scope=accounts_pb2.TOKEN_SCOPE_AUTHOR)
    made = await accounts.CreateAccountToken(own, metadata=bearer(login.token))  # nobody is named, so it is his
    assert made.info.member == "ben"
    other = await author(organiser)
    taken = accounts_pb2.AddLinkRequest(account=other.name, member=other.name, link=link)
    await refused(accounts.AddLink(taken, metadata=gateway), "ACCOUNT_EXISTS", "login")
    remove = accounts_pb2.RemoveMemberRequest(member="ben")
    left = await accounts.RemoveMember(remove, metadata=bearer(login.token))
    assert [member.name for member in left.account.members] == [ann.name]
    for token in (login.token, made.token):
        await refused(accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(token)), "TOKEN_UNKNOWN")
    await refused(accounts.ExchangeLogin(exchange, metadata=gateway), "ACCOUNT_NOT_FOUND")
    remove = accounts_pb2.RemoveMemberRequest(member=ann.name)
    await refused(accounts.RemoveMember(remove, metadata=ann.metadata), "MALFORMED", "only member")
    await accounts.AddLink(taken, metadata=gateway)


async def member_token(organiser: Organiser, account: str, member: str) -> str:
    request = accounts_pb2.CreateAccountTokenRequest(
        account=account, member=member, scope=accounts_pb2.TOKEN_SCOPE_AUTHOR
    )
    return (await organiser.accounts.CreateAccountToken(request, metadata=organiser.metadata)).token  # type: ignore[no-any-return]


async def test_tokens_of_no_member_go_with_any_member_but_the_one_in_use(organiser: Organiser) -> None:
    ann = await author(organiser)
    accounts, remove = organiser.accounts, accounts_pb2.RemoveMemberRequest(member="ben")
    for used in ("hers", "nobodys"):
        await accounts.AddMember(accounts_pb2.AddMemberRequest(member="ben"), metadata=ann.metadata)
        hers, old, other = [await member_token(organiser, ann.name, name) for name in (ann.name, "", "")]
        await accounts.RemoveMember(remove, metadata=bearer(hers if used == "hers" else old))
        for token, stays in ((hers, True), (old, used == "nobodys"), (other, False)):
            asked = accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(token))
            if stays:
                await asked
            else:
                await refused(asked, "TOKEN_UNKNOWN")
        await accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(ann.bot.token))


async def test_a_member_who_is_removed_in_the_middle_of_calls_gets_no_last_token(organiser: Organiser) -> None:
    ann = await author(organiser)
    accounts, bots = organiser.accounts, organiser.bots
    await accounts.AddMember(accounts_pb2.AddMemberRequest(member="ben"), metadata=ann.metadata)
    bens = [await member_token(organiser, ann.name, "ben") for _ in range(25)]
    own = accounts_pb2.CreateAccountTokenRequest(scope=accounts_pb2.TOKEN_SCOPE_AUTHOR)
    others = accounts_pb2.CreateAccountTokenRequest(scope=accounts_pb2.TOKEN_SCOPE_AUTHOR, member=ann.name)
    of_bot = bots_pb2.CreateTokenRequest(bot=ann.bot.name)
    remove = accounts_pb2.RemoveMemberRequest(member="ben")
    calls = [
        call
        for ben in bens
        for call in (
            accounts.CreateAccountToken(own, metadata=bearer(ben)),
            accounts.CreateAccountToken(others, metadata=bearer(ben)),
            bots.CreateToken(of_bot, metadata=bearer(ben)),
            accounts.RotateToken(accounts_pb2.RotateTokenRequest(), metadata=bearer(ben)),
        )
    ]
    made = asyncio.gather(*calls, return_exceptions=True)
    await accounts.RemoveMember(remove, metadata=ann.metadata)
    for response in await made:
        if not isinstance(response, BaseException) and response.info.member == "ben":
            asked = accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(response.token))
            await refused(asked, "TOKEN_UNKNOWN")
    listed = await accounts.ListTokens(accounts_pb2.ListTokensRequest(page_size=1000), metadata=ann.metadata)
    assert not [token for token in listed.tokens if token.member == "ben"]
