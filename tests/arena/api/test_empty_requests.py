"""Every method of the contract that annuls, deletes, ends or bars, called with an empty request: it is refused.

A new method whose policy says that it changes something has to be put into one of the tables here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor

from fudaba.client import Client
from fudaba.errors import ServiceError
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, catalog_pb2, matches_pb2, play_pb2
from fudaba_arena.store.data_folder import open_to_read
from fudaba_serving.grpc.policy import policy_at
from tests.support.arena.api.ladders import WAITING, author, call, create, register
from tests.support.arena.commands.stored_results import store_results
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena, standing
from tests.support.patience import PATIENCE, wait_until

LABEL: Final = "to be used up"
OWN: Final = "own"
"""As the contract says, an empty request means the token that it is made with."""
NOTHING: Final = "nothing"
"""An empty request asks for no change, and none is made."""
DESTRUCTIVE: Final = {
    "AccountService/SuspendAccount": "ACCOUNT_NOT_FOUND",
    "AccountService/DeleteAccount": "MALFORMED",
    "AccountService/RemoveMember": "ACCOUNT_NOT_FOUND",
    "AccountService/RemoveLink": "ACCOUNT_NOT_FOUND",
    "AccountService/RevokeSignInCodes": "MALFORMED",
    "AccountService/AssignBot": "BOT_NOT_FOUND",
    "AccountService/UpdateQuotas": NOTHING,
    "AccountService/RevokeToken": OWN,
    "AccountService/RotateToken": OWN,
    "ArenaService/PauseTournament": "TOURNAMENT_NOT_FOUND",
    "ArenaService/CloseTournament": "TOURNAMENT_NOT_FOUND",
    "ArenaService/AnnulBlocks": "TOURNAMENT_NOT_FOUND",
    "ArenaService/UndoAnnulment": "TOURNAMENT_NOT_FOUND",
    "ArenaService/PauseLadder": "LADDER_NOT_FOUND",
    "ArenaService/CloseSeason": "LADDER_NOT_FOUND",
    "ArenaService/FreezeStandings": "LADDER_NOT_FOUND",
    "ArenaService/OpenStandings": "LADDER_NOT_FOUND",
    "ArenaService/DeleteLadder": "LADDER_NOT_FOUND",
    "ArenaService/EditLadder": "LADDER_NOT_FOUND",
    "ArenaService/PauseEntry": "LADDER_NOT_FOUND",
    "ArenaService/LeaveLadder": "LADDER_NOT_FOUND",
    "ArenaService/DisqualifyEntry": "MALFORMED",
    "ArenaService/ReinstateEntry": "MALFORMED",
    "ArenaService/WithdrawExtension": "MALFORMED",
    "ArenaService/WithdrawAnnouncement": "ANNOUNCEMENT_NOT_FOUND",
    "ArenaService/SetEntryChallenges": "LADDER_NOT_FOUND",
    "ArenaService/CancelChallenge": "CHALLENGE_NOT_FOUND",
    "ArenaService/EmptyKeptFolder": "BOT_NOT_FOUND",
    "BotService/RevokeTokens": "BOT_NOT_FOUND",
    "BotService/PauseBot": "BOT_NOT_FOUND",
    "BotService/SetCasualPlay": "BOT_NOT_FOUND",
    "CatalogService/BeginMaintenance": "MALFORMED",
    "CatalogService/EndMaintenance": "MALFORMED",
    "MatchService/ResignMatch": "MATCH_NOT_FOUND",
    "MatchService/AbortMatch": "MATCH_NOT_FOUND",
    "MatchService/ReleaseMatches": NOTHING,
    "MatchService/SetMatchTags": "MATCH_NOT_FOUND",
}
"""What an empty request comes to, made by the organiser, or by whom the method is for."""
MAKING: Final = {
    *(f"AccountService/{name}" for name in ("CreateAccount", "CreateInvitation", "UpdateAccount", "ResumeAccount")),
    *(f"AccountService/{name}" for name in ("AddMember", "AddLink", "ExchangeLogin", "CreateGuest")),
    *(f"AccountService/{name}" for name in ("CreateAccountToken", "CreateMatchToken")),
    *(f"AccountService/{name}" for name in ("CreateSignInCode", "ExchangeSignInCode")),
    *(f"ArenaService/{name}" for name in ("CreateTournament", "ResumeTournament", "CreateLadder")),
    *(
        f"ArenaService/{name}"
        for name in (
            "ResumeLadder",
            "BeginSeason",
            "EnterLadder",
            "ResumeEntry",
            "ExtendDeadline",
            "CreateAnnouncement",
        )
    ),
    *(f"ArenaService/{name}" for name in ("CreateChallenge", "CreateSubmission", "WriteSubmission")),
    *("ArenaService/FinishSubmission", "BotService/CreateBot", "BotService/CreateVersion", "BotService/CreateToken"),
    *("BotService/ResumeBot", "MatchService/CreateMatch", "MatchService/CreateMatches", "MatchService/JoinMatch"),
    *("PlayService/Play", "PlayService/SubmitMove"),
}
"""Methods that change something, and take nothing away from anybody."""
FILES: Final = (accounts_pb2, arena_pb2, bots_pb2, catalog_pb2, matches_pb2, play_pb2)


def methods() -> dict[str, MethodDescriptor]:
    """Returns the methods that change something."""
    return {
        f"{service.name}/{method.name}": method
        for file in FILES
        for service in file.DESCRIPTOR.services_by_name.values()
        for method in service.methods
        if policy_at(f"/{service.full_name}/{method.name}").changes
    }


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    with standing(hosted) as running:
        create(running, WAITING.format(name="spared", narrow=25))
        token = author(hosted, "spared")
        register(hosted, token, "spared-bot")
        call(running, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="spared", bot="spared-bot"), token)
        yield running


def everything(hosted: Service, arena: Arena) -> list[Any]:
    """Returns what a service and an arena have that could be taken away."""
    with hosted.client() as client:
        found = [
            client.accounts.ListAccounts(accounts_pb2.ListAccountsRequest(), timeout=PATIENCE).accounts,
            client.accounts.GetQuotas(accounts_pb2.GetQuotasRequest(), timeout=PATIENCE).limits,
            client.bots.ListBots(bots_pb2.ListBotsRequest(), timeout=PATIENCE).bots,
            [token.token_id for token in tokens(client)],
        ]
    entries = call(arena, "ListEntries", arena_pb2.ListEntriesRequest(ladder="spared")).entries
    ladder = call(arena, "GetLadder", arena_pb2.GetLadderRequest(ladder="spared")).ladder
    return [*found, [(entry.bot, entry.state) for entry in entries], ladder.state, ladder.season]


def tokens(client: Client) -> list[accounts_pb2.Token]:
    return list(client.accounts.ListTokens(accounts_pb2.ListTokensRequest(page_size=1000), timeout=PATIENCE).tokens)


def token_for(client: Client, name: str) -> Any:
    """Returns a new token of whoever may call a method: its bot, its author, or the organiser."""
    if name == "MatchService/ResignMatch":
        request = bots_pb2.CreateTokenRequest(bot="spared-bot", label=LABEL)
        return client.bots.CreateToken(request, timeout=PATIENCE)
    scope, account = accounts_pb2.TOKEN_SCOPE_ORGANISER, ""
    if name == "MatchService/SetMatchTags":
        [owner] = client.accounts.ListAccounts(accounts_pb2.ListAccountsRequest(), timeout=PATIENCE).accounts
        scope, account = accounts_pb2.TOKEN_SCOPE_AUTHOR, owner.name
    made = accounts_pb2.CreateAccountTokenRequest(scope=scope, account=account, label=LABEL)
    return client.accounts.CreateAccountToken(made, timeout=PATIENCE)


def test_every_method_that_changes_something_is_in_a_table() -> None:
    assert set(DESTRUCTIVE).isdisjoint(MAKING)
    assert set(methods()) == set(DESTRUCTIVE) | MAKING


@pytest.mark.parametrize("name", DESTRUCTIVE)
def test_an_empty_request_takes_nothing_away(hosted: Service, arena: Arena, name: str) -> None:
    before = everything(hosted, arena)
    with hosted.client() as client:
        used = token_for(client, name)
    reason = ""
    service, method = name.split("/")
    at = arena.client(used.token) if service == "ArenaService" else Client(hosted.address, used.token)
    with at as client:
        stub = {"AccountService": "accounts", "ArenaService": "arena", "BotService": "bots", "MatchService": "matches"}
        stub["CatalogService"] = "catalog"
        empty = message_factory.GetMessageClass(methods()[name].input_type)()
        try:
            getattr(getattr(client, stub[service]), method)(empty, timeout=PATIENCE)
        except ServiceError as error:
            reason = error.reason
    assert reason == ("" if DESTRUCTIVE[name] in {OWN, NOTHING} else DESTRUCTIVE[name])
    if DESTRUCTIVE[name] is OWN:
        with hosted.client() as client:
            assert used.info.token_id not in {remaining.token_id for remaining in tokens(client)}
    with hosted.client() as client:
        for token in tokens(client):
            if token.label == LABEL:
                client.accounts.RevokeToken(accounts_pb2.RevokeTokenRequest(token_id=token.token_id), timeout=PATIENCE)
    assert everything(hosted, arena) == before


async def test_blocks_are_annulled_only_where_something_says_which(arena: Arena) -> None:
    async with open_to_read(arena.folder / "data", None) as store:
        await store_results(store, "whole")
    wait_until(lambda: arena.get("whole").progress.blocks_counted == 12, "the arena has heard of the results")
    unsaid: tuple[dict[str, Any], ...] = (
        {},
        {"reason": "no reason to annul all"},
        {"blocks": [], "bot": "", "worker": "", "reason": "nothing says which"},
        {"bot": "nobody", "reason": "no such bot"},
        {"bot": "@1", "reason": "no such bot"},
        {"blocks": [1, 99], "reason": "one of them is not there"},
        {"bot": "a", "worker": "nobody", "reason": "no such worker"},
        {"bot": "a", "reason": " "},
        {"pair": ["a", "nobody"], "reason": "no such bot"},
        {"game": "makkaik", "reason": "no such game"},
        {"bot": "a", "game": "makkaik", "reason": "no such game"},
        {"pair": ["a", "a@1"], "reason": "no such bot"},
    )
    for said in unsaid:
        request = arena_pb2.AnnulBlocksRequest(tournament="whole", **said)
        assert arena.refusal("AnnulBlocks", request).reason == "NOTHING_TO_ANNUL", said
    for pair, bot in ((["a"], ""), (["a", ""], ""), (["", ""], ""), (["a", "b"], "c")):
        request = arena_pb2.AnnulBlocksRequest(tournament="whole", reason="no pair", pair=pair, bot=bot)
        assert arena.refusal("AnnulBlocks", request).code == "INVALID_ARGUMENT", pair
    assert arena.get("whole").progress.blocks_counted == 12
