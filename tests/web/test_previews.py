"""What a link to the page shows where it is posted."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from functools import partial
from html import unescape
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from fudaba.client import Client
from fudaba.v1 import bots_pb2, matches_pb2
from fudaba_games.registry import GAMES
from fudaba_web.app import gateway
from fudaba_web.lookups import Lookups
from fudaba_web.settings import Settings
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service

PUBLIC = Path(__file__).resolve().parents[2] / "web" / "page" / "public"
DOCUMENT = "<!doctype html><html><head><title>Fudaba</title></head><body></body></html>"


@pytest.fixture
async def page(tmp_path: Path, hosted: Service, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[httpx.AsyncClient]:
    """Yields a gateway before a real service, with the smallest page there is."""
    monkeypatch.setattr("fudaba_web.app.Lookups", partial(Lookups, timeout_seconds=PATIENCE))
    (tmp_path / "index.html").write_text(DOCUMENT)
    for picture in PUBLIC.glob("preview*.jpg"):
        (tmp_path / picture.name).symlink_to(picture)
    app = gateway(Settings(page=tmp_path, server=hosted.address))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="https://play.example.org") as client,
    ):
        yield client


async def shown(page: httpx.AsyncClient, path: str, status: int = 200) -> dict[str, str]:
    """Returns what the link of a path shows, by the names of the Open Graph protocol."""
    answer = await page.get(path)
    assert answer.status_code == status
    found = re.findall(r'<meta property="og:([a-z_:]+)" content="([^"<>]*)" />', answer.text)
    document = re.sub(r"<meta [^<>]*/>", "", answer.text).replace("No such page · ", "")
    assert document == DOCUMENT, "a preview has added more than its elements"
    return {name: unescape(text) for name, text in found}


def match(hosted: Service, *bots: str) -> str:
    """Returns the id of a new match of Naga between new bots."""
    with Client(hosted.address, hosted.token) as client:
        request = matches_pb2.CreateMatchRequest(game="naga")
        for name in bots:
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name))
            request.players.add(bot=name)
        return client.matches.CreateMatch(request).match.header.match_id


async def test_the_link_of_a_match_shows_the_game_and_who_plays_and_no_more(
    page: httpx.AsyncClient, hosted: Service
) -> None:
    match_id = match(hosted, "link-one", "link-two")
    live = await shown(page, f"/matches/{match_id}?at=12&seat=0")
    assert live["title"] == "Naga: link-one – link-two"
    assert live["image"] == "https://play.example.org/preview-naga.jpg"
    with Client(hosted.address, hosted.token) as client:
        client.matches.AbortMatch(matches_pb2.AbortMatchRequest(match_id=match_id))
    assert await shown(page, f"/matches/{match_id}") == live, (
        "how it ended is told by the page, and not by a link to it"
    )


@pytest.mark.parametrize(
    ("path", "status"), [("/matches", 200), ("/account", 200), ("/matches/nothing", 404), ("/games/chess", 404)]
)
async def test_any_other_link_shows_the_house(page: httpx.AsyncClient, path: str, status: int) -> None:
    assert (await shown(page, path, status))["title"] == "Fudaba"


async def test_a_name_in_a_path_is_text_and_nothing_else(page: httpx.AsyncClient) -> None:
    name = "\"><script>alert('&amp;')</script>"
    assert (await shown(page, f"/ladders/{quote(name, safe='')}"))["title"] == name


async def test_while_the_service_is_away_the_page_is_still_there(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(DOCUMENT)
    app = gateway(Settings(page=tmp_path, server=f"unix:{tmp_path}/nobody"))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client,
    ):
        assert (await shown(client, "/matches/m-1"))["title"] == "Fudaba"


async def test_the_link_of_each_game_has_a_picture(page: httpx.AsyncClient) -> None:
    for name, game in GAMES.items():
        preview = await shown(page, f"/games/{name}")
        assert preview["title"].startswith(game.name)
        picture = await page.get(preview["image"])
        assert (picture.status_code, picture.headers["content-type"]) == (200, "image/jpeg")
