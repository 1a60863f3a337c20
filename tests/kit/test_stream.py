"""A bot's process on a service: it plays, and it errs."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from typing import Any

import pytest
from google.rpc import code_pb2

from fudaba.answers import OnError
from fudaba.bot import Bot, Decision
from fudaba.v1 import play_pb2
from tests.support.kit.scripted import First, Hosted, ended, recording, run, until
from tests.support.patience import PATIENCE


async def test_a_bot_plays_a_match_to_its_end_and_is_told_all_of_it(scripted: Any) -> None:
    hosted = Hosted(deals=2)

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(hosted)

    service = await scripted(script)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=1)))
    (bot,) = bots.made
    (info,) = bot.infos
    assert (info.id, info.game, info.seat, info.players[1].bot, info.label) == ("m", "naga", 0, "you", "test")
    assert service.lines[0].metadata["authorization"] == "Bearer the-token"
    ids = [decision.id for decision in bot.decisions]
    assert ids == [f"0.{number}" for number in range(len(ids))]
    # The last events come with the end, for which nobody is asked.
    assert bot.events == hosted.match.shown(0)[: len(bot.events)]
    assert bot.events
    assert hosted.match.outcome is not None
    assert bot.results[0].scores == hosted.match.outcome.scores
    assert tally.scores == [hosted.match.outcome.scores[0]]
    assert (tally.finished, tally.refused, tally.errors, tally.timed_out) == (1, 0, 0, 0)


async def test_decisions_show_what_the_rules_show(scripted: Any) -> None:
    hosted = Hosted()
    expected: list[Any] = []

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        while not hosted.match.over:
            expected.extend(
                [(hosted.match.view(0), list(decision.legal)) for decision in hosted.match.open_decisions()]
            )
            await line.judge(hosted, await line.answer())

    service = await scripted(script)
    bots: Any = recording(lambda decision: decision.legal_moves[-1])
    await ended(run(bots, service.options(matches=1)))
    decisions = bots.made[0].decisions
    assert [(d.view, list(d.legal_moves)) for d in decisions] == expected
    assert all(d.legal_count == len(d.legal_moves) and 0 < d.time_left_ms <= d.time_ms == 70_000 for d in decisions)
    assert {d.bank_ms for d in decisions} == {60_000}


@pytest.mark.parametrize("form", ["move", "text", "index"])
async def test_an_answer_is_a_move_a_text_or_an_index(scripted: Any, form: str) -> None:
    hosted = Hosted()
    kinds: set[str] = set()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        while not hosted.match.over:
            answer = await line.answer()
            kinds.add(answer.WhichOneof("choice"))
            assert await line.judge(hosted, answer)

    service = await scripted(script)
    last = {
        "move": lambda d: d.legal_moves[-1],
        "text": lambda d: hosted.game.text.format_move(d.legal_moves[-1]),
        "index": lambda d: d.legal_count - 1,
    }[form]
    tally = await ended(run(recording(last), service.options(matches=1)))
    assert kinds == {form}
    assert tally.finished == 1


async def test_many_matches_go_on_at_once_each_with_its_own_bot(scripted: Any) -> None:
    all_hosted = [Hosted(f"m{number}") for number in range(30)]

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(*all_hosted)

    service = await scripted(script)
    bots: Any = recording()
    tally = await ended(run(bots, service.options(matches=30)))
    assert tally.finished == 30
    assert sorted(bot.infos[0].id for bot in bots.made) == sorted(hosted.id for hosted in all_hosted)
    assert all({d.match.id for d in bot.decisions} == {bot.infos[0].id} for bot in bots.made)


async def test_a_bot_that_thinks_long_holds_up_neither_pongs_nor_other_matches(scripted: Any) -> None:
    slow, quick = Hosted("slow"), Hosted("quick")
    free = threading.Event()

    class Slow(Bot):
        def choose(self, decision: Decision) -> Any:
            if decision.match.id == "slow":
                assert free.wait(PATIENCE)
            return 0

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(slow.update(started=True))
        await line.host(quick)  # any answer to `slow` would be refused here
        await line.send(play_pb2.PlayResponse(ping=play_pb2.Ping(id=7)))
        message = await line.read()
        assert message.pong.id == 7
        free.set()
        while not slow.match.over:
            await line.judge(slow, await line.answer())

    service = await scripted(script)
    tally = await ended(run(Slow, service.options(matches=2)))
    assert tally.finished == 2


async def test_an_async_bot_plays_many_matches_at_once(scripted: Any) -> None:
    all_hosted = [Hosted(f"m{number}") for number in range(3)]
    waiting: set[str] = set()
    together = asyncio.Event()

    class Async(Bot):
        async def choose(self, decision: Decision) -> Any:
            waiting.add(decision.match.id)
            if len(waiting) == len(all_hosted):
                together.set()
            await together.wait()
            return decision.legal_moves[0]

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(*all_hosted)

    service = await scripted(script)
    assert (await ended(run(Async, service.options(matches=3)))).finished == 3


async def test_a_refused_move_is_asked_again_with_the_reason(scripted: Any) -> None:
    hosted = Hosted()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(hosted)

    def answer(decision: Decision) -> Any:
        return "designate 4" if decision.refusal is None else decision.legal_moves[0]

    service = await scripted(script)
    seen: list[Any] = []

    def noting(decision: Decision) -> Any:
        seen.append(decision.refusal)
        return answer(decision)

    tally = await ended(run(recording(noting), service.options(matches=1)))
    assert tally.finished == 1
    assert tally.refused == len(seen) // 2 > 0
    refusal = next(reason for reason in seen if reason is not None)
    assert refusal.reason == "ILLEGAL_MOVE"
    assert refusal.rule
    assert refusal.message


async def test_after_three_refused_answers_the_default_move_is_played(scripted: Any) -> None:
    hosted = Hosted()
    answers: list[play_pb2.Answer] = []

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        for _ in range(4):
            answers.append(await line.answer())
            await line.judge(hosted, answers[-1])

    service = await scripted(script)
    stop = asyncio.Event()
    running = run(recording(lambda decision: "designate 4"), service.options(), stop)
    await until(lambda: len(answers) == 4)
    assert [answer.WhichOneof("choice") for answer in answers] == ["text", "text", "text", "index"]
    assert answers[3].index == 0
    assert len({answer.decision_id for answer in answers}) == 1
    stop.set()
    await ended(running)


async def test_what_is_no_answer_is_not_even_sent(scripted: Any) -> None:
    hosted = Hosted()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(hosted)

    wrong = iter([None, 3.5, 10_000, -1, True, object()])
    service = await scripted(script)
    bots: Any = recording(lambda decision: next(wrong, 0))
    tally = await ended(run(bots, service.options(matches=1)))
    assert tally.refused == 6
    refusals = [d.refusal for d in bots.made[0].decisions[:3] if d.refusal]
    assert refusals
    assert {refusal.reason for refusal in refusals} == {"MALFORMED_MOVE"}
    # Twice three of them: each time the default move was played in the end, and nothing was refused by the service.
    assert tally.finished == 1


@pytest.mark.parametrize("instant", [True, False])
async def test_an_exception_is_told_and_the_other_matches_go_on(
    scripted: Any, capsys: pytest.CaptureFixture[str], instant: bool
) -> None:
    bad, good = Hosted("bad"), Hosted("good")

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(bad.update(started=True))
        await line.host(good)

    def answer(decision: Decision) -> Any:
        if decision.match.id == "bad":
            raise ZeroDivisionError("my own mistake")
        return 0

    service = await scripted(script)
    tally = await ended(run(recording(answer, instant=instant), service.options(matches=1)))
    assert (tally.finished, tally.errors) == (1, 1)
    output = capsys.readouterr().err
    assert "bad: the bot raised an exception in choose" in output
    assert "when time runs out" in output
    assert "ZeroDivisionError: my own mistake" in output


async def test_an_exception_can_play_the_default_move(scripted: Any) -> None:
    hosted = Hosted()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(hosted)

    def answer(decision: Decision) -> Any:
        raise ZeroDivisionError

    service = await scripted(script)
    tally = await ended(run(recording(answer), service.options(matches=1, on_error=OnError.DEFAULT)))
    assert tally.finished == 1
    assert tally.errors > 1


@pytest.mark.parametrize("kind", ["instant", "thread", "async"])
async def test_a_bot_that_exits_loses_its_decision_only(scripted: Any, kind: str) -> None:
    hosted = Hosted()

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(hosted)

    class Exits(Bot):
        instant = kind == "instant"

        def choose(self, decision: Decision) -> Any:
            sys.exit("enough")

    class ExitsLater(Bot):
        async def choose(self, decision: Decision) -> Any:
            sys.exit("enough")

    service = await scripted(script)
    factory = ExitsLater if kind == "async" else Exits
    tally = await ended(run(factory, service.options(matches=1, on_error=OnError.DEFAULT)))
    assert tally.finished == 1
    assert tally.errors > 1


async def test_an_exception_can_resign_and_a_resignation_outlives_the_line(scripted: Any) -> None:
    hosted = Hosted()

    async def first(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        assert (await line.read()).resign.match_id == "m"
        await line.abort(code_pb2.UNAVAILABLE, "SHUTTING_DOWN", "stopping")

    async def second(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        assert (await line.read()).resign.match_id == "m"
        hosted.match.forfeit(0)
        await line.send(hosted.update())

    def answer(decision: Decision) -> Any:
        raise ZeroDivisionError

    service = await scripted(first, second)
    tally = await ended(run(recording(answer), service.options(matches=1, on_error=OnError.RESIGN)))
    assert tally.finished == 1
    assert tally.scores[0] < 0


async def test_a_bot_that_cannot_be_made_leaves_its_match_and_no_other(scripted: Any, capsys: Any) -> None:
    bad, good = Hosted("bad"), Hosted("good")

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(bad.update(started=True))
        await line.host(good)

    made = iter([True, False])

    def factory() -> Bot:
        if next(made):
            raise OSError("no model file")
        return First()

    service = await scripted(script)
    tally = await ended(run(factory, service.options(matches=1)))
    assert (tally.finished, tally.errors) == (1, 1)
    assert "no model file" in capsys.readouterr().err


async def test_a_game_that_this_release_does_not_know_is_left_alone(
    scripted: Any, caplog: pytest.LogCaptureFixture
) -> None:
    unknown, known = Hosted("unknown"), Hosted("known")

    async def script(line: Any) -> None:
        await line.welcome()
        update = unknown.update(started=True)
        update.update.started.game = "later"
        await line.send(update)
        await line.host(known)

    service = await scripted(script)
    tally = await ended(run(First, service.options(matches=1)))
    assert tally.finished == 1
    assert "does not know the game 'later'" in caplog.text


async def test_what_the_service_lets_its_author_know_is_a_line_of_its_log(
    scripted: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def script(line: Any) -> None:
        await line.welcome("maintenance \x1b[2Jfrom noon:\nNeue Platten")
        await line.host(Hosted())

    service = await scripted(script)
    await ended(run(First, service.options(matches=1)))
    warnings = [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
    assert warnings == ["maintenance \ufffd[2Jfrom noon:\ufffdNeue Platten"]


async def test_a_bot_that_wants_less_is_sent_less(scripted: Any) -> None:
    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(Hosted())

    service = await scripted(script)
    bots = recording(wants_legal_moves=False, wants_events=False)
    bots.choose = lambda self, decision: 0  # type: ignore[method-assign]
    await ended(run(bots, service.options(matches=1)))
    delivery = service.lines[0].hello.delivery
    assert delivery.legal_moves == play_pb2.LEGAL_MOVE_FORMAT_COUNT
    assert delivery.events == play_pb2.EVENT_DELIVERY_NEVER
