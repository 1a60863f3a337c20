"""What bots in other languages say on their stream, to a service that does as a script says."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from fudaba.v1 import play_pb2
from tests.support.folders import short_folder
from tests.support.kit.scripted import Hosted, Line
from tests.support.kit.scripted import Service as ScriptedService
from tests.support.patience import until


@contextlib.asynccontextmanager
async def scripted(*scripts: Any) -> AsyncIterator[ScriptedService]:
    """A service that does as the scripts say; without faults of theirs."""
    with short_folder() as place:
        service = ScriptedService(f"unix:{place}/s", list(scripts))
        await service.start()
        yield service
        await service.vanish()
        assert not service.faults


@pytest.mark.exhaustive
async def test_a_ping_is_answered(bot: Any) -> None:
    pongs: list[int] = []

    async def script(line: Line) -> None:
        await line.welcome()
        await line.send(play_pb2.PlayResponse(ping=play_pb2.Ping(id=2**40 + 7)))
        pongs.append((await line.read()).pong.id)

    async with scripted(script) as service:
        bot(service.address, "the-token")
        await until(lambda: pongs == [2**40 + 7])


@pytest.mark.exhaustive
@pytest.mark.parametrize(("capacity", "said"), [("3", 3), ("", 0)])
async def test_it_says_how_many_matches_it_plays_at_once(bot: Any, capacity: str, said: int) -> None:
    hellos: list[play_pb2.Hello] = []

    async def script(line: Line) -> None:
        hellos.append(await line.welcome())
        await line.host(Hosted())

    async with scripted(script) as service:
        process = bot(service.address, "the-token", FUDABA_CAPACITY=capacity)
        await until(lambda: ": over, score" in process.log)
    assert [hello.capacity for hello in hellos] == [said]


@pytest.mark.exhaustive
async def test_what_the_service_lets_its_author_know_is_a_line_of_its_log(bot: Any) -> None:
    async def script(line: Line) -> None:
        await line.welcome("maintenance \x1b[2Jfrom noon:\nNeue Platten, 札場")
        await line.host(Hosted())

    async with scripted(script) as service:
        process = bot(service.address, "the-token")
        await until(lambda: ": over, score" in process.log)
    assert process.log.splitlines()[:2] == [
        f"connected to {service.address} as me 1",
        "maintenance \ufffd[2Jfrom noon:\ufffdNeue Platten, 札場",
    ]


@pytest.mark.exhaustive
async def test_an_answer_that_is_refused_is_followed_by_another(bot: Any) -> None:
    answers: list[play_pb2.Answer] = []

    async def script(line: Line) -> None:
        hosted = Hosted()
        await line.welcome()
        await line.send(hosted.update(started=True))
        for reason in ("ILLEGAL_MOVE", "TOO_FAST"):  # about the answer, and about the moment
            answers.append(await line.answer())
            await line.refuse(answers[-1], reason)
        while not hosted.match.over:
            answers.append(await line.answer())
            await line.judge(hosted, answers[-1])

    async with scripted(script) as service:
        process = bot(service.address, "the-token")
        await until(lambda: ": over, score" in process.log)
    assert len({answer.decision_id for answer in answers[:3]}) == 1
    assert answers[2] == answers[1]
    assert answers[3].decision_id != answers[2].decision_id
    assert "refused: ILLEGAL_MOVE" in process.log


@pytest.mark.exhaustive
async def test_updates_that_come_in_one_message_are_all_answered_by_a_kit_that_asks_for_that(bot: Any) -> None:
    hosted = {f"m{number}": Hosted(f"m{number}") for number in range(5)}

    async def script(line: Line) -> None:
        hello = await line.welcome()
        updates = [hosted_match.update(started=True).update for hosted_match in hosted.values()]
        if hello.batches:
            await line.send(play_pb2.PlayResponse(updates=play_pb2.SeatUpdates(updates=updates)))
        else:
            for update in updates:
                await line.send(play_pb2.PlayResponse(update=update))
        while not all(hosted_match.match.over for hosted_match in hosted.values()):
            answer = await line.answer()
            await line.judge(hosted[answer.match_id], answer)

    async with scripted(script) as service:
        process = bot(service.address, "the-token")
        await until(lambda: process.log.count(": over, score") == len(hosted))


@pytest.mark.exhaustive
async def test_after_a_lost_connection_the_same_answer_is_sent_again(bot: Any) -> None:
    hosted = Hosted()
    answers: list[play_pb2.Answer] = []
    hellos: list[play_pb2.Hello] = []

    async def breaking(line: Line) -> None:
        hellos.append(await line.welcome())
        await line.send(hosted.update(started=True))
        answers.append(await line.answer())
        await line.abort(14, "SHUTTING_DOWN", "back soon")

    async def going_on(line: Line) -> None:
        hellos.append(await line.welcome())
        await line.send(hosted.update(started=True))
        answers.append(await line.answer())
        await line.judge(hosted, answers[-1])
        while not hosted.match.over:
            await line.judge(hosted, await line.answer())

    async with scripted(breaking, going_on) as service:
        process = bot(service.address, "the-token")
        await until(lambda: ": over, score" in process.log)
    assert answers[0] == answers[1]
    assert [seen_match.match_id for seen_match in hellos[1].seen] == ["m"]
    assert hellos[0].process == hellos[1].process != ""
    assert [hello.attempt for hello in hellos] == [1, 2]


@pytest.mark.exhaustive
async def test_a_match_that_was_put_back_is_played_from_there(bot: Any) -> None:
    ahead, back = Hosted(), Hosted()
    answers: list[play_pb2.Answer] = []

    async def script(line: Line) -> None:
        await line.welcome()
        await line.send(ahead.update(started=True))
        for _ in range(3):
            await line.judge(ahead, await line.answer())
        answers.append(await line.answer())
        update = back.update()
        update.update.rewound = True
        await line.send(update)
        while not back.match.over:
            answers.append(await line.answer())
            await line.judge(back, answers[-1])

    async with scripted(script) as service:
        process = bot(service.address, "the-token")
        await until(lambda: ": over, score" in process.log)
    assert len(answers) > 4
    assert [answer.decision_id for answer in answers[1:]].count(answers[1].decision_id) == 1
