"""The screen of `fudaba play`, driven key by key: choosing, wrong input, leaving, the end, breaks and rewinds."""

from __future__ import annotations

import asyncio
import dataclasses
import re
import time
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any

import pytest
from rich.text import Text
from textual.pilot import Pilot
from textual.widgets import Static

from fudaba.bot import MatchInfo, Player, Result
from fudaba.errors import FudabaError, ServiceError
from fudaba.terminal.dialogs import Help, Question
from fudaba.terminal.local import LocalSeat
from fudaba.terminal.screen import Leaving, PlayScreen
from fudaba.terminal.seat import Asked, News, NotTaken, Seat, ending
from fudaba.terminal.widgets import History, MoveLine, Moves
from fudaba_games.game import IllegalMove
from fudaba_games.match import Match
from fudaba_games.naga import Designate
from fudaba_games.registry import game

SIZES = [(80, 24), (120, 40)]


def local(**more: Any) -> PlayScreen:
    """A match of Naga against the first legal move; the other seat names the first place."""
    options: dict[str, object] = {"first_dealer": 1}
    return PlayScreen(LocalSeat("naga", options | more, ["first"], 0, bytes(32), pace=0.0), again=True)


async def until(pilot: Pilot[Any], condition: Callable[[], object], what: str = "it") -> None:
    """Returns when the condition holds."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, f"{what} never came true\n{text(pilot.app)}"
        await pilot.pause(0.02)


def text(app: Any) -> str:
    """Everything that is on the main screen."""
    screen = app.screen_stack[0]
    parts = [str(screen.query_one(name, Static).render()) for name in ("#title", "#clock", "#table", "#prompt")]
    log = screen.query_one(History)
    moves = screen.query_one(Moves)
    parts += [line.text for line in log.lines]
    parts += [str(moves.get_option_at_index(number).prompt) for number in range(moves.option_count)]
    return " ".join(" ".join(parts).split())


def prompt(app: Any) -> str:
    return str(app.screen_stack[0].query_one("#prompt", Static).render())


def keys(app: Any) -> str:
    """What the line at the bottom says of the keys."""
    return str(app.screen_stack[0].query_one("#keys", Static).render())


def asks(app: PlayScreen, words: str) -> Callable[[], bool]:
    return lambda: words in prompt(app)


# --- playing


@pytest.mark.parametrize("size", SIZES)
async def test_a_match_is_played_from_the_first_move_to_the_last_with_enter(size: tuple[int, int]) -> None:
    app = local()
    async with app.run_test(size=size) as pilot:
        await until(pilot, asks(app, "Name the place"))
        await until(pilot, lambda: "Deal 1" in text(app))
        while app.result is None:
            before = app._asked
            await pilot.press("enter")
            await until(pilot, lambda before=before: app.result or app._asked not in (None, before))  # type: ignore[misc]
        assert "deal" in text(app)
        assert "Enter leaves   N plays again" in keys(app)
        assert "resign" not in keys(app)
        await pilot.press("enter")
    assert app.return_value == Leaving.OVER
    assert app.result is not None
    assert sum(app.result.scores or ()) == 0


async def test_typing_narrows_the_list_arrows_mark_and_enter_plays_the_marked_move() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("3")
        await until(pilot, asks(app, "1 of 6 moves"))
        await pilot.press("escape")
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("down", "down", "up", "enter")
        await until(pilot, asks(app, "Commit three cards for Onotoa"))
        assert app.query_one(MoveLine).value == ""
        assert "You name Onotoa" in text(app)


async def test_what_fits_no_move_plays_nothing_and_says_why() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        for typed, why in (
            ("xyzzy", "it is no move of Naga now; one would be 'designate 1'"),
            ("designate 4", "Eltam (4) is never designated"),
            ("designate x", "takes"),
            ("commit A1", "no place is designated yet"),
        ):
            await pilot.press(*[{" ": "space"}.get(key, key) for key in typed], "enter")
            await until(pilot, asks(app, why))
            await pilot.press("escape")
        await until(pilot, asks(app, "6 moves"))
        assert "You name" not in text(app)


async def test_a_legal_move_is_played_however_it_is_written() -> None:
    app = PlayScreen(LocalSeat("mokkaik", {}, ["first"], 0, bytes(32), pace=0.0))
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "Lead a meld"))
        await pilot.press(*[{" ": "space"}.get(key, key) for key in "single b2 as 2"])
        await until(pilot, asks(app, "0 of"))
        await pilot.press("enter")
        await until(pilot, lambda: "You lay b2" in text(app))


async def test_a_click_marks_a_move_and_a_second_one_plays_it() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        await pilot.click(Moves, offset=(5, 2))
        await pilot.pause()
        assert app.query_one(Moves).highlighted == 2
        assert "You name" not in text(app)
        await pilot.click(Moves, offset=(5, 2))
        await until(pilot, asks(app, "Commit three cards"))
        assert "You name Avoria" in text(app)


async def test_help_shows_the_keys_and_the_rule_page() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        assert "Enter" in str(app.screen.query_one("#help-keys", Static).render())
        rules = app.screen.query_one("#help-rules", Static)
        assert rules.size.height > 50
        await pilot.press("pagedown", "pagedown")
        await until(pilot, lambda: app.screen.query_one("#help").scroll_y > 0)
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("enter")
        await until(pilot, asks(app, "Commit three cards"))


async def test_the_screen_follows_a_change_of_size_down_to_the_absurd() -> None:
    app = local()
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        for width, height in ((80, 24), (40, 12), (10, 4), (1, 1), (200, 60), (80, 24)):
            await pilot.resize_terminal(width, height)
            await pilot.pause(0.05)
        await pilot.press("enter")
        await until(pilot, asks(app, "Commit three cards"))
        assert "You name" in text(app)


# --- leaving


async def test_ctrl_c_asks_and_escape_goes_on() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: isinstance(app.screen, Question))
        await pilot.press("x")
        assert isinstance(app.screen, Question)
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("enter")
        await until(pilot, asks(app, "Commit three cards"))


async def test_leaving_an_unfinished_match_ends_the_screen_without_a_result() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("ctrl+c")
        await until(pilot, lambda: isinstance(app.screen, Question))
        await pilot.press("l")
        await pilot.pause()
    assert app.return_value == Leaving.LEFT
    assert app.result is None


async def test_a_second_ctrl_c_goes_away_at_once() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("ctrl+c", "ctrl+c")
        await until(pilot, lambda: app.return_value is not None)
    assert app.return_value == Leaving.LEFT
    assert app.result is None


async def test_the_history_is_wrapped_anew_for_another_width() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        log = app.query_one(History)

        def lines() -> list[str]:
            return [line.text.rstrip() for line in log.lines]

        app._note(Text("word " * 30))
        app._show()
        await until(pilot, lambda: sum("word" in line for line in lines()) > 3)
        narrow = lines()
        await pilot.resize_terminal(200, 24)
        await until(pilot, lambda: len(lines()) < len(narrow), "longer lines")
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: lines() == narrow, "the lines of before")


async def test_a_title_that_is_too_long_leaves_out_what_stands_below() -> None:
    seat = LocalSeat("napoleon", {"deals": 10}, ["first"] * 4, 0, bytes(32), pace=0.0)
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, lambda: "auction" in text(app))

        def title() -> Text:
            shown = app.query_one("#title", Static)
            return Text(str(shown.render()))

        await until(pilot, lambda: 0 < title().cell_len <= app.query_one("#title").size.width)
        assert "deal 1 of 10, auction" in title().plain
        await pilot.resize_terminal(160, 24)
        await until(pilot, lambda: "against first" in title().plain)


@pytest.mark.parametrize("keys", [("ctrl+c", "r"), ("ctrl+r", "y")])
async def test_resigning_loses_the_match_at_once_and_another_can_be_asked_for(keys: tuple[str, str]) -> None:
    app = local(deals=3)
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        await pilot.press(keys[0])
        await until(pilot, lambda: isinstance(app.screen, Question))
        await pilot.press(keys[1])
        await until(pilot, asks(app, "You resigned"))
        await pilot.press("n")
        await pilot.pause()
    assert app.return_value == Leaving.AGAIN
    assert app.result is not None
    assert app.result.scores == (-3, 3)


# --- a seat whose news the test writes


class Told(Seat):
    """A seat in a real match of Naga that hears what the test tells it."""

    def __init__(self) -> None:
        rules = game("naga")
        self.match: Match[Any, Any, Any, Any] = Match(rules, 2, rules.resolve_options({"first_dealer": 1}), bytes(32))
        self.info = MatchInfo("m", "naga", 0, (Player("me", "1"), Player("other", "1")), self.match.options, 1)
        self.queue: asyncio.Queue[News | FudabaError] = asyncio.Queue()
        self.answers: list[tuple[str, Any]] = []
        self.refuses: Exception | None = None

    async def news(self) -> AsyncIterator[News]:
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
        raise NotTaken("the match is over (MATCH_OVER)")

    def asked(self, time_ms: int = 90_000, bank_ms: int = 60_000) -> News:
        decision = self.match.open(0)
        assert decision is not None
        asked = Asked(decision.id, decision.legal, True, time_ms, bank_ms)
        return News(events=list(self.match.shown(0)), view=self.match.view(0), asked=asked)


async def test_a_lost_connection_is_told_and_what_was_typed_is_still_there_when_it_is_back() -> None:
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        seat.queue.put_nowait(seat.asked())
        await until(pilot, asks(app, "6 moves"))
        await pilot.press("3")
        seat.queue.put_nowait(News(trouble="cannot reach the service"))
        await until(pilot, asks(app, "Trying again. cannot reach the service"))
        await pilot.press("enter")
        assert not seat.answers
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(app.screen, Help))
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        await pilot.press("escape", "5")
        assert app.query_one(MoveLine).value == "5"
        await pilot.press("escape", "3")
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
        seat.refuses = NotTaken("a rule says no (ILLEGAL_MOVE)")
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
        seat.queue.put_nowait(News(closed=frozenset({"0.0"}), timed_out=1))
        await until(pilot, lambda: "Your time ran out" in text(app))
        await until(pilot, asks(app, "Waiting for"))
        assert "+ 1:00" not in text(app)


async def test_the_clock_stands_while_the_service_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = 0.0
    monkeypatch.setattr("fudaba.terminal.seat.time", SimpleNamespace(monotonic=lambda: time.monotonic() + ahead))
    seat = Told()
    app = PlayScreen(seat)
    async with app.run_test(size=(80, 24)) as pilot:
        asked = seat.asked(time_ms=90_000, bank_ms=60_000)
        assert asked.asked is not None
        asked.asked = dataclasses.replace(asked.asked, received=time.monotonic())
        seat.queue.put_nowait(asked)
        await until(pilot, lambda: "+ 1:00 bank" in text(app), "the clock")
        seat.queue.put_nowait(News(trouble="cannot reach the service"))
        await until(pilot, asks(app, "Trying again."))
        before = app._clock().plain
        ahead = 70.0
        assert app._clock().plain == before
        seat.queue.put_nowait(News())
        await until(pilot, lambda: "0:00 + 0:" in text(app), "the clock going on")


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
        seat.queue.put_nowait(News(closed=frozenset({"0.0"}), view=seat.match.view(0)))
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
        await pilot.pause()
        bottom = history.scroll_offset.y
        await pilot.press("ctrl+up", "3")
        await until(pilot, lambda: history.scroll_offset.y < bottom)
        assert app.query_one(MoveLine).value == "3"
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
        back = News(kept=len(first.events), view=first.view, asked=first.asked)
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
        seat.queue.put_nowait(News(trouble="gone\nYou won."))
        await until(pilot, asks(app, "gone\ufffdYou won."))
        seat.queue.put_nowait(seat.asked())
        await until(pilot, asks(app, "6 moves"))
        seat.refuses = NotTaken("no\nYou won.")
        await pilot.press("enter")
        await until(pilot, lambda: "was not taken: no\ufffdYou won." in text(app))


ENDINGS = [
    (Result((1, -1), (1, 2)), "You won. you +1, other -1."),
    (Result((-1, 1), (2, 1)), "You lost. you -1, other +1."),
    (Result((0, 0), (1, 1)), "A draw. you +0, other +0."),
    (Result((1, -1), (1, 2), 1, "TIMEOUTS"), "other let time run out. You won. you +1, other -1."),
    (Result(None, None, abort_cause="NO_SHOW"), "The match was ended without a result (no show)."),
]


@pytest.mark.parametrize(("result", "told"), ENDINGS)
def test_the_end_is_told_in_words(result: Result, told: str) -> None:
    assert ending(result, 0, ("you", "other")) == told


def test_a_place_among_many_is_told_with_its_number() -> None:
    assert ending(Result((2, 2, -4), (1, 1, 3)), 2, ("a", "b", "you")) == "You came in 3 of 3. a +2, b +2, you -4."
    assert ending(Result((2, 2, -4), (1, 1, 3)), 0, ("you", "b", "c")).startswith("You share the first place.")


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
