"""Idempotency of CreateMatch: whether a repeated request is the one that created the match with its id."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NamedTuple, final

from fudaba.codec import option_to_proto
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_games.registry import game
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.accounts.owner import Owner

__all__ = ["DEFAULT_CLOCK", "HOUR_MS", "ExistingMatch", "request_fingerprint"]

HOUR_MS: Final = 3_600_000
DEFAULT_CLOCK: Final = record_pb2.Clock(move_ms=10_000, bank_ms=60_000, max_timeouts=3, max_illegal=10)


def request_fingerprint(
    request: matches_pb2.CreateMatchRequest, caller: Owner, players: Iterable[record_pb2.Player]
) -> bytes:
    """Returns the request fingerprint: 32 bytes that are stored with the match. Equivalent requests have the same one.

    `players` are the match's players. If the request names no version, it meant the version that plays.
    """
    meant = matches_pb2.CreateMatchRequest()
    meant.CopyFrom(request)
    meant.DiscardUnknownFields()
    meant.seats.extend(matches_pb2.Seat(bot=player) for player in meant.players)
    meant.ClearField("players")
    meant.ClearField("concealed")  # whether it is meant to be may change between two attempts
    for seat, player in zip(meant.seats, players, strict=False):
        if seat.HasField("caller"):
            seat.bot.bot, seat.bot.version = caller.bot, caller.version
        elif seat.HasField("bot") and seat.bot.bot == player.bot and not seat.bot.version:
            seat.bot.version = player.version
    for option in game(meant.game).options:
        if option.name in meant.options and meant.options[option.name] == option_to_proto(option.default):
            del meant.options[option.name]
    to_be_taken = any(seat.WhichOneof("to") in {"open", "invitation"} for seat in meant.seats)
    meant.join_ms = meant.join_ms or HOUR_MS if to_be_taken else 0
    if not meant.HasField("clock"):
        meant.clock.CopyFrom(DEFAULT_CLOCK)
    requester = "" if caller.organises else caller.player
    return sha256(f"{requester}\n".encode() + meant.SerializeToString(deterministic=True)).digest()


@final
class ExistingMatch(NamedTuple):
    """An existing match."""

    header: record_pb2.MatchHeader
    seed: bytes
    fingerprint: bytes
    """The digest of the request that created it; empty when it is no longer stored."""

    def made_by(self, request: matches_pb2.CreateMatchRequest, caller: Owner, header: record_pb2.MatchHeader) -> bool:
        """Returns whether this request created the match. `header` is what it would create now."""
        if self.fingerprint:
            return self.fingerprint == request_fingerprint(request, caller, self.header.players)
        return self._could_be(request, header)

    def _could_be(self, request: matches_pb2.CreateMatchRequest, header: record_pb2.MatchHeader) -> bool:
        """Returns whether the match is consistent with the request, which is all that a record can tell."""
        if request.seed and request.seed != self.seed:
            return False
        there, wanted = record_pb2.MatchHeader(), record_pb2.MatchHeader()
        there.CopyFrom(self.header)
        wanted.CopyFrom(header)
        named_seats = request.players or [seat.bot for seat in request.seats]
        for named, mine, theirs in zip(named_seats, wanted.players, there.players, strict=False):
            if not mine.bot and not is_house(theirs.bot):
                mine.CopyFrom(theirs)  # the seat was about to be taken, and may have been
            elif mine.bot == theirs.bot == named.bot and not named.version:
                mine.version = theirs.version  # the version that was current then
        for compared in (there, wanted):
            for field in ("create_time", "commitment", "rules_version"):
                compared.ClearField(field)
        return there == wanted
