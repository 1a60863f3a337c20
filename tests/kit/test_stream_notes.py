"""Nothing that is wrong with what accompanies a move costs the move, and its author is told what was wrong."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Any

import pytest

from fudaba import play_local
from fudaba.answers import OnError
from fudaba.bot import Answer, Bot, Decision
from fudaba.notes import MAX_NOTE_BYTES
from tests.support.kit.scripted import Hosted, ended, recording, run


class Untold:
    """Cannot be made a text."""

    def __str__(self) -> str:
        raise ZeroDivisionError("the author's own")

    __repr__ = __str__


WRONG = [
    pytest.param(0.61, "0.61", "of type float, not text", id="number"),
    pytest.param(None, "", "None, not text", id="none"),
    pytest.param(["two", "aces"], "['two', 'aces']", "of type list", id="list"),
    pytest.param(b"aces \xff", "aces \ufffd", "bytes, not text", id="bytes"),
    pytest.param(Untold(), "", "raises ZeroDivisionError", id="untold"),
    pytest.param("file \udce9", "file \ufffd", "halves of surrogate pairs", id="surrogate"),
    pytest.param("\U0001f600" * 5000, "\U0001f600" * 256, "longer than 1024 bytes", id="long"),
    pytest.param("a" + "\U0001f600" * 256, "a" + "\U0001f600" * 255, "longer than 1024 bytes", id="border"),
]


def answering(kind: str, choose: Callable[[], Any]) -> type[Bot]:
    """Returns a class of bots that answer so, in one of the three ways in which a bot is called."""

    class InThread(Bot):
        def choose(self, decision: Decision) -> Any:
            return choose()

    class Instant(InThread):
        instant = True

    class Async(Bot):
        async def choose(self, decision: Decision) -> Any:
            return choose()

    return {"thread": InThread, "instant": Instant, "async": Async}[kind]


async def sent(scripted: Any, bot: Any, **options: Any) -> tuple[Any, list[Any]]:
    """Returns what a match of two deals came to, and the answers that reached the service."""
    answers: list[Any] = []
    hosted = Hosted(deals=2)

    async def script(line: Any) -> None:
        await line.welcome()
        await line.send(hosted.update(started=True))
        while not hosted.match.over:
            answers.append(await line.answer())
            assert await line.judge(hosted, answers[-1])

    service = await scripted(script)
    return await ended(run(bot, service.options(matches=1, **options))), answers


@pytest.mark.parametrize("kind", ["thread", "instant", "async"])
@pytest.mark.parametrize(("note", "text", "fault"), WRONG)
async def test_a_note_that_is_wrong_is_put_right_or_left_out_and_the_move_is_played(
    scripted: Any, caplog: pytest.LogCaptureFixture, kind: str, note: Any, text: str, fault: str
) -> None:
    tally, answers = await sent(scripted, answering(kind, lambda: Answer(0, note)))
    assert (tally.finished, tally.errors, tally.refused, tally.timed_out) == (1, 0, 0, 0)
    assert len(answers) > 1
    assert {(answer.index, answer.note) for answer in answers} == {(0, text)}
    assert [fault in record.getMessage() for record in caplog.records if "the note" in record.getMessage()] == [True]


@pytest.mark.parametrize("note", ["", "two aces\nand a king", "\0\x1b[31m", "札場" * 170, "\ud83d\ude00"])
async def test_a_note_that_is_text_is_sent_as_it_is_without_a_word(
    scripted: Any, caplog: pytest.LogCaptureFixture, note: str
) -> None:
    tally, answers = await sent(scripted, answering("instant", lambda: Answer(0, note)))
    assert tally.finished == 1
    as_utf8 = note.encode("utf-16", "surrogatepass").decode("utf-16")  # a pair that came in halves is a character
    assert {answer.note for answer in answers} == {as_utf8}
    assert len(as_utf8.encode()) <= MAX_NOTE_BYTES
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize("kind", ["thread", "instant", "async"])
async def test_what_cannot_be_made_an_answer_is_an_exception_that_is_counted_and_told(
    scripted: Any, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    choices = iter([Untold()])  # to the first decision only
    bot = answering(kind, lambda: next(choices, 0))
    tally, answers = await sent(scripted, bot, on_error=OnError.DEFAULT)
    assert (tally.finished, tally.errors) == (1, 1)
    assert len({answer.decision_id for answer in answers}) == len(answers)
    assert "the bot raised an exception in the answer of choose" in capsys.readouterr().err


async def test_where_no_thread_can_be_started_the_others_do_the_work(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    class Scarce(threading.Thread):
        """There is one, and no more."""

        def start(self) -> None:
            if not self.name.startswith("fudaba-bot"):
                return super().start()
            if started:
                raise RuntimeError("can't start new thread")
            started.append(self)
            return super().start()

    monkeypatch.setattr(threading, "Thread", Scarce)
    all_hosted = [Hosted(f"m{number}") for number in range(5)]

    async def script(line: Any) -> None:
        await line.welcome()
        await line.host(*all_hosted)

    service = await scripted(script)
    tally = await ended(run(recording(instant=False), service.options(matches=5)))
    assert (tally.finished, tally.errors) == (5, 0)
    assert len(started) == 1


@pytest.mark.parametrize(("note", "text", "fault"), WRONG)
def test_in_process_its_author_is_told_once_too(
    caplog: pytest.LogCaptureFixture, note: Any, text: str, fault: str
) -> None:
    played = play_local([answering("instant", lambda: Answer(0, note)), recording()], "naga", {"deals": 2})
    assert not any(seat.errors or seat.refused for seat in played.seats)
    assert [fault in record.getMessage() for record in caplog.records if "the note" in record.getMessage()] == [True]


def test_in_process_what_cannot_be_made_an_answer_is_an_exception_of_the_bot(
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad = recording(lambda _: Untold())
    played = play_local([bad, recording()], "naga", on_error=OnError.DEFAULT)
    assert played.seats[0].errors == played.seats[0].decisions > 0
    assert "raised an exception in the answer of choose" in capsys.readouterr().err
