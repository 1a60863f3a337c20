"""What somebody tries who means no good: script in names, calls of other sites, others' things, far too much of it."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx
import pytest

from fudaba.client import Client
from fudaba.v1 import bots_pb2
from fudaba_serving.process import open_files
from tests.support.patience import PATIENCE, until
from tests.support.service.processes import Service
from tests.support.web.authors import PAGE, SCRIPT, Author
from tests.support.web.gateways import NO_TLS, Gateway, gateway, refusal_of

ACCOUNTS = "/fudaba.v1.AccountService"
WATCH = "/fudaba.v1.MatchService/WatchMatch"
MAX_STREAMS = 20
"""So many streams an account or a bot may follow matches with, where that is tried."""


@pytest.fixture
def ann(hosted: Service, web: Gateway) -> Iterator[Author]:
    author = Author(hosted, web)
    yield author
    author.http.close()


@pytest.fixture
def bob(hosted: Service, web: Gateway) -> Iterator[Author]:
    author = Author(hosted, web)
    yield author
    author.http.close()


# --- script


def is_never_run(answer: httpx.Response) -> bool:
    """Whether no browser takes an answer for a page, whoever opens it."""
    kind = answer.headers["content-type"].partition(";")[0]
    policy = answer.headers["content-security-policy"].split("; ")
    return kind in {"application/json", "text/plain"} and answer.headers["x-content-type-options"] == "nosniff" and (
        "default-src 'none'" in policy
    )  # fmt: skip


def test_script_in_a_bots_name_is_refused(ann: Author) -> None:
    answer = ann.page("BotService/CreateBot", {"name": f"b{SCRIPT}"})
    assert answer.json()["code"] == "invalid_argument"
    assert is_never_run(answer)


def test_script_in_an_authors_name_or_a_label_is_only_ever_data(ann: Author) -> None:
    label = "<img src=x onerror=alert(1)>"
    made = ann.page("AccountService/CreateAccountToken", {"scope": "TOKEN_SCOPE_AUTHOR", "label": label})
    assert made.json()["info"]["label"] == label
    for method in ("AccountService/GetAccount", "AccountService/ListTokens", "BotService/ListBots"):
        answer = ann.page(method, {})
        assert is_never_run(answer), method
    link = ann.http.get(f"{ACCOUNTS}/GetAccount?encoding=json&message=%7B%7D", headers={"accept": "text/html"} | PAGE)
    assert link.json()["account"]["displayName"] == f"{SCRIPT} {ann.name}"
    assert is_never_run(link)


def test_script_in_a_match_s_label_is_only_ever_data(web: Gateway, ann: Author) -> None:
    token = ann.page("BotService/CreateToken", {"bot": ann.bot}).json()["token"]
    seats = [{"caller": {}}, {"houseBot": "house-first"}]
    made = web.answer("MatchService/CreateMatch", {"game": "naga", "seats": seats, "label": SCRIPT}, token)
    message = quote(json.dumps({"matchId": made["match"]["header"]["matchId"]}))
    link = web.http.get(f"/fudaba.v1.MatchService/GetMatch?encoding=json&message={message}")
    assert SCRIPT in link.text
    assert is_never_run(link)


@pytest.mark.parametrize(
    "path", [f"/{SCRIPT}", f"/contract/{SCRIPT}", f"/fudaba.v1.MatchService/{SCRIPT}", f"/?x={SCRIPT}"]
)
def test_script_in_an_address_is_told_back_as_text(web: Gateway, path: str) -> None:
    assert is_never_run(web.http.get(path))
    assert is_never_run(web.http.post(path))


def test_script_in_a_submissions_message_or_in_what_it_is_told_is_only_ever_data(ann: Author) -> None:
    content = b"print('<script>')\n"
    url = f"/submissions/{ann.bot}/bot.py?message={quote(SCRIPT)}"
    sent = ann.http.put(url, content=content, headers=PAGE)
    assert sent.json()["message"] == SCRIPT
    assert is_never_run(sent)
    assert is_never_run(ann.http.put(f"/submissions/{ann.bot}/{quote(SCRIPT, safe='')}", content=b"", headers=PAGE))
    for method in ("GetSubmission", "GetBotLog"):
        message = {"submissionId": sent.json()["submissionId"]} if method == "GetSubmission" else {"bot": SCRIPT}
        assert is_never_run(ann.page(f"ArenaService/{method}", message)), method


# --- other sites


CHANGES: tuple[tuple[str, dict[str, str]], ...] = (
    ("AccountService/CreateAccountToken", {"scope": "TOKEN_SCOPE_AUTHOR"}),
    ("AccountService/RevokeToken", {}),
    ("AccountService/RotateToken", {}),
    ("AccountService/UpdateAccount", {"displayName": "mallory"}),
)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
def test_another_site_s_forms_and_scripts_change_nothing_with_a_valid_cookie(ann: Author, kind: str) -> None:
    before = ann.tokens()
    for method, message in (*CHANGES, ("AccountService/DeleteAccount", {"account": ann.name})):
        for origin_headers in (
            {
                "origin": "https://evil.example",
                "sec-fetch-site": "cross-site",
            },  # a form, or a script without a preflight
            {"origin": "null"},
            {},
            PAGE | {"origin": "https://evil.example"},  # a script that says what only the page may say
            PAGE | {"origin": ann.http.base_url.scheme + "://127.0.0.1:1"},  # of another port of this machine
            PAGE | {"sec-fetch-site": "same-site"},
        ):
            headers = origin_headers | {"content-type": kind}
            answer = ann.http.post(f"/fudaba.v1.{method}", content=json.dumps(message), headers=headers)
            assert answer.status_code in {401, 415}, answer.text
            ann.http.post("/session", json={"token": ann.token}, headers=PAGE)  # a refused call may have ended it
    assert ann.tokens() == before
    assert ann.page("AccountService/GetAccount", {}).json()["account"]["displayName"] == f"{SCRIPT} {ann.name}"


def test_a_call_of_another_site_does_not_end_the_session(ann: Author) -> None:
    evil = {"origin": "https://evil.example"}
    for headers in (evil, evil | PAGE):
        answer = ann.http.post(f"{ACCOUNTS}/WhoAmI", json={}, headers=headers)
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        ann.http.request("DELETE", "/session", headers=headers)
    assert ann.http.get("/session", headers=PAGE).json()["account"] == ann.name


def test_no_other_site_may_ask_before_it_calls(web: Gateway) -> None:
    asks = {"origin": "https://evil.example", "access-control-request-method": "POST"}
    asks["access-control-request-headers"] = "x-fudaba-page,content-type"
    for path in (f"{ACCOUNTS}/WhoAmI", "/session", "/submissions/robot/bot.py"):
        answer = web.http.options(path, headers=asks)
        assert not [name for name in answer.headers if name.startswith("access-control-")], path


def test_a_link_of_another_site_shows_nothing_of_who_is_signed_in(ann: Author) -> None:
    answer = ann.http.get(f"{ACCOUNTS}/GetAccount?encoding=json&message=%7B%7D")
    assert refusal_of(answer)[1] == "TOKEN_MISSING"


# --- others' things


def test_another_s_upload_can_be_neither_seen_nor_written_nor_ended(ann: Author, bob: Author) -> None:
    content = b"import fudaba\n"
    begun = {
        "bot": ann.bot, "file": "bot.py", "size": len(content), "sha256": b64encode(sha256(content).digest()).decode()
    }  # fmt: skip
    upload = ann.page("ArenaService/CreateSubmission", begun).json()["submission"]["submissionId"]
    for method, more in (
        ("GetSubmission", {}), ("WriteSubmission", {"content": b64encode(b"import os     ").decode()}),
        ("FinishSubmission", {}),
    ):  # fmt: skip
        answer = bob.page(f"ArenaService/{method}", {"submissionId": upload} | more)
        assert refusal_of(answer)[0] in {"permission_denied", "not_found"}, method
    stolen = bob.http.put(f"/submissions/{ann.bot}/bot.py", content=content, headers=PAGE)
    assert refusal_of(stolen)[0] in {"permission_denied", "not_found"}
    written = {"submissionId": upload, "content": b64encode(content).decode()}
    assert int(ann.page("ArenaService/WriteSubmission", written).json()["received"]) == len(content)
    assert ann.page("ArenaService/FinishSubmission", {"submissionId": upload}).status_code == 200


def test_another_s_cookie_is_nobody_s_but_the_one_s_who_has_it(ann: Author, bob: Author) -> None:
    revoked = bob.page(
        "AccountService/RevokeToken", {"tokenId": ann.http.get("/session", headers=PAGE).json()["tokenId"]}
    )
    assert refusal_of(revoked)[0] in {"permission_denied", "not_found"}
    assert ann.tokens() == 1


# --- far too much


def test_an_archive_that_is_larger_than_any_is_refused_before_it_is_sent(ann: Author) -> None:
    begun = {"bot": ann.bot, "file": "bot.tar.gz", "size": 10**12, "sha256": b64encode(bytes(32)).decode()}
    assert refusal_of(ann.page("ArenaService/CreateSubmission", begun))[0] in {"invalid_argument", "resource_exhausted"}


def test_a_body_is_not_read_to_its_end_where_something_short_belongs(web: Gateway) -> None:
    answer = web.http.post("/session", content=b" " * 1_000_000, headers=PAGE)
    assert answer.status_code == 400
    assert "longer than any token" in answer.json()["message"]


@pytest.fixture
def alone(hosted: Service, gateway_token: Path, tmp_path: Path) -> Iterator[Gateway]:
    """A gateway that nobody else uses, so that its memory and files can be counted."""
    with gateway(tmp_path, hosted.address, "", "--token-file", str(gateway_token)) as running:
        yield running


def memory(web: Gateway) -> int:
    """Bytes that a gateway holds."""
    [line] = [
        status_line
        for status_line in Path(f"/proc/{web.process.pid}/status").read_text().splitlines()
        if status_line.startswith("VmRSS")
    ]
    return int(line.split()[1]) * 1024


def files(web: Gateway) -> int:
    return sum(1 for _ in Path(f"/proc/{web.process.pid}/fd").iterdir())


async def opened(url: str, match_id: str, number: int) -> list[asyncio.StreamWriter]:
    """Connections on each of which the first news of a match have come, and which then read no more."""
    where = urlsplit(url)
    body = json.dumps({"matchId": match_id}).encode()
    head = f"POST {WATCH} HTTP/1.1\r\nhost: {where.netloc}\r\ncontent-type: application/connect+json\r\n"
    request = f"{head}content-length: {len(body) + 5}\r\n\r\n".encode() + b"\0" + len(body).to_bytes(4, "big") + body

    async def opened_stream() -> asyncio.StreamWriter:
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        writer.write(request)
        assert b" 200 " in await reader.readline()
        await reader.readuntil(b"matchId")
        return writer

    return list(await asyncio.gather(*(opened_stream() for _ in range(number))))


@pytest.mark.parametrize("number", [100, pytest.param(1_000, marks=pytest.mark.nightly("the same a hundred times"))])
@pytest.mark.exhaustive
async def test_a_stream_that_is_opened_a_thousand_times_hurts_nobody_and_leaves_nothing(
    alone: Gateway, ann: Author, hosted: Service, number: int
) -> None:
    open_files.raise_limit()
    token = ann.page("BotService/CreateToken", {"bot": ann.bot}).json()["token"]
    seats = [{"caller": {}}, {"houseBot": "house-first"}]
    clock = {"moveMs": int(PATIENCE * 1000)}
    made = alone.answer("MatchService/CreateMatch", {"game": "naga", "seats": seats, "clock": clock}, token)
    match_id = made["match"]["header"]["matchId"]
    quiet = files(alone)
    held: list[int] = []
    for _ in range(3):
        streams = await opened(alone.url, match_id, number)
        held.append(memory(alone))
        assert files(alone) >= quiet + number
        # Others call, and the match goes on.
        assert await asyncio.to_thread(alone.answer, "CatalogService/ListGames")
        for stream in streams:
            stream.close()
        await until(lambda: files(alone) <= quiet, "the connections are closed")
    assert held[2] < held[0] * 1.1 + 2_000_000  # the second and third thousand take what the first one gave back


@pytest.mark.exhaustive
async def test_streams_of_many_matches_end_at_the_limit_of_whoever_opens_them(tmp_path: Path) -> None:
    with (
        Service(tmp_path, "--watches-per-account", str(MAX_STREAMS)) as service,
        gateway(tmp_path, service.start().address) as alone,
    ):
        with Client(service.address, service.token) as organiser:
            organiser.bots.CreateBot(bots_pb2.CreateBotRequest(name="watcher"), timeout=PATIENCE)
            token = organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="watcher"), timeout=PATIENCE).token
        seats = [{"caller": {}}, {"houseBot": "house-first"}]
        made = alone.answer("MatchService/CreateMatch", {"game": "naga", "seats": seats}, token)["match"]
        body = json.dumps({"matchId": made["header"]["matchId"]}).encode()
        content = b"\0" + len(body).to_bytes(4, "big") + body
        headers = {"content-type": "application/connect+json", "authorization": f"Bearer {token}"}
        limits = httpx.Limits(max_connections=None)
        refused = asyncio.Event()

        async def watch(client: httpx.AsyncClient) -> None:
            async with client.stream(
                "POST", "/fudaba.v1.PlayService/WatchSeat", content=content, headers=headers
            ) as stream:
                async for chunk in stream.aiter_bytes():
                    if b"QUOTA_EXCEEDED" in chunk:
                        refused.set()

        async with httpx.AsyncClient(base_url=alone.url, timeout=PATIENCE, limits=limits, verify=NO_TLS) as client:
            watching = [asyncio.create_task(watch(client)) for _ in range(MAX_STREAMS + 1)]
            await asyncio.wait_for(refused.wait(), PATIENCE)
            assert await asyncio.to_thread(alone.answer, "CatalogService/ListGames")
            for task in watching:
                task.cancel()
            await asyncio.gather(*watching, return_exceptions=True)
        assert await asyncio.to_thread(alone.answer, "AccountService/WhoAmI", {}, token)
