"""Tokens: a wrong one, or one of somebody else, does nothing."""

from __future__ import annotations

from typing import Any

import pytest

from fudaba.v1 import bots_pb2, matches_pb2, play_pb2
from tests.support.service.bots import bearer
from tests.support.service.organiser import (
    Organiser,
    StoreView,
    nothing_changes,
    refused,
)


def organiser_calls(organiser: Organiser) -> dict[str, tuple[Any, Any]]:
    """Returns every call that is the organiser's."""
    return {
        "CreateBot": (organiser.bots.CreateBot, bots_pb2.CreateBotRequest(name="mallory")),
        "CreateVersion": (organiser.bots.CreateVersion, bots_pb2.CreateVersionRequest(bot="mallory")),
        "GetBot": (organiser.bots.GetBot, bots_pb2.GetBotRequest()),
        "ListBots": (organiser.bots.ListBots, bots_pb2.ListBotsRequest()),
        "CreateToken": (organiser.bots.CreateToken, bots_pb2.CreateTokenRequest()),
        "RevokeTokens": (organiser.bots.RevokeTokens, bots_pb2.RevokeTokensRequest()),
        "CreateMatch": (organiser.matches.CreateMatch, matches_pb2.CreateMatchRequest()),
        "AbortMatch": (organiser.matches.AbortMatch, matches_pb2.AbortMatchRequest()),
        "ReleaseMatches": (organiser.matches.ReleaseMatches, matches_pb2.ReleaseMatchesRequest()),
    }


BAD_TOKENS: list[tuple[tuple[tuple[str, str], ...], str]] = [
    ((), "TOKEN_MISSING"),
    ((("authorization", "Bearer"),), "TOKEN_MISSING"),
    ((("authorization", "Bearer  "),), "TOKEN_MISSING"),
    ((("authorization", "Basic abc"),), "TOKEN_MISSING"),
    ((("authorization", ""),), "TOKEN_MISSING"),
    (bearer("fudaba-org-wrong"), "TOKEN_UNKNOWN"),
    (bearer("x" * 4000), "TOKEN_UNKNOWN"),
]


@pytest.mark.parametrize(("metadata", "reason"), BAD_TOKENS, ids=str)
async def test_without_the_right_token_nothing_is_done(
    organiser: Organiser, store: StoreView, metadata: tuple[tuple[str, str], ...], reason: str
) -> None:
    with nothing_changes(store):
        for method, request in organiser_calls(organiser).values():
            await refused(method(request, metadata=metadata), reason, "oken" if reason == "TOKEN_UNKNOWN" else "Bearer")
        for call in (
            organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(), metadata=metadata),
            organiser.play.WatchSeat(play_pb2.WatchSeatRequest(), metadata=metadata).read(),
            organiser.play.Play(metadata=metadata).read(),
        ):
            await refused(call, reason)


async def test_a_bots_token_is_not_the_organisers_and_the_other_way_round(
    organiser: Organiser, store: StoreView
) -> None:
    entrant = await organiser.entrant()
    with nothing_changes(store):
        for name, (method, request) in organiser_calls(organiser).items():
            # A bot may create matches of its own, see test_joining, and get itself.
            if name not in {"CreateMatch", "GetBot"}:
                reason = "ORGANISER_ONLY" if name in {"AbortMatch", "ReleaseMatches"} else "WRONG_SCOPE"
                await refused(method(request, metadata=bearer(entrant.token)), reason, "organiser")
        for call in (
            organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(), metadata=organiser.metadata),
            organiser.play.WatchSeat(play_pb2.WatchSeatRequest(), metadata=organiser.metadata).read(),
            organiser.play.Play(metadata=organiser.metadata).read(),
        ):
            await refused(call, "BOT_ONLY", "bot's token")


async def test_a_token_is_stored_as_its_hash_only(organiser: Organiser, store: StoreView) -> None:
    entrant = await organiser.entrant()
    held = repr(store.everything())
    for token in (entrant.token, organiser.metadata[0][1].removeprefix("Bearer ")):
        assert token not in held
