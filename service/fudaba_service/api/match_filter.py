"""Parses the filter for matches in a request."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from fudaba.v1 import errors_pb2, matches_pb2
from fudaba_games.registry import game
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.owner import Owner
from fudaba_service.api.tags import tags_owner
from fudaba_service.archive import IndexQuery, places
from fudaba_service.refusals import Refused

__all__ = ["match_filter"]


async def match_filter(
    request: matches_pb2.ListMatchesRequest | matches_pb2.StreamRecordsRequest, caller: Owner | None, bots: Bots
) -> tuple[IndexQuery, str, str]:
    """Returns the filter of a request, and the range of places in lists.

    Refuses an invalid filter, and one for another owner's matches.
    """
    if request.state not in matches_pb2.MatchState.values():
        raise Refused.malformed(f"state is {request.state}; see the enum MatchState")
    if request.game:
        game(request.game)
    named = frozenset({request.bot}) if request.bot else None
    if request.account:
        _check_account(request.account, caller)
        of_account = frozenset(bot.name for bot in await bots.of_account(request.account))
        named = of_account if named is None else of_account & named
    if request.tag and not tags_owner(caller):
        reason = errors_pb2.REASON_TOKEN_MISSING if caller is None else errors_pb2.REASON_WRONG_SCOPE
        raise Refused(
            reason, "to list by `tag`, send a bot's token or an author's: only the account that gave a tag sees it"
        )
    since = _milliseconds("since", request.since) if request.HasField("since") else None
    before = _milliseconds("before", request.before) if request.HasField("before") else None
    wanted = IndexQuery(
        bots=named,
        game=request.game,
        state=request.state,
        label=request.label,
        tag=request.tag,
        tagged_by=tags_owner(caller),
    )
    return wanted, *places(since, before)


def _check_account(account: str, caller: Owner | None) -> None:
    """Refuses callers who may not know an account's bots."""
    if caller is None:
        raise Refused(errors_pb2.REASON_TOKEN_MISSING, "to list by `account`, send a token of that account")
    if not caller.organises and account != caller.account:
        yours = f"yours is {caller.account}" if caller.account else "yours is of none"
        raise Refused(
            errors_pb2.REASON_NOT_YOURS, f"account {account[:40]!r} is not your token's, {yours}; list by `bot`"
        )


def _milliseconds(name: str, time: Timestamp) -> int:
    """Returns a time in the form of matches' creation times, rounded up. Refuses an invalid time."""
    try:
        return -(-time.ToNanoseconds() // 1_000_000)
    except ValueError:
        raise Refused.malformed(f"{name} is not a time between the years 1 and 9999") from None
