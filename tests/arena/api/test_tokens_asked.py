"""The arena asks the service whose a token is: what was true before a call began does not count for it."""

from __future__ import annotations

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2, submissions_pb2
from tests.support.arena.api.ladders import author, call, register
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE

LISTED = submissions_pb2.ListSubmissionsRequest(bot="kept-out-bot")


def token_id(hosted: Service, token: str) -> str:
    with Client(hosted.address, token) as client:
        return client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=PATIENCE).token.token_id


def test_a_revoked_token_is_refused_by_the_next_call(arena: Arena, hosted: Service) -> None:
    token = author(hosted, "kept-out")
    register(hosted, token, "kept-out-bot")
    call(arena, "ListSubmissions", LISTED, token)
    with hosted.client() as client:
        revoked = accounts_pb2.RevokeTokenRequest(token_id=token_id(hosted, token))
        client.accounts.RevokeToken(revoked, timeout=PATIENCE)
    assert arena.refusal("ListSubmissions", LISTED, token).reason == "TOKEN_UNKNOWN"


def test_a_rotated_organisers_token_changes_nothing_any_more(arena: Arena, hosted: Service) -> None:
    with hosted.client() as client:
        made = accounts_pb2.CreateAccountTokenRequest(scope=accounts_pb2.TOKEN_SCOPE_ORGANISER)
        token = client.accounts.CreateAccountToken(made, timeout=PATIENCE).token
    asked = arena_pb2.ListArenaActionsRequest()
    call(arena, "ListArenaActions", asked, token)
    with Client(hosted.address, token) as client:
        client.accounts.RotateToken(accounts_pb2.RotateTokenRequest(), timeout=PATIENCE)
    assert arena.refusal("ListArenaActions", asked, token).reason == "TOKEN_UNKNOWN"


def test_a_suspended_account_is_barred_from_the_next_call(arena: Arena, hosted: Service) -> None:
    token = author(hosted, "barred")
    register(hosted, token, "barred-bot")
    asked = submissions_pb2.ListSubmissionsRequest(bot="barred-bot")
    call(arena, "ListSubmissions", asked, token)
    with hosted.client() as client:
        client.accounts.SuspendAccount(accounts_pb2.SuspendAccountRequest(account="barred"), timeout=PATIENCE)
    assert arena.refusal("ListSubmissions", asked, token).reason == "ACCOUNT_SUSPENDED"
