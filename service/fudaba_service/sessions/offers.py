"""Notes which bots have a seat in a match before the match is created, so that no bot of it is ever forgotten.

So there can be offers of matches that never came to be: whoever meets one withdraws it. That can happen while the match
is just being created. Then either whoever creates it or whoever has withdrawn the offer sees that, and makes it again.
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
    """Makes offers, tells of them, and withdraws those of matches that are not there. All raise `StoreUnavailable`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def make(self, header: record_pb2.MatchHeader) -> None:
        """Notes that the bots of a match have their seats. To be done before it is created; that does it once more."""
        await self._store.index.offer(header.match_id, players_of(header))

    async def tell(self, header: record_pb2.MatchHeader) -> None:
        """Tells the bots of a match that it waits for them; harmless when they know."""
        await self._store.replicas.tell(*offer_news(header.match_id, players_of(header)))

    async def withdraw(self, match_id: str, players: Sequence[str]) -> bool:
        """Withdraws what these bots were offered of a match in which they have no seat, or which is not there.

        False when none of them was: the match is there, and they have seats in it.
        """
        header = await self._header(match_id)
        seated = [] if header is None else players_of(header)
        others = [player for player in players if player not in seated]
        for player in others:
            await self._store.index.withdraw_offer(match_id, player)
        # A match may have come to be just now, and its creator have made its offers before one was withdrawn here.
        header = await self._header(match_id)
        if header is not None and not set(others).isdisjoint(players_of(header)):
            await self.make(header)
            await self.tell(header)
        return bool(others)

    async def _header(self, match_id: str) -> record_pb2.MatchHeader | None:
        """Returns the header of a match that the store has, also of one that is over and not archived yet."""
        stored = await self._store.matches.state(match_id)
        return None if stored is None else record_pb2.MatchHeader.FromString(stored[0])
