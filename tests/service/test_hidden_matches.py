"""A match whose creation fails is no longer hidden. One that was created after all stays hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
import redis as redis_py

from fudaba.v1 import matches_pb2, record_pb2
from fudaba_service.sessions.hidden_matches import HiddenMatches
from fudaba_service.sessions.open_matches import CLOSED_KEPT_MS, OpenMatch
from fudaba_service.store import StoreUnavailable, keys, match_keys
from fudaba_serving.process.tasks import BackgroundTasks
from tests.support.patience import until
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser, refused
from tests.support.service.processes import RedisServer
from tests.support.service.stores import opened

SEAT: Final = matches_pb2.Seat
SALT: Final = bytes(16)


def hidden_matches(client: redis_py.Redis) -> set[str]:
    """Returns the ids of the matches that are hidden, and of those that an attempt to create them hides."""
    view: Any = client
    return {match_id.decode() for match_id in {*view.smembers(keys.HIDDEN), *view.hkeys(keys.HIDING)}}


def request_for(bot: str, other: matches_pb2.Seat, match_id: str = "m-kept") -> matches_pb2.CreateMatchRequest:
    seats = [SEAT(bot=record_pb2.Player(bot=bot)), other]
    return matches_pb2.CreateMatchRequest(game="naga", match_id=match_id, seats=seats, hidden=True)


@pytest.mark.parametrize("forbidden", ["evalsha", "hlen", ""])
async def test_a_match_that_cannot_be_created_is_hidden_no_more(
    folder: Path, redis: RedisServer, forbidden: str
) -> None:
    with started(folder, redis) as service, redis.client() as client:
        async with Organiser(service.address, service.token) as organiser:
            entrant, two = await organiser.entrant(), await organiser.entrant()
            other = SEAT(open=SEAT.Open()) if forbidden == "hlen" else SEAT(bot=record_pb2.Player(bot=two.name))
            call = organiser.matches.CreateMatch(request_for(entrant.name, other), metadata=organiser.metadata)
            if forbidden:  # only what creates a match needs it
                client.acl_setuser("default", enabled=True, commands=[f"-{forbidden}"])
                await refused(call, "STORE_UNAVAILABLE")
            else:
                client.set(match_keys("m-kept").gone, b"another match has its id")
                await refused(call, "MATCH_NOT_FOUND")
            await until(lambda: not hidden_matches(client), "that nothing is hidden any more")


async def test_a_match_that_was_created_after_all_stays_hidden(redis: RedisServer) -> None:
    tasks = BackgroundTasks(lambda: None)
    looks: list[bool] = []

    async def there() -> bool:
        looks.append(bool(looks))  # what was sent to create it arrives after the first look
        return looks[-1]

    async with opened(redis.url) as store:
        with pytest.raises(StoreUnavailable):
            async with HiddenMatches(store, tasks).attempt("m-late", SALT, there, hidden=True):
                raise StoreUnavailable("no answer")
        await tasks.done()
        assert looks == [False, True]
        assert await store.index.hidden(["m-late"]) == [True]


async def test_an_open_match_that_was_given_up_is_hidden_until_it_is_forgotten(
    folder: Path, redis: RedisServer
) -> None:
    with started(folder, redis) as service, redis.client() as client:
        async with Organiser(service.address, service.token) as organiser:
            entrant = await organiser.entrant()
            request = request_for(entrant.name, SEAT(open=SEAT.Open()))
            await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
            call_off = matches_pb2.AbortMatchRequest(match_id="m-kept")
            await organiser.matches.AbortMatch(call_off, metadata=organiser.metadata)
            assert hidden_matches(client) == {"m-kept"}
            view: Any = client
            given_up = OpenMatch.unpack(view.hget(keys.OPEN, "m-kept"))
            given_up.closed_ms -= CLOSED_KEPT_MS
            view.hset(keys.OPEN, "m-kept", given_up.pack())
            await until(lambda: not hidden_matches(client), "that nothing is hidden any more")
            await until(lambda: not view.hexists(keys.OPEN, "m-kept"), "that it is forgotten")
