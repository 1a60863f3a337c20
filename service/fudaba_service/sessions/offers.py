"""Notes which bots have a seat in a match before the match is created, so that no bot is ever forgotten.

So there may be offers of matches that never came into being. A process that finds one withdraws it, in one step with
the check whether the match exists. The match is created in one step with its offers. So a match that exists is offered
to its bots, even if the store is lost, or replaced by a replica, between any two steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from fudaba.v1 import record_pb2
from fudaba_service.store import Store, offer_news

__all__ = ["SeatOffers", "players_of"]


def players_of(header: record_pb2.MatchHeader) -> list[str]:
    """Returns the bot versions of a match, `name/version`, by seat."""
    return [f"{player.bot}/{player.version}" for player in header.players]


@final
class SeatOffers:
    """Makes and announces offers, and withdraws those of missing matches. All methods raise `StoreUnavailable`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def make(self, header: record_pb2.MatchHeader) -> None:
        """Notes that the bots of a match have their seats. Call it before the match is created; the creation repeats
        it.
        """
        await self._store.index.offer(header.match_id, players_of(header))

    async def tell(self, header: record_pb2.MatchHeader) -> None:
        """Tells the bots of a match that it waits for them. It is harmless if they know."""
        await self._store.replicas.tell(*offer_news(header.match_id, players_of(header)))

    async def withdraw(self, match_id: str, players: Sequence[str]) -> bool:
        """Withdraws these bots' offers for a match in which they have no seat, or which does not exist.

        Returns False if nothing was withdrawn: the match exists, and they have seats in it.
        """
        while (header := await self._header(match_id)) is None:
            if await self._store.index.withdraw_offers(match_id, players):
                return True
        seated = players_of(header)
        others = [player for player in players if player not in seated]
        for player in others:
            await self._store.index.forget_seat(match_id, player)
        return bool(others)

    async def _header(self, match_id: str) -> record_pb2.MatchHeader | None:
        """Returns the header of a match in the store, even if it is over but not archived yet."""
        stored = await self._store.matches.state(match_id)
        return None if stored is None else record_pb2.MatchHeader.FromString(stored[0])
