"""A bot's process with a service that sends several updates in one message, and takes several answers in one."""

from __future__ import annotations

import time
from collections import deque
from typing import Any

from fudaba._outgoing import take
from fudaba.bot import Bot, Decision
from fudaba.v1 import play_pb2
from tests.support.kit.scripted import Hosted, ended, run


class Instant(Bot):
    """Plays the default move, at once."""

    instant = True

    def choose(self, decision: Decision) -> Any:
        return 0


class Pondering(Instant):
    """The same, after a while in which nothing else goes on in its process."""

    def choose(self, decision: Decision) -> Any:
        time.sleep(0.02)
        return 0


async def begin(line: Any, hosted: list[Hosted], *, batches: bool) -> None:
    """Welcomes a process, and puts the first decision of each match, all in one message."""
    hello = (await line.read()).hello
    assert hello.batches
    await line.send(play_pb2.PlayResponse(welcome=play_pb2.Welcome(bot="me", version="1", batches=batches)))
    updates = [hosted_match.update(started=True).update for hosted_match in hosted]
    if batches:
        await line.send(play_pb2.PlayResponse(updates=play_pb2.SeatUpdates(updates=updates)))
    else:
        for update in updates:
            await line.send(play_pb2.PlayResponse(update=update))


async def finish(line: Any, hosted: list[Hosted], sizes: list[int]) -> None:
    """Plays matches to their ends, what is ready in one message. `sizes` gets how many answers each message had.

    At once, and not at the end: with the last update the process may go, and this script with its stream.
    """
    by_id = {hosted_match.id: hosted_match for hosted_match in hosted}
    while not all(hosted_match.match.over for hosted_match in hosted):
        message = await line.read()
        answers = message.answers.answers or [message.answer]
        sizes.append(len(answers))
        for answer in answers:
            by_id[answer.match_id].answer(answer)
        updates = [by_id[answer.match_id].update().update for answer in answers]
        await line.send(play_pb2.PlayResponse(updates=play_pb2.SeatUpdates(updates=updates)))


async def test_matches_whose_updates_come_together_are_played_to_their_ends(scripted: Any) -> None:
    hosted = [Hosted(f"m{number}") for number in range(20)]
    sizes: list[int] = []

    async def script(line: Any) -> None:
        await begin(line, hosted, batches=True)
        await finish(line, hosted, sizes)

    service = await scripted(script)
    tally = await ended(run(Instant, service.options(matches=20)))
    assert (tally.finished, tally.errors, tally.refused) == (20, 0, 0)
    assert max(sizes) > 1


async def test_what_a_bot_has_answered_is_sent_while_it_thinks_about_the_rest_of_a_batch(scripted: Any) -> None:
    hosted = [Hosted(f"m{number}") for number in range(4)]
    first: list[play_pb2.PlayRequest] = []

    async def script(line: Any) -> None:
        await begin(line, hosted, batches=True)
        first.append(await line.read())
        hosted[0].answer(first[0].answer)
        await line.send(hosted[0].update())
        await finish(line, hosted, [])

    service = await scripted(script)
    tally = await ended(run(Pondering, service.options(matches=4)))
    assert first[0].answer.match_id == "m0"
    assert tally.finished == 4


async def test_a_service_that_does_not_know_batches_is_sent_none(scripted: Any) -> None:
    hosted = [Hosted(f"m{number}") for number in range(5)]

    async def script(line: Any) -> None:
        await begin(line, hosted, batches=False)
        while not all(hosted_match.match.over for hosted_match in hosted):
            answer = await line.answer()
            await line.judge(
                next(hosted_match for hosted_match in hosted if hosted_match.id == answer.match_id), answer
            )

    service = await scripted(script)
    assert (await ended(run(Instant, service.options(matches=5)))).finished == 5


def answer(number: int, size: int = 0) -> play_pb2.PlayRequest:
    return play_pb2.PlayRequest(answer=play_pb2.Answer(match_id=str(number), text="x" * size))


def taken(*waiting: play_pb2.PlayRequest) -> list[play_pb2.PlayRequest]:
    """Returns what is sent of all this."""
    outbox, found = deque(waiting), []
    while outbox:
        found.append(take(outbox, batches=True))
    return found


def test_answers_go_together_as_far_as_there_is_room_and_nothing_overtakes() -> None:
    pong = play_pb2.PlayRequest(pong=play_pb2.Pong(id=1))
    large = 2_000_000
    sent = taken(pong, answer(0), answer(1), answer(2), pong, answer(3), answer(4, large), answer(5), answer(6))
    assert ["pong" if m.HasField("pong") else [int(reply.match_id) for reply in m.answers.answers or [m.answer]]
            for m in sent] == ["pong", [0, 1, 2], "pong", [3], [4], [5, 6]]  # fmt: skip


def test_a_message_has_far_fewer_answers_than_the_contract_allows() -> None:
    sizes = [len(message.answers.answers) for message in taken(*map(answer, range(1_200)))]
    assert sizes == [500, 500, 200]
