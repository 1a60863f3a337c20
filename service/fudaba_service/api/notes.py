"""The notes of bots about a match, visible only to their writers."""

from __future__ import annotations

from fudaba.v1 import errors_pb2, matches_pb2
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.owner import Owner
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host

__all__ = ["own_notes", "own_seats"]


async def own_notes(host: Host, bots: Bots, caller: Owner, match: matches_pb2.Match) -> matches_pb2.GetNotesResponse:
    """Returns the notes of the caller's seats in a match. Refuses callers without a seat."""
    match_id, mine = match.header.match_id, await own_seats(bots, caller, match)
    # In this order: they are in the archive before they leave the store.
    notes = await host.store.matches.notes(match_id) or await host.register.archived_notes(match_id)
    return matches_pb2.GetNotesResponse(match_id=match_id, notes=[note for note in notes if note.seat in mine])


async def own_seats(bots: Bots, caller: Owner, match: matches_pb2.Match) -> set[int]:
    """Returns the caller's seats in a match. Refuses callers without a seat."""
    match_id, players = match.header.match_id, match.header.players
    mine = {seat for seat, player in enumerate(players) if await _is_own(bots, caller, match_id, seat, player.bot)}
    if not mine:
        raise Refused(errors_pb2.REASON_NOT_YOUR_MATCH, f"no bot of yours has a seat in match {match_id}")
    return mine


async def _is_own(bots: Bots, caller: Owner, match_id: str, seat: int, bot: str) -> bool:
    """Returns whether a seat belongs to the caller: a match token's only seat, a bot's by any version, an account's by
    its bots.
    """
    if caller.match_id:
        return (match_id, seat) == (caller.match_id, caller.seat)
    if caller.plays:
        return bot == caller.bot
    return bool(caller.account) and await bots.account_of(bot) == caller.account
