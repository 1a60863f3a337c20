"""A stored value that this release cannot read marks its own row of a list, and the others are read all the same."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

import pytest

from fudaba_arena.forms import BadStored
from fudaba_arena.play.challenges.challenge_scheduler import ChallengeScheduler
from fudaba_arena.store.arenas.actions import Action
from fudaba_arena.store.challenges.challenge_store import ChallengePolicy
from fudaba_arena.store.data_folder import DataFolder, open_to_play
from fudaba_arena.store.workers.known_workers import PLAYING, STOPPED, UNREADABLE, KnownWorker, StopReason
from fudaba_arena.tournament.challenge_definition import Challenge
from fudaba_arena.tournament.season import ANYONE, OFF
from tests.support.arena.schedule.states import state

CHALLENGES: Final = "fudaba-arena:{.challenges}"


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[DataFolder]:
    async with open_to_play(tmp_path, None, print) as folder:
        yield folder


async def test_a_worker_that_cannot_be_read_is_shown_as_stopped_with_the_reason_until_it_is_long_silent(
    home: DataFolder,
) -> None:
    workers = home.store.workers
    await workers.note(KnownWorker("right", PLAYING, "", 0, 8, 0, 8, 15.0))
    now_ms, long_ago_ms = (int(second * 1000) for second in (time.time(), time.time() - 2 * 3_600))
    said = {"no-json": f"{now_ms}\n{{", "no-time": "x\n{}", "halves": f'{now_ms}\n{{"state": "playing"}}'}
    for name, word in (said | {"long-gone": f"{long_ago_ms}\n{{"}).items():
        await home.store._redis.hset("fudaba-arena:workers", name, word)
    found = {worker.name: worker for worker in await workers.all()}
    assert (found["right"].state, found["right"].dead) == (PLAYING, False)
    assert found["long-gone"].dead, "it would be listed for ever"
    for name in said:
        assert (found[name].state, found[name].dead, found[name].has_room) == (STOPPED, False, False)
        assert f"this release cannot read what worker {name} says of itself as it is stored" in found[name].why
        assert found[name].stopped_by == StopReason(UNREADABLE)


async def test_an_action_that_cannot_be_read_is_in_its_place_with_the_reason(home: DataFolder) -> None:
    first, last = Action(1, "ArenaService.AnnulBlocks"), Action(2, "ArenaService.CloseTournament")
    await home.store.actions.add(first, "first")
    await home.store._redis.rpush("fudaba-arena:actions", "{")
    await home.store.actions.add(last, "last")
    found = await home.store.actions.after(0, 10)
    assert (found[0], found[2]) == (first, last)
    assert "this release cannot read an organiser's action as it is stored" in found[1].subject["unreadable"]


async def test_nobody_may_challenge_an_entry_whose_policy_cannot_be_read_and_that_is_told(
    home: DataFolder, caplog: pytest.LogCaptureFixture
) -> None:
    anyone = ChallengePolicy(ANYONE)
    await home.store.challenges.set_policy("open", "right", anyone)
    await home.store._redis.hset(f"{CHALLENGES}:policies:open", "wrong", "{")
    with caplog.at_level(logging.WARNING):
        assert await home.store.challenges.policies("open") == {"right": anyone, "wrong": ChallengePolicy(OFF)}
    assert "nobody may challenge wrong in open until its author sets that anew" in caplog.text


@pytest.mark.parametrize("part", ["what", "ending", "ended"])
async def test_a_challenge_that_cannot_be_read_keeps_no_other_one_from_being_looked_at(
    home: DataFolder, part: str
) -> None:
    for challenge_id in ("right", "wrong"):
        challenge = Challenge.from_tournament(
            state(2).tournament,
            challenge_id=challenge_id,
            ladder="open",
            challenger="bot-0@1",
            challenged="bot-1@1",
            account="",
            owners=("", ""),
            created_ms=1,
            expires_ms=2,
        )
        await home.store.challenges.create(challenge_id, challenge.line(), b"", [], 1, blocks=1)
    said: list[str] = []

    async def no_season(ladder: str) -> None:
        del ladder

    arena = SimpleNamespace(
        home=home,
        service=None,
        say=said.append,
        offers=None,
        metrics=SimpleNamespace(challenges=SimpleNamespace(labels=lambda _: SimpleNamespace(set=lambda _: None))),
    )
    scheduler = ChallengeScheduler(cast(Any, arena), cast(Any, SimpleNamespace(season=no_season)), 1)
    if part == "ending":  # it is noted while the challenge is known
        await scheduler._look()
    await home.store._redis.hset(f"{CHALLENGES}:one:wrong", part, "{")
    for _ in range(3):
        await scheduler._look()
    right = scheduler.find("right")
    assert right is not None
    assert right.ending is not None
    assert "has left the ladder open" in right.ending.message
    assert scheduler.find("wrong") is None
    [line] = said
    assert "challenge wrong is not played: " in line
    if part != "what":
        with pytest.raises(BadStored):
            await home.store.challenges.get("wrong")
