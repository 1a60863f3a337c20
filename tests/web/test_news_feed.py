"""The announcements of an arena as Atom feeds, read as a feed reader reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from xml.etree import ElementTree

import httpx

from fudaba.v1 import arena_pb2
from fudaba_web.app import gateway
from fudaba_web.settings import Settings
from tests.support.arena.api.ladders import WAITING, call, create
from tests.support.arena.standing import Arena
from tests.support.patience import wait_until
from tests.support.web.gateways import Gateway

ATOM: Final = "{http://www.w3.org/2005/Atom}"
TEXT: Final = 'The <b>deadline</b> & the "final"\n\nare a day later.'


def announce(arena: Arena, announcement_id: str, text: str, ladder: str = "") -> None:
    request = arena_pb2.CreateAnnouncementRequest(announcement_id=announcement_id, text=text, ladder=ladder)
    call(arena, "CreateAnnouncement", request)


def withdraw(arena: Arena, announcement_id: str) -> None:
    call(arena, "WithdrawAnnouncement", arena_pb2.WithdrawAnnouncementRequest(announcement_id=announcement_id))


def get(web: Gateway, path: str, **headers: str) -> httpx.Response:
    """Returns the answer, once the arena has answered the gateway."""

    def answer() -> httpx.Response | None:
        found = web.http.get(path, headers=headers)
        return None if found.status_code == 503 else found

    found: httpx.Response = wait_until(answer, f"{path} is answered")
    return found


def entries(answer: httpx.Response) -> dict[str, dict[str, str]]:
    """Returns the texts of a feed's entries by their announcement's id, in the order of the feed."""
    assert answer.status_code == 200, answer.text
    feed = ElementTree.fromstring(answer.content)
    assert {"id", "title", "updated", "author", "link"} <= {part.tag.removeprefix(ATOM) for part in feed}
    found = {}
    for entry in feed.iter(f"{ATOM}entry"):
        texts = {part.tag.removeprefix(ATOM): part.text or "" for part in entry}
        found[texts["id"].rpartition("/")[2]] = texts
    return found


def test_a_feed_has_the_announcements_for_everybody_and_for_each_ladder_its_own(web: Gateway, arena: Arena) -> None:
    for ladder in ("fed", "other"):
        create(arena, WAITING.format(name=ladder, narrow=0))
    announce(arena, "all", "Workers are being replaced tonight.")
    announce(arena, "fed", TEXT, "fed")
    announce(arena, "other", "x" * 100, "other")

    everything = get(web, "/news.atom")
    assert everything.headers["content-type"] == "application/atom+xml; charset=utf-8"
    whole = entries(everything)
    assert {"all", "fed", "other"} <= whole.keys()
    times = [entry["updated"] for entry in whole.values()]
    assert times == sorted(times, reverse=True)
    assert whole["fed"]["content"] == TEXT
    assert whole["fed"]["title"] == 'fed: The <b>deadline</b> & the "final"'
    assert len(whole["other"]["title"]) == len("other: ") + 80
    of_ladder = entries(get(web, "/ladders/fed/news.atom"))
    assert "other" not in of_ladder
    assert {name: of_ladder[name] for name in ("fed", "all")} == {name: whole[name] for name in ("fed", "all")}

    known = {"if-none-match": everything.headers["etag"]}
    assert get(web, "/news.atom", **known).status_code == 304
    withdraw(arena, "fed")
    later = get(web, "/news.atom", **known)
    assert {"all", "fed", "other"} & entries(later).keys() == {"all", "other"}
    for left in ("all", "other"):
        withdraw(arena, left)


def test_there_is_no_feed_of_an_unknown_ladder_and_none_without_an_arena(web: Gateway) -> None:
    unknown = get(web, "/ladders/nowhere/news.atom")
    assert (unknown.status_code, "nowhere" in unknown.text) == (404, True)
    assert "/news.atom" in web.http.get("/").text


async def test_a_gateway_without_an_arena_says_so(tmp_path: Path) -> None:
    app = gateway(Settings(page=tmp_path, arena=""))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://play.example.org") as client,
    ):
        answer = await client.get("/news.atom")
    assert (answer.status_code, answer.text.partition(",")[0]) == (404, "this gateway has no arena")
