"""Casual matches: which of them an author allows against a bot, and whether one may begin now.

A place is taken at the bot and at the caller before the match is created, as `quota` says.
"""

from __future__ import annotations

from typing import Final, final

from fudaba.v1 import bots_pb2, errors_pb2, record_pb2
from fudaba_games.registry import game
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.accounts.owner import Owner
from fudaba_service.api.quota import take_place
from fudaba_service.refusals import Refused
from fudaba_service.sessions.host import Host
from fudaba_service.store import There

__all__ = ["MAX_CASUAL_MATCHES_OF_CALLER", "CasualMatches", "checked_casual_play", "is_present"]

MAX_CASUAL_MATCHES_OF_CALLER: Final = 2
"""The number of unfinished casual matches that one caller may have begun."""
_MAX_CASUAL_MATCHES_OF_BOT: Final = 20
_MAX_GAMES: Final = 100
_MAX_CLOCK_MS: Final = {"move_ms": 60_000, "increment_ms": 60_000, "bank_ms": 600_000, "start_ms": 60_000}
"""The largest values of a casual match's clock, by field: a player who has left keeps the bot for minutes."""
_MAX_TIMEOUTS: Final = 10


def checked_casual_play(casual_play: bots_pb2.CasualPlay) -> bots_pb2.CasualPlay:
    """Returns what an author allows, with each game once and sorted. Refuses what is out of range."""
    if not 1 <= len(casual_play.games) <= _MAX_GAMES:
        raise Refused.malformed(
            f"casual_play.games has {len(casual_play.games)} entries; 1 to {_MAX_GAMES} are allowed; leave out "
            "casual_play to allow no casual matches"
        )
    if not 1 <= casual_play.max_matches <= _MAX_CASUAL_MATCHES_OF_BOT:
        raise Refused.malformed(
            f"casual_play.max_matches is {casual_play.max_matches}; 1 to {_MAX_CASUAL_MATCHES_OF_BOT} is allowed"
        )
    games = sorted({game(game_id).id for game_id in casual_play.games})
    return bots_pb2.CasualPlay(games=games, max_matches=casual_play.max_matches)


def is_present(there: There) -> bool:
    """Returns whether a bot version can begin a match."""
    return there.connected and not there.paused


@final
class CasualMatches:
    """Takes places for casual matches, and gives them back."""

    def __init__(self, host: Host, bots: Bots) -> None:
        self._host = host
        self._bots = bots

    async def reserve(self, header: record_pb2.MatchHeader, caller: Owner) -> list[str]:
        """Takes the places of a match in which the caller meets other authors' bots. Returns what `give_back` needs to
        give back those that were taken just now. Refuses what an author does not allow, and a bot that is absent or
        busy.
        """
        met = _met(header, caller)
        if not met:
            return []
        bots = await self._bots.found(sorted(player.bot for player in met))
        for player in met:
            _check_allowed(header.game, player, bots.get(player.bot, bots_pb2.Bot(name=player.bot)))
        _check_clock(header.clock)
        await self._check_present(met)
        wanted = [(_of_caller(caller), MAX_CASUAL_MATCHES_OF_CALLER)]
        wanted += [(_of_bot(player.bot), bots[player.bot].casual_play.max_matches) for player in met]
        taken: list[str] = []
        for whose, most in wanted:
            reserved = await take_place(self._host, whose, header.match_id, most)
            if reserved is None:
                await self.give_back(header.match_id, taken)
                raise _no_place(whose, most)
            if reserved:
                taken.append(whose)
        return taken

    async def give_back(self, match_id: str, taken: list[str]) -> None:
        """Gives back the places of a match that was not created."""
        for whose in taken:
            await self._host.store.quotas.forget(whose, match_id)

    async def _check_present(self, met: list[record_pb2.Player]) -> None:
        found = await self._host.store.places.there([f"{player.bot}/{player.version}" for player in met])
        for player, there in zip(met, found, strict=True):
            if not is_present(there):
                state = "is paused" if there.paused else "is not connected"
                raise Refused(errors_pb2.REASON_BOT_ABSENT, f"bot {player.bot} {state}; try again later")
            if there.capacity and len(there.taken) >= there.capacity:
                raise Refused(
                    errors_pb2.REASON_BOT_BUSY,
                    f"bot {player.bot} plays as many matches as it takes at once, {there.capacity}; try again later",
                )


def _met(header: record_pb2.MatchHeader, caller: Owner) -> list[record_pb2.Player]:
    """Returns the players who are neither the caller nor house bots."""
    own = (caller.bot, caller.version)
    return [
        player
        for player in header.players
        if player.bot and not is_house(player.bot) and (player.bot, player.version) != own
    ]


def _check_allowed(game_id: str, player: record_pb2.Player, bot: bots_pb2.Bot) -> None:
    if game_id not in bot.casual_play.games:
        allowed = ", ".join(bot.casual_play.games) or "none"
        raise Refused(
            errors_pb2.REASON_CASUAL_PLAY_CLOSED,
            f"the author of bot {player.bot} allows no casual match of {game_id} against it (allowed: {allowed}); "
            "choose another game or bot, or leave the seat open or give it away by invitation",
        )
    if player.version != bot.versions[-1].label:
        raise Refused(
            errors_pb2.REASON_CASUAL_PLAY_CLOSED,
            f"casual matches are against the current version of bot {player.bot}, {bot.versions[-1].label}; leave the "
            "version out",
        )


def _check_clock(clock: record_pb2.Clock) -> None:
    for field, most in _MAX_CLOCK_MS.items():
        if getattr(clock, field) > most:
            raise Refused.malformed(f"clock.{field} is {getattr(clock, field)}; a casual match may have at most {most}")
    if not 1 <= clock.max_timeouts <= _MAX_TIMEOUTS:
        raise Refused.malformed(
            f"clock.max_timeouts is {clock.max_timeouts}; a casual match has 1 to {_MAX_TIMEOUTS}, so that it ends when"
            " its player has left"
        )


def _of_bot(bot: str) -> str:
    return f"casual-bot:{bot}"


def _of_caller(caller: Owner) -> str:
    return f"casual-caller:{caller.player}"


def _no_place(whose: str, most: int) -> Refused:
    kind, _, name = whose.partition(":")
    if kind == "casual-bot":
        return Refused(
            errors_pb2.REASON_BOT_BUSY,
            f"bot {name} has as many casual matches as its author allows at once, {most}; try again when one is over",
        )
    return Refused(
        errors_pb2.REASON_TOO_MANY_MATCHES, f"{most} casual matches of yours are unfinished: finish one first"
    )
