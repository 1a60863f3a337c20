"""What organisers do is kept in a log; accounts have quotas; guests play for a day."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from google.rpc import error_details_pb2
from grpc import aio
from grpc_status import rpc_status

from fudaba.v1 import accounts_pb2, bots_pb2, catalog_pb2, matches_pb2
from tests.support.folders import short_folder
from tests.support.service.bots import Bot, Stream, bearer, by_chance
from tests.support.service.organiser import Organiser, check_refusal, refused
from tests.support.service.processes import Service

Metadata = tuple[tuple[str, str], ...]


@pytest.fixture(scope="module")
def small() -> Iterator[Service]:
    """Yields a service with small quotas, and guests."""
    options = (
        *("--bots-per-account", "2", "--versions-per-day", "2", "--matches-per-account", "2"),
        *("--streams-per-account", "1", "--guests", "--registrations-per-hour", "3"),
    )
    with short_folder() as place, Service(place, *options) as running:
        yield running.start()
        assert running.terminate() == 0, running.log


@pytest.fixture
async def organiser(small: Service) -> AsyncIterator[Organiser]:
    async with Organiser(small.address, small.token) as client:
        yield client


_names = iter(f"ann-{number}" for number in range(1000))


async def author(organiser: Organiser) -> tuple[str, Metadata]:
    name = next(_names)
    request = accounts_pb2.CreateAccountRequest(name=name)
    made = await organiser.accounts.CreateAccount(request, metadata=organiser.metadata)
    return name, bearer(made.token)


async def actions(organiser: Organiser, size: int = 2) -> list[accounts_pb2.Action]:
    """Returns the whole log, some a page."""
    found: list[accounts_pb2.Action] = []
    while True:
        request = accounts_pb2.ListActionsRequest(after=found[-1].number if found else 0, page_size=size)
        page = await organiser.accounts.ListActions(request, metadata=organiser.metadata)
        if not page.actions:
            return found
        found += page.actions


def quota_of(error: Any) -> tuple[dict[str, str], float]:
    """Returns what the details of a refusal say of a quota, and after how many seconds to come back."""
    quota: dict[str, str] = {}
    seconds = 0.0
    for detail in rpc_status.from_call(error).details:
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            quota = dict(info.metadata)
        elif detail.Unpack(retry):
            seconds = retry.retry_delay.ToTimedelta().total_seconds()
    return quota, seconds


async def exceeded(call: Any) -> tuple[dict[str, str], float]:
    with pytest.raises(aio.AioRpcError) as info:
        await call
    check_refusal(info.value, "QUOTA_EXCEEDED")
    return quota_of(info.value)


# --- the log


async def test_what_an_organiser_does_is_in_the_log_once_and_in_order(organiser: Organiser) -> None:
    before = await actions(organiser)
    name, metadata = await author(organiser)
    made = await organiser.token("arena", label="spring")
    suspend = accounts_pb2.SuspendAccountRequest(account=name, message="why not")
    await organiser.accounts.SuspendAccount(suspend, metadata=organiser.metadata)
    resume = accounts_pb2.ResumeAccountRequest(account=name)
    await organiser.accounts.ResumeAccount(resume, metadata=organiser.metadata)
    # Neither what is refused, nor what changes nothing, nor what others do.
    nobody = accounts_pb2.ResumeAccountRequest(account="nobody")
    await refused(organiser.accounts.ResumeAccount(nobody, metadata=organiser.metadata), "ACCOUNT_NOT_FOUND")
    await organiser.bots.ListBots(bots_pb2.ListBotsRequest(), metadata=organiser.metadata)
    await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-x"), metadata=metadata)
    log = await actions(organiser)
    assert [action.number for action in log] == list(range(1, len(log) + 1))
    assert log[: len(before)] == before
    noted = [(action.method.removeprefix("AccountService."), dict(action.subject)) for action in log[len(before) :]]
    assert [method for method, _ in noted] == [
        "CreateAccount",
        "CreateAccountToken",
        "SuspendAccount",
        "ResumeAccount",
    ]
    assert noted[0][1]["name"] == name
    assert noted[1][1] == {"scope": "arena", "label": "spring", "token_id": made.info.token_id}
    assert noted[2][1] == {"account": name, "message": "why not"}
    mine = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=organiser.metadata)
    assert {action.token_id for action in log} == {mine.token.token_id}
    assert made.token not in repr(log)


# --- quotas


async def test_bots_and_versions_of_an_account_have_quotas(organiser: Organiser) -> None:
    name, metadata = await author(organiser)
    for number in range(2):
        await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-{number}"), metadata=metadata)
    third = bots_pb2.CreateBotRequest(name=f"{name}-2")
    quota, _ = await exceeded(organiser.bots.CreateBot(third, metadata=metadata))
    assert quota == {"quota": "bots", "limit": "2", "whose": f"account {name}"}
    for version in ("a", "b", "a"):
        request = bots_pb2.CreateVersionRequest(bot=f"{name}-0", version=version)
        await organiser.bots.CreateVersion(request, metadata=metadata)
    more = bots_pb2.CreateVersionRequest(bot=f"{name}-1", version="c")
    quota, seconds = await exceeded(organiser.bots.CreateVersion(more, metadata=metadata))
    assert (quota["quota"], quota["limit"]) == ("versions a day", "2")
    assert 23 * 3600 < seconds <= 24 * 3600
    # Nobody else is hurt, and the organiser has none.
    _, other = await author(organiser)
    await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-free"), metadata=other)
    third.account = name
    await organiser.bots.CreateBot(third, metadata=organiser.metadata)


async def test_matches_and_streams_of_an_account_have_quotas(organiser: Organiser) -> None:
    name, metadata = await author(organiser)
    tokens = []
    for number in range(2):
        await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-{number}"), metadata=metadata)
        request = bots_pb2.CreateTokenRequest(bot=f"{name}-{number}")
        tokens.append((await organiser.bots.CreateToken(request, metadata=metadata)).token)
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(open=matches_pb2.Seat.Open())]
    create = matches_pb2.CreateMatchRequest(game="naga", seats=seats)
    made = [await organiser.matches.CreateMatch(create, metadata=bearer(token)) for token in tokens]
    quota, _ = await exceeded(organiser.matches.CreateMatch(create, metadata=bearer(tokens[0])))
    assert quota == {"quota": "unfinished matches", "limit": "2", "whose": f"account {name}"}
    abort = matches_pb2.AbortMatchRequest(match_id=made[0].match.header.match_id)
    await organiser.matches.AbortMatch(abort, metadata=metadata)
    many = matches_pb2.CreateMatchesRequest(requests=[create] * 2)
    results = (await organiser.matches.CreateMatches(many, metadata=bearer(tokens[1]))).results
    assert [result.WhichOneof("result") for result in results] == ["created", "refusal"]
    assert results[1].refusal.reason == "QUOTA_EXCEEDED"
    assert dict(results[1].refusal.metadata) == quota
    async with Stream(organiser.address, tokens[0]) as first:
        await first.hello()
        async with Stream(organiser.address, tokens[1]) as two:
            two.pongs = False
            error = await two.ending()
        check_refusal(error, "QUOTA_EXCEEDED", "streams")
        assert quota_of(error)[0]["whose"] == f"account {name}"
        async with Stream(organiser.address, tokens[0]) as again:  # its own newer stream takes the place
            await again.hello()


async def limited_bot(organiser: Organiser, **limits: int) -> tuple[str, str]:
    """Returns an account with these quotas, and the token of its bot."""
    name, metadata = await author(organiser)
    update = accounts_pb2.UpdateQuotasRequest(account=name, limits=accounts_pb2.Quotas(**limits))
    await organiser.accounts.UpdateQuotas(update, metadata=organiser.metadata)
    await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-0"), metadata=metadata)
    made = await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=f"{name}-0"), metadata=metadata)
    return name, made.token


async def used(organiser: Organiser, name: str) -> accounts_pb2.Quotas:
    request = accounts_pb2.GetQuotasRequest(account=name)
    found: accounts_pb2.GetQuotasResponse = await organiser.accounts.GetQuotas(request, metadata=organiser.metadata)
    return found.used


async def resigned_at_once(organiser: Organiser, token: str, match_id: str = "") -> str:
    """Returns a match against a house bot that is over as soon as it has begun."""
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(house_bot="house-first")]
    create = matches_pb2.CreateMatchRequest(game="naga", seats=seats, match_id=match_id)
    async with Stream(organiser.address, token) as stream:
        await stream.hello()
        made = (await organiser.matches.CreateMatch(create, metadata=bearer(token))).match.header.match_id
        while (await stream.update()).match_id != made:
            pass
        while (await organiser.get(made)).state != matches_pb2.MATCH_STATE_PLAYING:  # noqa: ASYNC110  # nobody is told
            await asyncio.sleep(0.02)
        await organiser.matches.ResignMatch(matches_pb2.ResignMatchRequest(match_id=made), metadata=bearer(token))
    await organiser.ended(made)
    return str(made)


async def test_new_matches_of_an_account_are_counted_by_the_hour_and_a_refusal_says_when_the_next_one_may_come(
    organiser: Organiser,
) -> None:
    name, token = await limited_bot(organiser, matches_per_hour=2)
    await resigned_at_once(organiser, token)
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(open=matches_pb2.Seat.Open())]
    create = matches_pb2.CreateMatchRequest(game="naga", seats=seats, match_id=f"{name}-0.again")
    for _ in range(2):  # the same request again is no new match
        await organiser.matches.CreateMatch(create, metadata=bearer(token))
    create.match_id = ""
    quota, seconds = await exceeded(organiser.matches.CreateMatch(create, metadata=bearer(token)))
    assert quota == {"quota": "matches an hour", "limit": "2", "whose": f"account {name}"}
    assert 0 < seconds <= 3600
    found = await used(organiser, name)
    # What was refused has taken nothing of anything else.
    assert (found.matches_per_hour, found.records, found.unfinished_matches) == (2, 2, 1)
    _, other = await limited_bot(organiser, matches_per_hour=2)
    await organiser.matches.CreateMatch(create, metadata=bearer(other))


async def test_a_bot_of_no_account_has_an_hour_of_its_own(organiser: Organiser) -> None:
    default = accounts_pb2.UpdateQuotasRequest(limits=accounts_pb2.Quotas(matches_per_hour=1))
    await organiser.accounts.UpdateQuotas(default, metadata=organiser.metadata)
    first, two = [await organiser.entrant() for _ in range(2)]
    for entrant in (first, two):
        await resigned_at_once(organiser, entrant.token)
    quota, _ = await exceeded(resigned_at_once(organiser, first.token))
    assert quota["whose"] == f"{first.name}/{first.version}"
    reset = accounts_pb2.UpdateQuotasRequest(reset=True)
    await organiser.accounts.UpdateQuotas(reset, metadata=organiser.metadata)


async def test_kept_records_of_an_account_have_a_quota_and_matches_of_which_nothing_is_kept_do_not_count(
    organiser: Organiser,
) -> None:
    name, token = await limited_bot(organiser, records=2)
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(open=matches_pb2.Seat.Open())]
    create = matches_pb2.CreateMatchRequest(game="naga", seats=seats)
    given_up = (await organiser.matches.CreateMatch(create, metadata=bearer(token))).match.header.match_id
    await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=given_up), metadata=bearer(token))
    for _ in range(2):
        await resigned_at_once(organiser, token)
    quota, seconds = await exceeded(resigned_at_once(organiser, token))
    assert quota == {"quota": "records", "limit": "2", "whose": f"account {name}"}
    assert seconds == 0, "time alone does not help"
    found = await used(organiser, name)
    assert (found.records, found.matches_per_hour, found.unfinished_matches) == (2, 3, 0)
    more = accounts_pb2.UpdateQuotasRequest(account=name, limits=accounts_pb2.Quotas(records=3))
    await organiser.accounts.UpdateQuotas(more, metadata=organiser.metadata)
    await resigned_at_once(organiser, token)


async def test_limits_that_are_set_count_at_once_and_go_with_the_account(organiser: Organiser) -> None:
    name, metadata = await author(organiser)
    update = accounts_pb2.UpdateQuotasRequest(account=name, limits=accounts_pb2.Quotas(bots=1, versions_per_day=1))
    changed = await organiser.accounts.UpdateQuotas(update, metadata=organiser.metadata)
    assert changed.limits == accounts_pb2.Quotas(
        bots=1, versions_per_day=1, unfinished_matches=2, streams=1, matches_per_hour=1_000, records=20_000
    )
    await organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=f"{name}-0"), metadata=metadata)
    second = bots_pb2.CreateBotRequest(name=f"{name}-1")
    quota, _ = await exceeded(organiser.bots.CreateBot(second, metadata=metadata))
    assert quota["limit"] == "1"
    await organiser.bots.CreateVersion(bots_pb2.CreateVersionRequest(bot=f"{name}-0", version="a"), metadata=metadata)
    more = bots_pb2.CreateVersionRequest(bot=f"{name}-0", version="b")
    quota, _ = await exceeded(organiser.bots.CreateVersion(more, metadata=metadata))
    assert quota["limit"] == "1"
    update.limits.CopyFrom(accounts_pb2.Quotas(bots=3, unfinished_matches=1, streams=2))
    await organiser.accounts.UpdateQuotas(update, metadata=organiser.metadata)
    await organiser.bots.CreateBot(second, metadata=metadata)
    own = await organiser.accounts.GetQuotas(accounts_pb2.GetQuotasRequest(), metadata=metadata)
    assert own.set_limits == accounts_pb2.Quotas(bots=3, versions_per_day=1, unfinished_matches=1, streams=2)
    tokens = [
        (await organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=f"{name}-{n}"), metadata=metadata)).token
        for n in range(2)
    ]
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(open=matches_pb2.Seat.Open())]
    create = matches_pb2.CreateMatchRequest(game="naga", seats=seats)
    await organiser.matches.CreateMatch(create, metadata=bearer(tokens[0]))
    quota, _ = await exceeded(organiser.matches.CreateMatch(create, metadata=bearer(tokens[1])))
    assert (quota["quota"], quota["limit"]) == ("unfinished matches", "1")
    async with Stream(organiser.address, tokens[0]) as first, Stream(organiser.address, tokens[1]) as two:
        await first.hello()
        await two.hello()
        own = await organiser.accounts.GetQuotas(accounts_pb2.GetQuotasRequest(), metadata=metadata)
        assert own.used == accounts_pb2.Quotas(
            bots=2, versions_per_day=1, unfinished_matches=1, streams=2, matches_per_hour=1, records=1
        )
    # Of others there is nothing to be seen or changed, and what is no limit is none.
    other = accounts_pb2.GetQuotasRequest(account=(await author(organiser))[0])
    await refused(organiser.accounts.GetQuotas(other, metadata=metadata), "NOT_YOURS")
    for wrong in (accounts_pb2.Quotas(bots=0), accounts_pb2.Quotas(streams=1_000_001)):
        update.limits.CopyFrom(wrong)
        await refused(organiser.accounts.UpdateQuotas(update, metadata=organiser.metadata), "MALFORMED", "limits.")
    delete = accounts_pb2.DeleteAccountRequest(account=name)
    await organiser.accounts.DeleteAccount(delete, metadata=organiser.metadata)
    gone = accounts_pb2.GetQuotasRequest(account=name)
    await refused(organiser.accounts.GetQuotas(gone, metadata=organiser.metadata), "ACCOUNT_NOT_FOUND")


# --- guests


async def test_a_guest_plays_a_house_bot_and_is_in_no_rated_match(organiser: Organiser) -> None:
    assert (await organiser.catalog.ListGames(catalog_pb2.ListGamesRequest())).guests
    made = await organiser.accounts.CreateGuest(accounts_pb2.CreateGuestRequest())
    assert made.info.scope == accounts_pb2.TOKEN_SCOPE_GUEST
    assert made.info.HasField("expire_time")
    seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(house_bot="house-first")]
    create = matches_pb2.CreateMatchRequest(game="naga", seats=seats)
    match = (await organiser.matches.CreateMatch(create, metadata=bearer(made.token))).match
    await Bot(organiser.address, made.token, by_chance).play()
    record = await organiser.record(match.header.match_id)
    assert record.header.players[0].bot == made.info.bot
    rated = matches_pb2.CreateMatchRequest(game="naga", seats=[matches_pb2.Seat(house_bot="house-first")])
    seat = rated.seats.add()
    seat.bot.bot = made.info.bot
    await refused(organiser.matches.CreateMatch(rated, metadata=organiser.metadata), "BOT_NOT_FOUND")
    taken = bots_pb2.CreateBotRequest(name=made.info.bot)
    await refused(organiser.bots.CreateBot(taken, metadata=organiser.metadata), "MALFORMED", "reserved for guests")
    for _ in range(2):
        await organiser.accounts.CreateGuest(accounts_pb2.CreateGuestRequest())
    quota, seconds = await exceeded(organiser.accounts.CreateGuest(accounts_pb2.CreateGuestRequest()))
    assert (quota["quota"], quota["whose"]) == ("guests an hour", "127.0.0.1")
    assert 0 < seconds <= 3600
