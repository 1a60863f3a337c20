"""A path that names what there is not answers 404, with the page; and nobody makes the gateway ask without end."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

import grpc
import httpx
import pytest

from fudaba.client import Client, Endpoint
from fudaba.refusals import Refused
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, catalog_pb2, errors_pb2, matches_pb2
from fudaba_web.lookups import Lookup, Lookups, Presence
from fudaba_web.upstreams import Upstreams
from tests.support.arena.api.announcing import announce
from tests.support.arena.api.ladders import WAITING, call, create
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE, until
from tests.support.service.processes import Service
from tests.support.web.shared_servers import STANDING
from tests.support.web.upstream import Upstream, serving

PAGE = {"x-fudaba-page": "1"}
OWN_TAB = {"sec-fetch-site": "none"}


def wait_for_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes gateways wait for as long as tests do: then no answer is missed on a slow machine."""
    monkeypatch.setattr("fudaba_web.app.Lookups", partial(Lookups, timeout_seconds=PATIENCE))


@asynccontextmanager
async def looking_up(
    server: str, arena: str = "", now: Callable[[], float] = time.monotonic, timeout_seconds: float = PATIENCE
) -> AsyncIterator[Lookups]:
    """Yields what a gateway looks paths up with; it vouches for the addresses of those who ask."""
    upstreams = Upstreams(Endpoint(server), Endpoint(arena) if arena else None, "the gateway's own")
    lookups = Lookups(upstreams, now, timeout_seconds)
    try:
        yield lookups
    finally:
        await lookups.close()
        await upstreams.close()


@pytest.fixture
async def page(
    tmp_path: Path, hosted: Service, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[httpx.AsyncClient]:
    wait_for_answers(monkeypatch)
    async with serving(tmp_path, hosted.address, arena.address) as client:
        yield client


def author(hosted: Service, name: str, bot: str) -> str:
    """Returns the token of a new author who has a bot."""
    with Client(hosted.address, hosted.token) as client:
        token = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE).token
    with Client(hosted.address, token) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot), timeout=PATIENCE)
    return token


@pytest.fixture(scope="module")
def ladder(arena: Arena, hosted: Service) -> str:
    """Returns the name of a ladder in which the bot `adas-bot` of the author `ada` takes part."""

    def made() -> str:
        create(arena, WAITING.format(name="open", narrow=60))
        token = author(hosted, "ada", "adas-bot")
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="open", bot="adas-bot"), token)
        return "open"

    return STANDING.once("open", made)


@pytest.mark.parametrize(
    "path",
    [
        "matches/m-0", "matches/%20", "embed/m-0", "bots/nobody", "bots/adas-bot%0A", "bots/adas-bot%3F",
        "ladders/none", "ladders/open/seasons/7", "ladders/open/seasons/x", "tournaments/none", "games/chess",
        "join/AAAA-AAAA-AAAA", f"bots/{'a' * 1_000}",
    ],
)  # fmt: skip
async def test_what_there_is_not_is_404_and_the_page_says_so(page: httpx.AsyncClient, ladder: str, path: str) -> None:
    answer = await page.get(f"/{path}", headers={"accept-language": "ja"})
    assert answer.status_code == 404
    assert "<title>ページがありません · Fudaba</title>" in answer.text
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


async def test_what_there_is_is_found_and_answers_200(
    page: httpx.AsyncClient, hosted: Service, arena: Arena, ladder: str
) -> None:
    with Client(hosted.address, hosted.token) as client:
        held = matches_pb2.CreateMatchRequest(game="naga", hidden=True)
        for name in ("there-one", "there-two"):
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name))
            held.players.add(bot=name)
        hidden = client.matches.CreateMatch(held).match.header.match_id
        held.hidden = False
        shown = client.matches.CreateMatch(held).match.header.match_id
    async with looking_up(hosted.address, arena.address) as lookups:
        for path in (
            f"matches/{shown}", f"matches/{hidden}", f"embed/{hidden}", "bots/there-one", "bots/house-sensible",
            "bots/adas-bot", f"ladders/{ladder}", f"ladders/{ladder}/seasons/1", f"tournaments/{ladder}.1",
            "games/naga",
        ):  # fmt: skip
            assert (await lookups.find(tuple(path.split("/")), "")).presence is Presence.THERE, path
            answer = await page.get(f"/{path}")
            assert answer.status_code == 200, path
            assert "<title>Fudaba</title>" in answer.text


@pytest.mark.parametrize("name", ["ada", "nobody", "A/B", "Who?", "#1"])
async def test_any_author_may_be_there(page: httpx.AsyncClient, ladder: str, name: str) -> None:
    answer = await page.get(f"/authors/{quote(name, safe='')}")
    assert answer.status_code == 200
    assert f'content="{name}"' in answer.text, "its link shows another name"


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
    assert (await page.get("/bots/bobs-new-bot")).status_code == 200, "who asks is not said, and it may be the author"
    for asked in ("cross-site", "same-site"):
        assert (await page.get("/bots/bobs-new-bot", headers={"sec-fetch-site": asked})).status_code == 404
    del page.cookies["__Host-fudaba_session"]
    assert (await page.get("/bots/bobs-new-bot", headers=OWN_TAB)).status_code == 404


NOT_FOUND = grpc.StatusCode.NOT_FOUND
EXHAUSTED = grpc.StatusCode.RESOURCE_EXHAUSTED
TOO_FAST = Refused(errors_pb2.REASON_TOO_FAST, "as the test says", retry_seconds=1.0)
NO_HOUSE_BOTS = catalog_pb2.ListGamesResponse()
NO_MATCHES = matches_pb2.ListMatchesResponse()
BOT = ("bots", "there-one")


async def test_a_service_that_does_not_answer_in_time_is_not_waited_for(tmp_path: Path) -> None:
    async with Upstream(NOT_FOUND) as silent, serving(tmp_path, silent.address) as client:
        answer = await client.get("/matches/m-0")
        assert (answer.status_code, "<title>Fudaba</title>" in answer.text) == (200, True)


@pytest.mark.parametrize("code", [EXHAUSTED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL])
async def test_who_may_ask_no_more_gets_the_page_as_if_all_were_there(tmp_path: Path, code: grpc.StatusCode) -> None:
    async with Upstream(code) as service, serving(tmp_path, service.address) as client:
        service.may_answer.set()
        assert (await client.get("/matches/m-0")).status_code == 200
        assert (await client.get("/bots/nobody")).status_code == 200


@pytest.mark.parametrize(("next_page", "presence"), [("more", Presence.UNKNOWN), ("", Presence.MISSING)])
async def test_a_bot_with_an_empty_page_of_matches_may_have_others(next_page: str, presence: Presence) -> None:
    page = matches_pb2.ListMatchesResponse(next_page_token=next_page)
    async with Upstream(NOT_FOUND, ListGames=NO_HOUSE_BOTS, ListMatches=page) as service:
        service.may_answer.set()
        async with looking_up(service.address) as lookups:
            assert await lookups.find(BOT, "") == Lookup(presence)


async def test_a_few_paths_are_looked_up_at_once_for_a_single_address_and_more_for_all() -> None:
    async with Upstream(NOT_FOUND) as silent, looking_up(silent.address) as lookups:
        crowd = [f"192.0.2.{number // 10}" for number in range(200)]
        asking = [
            asyncio.create_task(lookups.find(("matches", f"m-{number}"), address))
            for number, address in enumerate(["2001:db8::1"] * 10 + ["2001:db8::2"] * 10 + crowd)
        ]
        await until(lambda: len(silent.calls) == 32, "the calls that may wait at once")
        refused = [found.result() for found in asking if found.done()]
        assert refused == [Lookup(Presence.UNKNOWN)] * (len(asking) - 32)
        counts = Counter(address for _, address in silent.calls)
        assert set(counts.values()) == {4}, "an address has more places than others"
        assert "2001:db8::2" not in counts, "a network of IPv6 has more places than others"
        silent.may_answer.set()
        assert {found.presence for found in await asyncio.gather(*asking)} == {Presence.UNKNOWN, Presence.MISSING}
        assert (await lookups.find(("matches", "m-0"), "2001:db8::1")).presence is Presence.MISSING


@pytest.mark.parametrize(
    ("path", "methods"),
    [
        ("matches/m-0", ["GetMatch"]), ("games/chess", ["GetGame"]), ("ladders/none", ["GetLadder"]),
        ("bots/nobody", ["ListGames", "ListLadders", "ListTournaments", "ListMatches"]),
    ],
)  # fmt: skip
async def test_an_answer_is_kept_for_a_while_and_not_for_ever(path: str, methods: list[str]) -> None:
    times = [1_000.0]
    lists = {
        "ListGames": NO_HOUSE_BOTS, "ListLadders": arena_pb2.ListLaddersResponse(),
        "ListTournaments": arena_pb2.ListTournamentsResponse(), "ListMatches": NO_MATCHES,
    }  # fmt: skip
    async with (
        Upstream(NOT_FOUND, **lists) as service,
        looking_up(service.address, service.address, lambda: times[-1]) as lookups,
    ):
        service.may_answer.set()
        parts = tuple(path.split("/"))
        for seconds in (1_000.0, 1_001.0, 1_004.9):
            times.append(seconds)
            assert await lookups.find(parts, "") == Lookup(Presence.MISSING)
        assert [method for method, _ in service.calls] == methods
        times.append(1_005.0)
        assert await lookups.find(parts, "") == Lookup(Presence.MISSING)
        assert [method for method, _ in service.calls] == methods * 2


async def test_a_bot_that_a_new_list_has_is_there_however_old_other_answers_are() -> None:
    times = [1_000.0]
    async with (
        Upstream(NOT_FOUND, ListGames=NO_HOUSE_BOTS, ListMatches=NO_MATCHES) as service,
        looking_up(service.address, now=lambda: times[-1]) as lookups,
    ):
        service.may_answer.set()
        assert (await lookups.find(("bots", "other"), "")).presence is Presence.MISSING
        times.append(1_004.0)
        assert (await lookups.find(BOT, "")).presence is Presence.MISSING
        listed = catalog_pb2.ListGamesResponse()
        listed.games.add().house_bots.add(name=BOT[1])
        service.answers["ListGames"] = listed
        times.append(1_005.0)
        assert (await lookups.find(BOT, "")).presence is Presence.THERE


async def test_lists_that_cannot_be_read_are_not_read_again_at_once() -> None:
    times = [1_000.0]
    unavailable = grpc.StatusCode.UNAVAILABLE
    async with (
        Upstream(unavailable, ListMatches=NO_MATCHES) as service,
        looking_up(service.address, now=lambda: times[-1]) as lookups,
    ):
        service.may_answer.set()

        async def readings_at(seconds: float) -> int:
            times.append(seconds)
            assert await lookups.find(BOT, "") == Lookup(Presence.UNKNOWN)
            return sum(method == "ListGames" for method, _ in service.calls)

        assert [await readings_at(seconds) for seconds in (1_000.0, 1_004.9, 1_005.0)] == [1, 1, 2]


async def test_lists_that_take_long_to_read_are_read_again_after_as_long() -> None:
    times = [1_000.0]
    async with (
        Upstream(NOT_FOUND, ListGames=NO_HOUSE_BOTS, ListMatches=NO_MATCHES) as service,
        looking_up(service.address, now=lambda: times[-1]) as lookups,
    ):
        asking = asyncio.create_task(lookups.find(BOT, ""))
        await until(lambda: service.calls, "the first call for the lists")
        times.append(1_009.0)
        service.may_answer.set()
        await asking
        counts = []
        for seconds in (1_017.9, 1_018.0):
            times.append(seconds)
            await lookups.find(BOT, "")
            counts.append(sum(method == "ListGames" for method, _ in service.calls))
        assert counts == [1, 2]


async def test_a_service_that_is_too_busy_for_anybody_is_asked_for_the_lists_once() -> None:
    async with (
        Upstream(EXHAUSTED, ListMatches=NO_MATCHES) as service,
        looking_up(service.address, now=lambda: 1_000.0) as lookups,
    ):
        service.may_answer.set()
        for address in ("192.0.2.1", "192.0.2.2"):
            assert await lookups.find(BOT, address) == Lookup(Presence.UNKNOWN)
        assert [method for method, _ in service.calls].count("ListGames") == 1


async def test_who_may_read_no_lists_keeps_nobody_else_from_them() -> None:
    greedy, patient = "192.0.2.1", "192.0.2.2"
    async with (
        Upstream(TOO_FAST, ListMatches=NO_MATCHES) as service,
        looking_up(service.address, now=lambda: 1_000.0) as lookups,
    ):
        refused = asyncio.create_task(lookups.find(BOT, greedy))
        await until(lambda: service.calls, "the first call for the lists")
        waiting = asyncio.create_task(lookups.find(BOT, patient))
        await asyncio.sleep(0)  # now it waits for the lists that the other one reads
        service.may_answer.set()
        assert await refused == Lookup(Presence.UNKNOWN)
        assert await waiting == Lookup(Presence.UNKNOWN)
        assert await lookups.find(BOT, greedy) == Lookup(Presence.UNKNOWN)
        assert [call for call in service.calls if call[0] == "ListGames"] == [
            ("ListGames", greedy), ("ListGames", patient),
        ]  # fmt: skip
        service.answers["ListGames"] = NO_HOUSE_BOTS
        assert await lookups.find(BOT, "192.0.2.3") == Lookup(Presence.MISSING)
