"""The screen and a seat whose news the test writes: lost connections, refusals, clocks, ends."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import time
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest
from textual.widgets import Static

from fudaba.bot import MatchInfo, Player, Result
from fudaba.errors import FudabaError, ServiceError
from fudaba.terminal.dialogs import Help
from fudaba.terminal.local import LocalSeat
from fudaba.terminal.person_seat import AnswerRefused, PersonSeat, PutDecision, SeatNews, ending
from fudaba.terminal.screen import PlayScreen
from fudaba.terminal.widgets import History, MoveLine
from fudaba_games.game import IllegalMove
from fudaba_games.match import Match
from fudaba_games.naga import Designate
from fudaba_games.registry import game
from tests.support.terminal.screens import asks, keys, local, text, until


class Told(PersonSeat):
    """A seat in a real match of Naga that hears what the test tells it."""

    def __init__(self) -> None:
        rules = game("naga")
        self.match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({"first_dealer": 1}), bytes(32))
        self.info = MatchInfo("m", "naga", 0, (Player("me", "1"), Player("other", "1")), self.match.options, 1)
        self.queue: asyncio.Queue[SeatNews | FudabaError] = asyncio.Queue()
        self.answers: list[tuple[str, Any]] = []
        self.refuses: Exception | None = None

    async def news(self) -> AsyncIterator[SeatNews]:
        while True:
            news = await self.queue.get()
            if isinstance(news, FudabaError):
                raise news
            yield news

    async def answer(self, decision_id: str, move: Any) -> None:
        if self.refuses is not None:
            raise self.refuses
        self.answers.append((decision_id, move))

    async def resign(self) -> None:
        raise AnswerRefused("the match is over (MATCH_OVER)")

    def asked(self, time_ms: int = 90_000, bank_ms: int = 60_000) -> SeatNews:
        decision = self.match.open(0)
        assert decision is not None
        asked = PutDecision(decision.id, decision.legal, True, time_ms, bank_ms)
        return SeatNews(events=list(self.match.shown(0)), view=self.match.view(0), asked=asked)


@pytest.mark.exhaustive
async def test_a_lost_connection_is_told_and_what_was_typed_is_still_there_when_it_is_back() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        seat.queue.put_nowait(seat.asked())
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("3")
        seat.queue.put_nowait(SeatNews(trouble="cannot reach the service"))
        await until(pilot, asks(app, "Trying again. cannot reach the service"))
        await pilot.press("enter")
        assert not seat.answers
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("escape", "5")
        await until(pilot, lambda: app.query_one(MoveLine).value == "5")
        await pilot.press("escape", "3")
        await until(pilot, lambda: app.query_one(MoveLine).value == "3")
        again = seat.asked()
        again.events.clear()
        seat.queue.put_nowait(again)
        await until(pilot, asks(app, "1 of 6 moves"))
        await pilot.press("enter")
        await until(pilot, lambda: seat.answers)
    assert seat.answers == [("0.0", Designate(3))]


async def test_an_answer_is_sent_once_and_a_refused_one_may_be_given_again() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        seat.queue.put_nowait(seat.asked())
        await until(pilot, asks(app, "6 moves"))
        seat.refuses = AnswerRefused("a rule says no (ILLEGAL_MOVE)")
        await pilot.press("enter")
        await until(pilot, lambda: "a rule says no" in text(app))
        seat.refuses = IllegalMove("NO", "the rules say no")
        await pilot.press("enter")
        await until(pilot, lambda: "the rules say no" in text(app))
        seat.refuses = None
        await pilot.press("enter", "enter", "enter")
        await until(pilot, asks(app, "designate 1: sent"))
        await pilot.press("ctrl+r")
        await pilot.press("y")
        await until(pilot, lambda: "You cannot resign" in text(app))
    assert [answer[0] for answer in seat.answers] == ["0.0"]


async def test_the_clock_runs_down_and_its_end_is_told() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        seat.queue.put_nowait(seat.asked(time_ms=63_000, bank_ms=60_000))
        await until(pilot, lambda: re.search(r"0:0[0-2] \+ ", text(app)), "the clock")
        assert "when time runs out" in text(app)
        seat.queue.put_nowait(SeatNews(closed=frozenset({"0.0"}), timed_out=1))
        await until(pilot, lambda: "Your time ran out" in text(app))
        await until(pilot, asks(app, "Waiting for"))
        assert "+ 1:00" not in text(app)


async def test_the_clock_stands_while_the_service_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = 0.0
    monkeypatch.setattr("fudaba.terminal.person_seat.time", SimpleNamespace(monotonic=lambda: time.monotonic() + ahead))
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        asked = seat.asked(time_ms=90_000, bank_ms=60_000)
        assert asked.asked is not None
        asked.asked = dataclasses.replace(asked.asked, received=time.monotonic())
        seat.queue.put_nowait(asked)
        await until(pilot, lambda: "+ 1:00 bank" in text(app), "the clock")
        seat.queue.put_nowait(SeatNews(trouble="cannot reach the service"))
        await until(pilot, asks(app, "Trying again."))
        before = app._clock().plain
        ahead = 70.0
        assert app._clock().plain == before
        seat.queue.put_nowait(SeatNews())
        await until(pilot, lambda: "0:00 + 0:" in text(app), "the clock going on")


@pytest.mark.exhaustive
async def test_help_is_there_while_others_are_waited_for() -> None:
    app = PlayScreen(Told())
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "Waiting for"))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        for _ in range(5):
            await pilot.pause()
        assert isinstance(app.screen, Help)


async def test_after_waiting_the_keys_go_to_the_line_at_once_and_what_was_sent_is_forgotten() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "Waiting for"))
        await pilot.press("x", "enter")
        seat.queue.put_nowait(seat.asked())
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("3")
        await until(pilot, asks(app, "1 of 6 moves"))
        await pilot.press("enter")
        await until(pilot, asks(app, "designate 3: sent"))
        seat.match.play(0, Designate(3))
        seat.queue.put_nowait(SeatNews(closed=frozenset({"0.0"}), view=seat.match.view(0)))
        await until(pilot, asks(app, "Waiting for"))


async def test_control_and_arrows_scroll_the_history_while_moves_are_typed() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        seat.queue.put_nowait(seat.asked())
        await until(pilot, asks(app, "6 moves"))
        history = app.query_one(History)
        for number in range(60):
            history.write(f"line {number}")
        await until(pilot, lambda: 0 < history.max_scroll_y == history.scroll_offset.y, "the end of the history")
        bottom = history.scroll_offset.y
        await pilot.press("ctrl+up", "3")
        await until(pilot, lambda: history.scroll_offset.y < bottom)
        await until(pilot, lambda: app.query_one(MoveLine).value == "3")
        await pilot.press("ctrl+down")
        await until(pilot, lambda: history.scroll_offset.y == bottom)


async def test_a_match_that_was_put_back_shows_what_still_holds() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        first = seat.asked()
        seat.match.play(0, Designate(5))
        seat.queue.put_nowait(first)
        second = seat.asked()
        second.events = second.events[len(first.events) :]
        seat.queue.put_nowait(second)
        await until(pilot, lambda: "You name Siritas" in text(app))
        back = SeatNews(kept=len(first.events), view=first.view, asked=first.asked)
        seat.queue.put_nowait(back)
        await until(pilot, lambda: "had to put the match back" in text(app))
        assert "You name Siritas" not in text(app)
        await until(pilot, asks(app, "6 moves"))


async def test_what_cannot_be_mended_ends_the_screen_with_its_reason() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        seat.queue.put_nowait(ServiceError("UNAUTHENTICATED", "the token was revoked", reason="TOKEN_UNKNOWN"))
        await until(pilot, lambda: app.failure is not None)
    assert "revoked" in str(app.failure)
    assert app.return_value is None


async def test_what_a_service_says_is_one_line_and_drives_no_terminal() -> None:
    seat = Told()
    seat.info = MatchInfo("m", "naga", 0, (Player("me", "1"), Player("o\nx\x1b[2J", "1")), seat.match.options, 1)
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        seat.queue.put_nowait(seat.asked())
        await until(pilot, lambda: "against o\ufffdx\ufffd[2J" in text(app))
        seat.queue.put_nowait(SeatNews(trouble="gone\nYou won."))
        await until(pilot, asks(app, "gone\ufffdYou won."))
        seat.queue.put_nowait(seat.asked())
        await until(pilot, asks(app, "6 moves"))
        seat.refuses = AnswerRefused("no\nYou won.")
        await pilot.press("enter")
        await until(pilot, lambda: "was not taken: no\ufffdYou won." in text(app))


ENDINGS = [
    (Result((1, -1), (1, 2)), "You won. you +1, other -1."),
    (Result((-1, 1), (2, 1)), "You lost. you -1, other +1."),
    (Result((0, 0), (1, 1)), "A draw. you +0, other +0."),
    (Result((1, -1), (1, 2), 1, "TIMEOUTS"), "other let time run out. You won. you +1, other -1."),
    (Result(None, None, abort_cause="NO_SHOW"), "The match was ended without a result (no show)."),
]


@pytest.mark.parametrize(("result", "words"), ENDINGS)
def test_the_end_is_told_in_words(result: Result, words: str) -> None:
    assert ending(result, 0, ("you", "other")) == words


def test_a_place_among_many_is_told_with_its_number() -> None:
    assert ending(Result((2, 2, -4), (1, 1, 3)), 2, ("a", "b", "you")) == "You came in 3 of 3. a +2, b +2, you -4."
    assert ending(Result((2, 2, -4), (1, 1, 3)), 0, ("you", "b", "c")).startswith("You share the first place.")


@pytest.mark.exhaustive
async def test_tab_turns_to_what_the_table_has_no_room_for() -> None:
    app = PlayScreen(LocalSeat("mokkaik", {"first_dealer": 1}, ["first"] * 3, 0, bytes(32), pace=0.0), again=True)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "Follow" in text(app))
        table = str(app.query_one("#table", Static).render())
        assert "hand" in table
        assert "Tab more (1/2)" in keys(app)
        await pilot.press("tab")
        assert "Tab more (2/2)" in keys(app)
        assert "first 1 laid" in str(app.query_one("#table", Static).render())
        await pilot.press("r")
        assert app.query_one(MoveLine).value == "r", "moves are typed as before"
        await pilot.press("escape", "tab")
        assert str(app.query_one("#table", Static).render()) == table
    app = PlayScreen(LocalSeat("mokkaik", {"first_dealer": 1}, ["first"] * 3, 0, bytes(32), pace=0.0), again=True)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, lambda: "Follow" in text(app))
        await until(pilot, lambda: "first 1 laid" in text(app), "all on one page")
        await until(pilot, lambda: "Tab" not in keys(app))


async def test_a_small_window_shows_the_table_before_the_history() -> None:
    app = local()
    async with app.run_test(size=(59, 18)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        board, log = app.query_one("#board"), app.query_one(History)
        await until(pilot, lambda: board.size.width >= 58 and board.size.height >= 9, "room for the table")
        assert not log.display
        await pilot.resize_terminal(79, 18)
        await until(pilot, lambda: log.display and log.size.width >= 30 and board.size.width == 40, "both")
        await until(pilot, lambda: any("Deal 1" in line.text for line in log.lines), "the history")


async def test_what_is_typed_beyond_any_move_is_left_out() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        line = app.query_one(MoveLine)
        line.value = "x" * 399
        await pilot.press("y", "z", "z", "enter")
        await until(pilot, asks(app, "No move fits"))
        assert line.value == "x" * 399 + "y"
