"""Whatever one client does, others get their turn: counted in turns of the event loop and answers, not in time."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import statistics
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench.play import Counts, channels_to, instant_bot
from fudaba.v1 import game_pb2, matches_pb2, play_pb2
from fudaba_service.settings import Settings
from fudaba_service.startup.server import serve
from fudaba_service.store import Append, Store, loop_turns, match_keys
from tests.support.patience import until
from tests.support.service.bots import Stream
from tests.support.service.in_progress import started
from tests.support.service.organiser import PATIENT, Organiser, request_for
from tests.support.service.processes import RedisServer
from tests.support.service.stores import HOUR_MS, opened

ANSWERS_PER_STEP = 4
"""After so many answers others get their turn, while somebody waits for a call."""
ANSWERS_PER_ROUND = 128
"""So many answers go to the store in one round trip."""
MAX_ANSWERS_BEFORE = 120
"""Before so many answers of others a call is answered. It takes 30 to 70; it takes 200 when each turn has a hundred."""
MAX_SPELLS = 5
"""A call's own way through a busy machine may take as long, for a while: so often it is tried again."""
ANSWER_COUNT = 1000


def submit(store: Store, number: int, answered: Callable[[], None], sender: str) -> None:
    """Appends to a match that is not there: that is answered as fast as any other append, and as one."""
    match_id = f"m-{number}"
    keys = match_keys(match_id).for_append()
    store.commits.submit(Append(match_id, 1, b"", [b"x"], HOUR_MS, b"", lambda _: answered(), keys, sender=sender))


@contextlib.asynccontextmanager
async def steps(count: Callable[[], int]) -> AsyncIterator[list[int]]:
    """Yields how far something gets from turn to turn of the event loop."""
    found = [0]

    async def look() -> None:
        before = count()
        while True:
            await asyncio.sleep(0)
            found.append(count() - before)
            before = count()

    looking = asyncio.create_task(look())
    try:
        yield found
    finally:
        looking.cancel()
        await asyncio.wait([looking])


async def test_an_answer_waits_for_few_of_another_bot_however_many_that_one_gives(redis: RedisServer) -> None:
    senders: list[str] = []

    def tell(store: Store, sender: str) -> None:
        senders.append(sender)
        if len(senders) == 1:  # the others of this round are told before, and those of the next one with it
            submit(store, ANSWER_COUNT, partial(tell, store, "slow/1"), "slow/1")

    async with opened(redis.url) as store:
        for number in range(ANSWER_COUNT):
            submit(store, number, partial(tell, store, "fast/1"), "fast/1")
        await until(lambda: len(senders) == ANSWER_COUNT + 1, "all answers")
    assert senders.index("slow/1") <= 2 * ANSWERS_PER_ROUND


@pytest.mark.parametrize(
    ("called", "worked", "least", "most"),
    [
        (True, 1.0, 1, ANSWERS_PER_STEP),
        (False, 1.0, 17, 100),
        (False, 0.5, ANSWERS_PER_STEP + 1, 16),
        (True, 0.0, 1, ANSWERS_PER_STEP),
    ],
)
async def test_few_answers_are_told_in_a_turn_while_a_call_is_answered_some_while_there_is_time_to_spare_else_many(
    redis: RedisServer, called: bool, worked: float, least: int, most: int
) -> None:
    answers: list[None] = []
    async with opened(redis.url) as store:
        store.turns.looked(worked, 1.0)
        with store.turns.called() if called else contextlib.nullcontext():
            async with steps(lambda: len(answers)) as found:
                for number in range(ANSWER_COUNT):
                    submit(store, number, partial(answers.append, None), f"bot/{number % 2}")
                await until(lambda: len(answers) == ANSWER_COUNT, "all answers")
    assert least <= max(found) <= most


@pytest.mark.parametrize(("worked", "step"), [(0.8, 100), (0.6, 16)])
async def test_whether_there_is_time_to_spare_is_looked_at_again_and_again(
    monkeypatch: pytest.MonkeyPatch, worked: float, step: int
) -> None:
    clock = SimpleNamespace(
        monotonic=partial(next, itertools.count()), thread_time=partial(next, itertools.count(0.0, worked))
    )
    monkeypatch.setattr(loop_turns, "time", clock)
    monkeypatch.setattr(loop_turns, "_POLL_SECONDS", 0.0)
    own_turns = loop_turns.LoopTurns()
    own_turns.looked(1.0 - worked, 1.0)  # it was otherwise
    running = asyncio.create_task(own_turns.run())
    await until(lambda: own_turns.step == step, "a look")
    running.cancel()


@pytest.mark.exhaustive
async def test_the_answers_of_a_message_are_judged_in_steps(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_MAX_ANSWERS", "_USUAL_ANSWERS"):
        monkeypatch.setattr(loop_turns, name, ANSWERS_PER_STEP)  # as while a call is answered
    async with serve(Settings(folder, listen="127.0.0.1:0"), asyncio.Event()) as service:

        def refused() -> int:
            return int(service.registry.get_sample_value("fudaba_refusals_total", {"reason": "MALFORMED"}) or 0)

        async with Organiser(service.address, service.made.organiser or "") as organiser:
            bot = await organiser.entrant()
            async with Stream(service.address, bot.token) as stream:
                await stream.hello()
                async with steps(refused) as found:
                    await stream.answer_all(*[play_pb2.Answer()] * ANSWER_COUNT)
                    await until(lambda: refused() == ANSWER_COUNT, "the end of the message")
    assert max(found) <= ANSWERS_PER_STEP


@pytest.mark.exhaustive
async def test_a_match_is_created_before_bots_that_take_all_they_can_have_given_many_answers(folder: Path) -> None:
    """Each bot answers whatever is ready at once: two of them one by one, two in batches."""
    counts = Counts()
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            bots = [await organiser.entrant() for _ in range(4)]
            long = {"deals": game_pb2.OptionValue(number=99)}
            requests = [request_for(*pair, clock=PATIENT, options=long) for pair in (bots[:2], bots[2:])]
            wanted = matches_pb2.CreateMatchesRequest(requests=requests * 50)
            for _ in range(2):
                await organiser.matches.CreateMatches(wanted, metadata=organiser.metadata)
            channels = await channels_to(service.address.rpartition(":")[2], len(bots))
            count = play_pb2.LEGAL_MOVE_FORMAT_COUNT
            playing = [
                asyncio.create_task(instant_bot(channel, bot.token, counts, count, batches=bot in bots[2:]))
                for bot, channel in zip(bots, channels, strict=True)
            ]
            await until(lambda: counts.answers > ANSWER_COUNT, "that they play")
            medians: list[float] = []
            while len(medians) < MAX_SPELLS and min(medians, default=ANSWER_COUNT) > MAX_ANSWERS_BEFORE:
                meanwhile = []
                for _ in range(9):
                    before = counts.answers
                    await organiser.matches.CreateMatch(requests[0], metadata=organiser.metadata)
                    meanwhile.append(counts.answers - before)
                medians.append(statistics.median(meanwhile))
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
            for channel in channels:
                await channel.close()
    assert min(medians) <= MAX_ANSWERS_BEFORE, medians
