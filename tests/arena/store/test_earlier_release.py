"""What an earlier release has stored is read, or refused with what to do; it stays as it is.

`earlier_release.json` is what the release before the sequence of closed blocks kept of a tournament in play, written by
that release.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.store.store import Store
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.folders import short_folder

SAMPLE: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("earlier_release.json").read_text("utf-8"))
BEGUN = ("fudaba-arena:tournaments", "fudaba-arena:{spring}:tournament", "fudaba-arena:{spring}:state")
"""What there is of a tournament of which nothing was played."""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        yield server.url


@pytest.fixture
async def store(url: str) -> AsyncIterator[Store]:
    opened = Store(url)
    await opened._redis.flushall()
    yield opened
    await opened.close()


async def fill(store: Store, *names: str) -> None:
    """Puts these keys of the sample into the store."""
    for name in names:
        [(kind, value)] = SAMPLE[name].items()
        if kind == "string":
            await store._redis.set(name, value)
        elif kind == "hash":
            await store._redis.hset(name, mapping=value)
        elif kind == "set":
            await store._redis.sadd(name, *value)
        else:
            for entry in value:
                await store._redis.xadd(name, entry)


async def kept(store: Store) -> dict[Any, Any]:
    return {name: await store._redis.dump(name) for name in sorted(await store._redis.keys())}


async def test_a_tournament_in_play_is_refused_with_what_to_do_and_stays_as_it_is(store: Store) -> None:
    await fill(store, *SAMPLE)
    before = await kept(store)
    with pytest.raises(ArenaError) as refused:
        await stored_state(store, "spring")
    assert str(refused.value) == (
        "tournament spring was stored by an earlier release, in another form; play it to its end and export it with"
        " that release, or begin it anew under another name"
    )
    assert await store.listing.names() == ("spring",)
    assert await kept(store) == before


async def test_a_tournament_that_was_only_begun_is_read(store: Store) -> None:
    await fill(store, *BEGUN)
    state = await stored_state(store, "spring")
    assert state is not None
    assert (state.id, len(state.schedule), state.tournament.attempts) == ("spring-04720ec6", 2, 3)
    assert [(bot.name, bot.builtin, bot.stateless) for bot in state.tournament.bots] == [
        ("first", "first", True),
        ("random", "random", True),
    ]
