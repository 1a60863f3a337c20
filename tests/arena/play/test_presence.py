"""What is known of who is here: an answer that is older than what was learned since undoes nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast, final

from fudaba_arena.play.seasons.presence import Presence
from fudaba_arena.play.service.service_client import Present, ServiceClient
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.tournaments.entries import ENTER, EntryChange
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from tests.support.arena.running import until
from tests.support.arena.schedule.states import stored


@final
class SlowService:
    """A service that answers for all when it is told to, and for a single bot at once."""

    def __init__(self) -> None:
        self.asked_for_all = 0
        self.may_answer = asyncio.Event()
        self.here: frozenset[str] = frozenset()

    async def present(self, bots: Sequence[str]) -> Present:
        known = Present(here=self.here)
        if bots != ["ben"]:
            self.asked_for_all += 1
            await self.may_answer.wait()
        return known


async def test_who_enters_while_the_service_is_asked_about_the_others_stays_known_as_it_was_told() -> None:
    state = TournamentState(Tournament("open.1", (TournamentGame("naga"),), (), season=Season("open")), stored())
    state.note_entries([EntryChange(ENTER, 1, "ann", "1", account="of-ann")])
    service = SlowService()
    presence = Presence(cast("ServiceClient", service), Offers(), lambda: None, lambda _: None)
    watching = asyncio.create_task(presence.watch(lambda: state))

    async def is_asked() -> bool:
        return service.asked_for_all == 1

    async def is_known() -> bool:
        return presence.known

    await until(is_asked, "it is asked who is here")
    state.note_entries([EntryChange(ENTER, 1, "ben", version, account="of-ben") for version in ("1", "2")])
    service.here = frozenset({"ben@2"})
    await presence.look_for(state.entrants["ben@2"])
    service.may_answer.set()
    await until(is_known, "the answer about the others has come")
    assert not presence.away(state, "ben@2")
    assert presence.known_absent(state.entrants["ben@1"])
    watching.cancel()
    await asyncio.wait([watching])
