"""The screen of `fudaba play`, driven key by key: choosing, wrong input, leaving, the end, breaks and rewinds."""

from __future__ import annotations

import pytest
from rich.text import Text
from textual.widgets import Static

from fudaba.terminal.dialogs import Help, Question
from fudaba.terminal.local import LocalSeat
from fudaba.terminal.screen import Leaving, PlayScreen
from fudaba.terminal.widgets import History, MoveLine, Moves
from tests.support.terminal.screens import asks, keys, local, text, until

SIZES = [(80, 24), pytest.param((120, 40), marks=pytest.mark.exhaustive)]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.exhaustive
async def test_a_match_is_played_from_the_first_move_to_the_last_with_enter(size: tuple[int, int]) -> None:
    app = local()
    async with app.run_test(size=size) as pilot:
        await until(pilot, asks(app, "Name the place"))
        await until(pilot, lambda: "Deal 1" in text(app))
        while app.result is None:
            before = app._choosing.decision
            await pilot.press("enter")
            await until(pilot, lambda before=before: app.result or app._choosing.decision not in (None, before))  # type: ignore[misc]
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


@pytest.mark.exhaustive
async def test_what_fits_no_move_plays_nothing_and_says_why() -> None:
    app = local()
    async with app.run_test(size=(80, 24)) as pilot:
        await until(pilot, asks(app, "6 moves"))
        for typed, why in (
            ("xyzzy", "it is not a move of Naga now; one would be 'designate 1'"),
            ("designate 4", "Eltam (4) is never designated"),
            ("designate x", "takes"),
            ("commit A1", "no place is designated yet"),
        ):
            await pilot.press(*[{" ": "space"}.get(key, key) for key in typed], "enter")
            await until(pilot, asks(app, why))
            await pilot.press("escape")
        await until(pilot, asks(app, "6 moves"))
        assert "You name" not in text(app)


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
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
