"""What is known of the bots that are here: an answer that is older than what was learned since undoes nothing of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from math import inf
from types import SimpleNamespace
from typing import Any, cast, final

from fudaba_arena.play.challenges.challenge_scheduler import ChallengeScheduler
from fudaba_arena.play.seasons.presence import Presence
from fudaba_arena.play.service.service_client import Present, ServiceClient
from fudaba_arena.play.workers.offers import Offers
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.entries import ENTER, EntryChange
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from tests.support.arena.schedule.states import stored
from tests.support.patience import PATIENCE, until


@final
class SlowService:
    """A service that answers for all when it is told to, and for a single bot at once."""

    faulted_at = -inf

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


def entered(*versions: str) -> ScheduledTournament:
    """Returns a season with these versions of bots, each bot of an account of its own."""
    state = ScheduledTournament(Tournament("open.1", (TournamentGame("naga"),), (), season=Season("open")), stored())
    enter(state, *versions)
    return state


def enter(state: ScheduledTournament, *versions: str) -> None:
    for bot, _, version in (name.partition("@") for name in versions):
        state.note_entries([EntryChange(ENTER, 1, bot, version, account=f"of-{bot}")])


def presence_at(service: SlowService) -> Presence:
    return Presence(cast("ServiceClient", service), Offers(), lambda: None, lambda _: None)


@asynccontextmanager
async def asking(service: SlowService, asks: Coroutine[Any, Any, Any]) -> AsyncIterator[asyncio.Task[Any]]:
    """Yields a task that asks about all bots, while the question is on its way."""
    task = asyncio.create_task(asks)

    async def is_asked() -> bool:
        return service.asked_for_all == 1

    try:
        await until(is_asked, "it is asked who is here")
        yield task
    finally:
        task.cancel()
        await asyncio.wait([task])


async def test_who_enters_while_the_service_is_asked_about_the_others_stays_known_as_it_was_told() -> None:
    state, service = entered("ann@1"), SlowService()
    presence = presence_at(service)

    async def is_known() -> bool:
        return presence.known

    async with asking(service, presence.watch(lambda: state)):
        enter(state, "ben@1", "ben@2")
        service.here = frozenset({"ben@2"})
        await presence.look_for(state, state.entrants["ben@2"])
        service.may_answer.set()
        await until(is_known, "the answer about the others has come")
        assert not presence.away(state, "ben@2")
        assert presence.known_absent(state.entrants["ben@1"])


async def test_a_bot_that_enters_while_it_is_judged_which_others_are_to_blame_is_not_taken_for_lost() -> None:
    state, service = entered("ann@1"), SlowService()
    presence = presence_at(service)
    async with asking(service, presence.blameless(state, {})) as judging:
        enter(state, "ben@1")
        service.here = frozenset({"ben@1"})
        await presence.look_for(state, state.entrants["ben@1"])
        service.may_answer.set()
        await judging
    assert not presence._losses._losses


async def test_a_bot_that_enters_while_the_season_is_read_anew_is_not_taken_for_lost() -> None:
    states, service = [entered("ann@1")], SlowService()
    presence = presence_at(service)

    async def is_known() -> bool:
        return presence.known

    async with asking(service, presence.watch(lambda: states[-1])):
        states.append(entered("ann@1", "ben@1"))
        service.here = frozenset({"ben@1"})
        await presence.look_for(states[-1], states[-1].entrants["ben@1"])
        service.may_answer.set()
        await until(is_known, "the answer has come")
    assert not presence._losses._losses


async def test_who_did_not_connect_while_the_service_was_asked_is_away_until_it_is_asked_again() -> None:
    state, service = entered("ann@1", "ben@1"), SlowService()
    service.here = frozenset({"ann@1", "ben@1"})
    presence = presence_at(service)

    async def is_known() -> bool:
        return presence.known

    async with asking(service, presence.watch(lambda: state)):
        presence.missed(state, "ben@1")
        service.may_answer.set()
        await until(is_known, "the answer has come")
        assert presence.absent(state) == {"ben@1"}
        await presence.look_for(state, state.entrants["ben@1"])
        assert presence.absent(state) == set()


async def test_who_did_not_connect_to_a_challenge_while_the_service_was_asked_is_away_until_it_is_asked_again() -> None:
    state, service = entered("ann@1", "ben@1"), SlowService()
    service.here = frozenset({"ann@1", "ben@1"})
    arena = SimpleNamespace(home=SimpleNamespace(store=None), service=service)
    scheduler = ChallengeScheduler(cast(Any, arena), cast(Any, None), 1)
    scheduler._open = {"c": cast(Any, SimpleNamespace(bots=state.entrants))}

    async with asking(service, scheduler._keep_asking()):
        scheduler._missed("ben@1")
        service.may_answer.set()
        await asyncio.wait_for(scheduler._wake.wait(), PATIENCE)
        assert scheduler._present.here == {"ann@1"}
        scheduler._wake.clear()
        scheduler._ask.set()
        await asyncio.wait_for(scheduler._wake.wait(), PATIENCE)
        assert scheduler._present.here == {"ann@1", "ben@1"}


async def test_whom_the_arena_has_seen_since_it_began_is_not_excused_by_its_start() -> None:
    state, service = entered("ann@1", "ben@1"), SlowService()
    service.may_answer.set()
    service.here = frozenset({"ben@1"})
    presence = presence_at(service)
    await presence.look_for(state, state.entrants["ben@1"])
    service.here = frozenset()
    found_at = {name: time.monotonic() for name in ("ann@1", "ben@1")}
    assert await presence.blameless(state, found_at) == ["ann@1"]
