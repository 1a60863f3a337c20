"""Creates matches, and offers them to their bots."""

from __future__ import annotations

from functools import partial
from typing import final

from fudaba.v1 import record_pb2
from fudaba_service.accounts.house_bots import is_house
from fudaba_service.metrics.service_metrics import Metrics
from fudaba_service.sessions.hidden_matches import HiddenMatches
from fudaba_service.sessions.live_sessions import LiveSessions
from fudaba_service.sessions.offers import SeatOffers, players_of
from fudaba_service.store import MatchGone, Store, StoredMatch, StoreUnavailable, retry_until_answered
from fudaba_serving.process.tasks import BackgroundTasks

__all__ = ["Creation"]


@final
class Creation:
    """The only way to create a match."""

    def __init__(
        self,
        store: Store,
        live: LiveSessions,
        offers: SeatOffers,
        hidden_matches: HiddenMatches,
        metrics: Metrics,
        tasks: BackgroundTasks,
    ) -> None:
        self._store = store
        self._live = live
        self._offers = offers
        self._hidden_matches = hidden_matches
        self._metrics = metrics
        self._tasks = tasks

    async def create(
        self,
        header: record_pb2.MatchHeader,
        seed: bytes,
        salt: bytes,
        fingerprint: bytes,
        *,
        hidden: bool = False,
        delay_ms: int = 0,
        concealed: bool = False,
    ) -> bool:
        """Creates a match and offers it to its bots. Returns False if its id is taken. `fingerprint` is the request's;
        `delay_ms` and `concealed` are as for `MatchIndex.hide`.
        """
        match_id, created_ms = header.match_id, header.create_time.ToMilliseconds()
        stored = StoredMatch(header.SerializeToString(deterministic=True), seed, salt, [])
        deadline = created_ms + (header.clock.start_ms or 60_000)
        created = False
        there = partial(self._store.matches.was_created, match_id, salt)
        async with self._hidden_matches.attempt(
            match_id, salt, there, hidden=hidden, delay_ms=delay_ms, concealed=concealed
        ) as attempt:
            try:
                await self._offers.make(header)
                created = attempt.created = await self._store.matches.create(
                    match_id, created_ms, deadline, stored, fingerprint, players_of(header)
                )
            finally:
                if not created:
                    self._tasks.spawn(self._withdraw(header))
        if not created:
            return False
        self._metrics.matches_created.labels(header.game).inc()
        house_seats = sum(is_house(player.bot) for player in header.players)
        if house_seats:
            await self._store.quotas.free_house_seats(match_id, house_seats)
            try:
                await self._live.session(match_id)  # whoever holds it plays its house bots
            except MatchGone as error:
                raise StoreUnavailable(f"the store has lost match {match_id}, which was just created") from error
        return True

    async def offer_again(self, header: record_pb2.MatchHeader) -> None:
        """Repeats the offer of a match whose creator may have died after storing it. Finished matches are not
        offered.
        """
        await self._offers.make(header)
        await self._offers.tell(header)
        await self._offers.withdraw(header.match_id, players_of(header))

    async def _withdraw(self, header: record_pb2.MatchHeader) -> None:
        """Withdraws the offers of a match as soon as the store answers. If the match was created after all, it tells
        its bots.
        """
        if not await retry_until_answered(lambda: self._offers.withdraw(header.match_id, players_of(header))):
            await retry_until_answered(lambda: self._offers.tell(header))
