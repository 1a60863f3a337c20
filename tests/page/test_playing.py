"""A person plays in the browser: by pointing, by keys, with a friend by invitation, and through a lost connection."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from fudaba.client import Client
from fudaba_games.registry import GAMES
from tests.support.page.browsing import MOTION, Watched, sign_in
from tests.support.page.playing import LONGEST, POINT, begin, begin_as_guest, is_over, play_by_pointing, wait_for_moves
from tests.support.patience import PATIENCE
from tests.support.sizes import exhaustive
from tests.support.web.gateways import Gateway

POINTED_AT = [game for game in GAMES if game != "nerts"]
"""Nerts is played to 100 points, which takes whoever points by chance far longer than all the others together: it has a
test of its own, of a single deal in real time."""

TO_THE_END = ("namto", "tashot")
"""These are soon over, and are played to their end at the gate too, as Naga is by a guest."""
SOME_MOVES = 0 if exhaustive() else 5
"""As many the gate wants of a person in each of the other games; 0 has a match played to its end."""


def press(button: Locator) -> None:
    """Presses a button, unless the match has gone on and it is there no more."""
    button.evaluate_all("found => found.slice(0, 1).forEach((one) => one.click())")


@pytest.mark.exhaustive
def test_a_guest_plays_a_match_to_its_end_by_pointing_and_how_it_ended_is_brought_into_view(page: Page) -> None:
    page.emulate_media(reduced_motion="no-preference")
    page.set_viewport_size({"width": 390, "height": 844})
    begin_as_guest(page, "naga")
    page.locator(".chooser-ready").wait_for()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    play_by_pointing(page)
    expect(page.locator(".match-ending")).to_be_in_viewport()
    expect(page.get_by_role("link", name="Replay")).to_be_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=[pytest.mark.nightly("a guest plays it to its end by pointing")] * (game == "naga"))
        for game in POINTED_AT
    ],
)
def test_each_game_is_played_by_pointing(page: Page, context: BrowserContext, organiser: Client, game: str) -> None:
    sign_in(context, organiser)
    begin(page, game, deals=0 if exhaustive() else 1)
    if SOME_MOVES and game not in TO_THE_END:
        play_by_pointing(page, moves=SOME_MOVES)
        return
    play_by_pointing(page)
    expect(page.locator(".match-ending")).to_contain_text(re.compile("won|draw"))


@pytest.mark.nightly(
    "each other game is played by pointing above, `test_fits_the_window.py` chooses moves of Nerts at its decisions, "
    "and `service/test_realtime.py` plays it in real time"
)
def test_nerts_is_played_in_real_time_by_pointing(page: Page, context: BrowserContext, organiser: Client) -> None:
    sign_in(context, organiser)
    page.goto("/play?game=nerts")
    page.get_by_text("Options of the game").click()
    page.get_by_label(re.compile("^Points to pass ")).fill("0")  # a single deal
    page.get_by_label(re.compile("^Pace ")).select_option("realtime")
    page.get_by_label(re.compile("^When nobody moves ")).fill("1000")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/play?match=*")
    play_by_pointing(page)
    expect(page.locator(".match-ending")).to_contain_text(re.compile("won|draw"))


@pytest.mark.exhaustive
def test_a_match_is_played_by_keys_alone(page: Page, context: BrowserContext, organiser: Client) -> None:
    sign_in(context, organiser)
    page.goto("/play?game=naga")
    page.get_by_role("button", name="Begin").wait_for()
    focus(page, "document.activeElement.matches('button[type=submit]')")
    page.keyboard.press("Enter")
    page.wait_for_url("**/play?match=*")
    end = is_over(page)
    ready = page.locator(".chooser-ready button.main")
    pieces = page.locator("button[data-piece][aria-pressed=false]")
    moves = 0
    while not end.is_visible() and (not SOME_MOVES or moves < SOME_MOVES):
        (ready.or_(pieces).or_(end)).first.wait_for()
        if end.is_visible():
            break
        wanted = ".chooser-ready button.main" if ready.first.is_visible() else "button[data-piece][aria-pressed=false]"
        if focus(page, f"document.activeElement.matches('{wanted}')"):
            moves += "main" in wanted
            page.keyboard.press("Enter")


@pytest.mark.exhaustive
def test_the_focus_stays_at_the_table_when_the_piece_of_a_move_is_gone(
    page: Page, context: BrowserContext, organiser: Client
) -> None:
    sign_in(context, organiser)
    begin(page, "naga")
    pieces = page.locator("button[data-piece][aria-pressed=false]")
    ready = page.locator(".chooser-ready button.main").first
    while not ready.is_visible():
        pieces.first.focus()
        page.keyboard.press("Enter")
    ready.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.activeElement.matches('.match-main')")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.match-main') !== null")


OUTSIDE = """() => {
    const found = [];
    for (const island of document.querySelectorAll(".island")) {
        const land = island.querySelector(".land").getBoundingClientRect();
        for (const one of island.querySelectorAll(".island-name, .island-cards > *")) {
            const { top, bottom, left, right } = one.getBoundingClientRect();
            if (top < land.top + 8 || bottom > land.bottom - 8 || left < land.left || right > land.right)
                found.push(`${island.textContent}: ${top} to ${bottom} in ${land.top} to ${land.bottom}`);
        }
    }
    return found;
}"""
"""What stands on the coast of its island, or beyond it."""
PLACES = """() => [...document.querySelectorAll(".island")].map((one) => {
    const { x, y, width, height } = one.getBoundingClientRect();
    return [x, y + scrollY, width, height].map(Math.round);
})"""


PLAY_UNTIL = """(wanted) => new Promise((resolve) => {
    const timer = setInterval(() => {
        if (document.querySelector(wanted)) {
            clearInterval(timer);
            resolve();
        } else {
            const ready = document.querySelector(".chooser-ready button.main");
            (ready ?? document.querySelector("button[data-piece][aria-pressed=false]"))?.click();
        }
    }, 40);
})"""


def play_until(page: Page, wanted: str) -> None:
    """Plays whatever comes first, until there is something of this selector; of that nothing is chosen yet."""
    page.evaluate(PLAY_UNTIL, wanted)


@pytest.mark.parametrize("size", [(390, 844), pytest.param((1280, 800), marks=pytest.mark.exhaustive)])
def test_islands_look_alike_whether_they_can_be_chosen_and_what_plays_the_choice_is_in_sight(
    page: Page, context: BrowserContext, organiser: Client, size: tuple[int, int]
) -> None:
    sign_in(context, organiser)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    begin(page, "naga")
    islands = page.locator("button.island")
    play_until(page, "button.island")
    expect(page.locator(".chooser-ready")).to_contain_text("Your turn. Name the place of the next battle")
    expect(page.locator(".chooser-ready")).to_be_in_viewport(ratio=1)
    assert page.evaluate(OUTSIDE) == []
    before = page.evaluate(PLACES)
    islands.first.click()
    ready = page.get_by_role("button", name=re.compile("^Confirm: Designate"))
    expect(ready).to_be_in_viewport(ratio=1)
    expect(islands.first).to_be_in_viewport(ratio=1)
    assert page.evaluate(OUTSIDE) == []
    assert page.evaluate(PLACES) == before
    islands.first.focus()
    page.keyboard.press("Tab")
    assert page.evaluate(
        "document.activeElement.getBoundingClientRect().bottom"
        " <= document.querySelector('.chooser-ready').getBoundingClientRect().top"
        " || document.activeElement.closest('.chooser-ready') !== null"
    )


@pytest.mark.exhaustive
def test_the_last_battle_stays_in_view_until_the_next_one_is_fought(
    page: Page, context: BrowserContext, organiser: Client
) -> None:
    sign_in(context, organiser)
    begin(page, "naga")
    battle = page.locator(".trick.is-lines")
    play_until(page, ".trick.is-lines")
    page.evaluate("""() => {
        window.gone = 0;
        new MutationObserver(() => {
            if (document.querySelector(".islands") && !document.querySelector(".trick.is-lines")) window.gone += 1;
        }).observe(document.body, { childList: true, subtree: true });
    }""")
    fought = ".island:not(:has(.naga-card))"
    play_until(page, f"{fought} ~ {fought} ~ {fought}")
    expect(battle).to_contain_text("Battle for")
    assert page.evaluate("window.gone") == 0


def test_a_refused_text_stays_to_be_mended(page: Page, context: BrowserContext, organiser: Client) -> None:
    sign_in(context, organiser)
    begin(page, "napoleon")
    page.get_by_role("button", name="More").click()
    field = page.get_by_label("Move as text")
    field.fill("bid 99X")
    expect(page.locator(".chooser-example")).to_have_text(re.compile("^For example (bid|approve|name|bury|play)"))
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".play-refusal")).not_to_be_empty()
    expect(field).to_have_value("bid 99X")


def focus(page: Page, is_it: str) -> bool:
    """Goes on with Tab until the focus is on what is wanted; False if it is nowhere any more."""
    for _ in range(200):
        if page.evaluate(is_it):
            return True
        page.keyboard.press("Tab")
    return False


WATCH_FOR_CONNECTING = """() => {
  const look = () => {
    const state = document.querySelector(".play-state");
    if (state?.textContent.includes("Connecting")) window.wasConnecting = true;
  };
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}"""


@pytest.mark.exhaustive
def test_a_match_goes_on_when_the_connection_was_lost(page: Page, context: BrowserContext, organiser: Client) -> None:
    sign_in(context, organiser)
    begin(page, "naga")
    page.locator("button[data-piece]").first.wait_for()
    page.evaluate(WATCH_FOR_CONNECTING)  # on this machine it is back at once: without a network the gateway is there
    context.set_offline(True)
    page.wait_for_function("window.wasConnecting")
    context.set_offline(False)
    expect(page.locator(".play-state", has_text="Connecting")).not_to_be_visible()
    play_until(page, ".trick.is-lines")


@pytest.mark.exhaustive
def test_two_people_play_by_invitation_in_two_browsers(
    page: Page, context: BrowserContext, organiser: Client, web: Gateway
) -> None:
    sign_in(context, organiser)
    page.goto("/play?game=naga")
    page.get_by_label(re.compile("^Seat 2")).select_option("a friend, by a link")
    page.get_by_role("button", name="Begin").click()
    link = page.get_by_role("textbox", name="Invitation link").input_value()
    browser = context.browser
    assert browser is not None
    with browser.new_context(base_url=web.url, locale="en", reduced_motion=MOTION) as other:
        other.set_default_timeout(PATIENCE * 1000)
        sign_in(other, organiser)
        with Watched(other.new_page()) as friend:
            friend.goto(link)
            friend.get_by_role("button", name=re.compile("^Take the seat")).click()
            for person in (page, friend):
                person.evaluate(POINT)
            for person in (page, friend):
                if SOME_MOVES:
                    wait_for_moves(person, SOME_MOVES)
                else:
                    is_over(person).wait_for(timeout=LONGEST * 1000)


@pytest.mark.exhaustive
def test_what_is_played_is_what_was_pointed_at(page: Page) -> None:
    begin_as_guest(page, "naga")
    ready = page.get_by_role("button", name=re.compile(r"^Confirm: "))
    pieces = page.locator("button[data-piece][aria-pressed=false]")
    while not ready.first.is_visible():
        press(pieces.first)
        page.wait_for_timeout(50)
    said = (ready.first.text_content() or "").removeprefix("Confirm: ")
    assert said
    press(ready.first)
    expect(page.locator(".table-news")).not_to_be_empty()
    expect(ready.first).not_to_be_visible()
