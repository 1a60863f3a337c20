"""What another release has stored: fields that this one does not know are kept, and a higher form is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from fudaba.v1 import accounts_pb2, bots_pb2, record_pb2
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.accounts.tokens import Tokens
from fudaba_service.refusals import Refused
from fudaba_service.sessions.open_matches import BOT, OPEN, OpenMatch
from fudaba_service.settings import Settings
from fudaba_service.startup.tokens import make_tokens
from fudaba_service.store import keys
from fudaba_serving.grpc.binding import CannotStart
from fudaba_serving.process.tasks import BackgroundTasks
from tests.support.patience import until
from tests.support.service.authors import author
from tests.support.service.bots import bearer
from tests.support.service.joining import OPEN as OPEN_SEAT
from tests.support.service.joining import bot, create
from tests.support.service.organiser import Entrant, Organiser, StoreView, refused
from tests.support.service.processes import RedisServer
from tests.support.service.stores import emptied

HEADER = record_pb2.MatchHeader(match_id="m", players=[record_pb2.Player(bot="ann"), record_pb2.Player()])
STORED: dict[str, tuple[bytes, Callable[[bytes], Any]]] = {
    "a token": (Owner(scope=Scope.BOT, bot="ann", version="1").pack(), lambda raw: Owner.unpack(raw, "")),
    "a match with open seats": (OpenMatch(HEADER, b"seed", b"salt", [BOT, OPEN], 5).pack(), OpenMatch.unpack),
}


def changed(raw: bytes, **more: object) -> bytes:
    return json.dumps(json.loads(raw) | more, sort_keys=True).encode()


@pytest.mark.parametrize("kind", STORED)
def test_what_is_written_again_keeps_what_this_release_does_not_know(kind: str) -> None:
    raw, read = STORED[kind]
    later = changed(raw, added_later=[1, 2])
    found: Any = read(later)
    assert found == read(raw)
    assert found.pack() == later
    assert read(raw).pack() == raw, "what has nothing unknown is stored as the release before has it"


@pytest.mark.parametrize("kind", STORED)
def test_a_higher_form_is_refused_with_a_sentence(kind: str) -> None:
    raw, read = STORED[kind]
    with pytest.raises(Refused, match=f"{kind} is stored in form 2, and this release reads forms up to 1") as refusal:
        read(changed(raw, form=2))
    assert refusal.value.name == "STORED_UNREADABLE"


@pytest.mark.parametrize("damaged", [b"{", b"[]", b"{}", b"\xff", b'{"header": "=", "scope": "emperor"}'])
@pytest.mark.parametrize("kind", STORED)
def test_what_makes_no_sense_is_refused_with_a_sentence(kind: str, damaged: bytes) -> None:
    with pytest.raises(Refused, match=f"this release cannot read {kind} as it is stored") as refusal:
        STORED[kind][1](damaged)
    assert refusal.value.name == "STORED_UNREADABLE"


def test_a_token_that_changes_hands_keeps_what_this_release_does_not_know() -> None:
    raw, _ = STORED["a token"]
    given = replace(Owner.unpack(changed(raw, added_later=1), ""), account="of-ann")
    assert json.loads(given.pack()) == json.loads(raw) | {"account": "of-ann", "added_later": 1}


async def test_a_token_of_a_higher_form_is_refused_and_all_others_are_listed(
    organiser: Organiser, store: StoreView
) -> None:
    entrant = await organiser.entrant()
    digest = sha256(b"of-a-later-release").hexdigest()
    store.client.hset("fudaba:tokens", digest, changed(STORED["a token"][0], form=2))
    try:
        asking = organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer("of-a-later-release"))
        await refused(asking, "STORED_UNREADABLE", "a token is stored in form 2")
        request = accounts_pb2.ListTokensRequest(bot=entrant.name)
        answer = await organiser.accounts.ListTokens(request, metadata=organiser.metadata)
        assert [token.bot for token in answer.tokens] == [entrant.name]
    finally:
        store.client.hdel("fudaba:tokens", digest)


async def test_a_bot_or_account_that_makes_no_sense_is_refused_by_its_name_and_all_others_are_listed(
    organiser: Organiser, store: StoreView
) -> None:
    entrant = await author(organiser)
    for kind in (keys.BOTS, keys.ACCOUNTS):
        store.client.hset(kind, "damaged", b"\xff\xff")
    try:
        listed_bots = await organiser.bots.ListBots(
            bots_pb2.ListBotsRequest(page_size=1_000), metadata=organiser.metadata
        )
        assert entrant.bot.name in {bot.name for bot in listed_bots.bots}
        request = accounts_pb2.ListAccountsRequest(page_size=1_000)
        listed_accounts = await organiser.accounts.ListAccounts(request, metadata=organiser.metadata)
        assert entrant.name in {account.name for account in listed_accounts.accounts}
        getting = organiser.bots.GetBot(bots_pb2.GetBotRequest(bot="damaged"), metadata=organiser.metadata)
        await refused(getting, "STORED_UNREADABLE", "this release cannot read bot damaged as it is stored")
        asking = accounts_pb2.GetAccountRequest(account="damaged")
        await refused(
            organiser.accounts.GetAccount(asking, metadata=organiser.metadata),
            "STORED_UNREADABLE",
            "this release cannot read account damaged as it is stored",
        )
    finally:
        for kind in (keys.BOTS, keys.ACCOUNTS):
            store.client.hdel(kind, "damaged")


async def test_what_changes_all_tokens_of_somebody_changes_nothing_while_one_cannot_be_read(
    organiser: Organiser, store: StoreView
) -> None:
    ann = await author(organiser)
    digest = sha256(b"of-an-unknown-bot").hexdigest()
    store.client.hset("fudaba:tokens", digest, changed(STORED["a token"][0], form=2))
    try:
        assigning = accounts_pb2.AssignBotRequest(bot=ann.bot.name)
        await refused(
            organiser.accounts.AssignBot(assigning, metadata=organiser.metadata),
            "STORED_UNREADABLE",
            "nothing was changed",
        )
        deleting = accounts_pb2.DeleteAccountRequest(account=ann.name)
        await refused(
            organiser.accounts.DeleteAccount(deleting, metadata=organiser.metadata),
            "STORED_UNREADABLE",
            "nothing was changed",
        )
        answer = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(ann.bot.token))
        assert answer.token.account == ann.name
    finally:
        store.client.hdel("fudaba:tokens", digest)


async def test_a_start_makes_no_second_token_while_one_that_cannot_be_read_may_be_valid(
    server: RedisServer, tmp_path: Path
) -> None:
    async with emptied(server) as store:
        tokens = Tokens(store, BackgroundTasks(lambda: None))
        settings = Settings(tmp_path, organiser_token_file=tmp_path / "organiser", arena_token_file=tmp_path / "arena")
        made = await make_tokens(settings, tokens)
        assert made.organiser is not None
        assert made.arena is not None
        (tmp_path / "arena").write_text(made.arena)
        with server.client() as client:

            def store_in_form_2(token: str) -> None:
                digest = sha256(token.encode()).hexdigest()
                raw = client.hget("fudaba:tokens", digest)
                assert isinstance(raw, bytes)
                client.hset("fudaba:tokens", digest, changed(raw, form=2))

            store_in_form_2(made.arena)
            assert await tokens.organiser_token(renew=False) is None
            with pytest.raises(CannotStart, match=r"the arena's token of .* a token is stored in form 2"):
                await make_tokens(settings, tokens)
            store_in_form_2(made.organiser)
            before = client.hgetall("fudaba:tokens")
            for renew in (False, True):
                with pytest.raises(CannotStart, match="no organiser's token can be made: a token is stored in form 2"):
                    await make_tokens(replace(settings, new_organiser_token=renew), tokens)
            assert client.hgetall("fudaba:tokens") == before


async def test_heartbeats_may_say_more_than_this_release_knows(
    organiser: Organiser, store: StoreView, pair: tuple[Entrant, Entrant]
) -> None:
    at_ms = max(int(raw.split()[0]) for raw in store.client.hgetall(keys.BEATS).values())
    store.client.hset(keys.BEATS, "later-1-aa", f"{at_ms} {at_ms} 0 0 0 0 7 8")
    before = dict(store.client.hgetall(keys.BEATS))

    def goes_on() -> bool:
        return any(raw != before.get(name) for name, raw in store.client.hgetall(keys.BEATS).items())

    try:
        await until(goes_on, "the service notes its heartbeats")
        assert (await create(organiser, bot(pair[0]), OPEN_SEAT)).match.header.match_id
    finally:
        store.client.hdel(keys.BEATS, "later-1-aa")


async def test_heartbeats_say_no_more_than_the_first_releases_read(store: StoreView) -> None:
    # Their parser takes at most six numbers, and a replica of theirs ends over a seventh.
    assert {len(raw.split()) for raw in store.client.hgetall(keys.BEATS).values()} == {6}
