"""Decides what belongs to a caller whose reach in the permissions is `own`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from fudaba.v1 import bots_pb2, errors_pb2, matches_pb2, record_pb2
from fudaba_service.accounts.bots import Bots
from fudaba_service.accounts.owner import Owner, Scope
from fudaba_service.refusals import Refused

__all__ = ["CallersView", "account_of", "check_own_bot"]


def account_of(caller: Owner, name: str) -> str:
    """Returns the account that a request names; an author's own if it names none. Refuses an author other accounts."""
    if caller.scope == Scope.AUTHOR and name not in {"", caller.account}:
        raise Refused(errors_pb2.REASON_NOT_YOURS, f"account {name[:40]!r} is not yours; yours is {caller.account}")
    return name or caller.account


def check_own_bot(caller: Owner, bot: bots_pb2.Bot) -> None:
    """Refuses an author other owners' bots, an arena the bots of any account, and a bot all others."""
    if caller.scope == Scope.ORGANISER:
        return
    if caller.plays and bot.name != caller.bot:
        raise Refused(errors_pb2.REASON_NOT_YOURS, f"a bot may get itself only, {caller.bot}, not {bot.name}")
    if not caller.plays and bot.account != caller.account:
        whose = f"account {caller.account}" if caller.account else "no account, which are the arena's"
        raise Refused(errors_pb2.REASON_NOT_YOURS, f"bot {bot.name} is not yours; you manage the bots of {whose}")


@final
class CallersView:
    """Selects what lists show to one caller. It is a `Viewer`. It looks bots up if necessary."""

    def __init__(self, bots: Bots, caller: Owner | None) -> None:
        self._bots = bots
        self._caller = caller
        self._own: dict[str, bool] = {}
        """For each bot, by its name, whether it is the caller's or its account's."""

    @property
    def sees_all(self) -> bool:
        """See `Viewer`."""
        return self._caller is not None and self._caller.organises

    async def finds(self, matches: Sequence[matches_pb2.Match]) -> list[bool]:
        """See `Viewer`."""
        if self.sees_all:
            return [True] * len(matches)
        unlisted = [match.header for match in matches if match.header.unlisted]
        await self._look_up({player.bot for header in unlisted for player in header.players})
        return [not match.header.unlisted or bool(self._seats(match.header)) for match in matches]

    async def own_seats(self, header: record_pb2.MatchHeader) -> set[int]:
        """See `Viewer`."""
        await self._look_up({player.bot for player in header.players})
        return self._seats(header)

    def _seats(self, header: record_pb2.MatchHeader) -> set[int]:
        return {seat for seat, player in enumerate(header.players) if self._own[player.bot]}

    async def _look_up(self, names: set[str]) -> None:
        """Notes which of these bots belong to the caller."""
        asked = sorted(names - self._own.keys())
        if self._caller is None or self._caller.plays or not self._caller.account:
            own = "" if self._caller is None else self._caller.bot
            self._own |= {name: bool(own) and name == own for name in asked}
            return
        found = await self._bots.found(asked)
        self._own |= {name: name in found and found[name].account == self._caller.account for name in asked}
