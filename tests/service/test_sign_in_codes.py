"""Codes that sign somebody in, once: on another device, after every token was lost, by a link of the organiser."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
import pytest

from fudaba.v1 import accounts_pb2
from fudaba_service.accounts.invitation_codes import code_digest
from fudaba_service.store import keys
from tests.support.service.authors import author
from tests.support.service.bots import bearer
from tests.support.service.organiser import Organiser, StoreView, refused

DEVICE = accounts_pb2.SIGN_IN_CODE_KIND_DEVICE
RECOVERY = accounts_pb2.SIGN_IN_CODE_KIND_RECOVERY
LINK = accounts_pb2.SIGN_IN_CODE_KIND_LINK


async def code_for(organiser: Organiser, kind: Any, metadata: Any, **fields: str) -> str:
    request = accounts_pb2.CreateSignInCodeRequest(kind=kind, **fields)
    return str((await organiser.accounts.CreateSignInCode(request, metadata=metadata)).code)


def exchange(organiser: Organiser, code: str, address: str = "", gateway: Any = ()) -> Any:
    metadata = (*gateway, ("fudaba-client-address", address)) if address else None
    return organiser.accounts.ExchangeSignInCode(accounts_pb2.ExchangeSignInCodeRequest(code=code), metadata=metadata)


@pytest.mark.parametrize("kind", [DEVICE, RECOVERY])
async def test_an_authors_code_signs_in_once_however_it_is_typed(organiser: Organiser, kind: Any) -> None:
    ann = await author(organiser)
    code = await code_for(organiser, kind, ann.metadata)
    made = await exchange(organiser, f" {code.lower().replace('-', ' ')} ")
    assert (made.info.scope, made.info.account) == (accounts_pb2.TOKEN_SCOPE_AUTHOR, ann.name)
    assert made.info.member == ann.name
    assert made.info.HasField("expire_time")
    shown = await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(made.token))
    assert shown.token.token_id == made.info.token_id
    await refused(exchange(organiser, code), "INVITATION_NOT_FOUND", "used")


async def test_of_many_who_use_a_code_in_one_moment_one_is_signed_in(organiser: Organiser) -> None:
    ann = await author(organiser)
    code = await code_for(organiser, DEVICE, ann.metadata)
    answers = await asyncio.gather(*(exchange(organiser, code) for _ in range(10)), return_exceptions=True)
    assert len([answer for answer in answers if not isinstance(answer, grpc.RpcError)]) == 1


async def test_a_device_that_has_signed_in_is_listed_and_can_be_ended(organiser: Organiser) -> None:
    ann = await author(organiser)
    made = await exchange(organiser, await code_for(organiser, DEVICE, ann.metadata))
    listed = await organiser.accounts.ListTokens(accounts_pb2.ListTokensRequest(), metadata=ann.metadata)
    assert (made.info.token_id, "device") in {(token.token_id, token.label) for token in listed.tokens}
    end = accounts_pb2.RevokeTokenRequest(token_id=made.info.token_id)
    await organiser.accounts.RevokeToken(end, metadata=ann.metadata)
    asked = organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=bearer(made.token))
    await refused(asked, "TOKEN_UNKNOWN")


async def test_a_new_recovery_code_replaces_the_one_before_and_no_device_code(organiser: Organiser) -> None:
    ann = await author(organiser)
    first, device = [await code_for(organiser, kind, ann.metadata) for kind in (RECOVERY, DEVICE)]
    second = await code_for(organiser, RECOVERY, ann.metadata)
    await refused(exchange(organiser, first), "INVITATION_NOT_FOUND", "replaced")
    await exchange(organiser, second)
    await exchange(organiser, device)


async def test_a_link_is_the_organisers_and_the_log_of_actions_says_who_made_it(organiser: Organiser) -> None:
    ann = await author(organiser)
    asked = accounts_pb2.CreateSignInCodeRequest(kind=LINK)
    await refused(organiser.accounts.CreateSignInCode(asked, metadata=ann.metadata), "ORGANISER_ONLY", "device code")
    code = await code_for(organiser, LINK, organiser.metadata, account=ann.name)
    assert (await exchange(organiser, code)).info.account == ann.name
    newest = accounts_pb2.ListActionsRequest(newest_first=True, query="CreateSignInCode")
    actions = (await organiser.accounts.ListActions(newest, metadata=organiser.metadata)).actions
    assert actions[0].subject["account"] == ann.name
    assert code not in str(actions[0])


async def test_a_code_is_for_an_account_and_a_member_that_there_are_and_for_a_purpose(organiser: Organiser) -> None:
    ann, bob = await author(organiser), await author(organiser)
    create = organiser.accounts.CreateSignInCode
    for request, reason in (
        (accounts_pb2.CreateSignInCodeRequest(account=bob.name, kind=DEVICE), "NOT_YOURS"),
        (accounts_pb2.CreateSignInCodeRequest(member="nobody", kind=DEVICE), "ACCOUNT_NOT_FOUND"),
        (accounts_pb2.CreateSignInCodeRequest(), "MALFORMED"),
    ):
        await refused(create(request, metadata=ann.metadata), reason)
    nowhere = accounts_pb2.CreateSignInCodeRequest(account="nobody", kind=LINK)
    await refused(create(nowhere, metadata=organiser.metadata), "ACCOUNT_NOT_FOUND")


async def add_member(organiser: Organiser, account: str, member: str) -> None:
    request = accounts_pb2.AddMemberRequest(account=account, member=member)
    await organiser.accounts.AddMember(request, metadata=organiser.metadata)


async def test_a_code_of_a_suspended_account_signs_in_once_the_account_is_resumed(organiser: Organiser) -> None:
    ann = await author(organiser)
    code = await code_for(organiser, RECOVERY, ann.metadata)
    name = accounts_pb2.SuspendAccountRequest(account=ann.name)
    await organiser.accounts.SuspendAccount(name, metadata=organiser.metadata)
    await refused(exchange(organiser, code), "ACCOUNT_SUSPENDED")
    resume = accounts_pb2.ResumeAccountRequest(account=ann.name)
    await organiser.accounts.ResumeAccount(resume, metadata=organiser.metadata)
    assert (await exchange(organiser, code)).info.account == ann.name


async def test_a_member_who_is_removed_takes_their_codes_along_also_when_they_come_back(organiser: Organiser) -> None:
    ann = await author(organiser)
    await add_member(organiser, ann.name, "mate")
    gone = await code_for(organiser, DEVICE, ann.metadata, member="mate")
    stays = await code_for(organiser, DEVICE, ann.metadata)
    remove = accounts_pb2.RemoveMemberRequest(account=ann.name, member="mate")
    await organiser.accounts.RemoveMember(remove, metadata=organiser.metadata)
    await add_member(organiser, ann.name, "mate")
    await refused(exchange(organiser, gone), "INVITATION_NOT_FOUND")
    await exchange(organiser, stays)


async def test_of_a_deleted_account_no_code_stays(organiser: Organiser, store: StoreView) -> None:
    ann = await author(organiser)
    code = await code_for(organiser, RECOVERY, ann.metadata)
    delete = accounts_pb2.DeleteAccountRequest(account=ann.name)
    await organiser.accounts.DeleteAccount(delete, metadata=ann.metadata)
    await refused(exchange(organiser, code), "INVITATION_NOT_FOUND")
    assert not store.client.exists(keys.sign_in_code(code_digest(code)), keys.sign_in_codes(ann.name))


async def test_an_author_sees_which_codes_are_valid_and_revokes_them(organiser: Organiser) -> None:
    ann, bob = await author(organiser), await author(organiser)
    await add_member(organiser, ann.name, "mate")
    own, mates = [await code_for(organiser, RECOVERY, ann.metadata, member=name) for name in (ann.name, "mate")]
    used = await code_for(organiser, DEVICE, ann.metadata)
    await exchange(organiser, used)
    codes = (
        await organiser.accounts.ListSignInCodes(accounts_pb2.ListSignInCodesRequest(), metadata=ann.metadata)
    ).codes
    assert [(code.kind, code.member) for code in codes] == [(RECOVERY, ann.name), (RECOVERY, "mate")]
    assert codes[0].expire_time.seconds - codes[0].create_time.seconds == 365 * 24 * 3_600
    revoke = accounts_pb2.RevokeSignInCodesRequest(account=ann.name, member=ann.name)
    await refused(organiser.accounts.RevokeSignInCodes(revoke, metadata=bob.metadata), "NOT_YOURS")
    revoked = (await organiser.accounts.RevokeSignInCodes(revoke, metadata=ann.metadata)).revoked
    assert [code.member for code in revoked] == [ann.name]
    await refused(exchange(organiser, own), "INVITATION_NOT_FOUND")
    await exchange(organiser, mates)


async def test_an_account_has_at_most_20_valid_codes_and_a_new_recovery_code_is_none_more(organiser: Organiser) -> None:
    ann = await author(organiser)
    await code_for(organiser, RECOVERY, ann.metadata)
    codes = [await code_for(organiser, DEVICE, ann.metadata) for _ in range(19)]
    await refused(code_for(organiser, DEVICE, ann.metadata), "QUOTA_EXCEEDED", "20")
    await code_for(organiser, RECOVERY, ann.metadata)
    await exchange(organiser, codes[0])
    await code_for(organiser, DEVICE, ann.metadata)


async def test_a_recovery_code_has_a_hundred_random_bits_and_others_sixty(organiser: Organiser) -> None:
    ann = await author(organiser)
    lengths = [len((await code_for(organiser, kind, ann.metadata)).replace("-", "")) for kind in (RECOVERY, DEVICE)]
    assert lengths == [20, 12]  # of five bits each


async def test_whoever_guesses_codes_is_told_to_wait_and_nobody_with_a_right_one_is(organiser: Organiser) -> None:
    ann = await author(organiser)
    gateway = bearer((await organiser.token("gateway")).token)
    code = await code_for(organiser, DEVICE, ann.metadata)
    for _ in range(20):
        await refused(exchange(organiser, "0000-0000-0000", "192.0.2.66", gateway), "INVITATION_NOT_FOUND")
    wrong = exchange(organiser, "0000-0000-0000", "192.0.2.66", gateway)
    await refused(wrong, "QUOTA_EXCEEDED", "20", "192.0.2.66")
    assert (await exchange(organiser, code, "192.0.2.66", gateway)).info.account == ann.name


async def test_guesses_at_once_count_each(organiser: Organiser) -> None:
    gateway = bearer((await organiser.token("gateway")).token)
    guesses = (exchange(organiser, "0000-0000-0000", "192.0.2.68", gateway) for _ in range(30))
    answers = await asyncio.gather(*guesses, return_exceptions=True)
    codes = [answer.code() for answer in answers if isinstance(answer, grpc.RpcError)]
    assert codes.count(grpc.StatusCode.RESOURCE_EXHAUSTED) == 10
    assert codes.count(grpc.StatusCode.NOT_FOUND) == 20


async def test_the_store_has_no_code_in_plain_and_forgets_it_in_time(organiser: Organiser, store: StoreView) -> None:
    ann = await author(organiser)
    code = await code_for(organiser, RECOVERY, ann.metadata)
    digest = code_digest(code)
    for key in (keys.sign_in_code(digest), keys.sign_in_codes(ann.name)):
        left_ms: Any = store.client.pttl(key)
        assert 0 < left_ms <= 365 * 24 * 3_600_000
    kept: Any = store.client.get(keys.sign_in_code(digest))
    listed: Any = store.client.hgetall(keys.sign_in_codes(ann.name))
    assert code.encode() not in kept + repr(listed).encode()


async def test_a_replaced_recovery_code_leaves_no_key(organiser: Organiser, store: StoreView) -> None:
    ann = await author(organiser)
    first, second = [await code_for(organiser, RECOVERY, ann.metadata) for _ in range(2)]
    assert not store.client.exists(keys.sign_in_code(code_digest(first)))
    assert store.client.exists(keys.sign_in_code(code_digest(second)))
