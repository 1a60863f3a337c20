"""Checks the requested seats of a new match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, final

from fudaba.v1 import bots_pb2, errors_pb2, matches_pb2, record_pb2
from fudaba_service.accounts.bots import Bots, version_of
from fudaba_service.accounts.house_bots import VERSION, house_bots, is_house
from fudaba_service.accounts.owner import Owner
from fudaba_service.refusals import Refused
from fudaba_service.sessions import open_matches

__all__ = ["NewSeats", "check_bots_request", "seating"]


@final
class NewSeats(NamedTuple):
    """The seats of a new match."""

    players: list[record_pb2.Player]
    """The players; an empty bot stands for an open seat."""
    kinds: list[str]
    """The kind of each seat, see `sessions.open_matches`."""

    @property
    def complete(self) -> bool:
        """Whether every seat is taken."""
        return all(player.bot for player in self.players)


async def seating(request: matches_pb2.CreateMatchRequest, caller: Owner, bots: Bots) -> NewSeats:
    """Returns the requested seats, with versions filled in. Refuses invalid ones."""
    if request.players and request.seats:
        raise Refused.malformed("players and seats are both given; give one of them")
    asked = request.seats or [matches_pb2.Seat(bot=player) for player in request.players]
    named = await bots.found(sorted({seat.bot.bot for seat in asked if seat.HasField("bot")}))
    found = NewSeats([], [])
    for number, seat in enumerate(asked):
        player, kind = _seat(request.game, number, seat, caller, named)
        found.players.append(player)
        found.kinds.append(kind)
    names = [(player.bot, player.version) for player in found.players if player.bot and not is_house(player.bot)]
    if len(set(names)) < len(names) and not request.several_seats:
        raise Refused(errors_pb2.REASON_BAD_PLAYERS, "a bot version sits in two seats; give each its own seat")
    if not caller.organises and caller.bot_version not in names:
        raise Refused(
            errors_pb2.REASON_BAD_PLAYERS,
            "a bot creates matches that it plays in: give one seat to yourself (`me`, or `caller` in the contract)",
        )
    if not caller.organises and not found.complete and set(names) != {caller.bot_version}:
        raise Refused(
            errors_pb2.REASON_BAD_PLAYERS,
            "a match against another author's bot has no free seats: name house bots or bots for all other seats",
        )
    return found


def _seat(
    game: str, number: int, seat: matches_pb2.Seat, caller: Owner, found: Mapping[str, bots_pb2.Bot]
) -> tuple[record_pb2.Player, str]:
    kind = seat.WhichOneof("to")
    if kind == "bot":
        current = version_of(seat.bot.bot, found, "")
        if not caller.organises and seat.bot.bot != caller.bot and seat.bot.version not in {"", current.version}:
            # Whether it has such a version is its author's to know.
            raise Refused(
                errors_pb2.REASON_CASUAL_PLAY_CLOSED,
                f"casual matches are against the current version of bot {current.bot}; leave the version out",
            )
        named = version_of(seat.bot.bot, found, seat.bot.version)
        return record_pb2.Player(bot=named.bot, version=named.version), open_matches.BOT
    if kind == "caller":
        if caller.organises:
            raise Refused(errors_pb2.REASON_BAD_PLAYERS, f"seat {number}: the organiser is not a bot; name the bot")
        return record_pb2.Player(bot=caller.bot, version=caller.version), open_matches.BOT
    if kind == "house_bot":
        return record_pb2.Player(bot=_house_bot(game, seat.house_bot), version=VERSION), open_matches.HOUSE
    if kind in {"invitation", "open"}:
        return record_pb2.Player(), open_matches.INVITATION if kind == "invitation" else open_matches.OPEN
    raise Refused.malformed(f"seats[{number}].to is not set; set bot, caller, house_bot, invitation or open")


def _house_bot(game: str, name: str) -> str:
    """Returns the name of a house bot that plays a game. Refuses unknown names and lists the house bots."""
    offered = [bot.name for bot in house_bots(game)]
    if name not in offered:
        raise Refused(
            errors_pb2.REASON_BOT_NOT_FOUND, f"no house bot {name[:40]!r} plays {game}; there are: {', '.join(offered)}"
        )
    return name


def check_bots_request(request: matches_pb2.CreateMatchRequest, caller: Owner) -> None:
    """Refuses a bot what only the organiser may request. A bot that chose the seed would know the cards."""
    if request.several_seats:
        raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only the organiser may give a bot several seats")
    if request.seed:
        raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only the organiser may choose the seed; leave it out")
    if request.hidden:
        raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only the organiser may keep a match back; leave hidden out")
    if request.match_id and not request.match_id.startswith(f"{caller.bot}."):
        raise Refused(
            errors_pb2.REASON_ORGANISER_ONLY,
            f"match_id {request.match_id[:80]!r}: one that a bot chooses begins with its name and a dot: {caller.bot}.",
        )
