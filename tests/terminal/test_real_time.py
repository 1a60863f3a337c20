"""Games with times of their own, in process: bots act in turn, timers fire, and what a person types stays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Any

import pytest

from fudaba.terminal.local import LocalSeat
from fudaba.terminal.person_seat import AnswerRefused, PersonSeat, PutDecision, SeatNews
from fudaba.terminal.screen import PlayScreen
from fudaba.terminal.widgets import MoveLine, Moves
from fudaba_games import tashot
from fudaba_games.game import GameError
from fudaba_games.match import Match
from fudaba_games.nerts import Built, DealEnded, Flip, Flipped, Founded, Recycled, Shifted, StocksTurned, Tucked, Wait
from fudaba_games.registry import game
from tests.support.terminal.screens import asks, prompt, text, until

MOVEMENTS = Built | Flipped | Founded | Recycled | Shifted | Tucked


class Jumping:
    """A clock that jumps to the next time that is waited for, as soon as nothing else can happen."""

    def __init__(self) -> None:
        self.ms = 0

    def now_ms(self) -> int:
        return self.ms

    async def wait(self, until_ms: int | None, woken: asyncio.Event) -> None:
        if until_ms is None:
            await woken.wait()
        elif not woken.is_set():
            self.ms = max(self.ms, until_ms)


Heard = list[tuple[int, SeatNews]]


async def hear(seat: LocalSeat, clock: Jumping, news: AsyncIterator[SeatNews], until_ms: int) -> Heard:
    """Returns all that a person who does nothing is told until then, with the times."""
    heard: Heard = []
    while clock.ms < until_ms:
        message = await anext(news, None)
        if message is None:
            break
        heard.append((clock.ms, message))
    return heard


def nerts(clock: Jumping, others: list[str], **more: object) -> LocalSeat:
    return LocalSeat("nerts", {"pace": "realtime"} | more, others, 0, bytes(32), pace=0.5, clock=clock)


def events(heard: Heard, kinds: Any) -> list[tuple[int, Any]]:
    return [(at, event) for at, news in heard for event in news.events if isinstance(event, kinds)]


# --- bots


@pytest.mark.parametrize(("hand_ms", "apart"), [(150, 500), (2000, 2000)])
async def test_every_bot_gets_its_turns_while_the_person_thinks_and_keeps_its_hands_pace(
    hand_ms: int, apart: int
) -> None:
    clock = Jumping()
    seat = nerts(clock, ["sensible"] * 3, hand_ms=hand_ms)
    heard = await hear(seat, clock, seat.news(), 10 * apart)
    times: dict[int, list[int]] = {1: [], 2: [], 3: []}
    for at, event in events(heard, MOVEMENTS):
        times[event.seat].append(at)
    for moved in times.values():
        assert len(moved) >= 8, times
        assert all(later - earlier >= apart for earlier, later in pairwise(moved)), times


async def test_the_decision_of_the_person_is_put_anew_with_everything_that_others_do() -> None:
    clock = Jumping()
    seat = nerts(clock, ["sensible"] * 2)
    heard = await hear(seat, clock, seat.news(), 3000)
    with_events = [news for _, news in heard if news.events]
    assert len(with_events) > 5
    assert all(news.asked is not None for news in with_events)
    assert not any(news.closed for news in with_events)


# --- timers


async def test_the_stocks_are_turned_when_nobody_moves_though_the_person_could() -> None:
    clock = Jumping()
    seat = nerts(clock, ["first"] * 2, stuck_ms=1000)  # the first move is to wait
    heard = await hear(seat, clock, seat.news(), 3000)
    assert [(at, event.stock_turns) for at, event in events(heard, StocksTurned)] == [(1000, 1), (2000, 2), (3000, 3)]
    assert [at for at, _ in events(heard, DealEnded)] == [3000]


async def test_a_move_makes_the_time_in_which_nobody_moves_begin_anew() -> None:
    clock = Jumping()
    seat = nerts(clock, ["first"], stuck_ms=1000)
    news = seat.news()
    first = await anext(news)
    assert first.asked is not None
    clock.ms = 700
    answer = asyncio.create_task(seat.answer(first.asked.id, Flip()))
    await asyncio.sleep(0)
    heard = await hear(seat, clock, news, 1700)
    await answer
    assert [at for at, _ in events(heard, Flipped)] == [700]
    assert [at for at, _ in events(heard, StocksTurned)] == [1700]


async def test_a_deal_ends_when_its_time_is_over_however_much_bots_move() -> None:
    clock = Jumping()
    seat = nerts(clock, ["random"], target=0, stuck_ms=60000, hand_ms=10000)
    heard = await hear(seat, clock, seat.news(), 700_000)
    ended = [at for at, _ in events(heard, DealEnded)]
    assert ended
    assert ended[0] <= 600_000
    assert heard[-1][1].result is not None


# --- the person's hand


async def test_an_answer_waits_for_the_hand_and_a_newer_one_takes_its_place() -> None:
    clock = Jumping()
    seat = nerts(clock, ["first"], hand_ms=2000)
    news = seat.news()
    first = await anext(news)
    assert first.asked is not None
    answers = [asyncio.create_task(seat.answer(first.asked.id, Flip()))]
    await asyncio.sleep(0)
    second = await anext(news)
    assert (clock.ms, bool(second.events)) == (0, True)
    assert second.closed == {first.asked.id}
    assert second.asked is not None
    for _ in range(2):
        answers.append(asyncio.create_task(seat.answer(second.asked.id, Flip())))
        await asyncio.sleep(0)
    heard = await hear(seat, clock, news, 2000)
    assert [(at, event.seat) for at, event in events(heard, Flipped)] == [(2000, 0)]
    results = await asyncio.gather(*answers, return_exceptions=True)
    assert [type(result) for result in results] == [type(None), AnswerRefused, type(None)]


async def test_to_wait_is_no_movement_and_an_answer_after_the_own_move_is_too_late() -> None:
    clock = Jumping()
    seat = nerts(clock, ["first"], hand_ms=2000)
    news = seat.news()
    first = await anext(news)
    assert first.asked is not None
    moves = [asyncio.create_task(seat.answer(first.asked.id, Flip()))]
    await asyncio.sleep(0)
    second = await anext(news)
    assert second.asked is not None
    moves.append(asyncio.create_task(seat.answer(second.asked.id, Wait())))
    await asyncio.sleep(0)
    third = await anext(news)
    assert clock.ms == 0
    assert third.closed == {second.asked.id}
    assert third.asked is None
    moves.append(asyncio.create_task(seat.answer(second.asked.id, Flip())))
    await asyncio.sleep(0)
    await anext(news)
    results = await asyncio.gather(*moves, return_exceptions=True)
    assert results[:2] == [None, None]
    assert isinstance(results[2], GameError)


# --- windows


async def test_a_window_lasts_as_long_as_it_should_and_closes_by_itself() -> None:
    clock = Jumping()
    options = {"window_ms": 3000, "deals": 1}
    seat = LocalSeat("tashot", options, ["first", "first"], 0, bytes(32), pace=0.5, clock=clock)
    lasted, asked, news = [], 0, seat.news()
    began = -1
    async for message in news:
        window = message.view.phase == tashot.Phase.WINDOW
        if window and began < 0:
            began = clock.ms
        if not window and began >= 0:
            lasted.append(clock.ms - began)
            began = -1
        if message.asked is not None and window:
            asked += 1
            assert message.asked.time_ms == 3000
        elif message.asked is not None:
            assert message.asked.time_ms == 0
            task = asyncio.create_task(seat.answer(message.asked.id, message.asked.legal[0]))
            await asyncio.sleep(0)
            task.add_done_callback(lambda done: done.result())
    assert asked, "the person was never asked: take another seed"
    assert len(lasted) > 10
    assert set(lasted) == {3000}


# --- the screen


class Anew(PersonSeat):
    """A seat in a match of Nerts in real time, as a service tells of it: the test moves for all."""

    def __init__(self) -> None:
        self.local = LocalSeat("nerts", {"pace": "realtime"}, ["first"], 0, bytes(32))
        self.info = self.local.info
        rules = game("nerts")
        self.match: Match[Any, Any, Any, Any] = Match(rules, 2, self.info.options, bytes(32))
        self.queue: asyncio.Queue[SeatNews] = asyncio.Queue()
        self.answers: list[tuple[str, Any]] = []
        self.judged = asyncio.Event()
        self.refuses: Exception | None = None
        self._shown_count = 0

    async def news(self) -> AsyncIterator[SeatNews]:
        while True:
            yield await self.queue.get()

    async def answer(self, decision_id: str, move: Any) -> None:
        self.answers.append((decision_id, move))
        await self.judged.wait()
        if self.refuses is not None:
            raise self.refuses

    async def resign(self) -> None:
        raise AnswerRefused("it is not asked for here")

    def tell(self, *accepted: str) -> None:
        """What has happened since it was told last."""
        shown, decision = self.match.shown(0), self.match.open(0)
        news = SeatNews(events=list(shown[self._shown_count :]), view=self.match.view(0), closed=frozenset(accepted))
        self._shown_count = len(shown)
        if decision is not None:
            news.asked = PutDecision(decision.id, decision.legal, decision.required)
        self.queue.put_nowait(news)

    def other_flips(self) -> None:
        self.match.play(1, Flip())
        self.tell()


def flips(app: PlayScreen) -> int:
    return text(app).count("first turns")


async def test_what_is_typed_and_marked_stays_while_others_move_and_is_matched_with_the_new_list() -> None:
    seat = Anew()
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        seat.tell()
        await until(pilot, asks(app, "Make a move"))
        await pilot.press("down")
        marked = app._marked()
        assert marked is not None
        assert marked.text != "wait"
        seat.other_flips()
        await until(pilot, lambda: flips(app) == 1)
        again = app._marked()
        assert again is not None
        assert again.text == marked.text
        await pilot.press("f", "l", "i")
        await until(pilot, asks(app, "1 of"))
        seat.other_flips()
        await until(pilot, lambda: flips(app) == 2)
        assert app.query_one(MoveLine).value == "fli"
        assert "1 of" in prompt(app)
        await pilot.press("enter")
        await until(pilot, lambda: seat.answers)
    open_now = seat.match.open(0)
    assert open_now is not None
    assert seat.answers == [(open_now.id, Flip())]


async def test_a_mark_on_a_move_that_is_gone_goes_to_the_first_one() -> None:
    seat = Anew()
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        seat.tell()
        await until(pilot, asks(app, "Make a move"))
        await pilot.press("down")
        marked = app._marked()
        assert marked is not None
        seat.match.play(1, Flip())
        decision = seat.match.open(0)
        assert decision is not None
        decision.legal = [move for move in decision.legal if move != marked.move]
        seat.tell()
        await until(pilot, lambda: flips(app) == 1)
        assert app.query_one(Moves).highlighted == 0


@pytest.mark.exhaustive
async def test_an_answer_that_waits_for_its_hand_stays_sent_while_others_move() -> None:
    seat = Anew()
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        seat.tell()
        await until(pilot, asks(app, "Make a move"))
        await pilot.press("f", "l", "i")
        await until(pilot, asks(app, "1 of"))
        await pilot.press("enter")
        await until(pilot, asks(app, "flip: sent"))
        await until(pilot, lambda: seat.answers)
        seat.other_flips()
        await until(pilot, lambda: flips(app) == 1)
        assert "flip: sent" in prompt(app)
        seat.match.play(0, Flip())
        seat.tell(seat.answers[0][0])
        await until(pilot, asks(app, "Make a move"))
        assert app.query_one(MoveLine).value == ""
        seat.judged.set()


async def test_to_wait_is_answered_though_others_have_moved_meanwhile() -> None:
    seat = Anew()
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        seat.tell()
        await until(pilot, asks(app, "Make a move"))
        await pilot.press("enter")
        await until(pilot, lambda: seat.answers)
        seat.other_flips()
        await until(pilot, lambda: flips(app) == 1)
        seat.match.play(0, Wait())
        seat.tell(seat.answers[0][0])
        await until(pilot, asks(app, "Waiting for the others"))
        seat.judged.set()


async def test_a_move_that_came_too_late_can_be_chosen_again_from_the_new_list() -> None:
    seat = Anew()
    seat.refuses = AnswerRefused("too late")
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        seat.tell()
        await until(pilot, asks(app, "Make a move"))
        await pilot.press("f", "l", "i", "enter")
        await until(pilot, lambda: seat.answers)
        seat.other_flips()
        await until(pilot, lambda: flips(app) == 1)
        seat.judged.set()
        await until(pilot, lambda: "too late" in text(app))
        await until(pilot, asks(app, "1 of"))
        await pilot.press("enter")
        await until(pilot, lambda: len(seat.answers) == 2)
    assert [decision_id for decision_id, _ in seat.answers] == ["0.0", "0.1"]


async def test_an_answer_whose_news_was_lost_does_not_keep_the_screen_from_asking() -> None:
    seat = Anew()
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        seat.tell()
        await until(pilot, asks(app, "Make a move"))
        await pilot.press("f", "l", "i", "enter")
        await until(pilot, lambda: seat.answers)
        seat.match.play(0, Flip())
        seat.tell()  # on a new stream, which does not say that the answer is stored
        await until(pilot, lambda: "You turn" in text(app))
        seat.judged.set()
        await until(pilot, asks(app, "Make a move"))
        assert app.query_one(MoveLine).value == ""


@pytest.mark.exhaustive
async def test_a_match_in_process_is_played_by_typing_while_bots_move() -> None:
    seat = LocalSeat("nerts", {"pace": "realtime", "hand_ms": 0}, ["sensible"] * 2, 0, bytes(32), pace=0.05)
    app = PlayScreen(seat)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(pilot, asks(app, "Make a move"))
        for key in "flip":
            before = len(app._history)
            await pilot.press(key)
            await until(pilot, lambda before=before: len(app._history) > before)  # type: ignore[misc]
        assert app.query_one(MoveLine).value == "flip"
        await pilot.press("enter")
        await until(pilot, lambda: "You turn" in text(app))
