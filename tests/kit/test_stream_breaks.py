"""A bot's process when the line breaks, time runs out, or the service refuses it."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import Any

import pytest
from google.rpc import code_pb2

from fudaba import ServiceError
from fudaba.bot import Bot, Decision
from fudaba.v1 import play_pb2, record_pb2
from tests.support.kit.scripted import First, Hosted, ended, recording, run, until
from tests.support.patience import PATIENCE


async def test_after_a_lost_line_the_same_answer_is_sent_and_the_bot_is_not_asked_again(scripted: Any) -> None:
    hosted = Hosted()
    answers: list[play_pb2.Answer] = []
    hellos: list[play_pb2.Hello] = []

    async def first(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await line.judge(hosted, await line.answer())
        answers.append(await line.answer())  # lost: it is never judged
        await line.abort(code_pb2.UNAVAILABLE, "SHUTTING_DOWN", "the service is stopping")

    async def second(line: Any) -> None:
        hellos.append(await line.welcome())
        await line.send(hosted.update(started=True))
        answers.append(await line.answer())
        await line.judge(hosted, answers[-1])
        while not hosted.match.over:
            await line.judge(hosted, await line.answer())

    service = await scripted(first, second)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=1)))
    assert tally.finished == 1
    assert answers[0] == answers[1]
    assert [(seen.match_id, seen.seen > 0) for seen in hellos[0].seen] == [("m", True)]
    (bot,) = bots.made
    ids = [decision.id for decision in bot.decisions]
    assert len(ids) == len(set(ids))
    assert bot.events == hosted.match.shown(0)[: len(bot.events)]


async def test_a_service_that_vanishes_is_found_again(scripted: Any, caplog: Any) -> None:
    caplog.set_level(logging.INFO, logger="fudaba")
    hosted = Hosted()
    asked = asyncio.Event()

    async def first(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await line.judge(hosted, await line.answer())
        await line.answer()  # so what was sent has come
        asked.set()

    async def second(line: Any) -> None:
        hello = await line.welcome()
        assert hello.seen[0].seen == hosted.seen
        await line.host(hosted)

    service = await scripted(first, second)
    running = run(First, service.options(matches=1))
    await asked.wait()
    await service.vanish()
    await until(lambda: "trying again" in caplog.text)
    await service.start()
    assert (await ended(running)).finished == 1
    assert "1 match goes on" in caplog.text


async def test_a_bot_that_was_still_thinking_answers_on_the_new_line(scripted: Any) -> None:
    hosted = Hosted()
    free = threading.Event()
    asked: list[str] = []

    class Slow(Bot):
        def choose(self, decision: Decision) -> Any:
            asked.append(decision.id)
            assert free.wait(PATIENCE)
            return 0

    async def first(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await until(lambda: bool(asked))
        await line.abort(code_pb2.UNAVAILABLE, "SHUTTING_DOWN", "the service is stopping")

    async def second(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await line.send(play_pb2.PlayResponse(ping=play_pb2.Ping(id=1)))
        assert (await line.read()).pong.id == 1  # by now the decision has been put again
        free.set()
        while not hosted.match.over:
            await line.judge(hosted, await line.answer())

    service = await scripted(first, second)
    tally = await ended(run(Slow, service.options(matches=1)))
    assert tally.finished == 1
    assert len(asked) == len(set(asked))


async def test_a_decision_whose_time_ran_out_is_not_answered(scripted: Any) -> None:
    hosted = Hosted()
    free = threading.Event()
    asked: list[str] = []
    answered: list[str] = []

    class Slow(Bot):
        def choose(self, decision: Decision) -> Any:
            asked.append(decision.id)
            if len(asked) == 1:
                assert free.wait(PATIENCE)
            return 0

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await until(lambda: bool(asked))
        hosted.answer(play_pb2.Answer(decision_id=asked[0], index=0))  # as the clock does
        update = hosted.update()
        update.update.timed_out.append(asked[0])
        await line.send(update)
        await line.send(play_pb2.PlayResponse(ping=play_pb2.Ping(id=1)))
        assert (await line.read()).pong.id == 1
        free.set()
        while not hosted.match.over:
            answer = await line.answer()
            answered.append(answer.decision_id)
            await line.judge(hosted, answer)

    service = await scripted(script)
    tally = await ended(run(Slow, service.options(matches=1)))
    assert tally.timed_out == 1
    assert asked[0] not in answered
    assert answered == asked[1:]


async def test_an_async_bot_whose_time_ran_out_is_interrupted(scripted: Any) -> None:
    hosted = Hosted()
    asked: list[str] = []
    interrupted: list[str] = []

    class Slow(Bot):
        async def choose(self, decision: Decision) -> Any:
            asked.append(decision.id)
            if len(asked) == 1:
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    interrupted.append(decision.id)
                    raise
            return 0

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await until(lambda: bool(asked))
        hosted.answer(play_pb2.Answer(decision_id=asked[0], index=0))
        await line.send(hosted.update())
        while not hosted.match.over:
            await line.judge(hosted, await line.answer())

    service = await scripted(script)
    assert (await ended(run(Slow, service.options(matches=1)))).finished == 1
    assert interrupted == asked[:1]


async def test_a_match_that_was_put_back_is_played_by_a_new_bot_that_knows_what_is_left(scripted: Any) -> None:
    ahead, back = Hosted(), Hosted()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(ahead.update(started=True))
        for _ in range(3):
            await line.judge(ahead, await line.answer())
        await line.answer()
        back.seen = len(back.match.shown(0))
        rewound = back.update()
        rewound.update.rewound = True
        await line.send(rewound)
        while not back.match.over:
            await line.judge(back, await line.answer())

    service = await scripted(script)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=1)))
    assert tally.finished == 1
    old, new = bots.made
    assert new.infos[0] is not old.infos[0]
    assert len(new.events) > len(old.events) > 0
    assert new.events == back.match.shown(0)[: len(new.events)]
    assert old.results == []
    assert len(new.results) == 1


async def test_a_match_that_goes_on_after_its_end_is_played_on_and_counted_once(scripted: Any) -> None:
    first, again, other = Hosted(), Hosted(), Hosted("other")

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(first)
        back = again.update(started=True)
        back.update.rewound = True
        await line.send(back)
        while not again.match.over:
            await line.judge(again, await line.answer())
        await line.host(other)

    service = await scripted(script)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=2)))
    assert (tally.finished, tally.aborted, len(tally.scores)) == (2, 0, 2)
    assert {bot.infos[0].id for bot in bots.made} == {"m", "other"}


async def test_a_bot_that_comes_back_says_what_it_has_seen_and_of_which_history(scripted: Any) -> None:
    hosted = Hosted(deals=2)

    async def before(line: Any) -> None:
        await line.welcome()
        update = hosted.update(started=True)
        update.update.history = 4711
        await line.send(update)
        await line.answer()
        await line.abort(code_pb2.UNAVAILABLE, "SHUTTING_DOWN", "connect again")

    async def after(line: Any) -> None:
        hello = await line.welcome()
        assert [(seen.match_id, seen.seen, seen.history) for seen in hello.seen] == [("m", hosted.seen, 4711)]
        await line.host(hosted)

    service = await scripted(before, after)
    assert (await ended(run(recording(), service.options(matches=1)))).finished == 1


async def test_a_match_that_ended_while_the_process_was_away_is_over(scripted: Any) -> None:
    hosted = Hosted()

    async def first(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await line.answer()
        end = record_pb2.MatchEnd()
        end.outcome.scores.extend((-1, 1))
        end.outcome.placements.extend((2, 1))
        line.service.ended["m"] = end
        await line.abort(code_pb2.UNAVAILABLE, "SHUTTING_DOWN", "the service is stopping")

    async def second(line: Any) -> None:
        assert [seen.match_id for seen in (await line.welcome()).seen] == ["m"]

    service = await scripted(first, second)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=1, missing_seconds=0.2)))
    assert tally.scores == [-1]
    assert bots.made[0].results[0].scores == (-1, 1)


async def test_an_answer_that_the_service_could_not_take_is_sent_again_without_asking_the_bot(scripted: Any) -> None:
    hosted = Hosted()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        first = await line.answer()
        await line.refuse(first, "STORE_UNAVAILABLE", "the store cannot be reached; nothing was changed, try again")
        assert await line.answer() == first
        await line.judge(hosted, first)
        while not hosted.match.over:
            await line.judge(hosted, await line.answer())

    service = await scripted(script)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=1)))
    assert (tally.finished, tally.refused) == (1, 0)
    ids = [decision.id for decision in bots.made[0].decisions]
    assert len(ids) == len(set(ids))


async def test_an_answer_that_came_too_late_is_no_fault_and_is_not_repeated(scripted: Any) -> None:
    hosted = Hosted()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        late = await line.answer()
        refusal = play_pb2.Refusal(match_id="m", decision_id=late.decision_id, reason="DECISION_CLOSED", message="late")
        await line.send(play_pb2.PlayResponse(refusal=refusal))
        await line.judge(hosted, late)  # the default move, as the clock plays it
        while not hosted.match.over:
            await line.judge(hosted, await line.answer())

    service = await scripted(script)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=1)))
    assert (tally.finished, tally.refused) == (1, 0)
    assert all(decision.refusal is None for decision in bots.made[0].decisions)


async def test_a_match_that_the_service_no_longer_knows_is_given_up(scripted: Any, caplog: Any) -> None:
    hosted, other = Hosted("gone"), Hosted("other")

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        await line.answer()
        refusal = play_pb2.Refusal(match_id="gone", reason="NOT_YOUR_MATCH", message="no seat in a live match")
        await line.send(play_pb2.PlayResponse(refusal=refusal))
        await line.host(other)

    service = await scripted(script)
    tally = await ended(run(First, service.options(matches=1)))
    assert tally.finished == 1
    assert "gone: the service no longer knows it" in caplog.text
    assert "unfinished" not in caplog.text


async def test_a_refusal_that_grpc_loses_is_asked_for_again_and_told_without_an_alarm(
    scripted: Any, caplog: Any, monkeypatch: Any
) -> None:
    async def refuses(line: Any) -> None:
        await line.abort(code_pb2.UNAUTHENTICATED, "TOKEN_UNKNOWN", "no such token")

    async def loses_what_came_before_it(call: Any, request: Any) -> None:
        # What gRPC does when a stream ends while its message is written: the status that came is overwritten.
        if not call.done():
            call._cython_call.set_internal_error("Failed execute_batch")
        await call._raise_for_status()

    monkeypatch.setattr("grpc.aio._call._StreamRequestMixin._write", loses_what_came_before_it)
    service = await scripted(refuses, refuses, refuses, refuses)
    with pytest.raises(ServiceError) as refused:
        await ended(run(First, service.options()))
    assert refused.value.reason == "TOKEN_UNKNOWN"
    assert caplog.messages == []
