"""Tokens: scope, label, expiry, last use; listed, revoked one by one, rotated; those of earlier releases."""

from __future__ import annotations

import json
from hashlib import sha256

import pytest

from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2
from fudaba_service.accounts.owner import Owner, Scope
from tests.support.patience import until
from tests.support.service.bots import Stream, bearer, check_ended
from tests.support.service.organiser import PATIENT, Entrant, Organiser, StoreView, check_refusal, refused

BOT = accounts_pb2.TOKEN_SCOPE_BOT
LIFETIME_MS = 5_000
"""Long enough for a stream to begin with a token of this lifetime, also on a busy machine."""


async def whoami(organiser: Organiser, token: str) -> accounts_pb2.Token:
    found = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(token))
    return found.token  # type: ignore[no-any-return]


async def listed(organiser: Organiser, **fields: object) -> list[accounts_pb2.Token]:
    """Tokens, three a page."""
    found: list[accounts_pb2.Token] = []
    page = ""
    while True:
        request = accounts_pb2.ListTokensRequest(page_size=3, page_token=page, **fields)  # type: ignore[arg-type]
        answer = await organiser.accounts.ListTokens(request, metadata=organiser.metadata)
        found += answer.tokens
        page = answer.next_page_token
        if not page:
            return found


async def test_a_token_says_whose_it_is(organiser: Organiser, pair: tuple[Entrant, Entrant]) -> None:
    mine = await whoami(organiser, pair[0].token)
    assert (mine.scope, mine.bot, mine.version) == (BOT, pair[0].name, "1")
    assert mine.HasField("create_time")
    assert not mine.HasField("expire_time")
    made = await organiser.token("arena", label="the arena of spring")
    arena = await whoami(organiser, made.token)
    assert arena == made.info
    assert (arena.scope, arena.label) == (accounts_pb2.TOKEN_SCOPE_ARENA, "the arena of spring")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"scope": 0}, "organiser, author, arena, gateway"),
        ({"scope": accounts_pb2.TOKEN_SCOPE_MATCH}, "organiser, author, arena, gateway"),
        ({"scope": accounts_pb2.TOKEN_SCOPE_ARENA, "label": "x" * 101}, "at most 100"),
        ({"scope": accounts_pb2.TOKEN_SCOPE_ARENA, "lifetime_ms": 2**60}, "ten years"),
    ],
)
async def test_a_token_that_makes_no_sense_is_refused(
    organiser: Organiser, fields: dict[str, object], words: str
) -> None:
    request = accounts_pb2.CreateAccountTokenRequest(**fields)  # type: ignore[arg-type]
    call = organiser.accounts.CreateAccountToken(request, metadata=organiser.metadata)
    await refused(call, "MALFORMED", words)


async def test_one_token_is_revoked_and_only_what_is_open_with_it_ends(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    request = bots_pb2.CreateTokenRequest(bot=entrant.name, label="the second")
    second = await organiser.bots.CreateToken(request, metadata=organiser.metadata)
    match_id = await organiser.match(entrant, await organiser.entrant(), clock=PATIENT)
    watching = matches_pb2.WatchMatchRequest(match_id=match_id)
    kept = organiser.matches.WatchMatch(watching, metadata=bearer(entrant.token))
    lost = organiser.matches.WatchMatch(watching, metadata=bearer(second.token))
    await kept.read()
    await lost.read()
    async with Stream(organiser.address, second.token) as stream:
        await stream.hello()
        stream.pongs = False  # what is written to a stream as it ends hides why it does
        tokens = await listed(organiser, bot=entrant.name)
        assert sorted(token.label for token in tokens) == ["", "the second"]
        revoke = accounts_pb2.RevokeTokenRequest(token_id=second.info.token_id)
        gone = await organiser.accounts.RevokeToken(revoke, metadata=organiser.metadata)
        assert gone.revoked.label == "the second"
        check_refusal(await stream.ending(), "TOKEN_UNKNOWN", "revoked")
    check_refusal(await check_ended(lost), "TOKEN_UNKNOWN", "revoked")
    await refused(organiser.accounts.RevokeToken(revoke, metadata=organiser.metadata), "TOKEN_NOT_FOUND")
    async with Stream(organiser.address, entrant.token) as stream:
        await stream.hello()
        assert (await stream.update()).match_id == match_id
    await organiser.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id), metadata=organiser.metadata)
    last = await kept.read()
    while not last.match.HasField("end"):
        last = await kept.read()


async def test_a_bot_rotates_its_own_token_and_no_other(
    organiser: Organiser, pair: tuple[Entrant, Entrant], store: StoreView
) -> None:
    mine, other = pair
    before = await whoami(organiser, mine.token)
    theirs = await whoami(organiser, other.token)
    metadata = bearer(mine.token)
    for method, kind in (
        (organiser.accounts.RotateToken, accounts_pb2.RotateTokenRequest),
        (organiser.accounts.RevokeToken, accounts_pb2.RevokeTokenRequest),
    ):
        await refused(method(kind(token_id=theirs.token_id), metadata=metadata), "TOKEN_NOT_FOUND")
    async with Stream(organiser.address, mine.token) as stream:
        await stream.hello()
        stream.pongs = False
        rotated = await organiser.accounts.RotateToken(accounts_pb2.RotateTokenRequest(), metadata=metadata)
        check_refusal(await stream.ending(), "TOKEN_UNKNOWN", "revoked")
    await refused(organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=metadata), "TOKEN_UNKNOWN")
    after = await whoami(organiser, rotated.token)
    assert after == rotated.info
    assert after.token_id != before.token_id
    assert (after.bot, after.version, after.scope) == (before.bot, before.version, before.scope)
    assert rotated.token not in repr(store.everything())
    got = await organiser.bots.GetBot(bots_pb2.GetBotRequest(), metadata=bearer(rotated.token))
    assert got.bot.name == mine.name
    call = organiser.bots.GetBot(bots_pb2.GetBotRequest(bot=other.name), metadata=bearer(rotated.token))
    await refused(call, "NOT_YOURS", mine.name)


async def test_a_token_expires_and_its_stream_ends(organiser: Organiser) -> None:
    entrant = await organiser.entrant()
    match_id = await organiser.match(entrant, await organiser.entrant(), clock=PATIENT)
    request = bots_pb2.CreateTokenRequest(bot=entrant.name, lifetime_ms=LIFETIME_MS)
    made = await organiser.bots.CreateToken(request, metadata=organiser.metadata)
    assert made.info.expire_time.ToMilliseconds() - made.info.create_time.ToMilliseconds() <= LIFETIME_MS
    watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id), metadata=bearer(made.token))
    async with Stream(organiser.address, made.token) as stream:
        stream.pongs = False
        await stream.hello()
        check_refusal(await stream.ending(), "TOKEN_EXPIRED", made.info.token_id, "new one")
    check_refusal(await check_ended(watch), "TOKEN_EXPIRED")
    call = organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(made.token))
    await refused(call, "TOKEN_EXPIRED")


async def test_the_last_use_of_a_token_is_known_and_costs_no_write_for_each_call(
    organiser: Organiser, store: StoreView
) -> None:
    made = await organiser.token("arena")
    [token] = [listed_token for listed_token in await listed(organiser) if listed_token.token_id == made.info.token_id]
    assert not token.HasField("last_use_time")
    for _ in range(20):
        await whoami(organiser, made.token)
    digest = sha256(made.token.encode()).hexdigest()
    await until(lambda: store.client.hget("{fudaba:tokens}:uses", digest), "the use in the store")
    noted = store.client.hget("{fudaba:tokens}:uses", digest)
    [token] = [listed_token for listed_token in await listed(organiser) if listed_token.token_id == made.info.token_id]
    assert token.last_use_time.ToMilliseconds() >= token.create_time.ToMilliseconds()
    assert token.last_use_address == "127.0.0.1"
    for _ in range(20):
        await whoami(organiser, made.token)
    assert store.client.hget("{fudaba:tokens}:uses", digest) == noted


async def test_tokens_of_earlier_releases_are_what_they_were(organiser: Organiser, store: StoreView) -> None:
    entrant = await organiser.entrant()
    for token, stored in (("old-bots", [entrant.name, "1"]), ("old-organisers", ["", ""])):
        store.client.hset("fudaba:tokens", sha256(token.encode()).hexdigest(), json.dumps(stored))
    old = await whoami(organiser, "old-bots")
    assert (old.scope, old.bot, old.version) == (BOT, entrant.name, "1")
    assert not old.HasField("create_time")
    assert (await whoami(organiser, "old-organisers")).scope == accounts_pb2.TOKEN_SCOPE_ORGANISER
    assert old.token_id in {token.token_id for token in await listed(organiser, bot=entrant.name)}
    rotated = await organiser.accounts.RotateToken(
        accounts_pb2.RotateTokenRequest(token_id=old.token_id), metadata=bearer("old-organisers")
    )
    async with Stream(organiser.address, rotated.token) as stream:
        assert (await stream.hello()).bot == entrant.name
    revoked = await organiser.bots.RevokeTokens(
        bots_pb2.RevokeTokensRequest(bot=entrant.name), metadata=organiser.metadata
    )
    assert revoked.revoked_count == 2
    store.client.hdel("fudaba:tokens", sha256(b"old-organisers").hexdigest())


def test_what_is_stored_of_a_token_is_read_again_whole() -> None:
    owner = Owner(scope=Scope.MATCH, account="ann", bot="b", version="2", match_id="m", seat=0, expire_ms=5)
    assert Owner.unpack(owner.pack(), "") == owner
    later = json.loads(owner.pack()) | {"of_a_later_release": True}
    assert Owner.unpack(json.dumps(later).encode(), "") == owner
