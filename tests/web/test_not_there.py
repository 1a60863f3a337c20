"""A path that names what there is not answers 404, with the page; and nobody makes the gateway ask without end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self

import grpc
import httpx
import pytest

from fudaba.client import Client, Endpoint
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, matches_pb2
from fudaba_web.app import gateway
from fudaba_web.lookups import Lookup, Lookups, Presence
from fudaba_web.settings import Settings
from fudaba_web.upstreams import Upstreams
from tests.support.arena.api.announcing import announce
from tests.support.arena.api.ladders import WAITING, call, create
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service

DOCUMENT = "<!doctype html><html><head><title>Fudaba</title></head><body></body></html>"
PAGE = {"x-fudaba-page": "1"}
OWN_TAB = {"sec-fetch-site": "none"}


@asynccontextmanager
async def serving(folder: Path, server: str, arena: str = "") -> AsyncIterator[httpx.AsyncClient]:
    """A gateway with the smallest page there is."""
    (folder / "index.html").write_text(DOCUMENT)
    app = gateway(Settings(page=folder, server=server, arena=arena))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="https://play.example.org") as client,
    ):
        yield client


@pytest.fixture
async def page(tmp_path: Path, hosted: Service, arena: Arena) -> AsyncIterator[httpx.AsyncClient]:
    async with serving(tmp_path, hosted.address, arena.address) as client:
        yield client


def author(hosted: Service, name: str, bot: str) -> str:
    """The token of a new author who has a bot."""
    with Client(hosted.address, hosted.token) as client:
        token = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE).token
    with Client(hosted.address, token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot), timeout=PATIENCE)
    return token


@pytest.fixture(scope="module")
def ladder(arena: Arena, hosted: Service) -> str:
    """The name of a ladder in which the bot `adas-bot` of the author `ada` takes part."""
    create(arena, WAITING.format(name="open", narrow=60))
    token = author(hosted, "ada", "adas-bot")
    call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="open", bot="adas-bot"), token)
    return "open"


@pytest.mark.parametrize(
    "path",
    [
        "matches/m-0", "matches/%20", "embed/m-0", "bots/nobody", "authors/nobody", "ladders/none",
        "ladders/open/seasons/7", "ladders/open/seasons/x", "tournaments/none", "games/chess", "join/AAAA-AAAA-AAAA",
        f"bots/{'a' * 1_000}",
    ],
)  # fmt: skip
async def test_what_there_is_not_is_404_and_the_page_says_so(page: httpx.AsyncClient, ladder: str, path: str) -> None:
    answer = await page.get(f"/{path}", headers={"accept-language": "ja"})
    assert answer.status_code == 404
    assert "<title>ページがありません · Fudaba</title>" in answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_what_there_is_is_200(page: httpx.AsyncClient, hosted: Service, ladder: str) -> None:
    with Client(hosted.address, hosted.token) as client:
        held = matches_pb2.CreateMatchRequest(game="naga", hidden=True)
        for name in ("there-one", "there-two"):
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name))
            held.players.add(bot=name)
        hidden = client.matches.CreateMatch(held).match.header.match_id
        held.hidden = False
        shown = client.matches.CreateMatch(held).match.header.match_id
    for path in (
        f"matches/{shown}", f"matches/{hidden}", f"embed/{hidden}", "bots/there-one", "bots/house-sensible",
        "bots/adas-bot", "authors/ada", f"ladders/{ladder}", f"ladders/{ladder}/seasons/1",
        f"tournaments/{ladder}.1", "games/naga",
    ):  # fmt: skip
        answer = await page.get(f"/{path}")
        assert answer.status_code == 200, path
        assert "<title>Fudaba</title>" in answer.text


async def test_a_submission_is_missed_by_its_author_alone(
    page: httpx.AsyncClient, hosted: Service, arena: Arena
) -> None:
    token = author(hosted, "eve", "ada-eve")
    own = announce(arena, token, b"nothing", bot="ada-eve").submission_id
    assert (await page.get("/submissions/0123456789abcdef", headers=OWN_TAB)).status_code == 200  # nobody may know
    assert (await page.post("/session", json={"token": token}, headers=PAGE)).status_code == 200
    assert (await page.get(f"/submissions/{own}", headers=OWN_TAB)).status_code == 200
    assert (await page.get("/submissions/0123456789abcdef", headers=OWN_TAB)).status_code == 404
    for asked in ("cross-site", "same-site"):
        headers = {"sec-fetch-site": asked}
        assert (await page.get("/submissions/0123456789abcdef", headers=headers)).status_code == 200


async def test_a_bot_that_plays_nowhere_is_there_for_its_author_alone(page: httpx.AsyncClient, hosted: Service) -> None:
    token = author(hosted, "bob", "bobs-new-bot")
    assert (await page.get("/bots/bobs-new-bot", headers=OWN_TAB)).status_code == 404
    assert (await page.post("/session", json={"token": token}, headers=PAGE)).status_code == 200
    assert (await page.get("/bots/bobs-new-bot", headers=OWN_TAB)).status_code == 200
    del page.cookies["__Host-fudaba_session"]
    assert (await page.get("/bots/bobs-new-bot", headers=OWN_TAB)).status_code == 404


class Counting:
    """A service that answers every call with a code, once it may, and counts them."""

    def __init__(self, code: grpc.StatusCode) -> None:
        self.code = code
        self.calls = 0
        self.may_answer = asyncio.Event()
        self._server = grpc.aio.server(handlers=(self._Any(self),))
        self.address = f"127.0.0.1:{self._server.add_insecure_port('127.0.0.1:0')}"

    async def __aenter__(self) -> Self:
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.may_answer.set()
        await self._server.stop(0)

    async def _answer(self, _: bytes, context: Any) -> None:
        self.calls += 1
        await self.may_answer.wait()
        await context.abort(self.code, "as the test says")

    class _Any(grpc.GenericRpcHandler):
        def __init__(self, counting: Counting) -> None:
            self._counting = counting

        def service(self, _: object) -> Any:
            return grpc.unary_unary_rpc_method_handler(self._counting._answer)


async def test_a_service_that_does_not_answer_in_time_is_not_waited_for(tmp_path: Path) -> None:
    async with Counting(grpc.StatusCode.NOT_FOUND) as silent, serving(tmp_path, silent.address) as client:
        answer = await client.get("/matches/m-0")
        assert silent.calls == 1
        assert (answer.status_code, "<title>Fudaba</title>" in answer.text) == (200, True)


@pytest.mark.parametrize(
    "code", [grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL]
)
async def test_who_may_ask_no_more_gets_the_page_as_if_all_were_there(tmp_path: Path, code: grpc.StatusCode) -> None:
    async with Counting(code) as service, serving(tmp_path, service.address) as client:
        service.may_answer.set()
        assert (await client.get("/matches/m-0")).status_code == 200


async def test_only_so_many_paths_are_looked_up_at_once(tmp_path: Path) -> None:
    async with Counting(grpc.StatusCode.NOT_FOUND) as silent, serving(tmp_path, silent.address) as client:
        answers = await asyncio.gather(*(client.get(f"/matches/m-{number}") for number in range(100)))
        assert {answer.status_code for answer in answers} == {200}
        assert 0 < silent.calls <= 32


@pytest.mark.parametrize(("path", "calls"), [("/matches/m-0", 1), ("/games/chess", 1), ("/ladders/none", 1)])
async def test_an_answer_is_kept_for_a_while_and_not_for_ever(path: str, calls: int) -> None:
    times = [1_000.0]
    async with Counting(grpc.StatusCode.NOT_FOUND) as service:
        service.may_answer.set()
        endpoint = Endpoint(service.address)
        upstreams = Upstreams(endpoint, endpoint, "")
        lookups = Lookups(upstreams, lambda: times[-1])
        for seconds in (1_000.0, 1_001.0, 1_004.9):
            times.append(seconds)
            assert await lookups.find(path, "") == Lookup(Presence.MISSING)
        assert service.calls == calls
        times.append(1_005.0)
        assert await lookups.find(path, "") == Lookup(Presence.MISSING)
        assert service.calls == 2 * calls
        await upstreams.close()
