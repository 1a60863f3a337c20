"""Who asks for which seats of a new match, and whether they may."""

from __future__ import annotations

from typing import Final, NamedTuple, final

from fudaba.v1 import errors_pb2, matches_pb2, record_pb2
from fudaba_service.accounts import Accounts, Owner
from fudaba_service.house.names import VERSION, house_bot, is_house
from fudaba_service.house.names import players as house_players
from fudaba_service.refusals import Refused
from fudaba_service.sessions import tables
from fudaba_service.sessions.host import Host
from fudaba_service.store import MatchGone

__all__ = ["Seating", "check_bots_request", "check_makers_matches", "seating"]

MOST_MADE: Final = 20
"""How many unfinished matches a bot may have created."""
MOST_HOUSE_SEATS: Final = 500
"""How many seats house bots may have in matches of bots' making."""


@final
class Seating(NamedTuple):
    """The seats of a new match."""

    players: list[record_pb2.Player]
    """An empty bot stands for a seat that is to be taken."""
    kinds: list[str]
    """How each seat is given away, see `sessions.tables`."""

    @property
    def complete(self) -> bool:
        """Whether every seat is taken."""
        return all(player.bot for player in self.players)


async def seating(request: matches_pb2.CreateMatchRequest, caller: Owner, accounts: Accounts) -> Seating:
    """The seats that a request asks for, versions filled in. Refuses what cannot be."""
    if request.players and request.seats:
        raise Refused.malformed("players and seats are both given; give one of them")
    asked = request.seats or [matches_pb2.Seat(bot=player) for player in request.players]
    found = Seating([], [])
    for number, seat in enumerate(asked):
        player, kind = await _seat(request.game, number, seat, caller, accounts)
        found.players.append(player)
        found.kinds.append(kind)
    names = [(player.bot, player.version) for player in found.players if player.bot and not is_house(player.bot)]
    if len(set(names)) < len(names):
        raise Refused(errors_pb2.REASON_BAD_PLAYERS, "a bot version sits in two seats; give each its own seat")
    if not caller.organiser and (caller.bot, caller.version) not in names:
        raise Refused(
            errors_pb2.REASON_BAD_PLAYERS,
            "a bot creates matches that it plays in: give one seat to yourself (`me`, or `caller` in the contract)",
        )
    return found


async def _seat(
    game: str, number: int, seat: matches_pb2.Seat, caller: Owner, accounts: Accounts
) -> tuple[record_pb2.Player, str]:
    kind = seat.WhichOneof("to")
    if kind == "bot":
        owner = await accounts.version(seat.bot.bot, seat.bot.version)
        if not caller.organiser and owner != caller:
            raise Refused(
                errors_pb2.REASON_ORGANISER_ONLY,
                f"only the organiser may seat other bots; leave seat {number} open, or give it away by invitation",
            )
        return record_pb2.Player(bot=owner.bot, version=owner.version), tables.BOT
    if kind == "caller":
        if caller.organiser:
            raise Refused(errors_pb2.REASON_BAD_PLAYERS, f"seat {number}: the organiser is no bot; name the bot")
        return record_pb2.Player(bot=caller.bot, version=caller.version), tables.BOT
    if kind == "house":
        return record_pb2.Player(bot=house_bot(game, seat.house).bot, version=VERSION), tables.HOUSE
    if kind in {"invitation", "open"}:
        return record_pb2.Player(), tables.INVITATION if kind == "invitation" else tables.OPEN
    raise Refused.malformed(f"seats[{number}].to is not set; set bot, caller, house, invitation or open")


def check_bots_request(request: matches_pb2.CreateMatchRequest, caller: Owner) -> None:
    """Refuses what only the organiser may ask for. A bot that chose the seed would know the cards."""
    if request.seed:
        raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only the organiser may choose the seed; leave it out")
    if request.withheld:
        raise Refused(errors_pb2.REASON_ORGANISER_ONLY, "only the organiser may keep a match back; leave withheld out")
    if request.match_id and not request.match_id.startswith(f"{caller.bot}."):
        raise Refused(
            errors_pb2.REASON_ORGANISER_ONLY,
            f"match_id {request.match_id[:80]!r}: one that a bot chooses begins with its name and a dot: {caller.bot}.",
        )


async def check_makers_matches(host: Host, maker: str, players: list[record_pb2.Player]) -> None:
    """Refuses one more match of a bot's making when too many are unfinished."""
    unfinished = 0
    for match_id in await host.store.made_by(maker):
        if await _unfinished(host, match_id):
            unfinished += 1
        else:
            await host.store.forget_made(maker, match_id)
    if unfinished >= MOST_MADE:
        raise Refused(
            errors_pb2.REASON_TOO_MANY_MATCHES,
            f"{unfinished} matches that {maker} created are unfinished; at most {MOST_MADE} may be: finish some first",
        )
    if any(is_house(player.bot) for player in players):
        busy = await host.store.count_matches_of(house_players())
        if busy >= MOST_HOUSE_SEATS:
            raise Refused(
                errors_pb2.REASON_TOO_MANY_MATCHES, f"the house bots play in {busy} matches already; try again later"
            )


async def _unfinished(host: Host, match_id: str) -> bool:
    table = await host.tables.find(match_id)
    if table is not None:
        return not table.closed
    try:
        return not (await host.session(match_id)).replay.over
    except MatchGone:
        return False
