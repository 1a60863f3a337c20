"""A match in the browser: found in the list, opened at a position, taken along, shown on another page, and not lost."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Response, expect

from fudaba import records
from fudaba.client import Client
from fudaba.v1 import bots_pb2, matches_pb2, record_pb2
from tests.support.page.browsing import MOTION, Watched, sign_in
from tests.support.page.playing import play_by_pointing
from tests.support.page.readable import check_readable
from tests.support.page.tables import CHOOSE
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service, free_port
from tests.support.sizes import exhaustive
from tests.support.web.gateways import Gateway, gateway
from tests.support.web.own_servers import arena, gateway_token, hosted, web

__all__ = ["arena", "gateway_token", "hosted", "web"]

MAX_FIRST_VIEW_BYTES = 90_000
"""Bytes of the page's files, as they are sent; what `web/page/sizes.js` computes for the heaviest board."""
MIN_PICTURE_BYTES = 60_000
"""Bytes of a picture of 2,400 by 1,600 pixels on which there is more than one colour."""
HOUSE = ("house-sensible", "house-random")


def wait_for_end(organiser: Client, match_id: str) -> None:
    """Returns when a match is over."""
    wait = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=60_000)
    while not organiser.matches.AwaitMatch(wait, timeout=PATIENCE).match.HasField("end"):
        pass


class Finished:
    """A match that house bots have played."""

    def __init__(self, organiser: Client, game: str, label: str) -> None:
        seats = [matches_pb2.Seat(house_bot=bot) for bot in HOUSE]
        request = matches_pb2.CreateMatchRequest(game=game, seats=seats, label=label)
        self.id = organiser.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
        wait_for_end(organiser, self.id)
        asked = matches_pb2.GetRecordRequest(match_id=self.id)
        self.record: record_pb2.MatchRecord = organiser.matches.GetRecord(asked, timeout=PATIENCE).record


@pytest.fixture(scope="module")
def label() -> str:
    return f"label {secrets.token_hex(4)}"


@pytest.fixture(scope="module")
def finished(hosted: Service, label: str) -> Iterator[dict[str, Finished]]:
    """Yields a match of each of two games."""
    with Client(hosted.address, hosted.token) as organiser:
        yield {game: Finished(organiser, game, label) for game in ("naga", "mokkaik")}


@pytest.fixture(scope="module")
def naga(finished: dict[str, Finished]) -> Finished:
    return finished["naga"]


def test_the_first_view_weighs_no_more_than_it_may(page: Page, finished: dict[str, Finished]) -> None:
    answers: list[Response] = []

    def note(answer: Response) -> None:
        answers.append(answer)

    page.emulate_media(reduced_motion="no-preference")  # else the board rests where nothing has happened yet
    page.on("response", note)
    page.goto("/")
    page.locator(".live-board .match-lead").wait_for()
    page.wait_for_load_state("networkidle")
    loaded = {
        answer.url: int(answer.headers["content-length"])
        for answer in answers
        if answer.request.resource_type != "fetch"
    }
    assert any(url.endswith(".css") for url in loaded)
    assert sum(loaded.values()) <= MAX_FIRST_VIEW_BYTES, loaded
    scripts = [answer.text() for answer in answers if answer.request.resource_type == "script"]
    assert any("GetStandingsRequest" in script for script in scripts)
    assert not any("AnnulBlocks" in script for script in scripts)  # messages that only other pages send


@pytest.mark.exhaustive
def test_matches_are_found_by_game_label_and_state(page: Page, finished: dict[str, Finished], label: str) -> None:
    page.goto("/matches")
    page.get_by_label("Label").fill(label)
    page.get_by_role("button", name="Show").click()
    rows = page.locator("tbody tr")
    expect(rows).to_have_count(len(finished))
    page.get_by_label("Game").select_option("Naga")
    expect(rows).to_have_count(1)
    expect(page.get_by_label("Label")).to_have_value(label)
    page.get_by_label("State").select_option("live")
    expect(page.get_by_text("No matches here")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Naga").click()
    page.wait_for_url(f"**/matches/{finished['naga'].id}*")  # it plays on, and the address says how far it is


@pytest.mark.exhaustive
def test_a_link_opens_a_match_at_its_position_through_the_eyes_that_it_names(page: Page, naga: Finished) -> None:
    at = next(place for place, entry in enumerate(naga.record.log) if entry.HasField("move")) + 3
    page.goto(f"/matches/{naga.id}?at={at}&seat=1")
    hand = page.locator("[data-piece^='hand:']")
    expect(hand.first).to_be_visible()
    expect(page.get_by_label("Seen by")).to_have_value("1")
    count = page.locator("output")
    before = count.inner_text()
    page.keyboard.press("ArrowRight")
    expect(count).not_to_have_text(before)
    page.wait_for_url(f"**?at={at + 1}&seat=1")
    page.get_by_label("Seen by").select_option("a spectator")
    expect(hand).to_have_count(0)
    page.get_by_role("button", name="More").click()
    page.get_by_text("decisions", exact=False).last.click()
    page.locator("table").get_by_role("button", name=str(at), exact=True).click()
    expect(count).to_have_text(before)


@pytest.mark.exhaustive
def test_a_replay_keeps_its_position_when_it_is_loaded_again_and_when_the_seat_changes(
    page: Page, naga: Finished
) -> None:
    page.goto(f"/matches/{naga.id}")
    count, eyes = page.locator("output"), page.get_by_label("Seen by")
    expect(count).to_have_text(re.compile("^0 of "))
    page.wait_for_url(re.compile(r"[?&]at="))
    before = page.url
    page.get_by_role("button", name="One step on").click()
    expect(count).to_have_text(re.compile("^1 of "))
    page.wait_for_url(lambda url: url != before)  # the address follows a moment later
    page.reload()
    expect(count).to_have_text(re.compile("^1 of "))
    eyes.select_option("1")
    page.locator("[data-piece^='hand:']").first.wait_for()
    expect(count).to_have_text(re.compile("^1 of "))
    page.wait_for_url(re.compile(r"[?&]seat=1\b"))
    page.reload()
    expect(count).to_have_text(re.compile("^1 of "))
    expect(eyes).to_have_value("1")
    page.locator("[data-piece^='hand:']").first.wait_for()


@pytest.mark.exhaustive
def test_a_replay_does_not_tell_the_end_before_it(page: Page, naga: Finished) -> None:
    page.goto(f"/matches/{naga.id}")
    page.locator("[data-piece]").first.wait_for()
    expect(page.get_by_role("article")).not_to_contain_text(re.compile(r" won\.|A draw\.|, place "))
    page.get_by_role("button", name="To the end").click()
    expect(page.locator(".match-lead")).to_have_text(re.compile(r" won\.|A draw\."))
    expect(page.locator(".match-score")).to_have_count(2)


@pytest.mark.exhaustive
def test_a_list_does_not_tell_how_matches_ended_unless_it_is_asked(
    page: Page, naga: Finished, label: str, context: BrowserContext
) -> None:
    page.goto(f"/matches?label={label}&game=naga")
    row = page.locator("tbody tr")
    expect(row).to_have_count(1)
    expect(row).not_to_contain_text(re.compile(r" won\.|A draw\."))
    page.get_by_label("Show results").check()
    expect(row).to_contain_text(re.compile(r" won\.|A draw\."))
    with Watched(context.new_page()) as later:
        later.goto(f"/matches?label={label}&game=naga")
        expect(later.get_by_label("Show results")).to_be_checked()


def test_a_match_that_is_held_back_is_waited_for_and_begins_by_itself_when_it_may(
    page: Page, organiser: Client
) -> None:
    seats = [matches_pb2.Seat(house_bot=bot) for bot in HOUSE]
    request = matches_pb2.CreateMatchRequest(game="makhop", seats=seats, hidden=True)
    match_id = organiser.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
    wait_for_end(organiser, match_id)
    page.clock.install()
    page.goto("/matches?game=makhop")
    row = page.locator("tbody tr", has_text="held back")
    expect(row).to_contain_text("when its block is over")
    row.get_by_role("link").click()
    page.wait_for_url(f"**/matches/{match_id}")
    expect(page.locator("main").get_by_role("status")).to_contain_text("when its block is over")
    check_readable(page)
    organiser.matches.ReleaseMatches(matches_pb2.ReleaseMatchesRequest(match_ids=[match_id]), timeout=PATIENCE)
    page.clock.fast_forward(10_000)
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def test_a_match_with_a_premiere_is_counted_down_to_and_shown_to_its_result(page: Page, organiser: Client) -> None:
    seats = [matches_pb2.Seat(house_bot=bot) for bot in HOUSE]
    tells_end = re.compile(r" won\.|A draw\.")

    def released(lead_ms: int) -> str:
        request = matches_pb2.CreateMatchRequest(game="tashot", seats=seats, hidden=True)
        match_id = organiser.matches.CreateMatch(request, timeout=PATIENCE).match.header.match_id
        wait_for_end(organiser, match_id)
        shown = matches_pb2.ReleaseMatchesRequest(match_ids=[match_id], premiere_from_ms=1, premiere_lead_ms=lead_ms)
        organiser.matches.ReleaseMatches(shown, timeout=PATIENCE)
        return match_id

    released(3_600_000)
    page.goto("/matches?game=tashot")
    page.get_by_label("Show results").check()
    row = page.locator("tbody tr")
    expect(row).to_contain_text(re.compile("starts to be shown in (1:00:00|[0-9]{2}:[0-9]{2})"))
    expect(row).not_to_contain_text(tells_end)
    check_readable(page)
    row.get_by_role("link").first.click()
    expect(page.get_by_role("timer").last).to_contain_text("This match starts to be shown in")
    check_readable(page)
    page.goto(f"/matches/{released(20_000)}")  # however long that takes, it begins by itself
    expect(page.locator(".match-ending")).to_contain_text(tells_end)
    page.get_by_role("button", name="Replay").click()
    page.get_by_role("button", name="One step on").wait_for()


def test_a_board_goes_from_one_match_to_the_next_by_itself(page: Page, naga: Finished) -> None:
    page.clock.install()
    page.goto("/now")
    title = page.locator(".table-head h1 a")
    first = title.get_attribute("href")
    page.locator(".board").wait_for()
    assert page.get_by_role("navigation").count() == 0
    check_readable(page)
    while title.get_attribute("href") == first:
        page.clock.run_for(20_000)


@pytest.mark.exhaustive
def test_a_record_that_is_downloaded_is_the_one_that_fudaba_record_reads(
    page: Page, naga: Finished, tmp_path: Path
) -> None:
    page.goto(f"/matches/{naga.id}")
    page.get_by_role("button", name="More").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Download the record").click()
    file = tmp_path / started.value.suggested_filename
    started.value.save_as(file)
    assert file.name == f"{naga.id}.fudaba"
    assert records.read(file) == naga.record
    assert records.verify(records.read(file)) == []


def test_a_position_is_played_on_from_with_open_hands_and_against_house_bots(page: Page, naga: Finished) -> None:
    first = next(place for place, entry in enumerate(naga.record.log) if entry.HasField("move"))
    page.goto(f"/matches/{naga.id}?at={first}")
    page.get_by_role("button", name="Play on from here").click()
    undo, chooser = page.get_by_role("button", name="Undo"), page.locator(".chooser")
    expect(undo).to_be_disabled()
    expect(chooser).to_have_attribute("data-decision", re.compile("^0[.]"))
    page.locator("button[data-piece][aria-pressed=false]").first.wait_for()
    check_readable(page)
    page.evaluate(CHOOSE)
    page.locator(".chooser-ready button.main").first.click()
    expect(chooser).to_have_attribute("data-decision", re.compile("^1[.]"))
    undo.click()
    expect(chooser).to_have_attribute("data-decision", re.compile("^0[.]"))
    mover = naga.record.log[first].seat
    page.get_by_label("I move for").select_option(str(1 - mover))
    expect(chooser).to_have_attribute("data-decision", re.compile(f"^[1-9]+[.]{1 - mover}$"))  # the house has moved
    page.get_by_role("button", name="Back to the replay").click()
    expect(page.locator("output")).to_be_visible()
    expect(page.get_by_role("button", name="Play on from here")).to_be_focused()


def test_a_position_is_saved_as_a_picture(page: Page, naga: Finished, tmp_path: Path) -> None:
    page.goto(f"/matches/{naga.id}?at=12&seat=0")
    page.locator("[data-piece]").first.wait_for()
    page.get_by_role("button", name="More").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Save a picture").click()
    file = tmp_path / started.value.suggested_filename
    started.value.save_as(file)
    content = file.read_bytes()
    assert file.name == f"{naga.id}.png"
    assert content.startswith(b"\x89PNG")
    assert int.from_bytes(content[16:20], "big") == 2_400, "its width in pixels"
    assert len(content) > MIN_PICTURE_BYTES, "nothing is drawn on it"


def test_an_invitation_says_what_it_is_for_before_a_guest_is_used(page: Page, organiser: Client) -> None:
    invited = matches_pb2.Seat(invitation=matches_pb2.Seat.Invitation())
    seats = [matches_pb2.Seat(house_bot="house-random"), invited]
    made = organiser.matches.CreateMatch(matches_pb2.CreateMatchRequest(game="naga", seats=seats), timeout=PATIENCE)
    [code] = made.invitation_codes
    page.goto(f"/join/{code.code}")
    expect(page.get_by_text("2 of 2, free")).to_be_visible()
    expect(page.get_by_role("link", name="Naga")).to_be_visible()
    check_readable(page)
    page.get_by_role("button", name="Play as a guest").click()
    page.get_by_role("button", name=re.compile("^Take the seat as")).click()
    page.wait_for_url("**/play?match=*")
    page.context.clear_cookies()
    page.goto(f"/join/{code.code}")
    expect(page.get_by_text("2 of 2, taken")).to_be_visible()
    expect(page.get_by_role("button", name="Play as a guest")).to_have_count(0)


def test_a_guest_sits_down_at_a_table_that_the_author_of_a_bot_has_opened(page: Page, organiser: Client) -> None:
    name = f"leader-{secrets.token_hex(3)}"
    organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
    seats = [
        matches_pb2.Seat(bot=record_pb2.Player(bot=name)),
        matches_pb2.Seat(open=matches_pb2.Seat.Open()),
    ]
    organiser.matches.CreateMatch(matches_pb2.CreateMatchRequest(game="naga", seats=seats), timeout=PATIENCE)
    page.goto(f"/bots/{name}")
    page.get_by_role("link", name="Play Naga against it").click()
    page.get_by_role("button", name="Play as a guest").click()
    page.get_by_role("button", name=re.compile("^Take the seat as")).click()
    page.wait_for_url("**/play?match=*")


@pytest.mark.exhaustive
def test_a_match_on_another_page_has_nothing_around_it(page: Page, naga: Finished) -> None:
    page.goto(f"/embed/{naga.id}?at=5")
    page.locator("[data-piece]").first.wait_for()
    expect(page.locator("output")).to_be_visible()
    assert page.get_by_role("navigation").count() == 0
    assert page.get_by_role("button", name="Verify in this browser").count() == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("game", "width"),
    [
        ("naga", 360),
        ("mokkaik", 1100),
        *(
            pytest.param(*window, marks=pytest.mark.nightly("each of two games in one of two windows"))
            for window in (("naga", 1100), ("mokkaik", 360))
        ),
    ],
)
def test_a_replay_can_be_read_by_everybody(
    built: None, browser: Browser, web: Gateway, finished: dict[str, Finished], game: str, width: int
) -> None:
    size = {"width": width, "height": 800}
    with browser.new_context(base_url=web.url, locale="en", viewport=size, reduced_motion=MOTION) as reader:  # type: ignore[arg-type]  # a literal
        reader.set_default_timeout(PATIENCE * 1000)
        with Watched(reader.new_page()) as page:
            page.goto(f"/matches/{finished[game].id}?at=8&seat=0")
            page.locator("[data-piece]").first.wait_for()
            check_readable(page)
            page.get_by_role("button", name="More").click()
            page.get_by_text("decisions", exact=False).last.click()
            check_readable(page)


@pytest.mark.exhaustive
def test_a_match_goes_on_when_the_gateway_dies_and_another_takes_its_place(
    built: None, browser: Browser, hosted: Service, gateway_token: Path, organiser: Client
) -> None:
    port = free_port()
    options = ("--token-file", str(gateway_token), "--listen", f"127.0.0.1:{port}")
    first = Gateway(hosted.folder, hosted.address, "", *options)
    with browser.new_context(
        base_url=first.url, locale="en", viewport={"width": 360, "height": 800}, reduced_motion=MOTION
    ) as person:
        person.set_default_timeout(PATIENCE * 1000)
        sign_in(person, organiser)
        page = person.new_page()  # its calls fail for a while, and the browser says so
        page.goto("/play?game=naga")
        page.get_by_role("button", name="Begin").click()
        page.locator("button[data-piece]").first.wait_for()
        check_readable(page)
        first.process.kill()
        first.process.wait(PATIENCE)
        expect(page.locator(".play-state", has_text="Connecting")).to_be_visible()
        with gateway(hosted.folder, hosted.address, "", *options):
            expect(page.locator(".play-state", has_text="Connecting")).not_to_be_visible()
            play_by_pointing(page, moves=0 if exhaustive() else 3)
            page.close()


def test_a_slip_of_the_finger_gives_no_match_up(context: BrowserContext, page: Page, organiser: Client) -> None:
    sign_in(context, organiser)
    page.goto("/play?game=naga")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="More").click()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Play on").click()
    page.get_by_label("Move as text").fill("nonsense")
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".play-refusal")).not_to_be_empty()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Resign").last.click()
    expect(page.locator(".match-ending")).to_contain_text("forfeited")
