"""The page is served as it was built, and says to browsers what it may do. Node is not needed for that."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import httpx
import pytest
import zstandard

from fudaba_web.app import gateway
from fudaba_web.page import MISSING_TITLES, PATHS, is_built
from fudaba_web.settings import Settings
from tests.support.web.gateways import Gateway

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = "<!doctype html><title>Fudaba</title>" + 100 * "<!-- much of the same -->"
MISSING_DOCUMENT = DOCUMENT.replace("Fudaba</title>", "No such page · Fudaba</title>")
SCRIPT = 100 * "console.log('much of the same');\n"
BROWSER = {"accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
async def built(tmp_path: Path) -> AsyncIterator[httpx.AsyncClient]:
    """Yields a gateway, before nothing, with a page like one that Node builds."""
    (tmp_path / "assets").mkdir()
    for name, content in (
        ("index.html", DOCUMENT), ("icon.svg", "<svg/>"), ("assets/index-a1.js", SCRIPT), ("assets/x-b2.css", "a{}"),
        ("assets/tabs_worker-c3.js", SCRIPT),
    ):  # fmt: skip
        (tmp_path / name).write_text(content)
    app = gateway(Settings(page=tmp_path))
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://play.example.org") as client,
    ):
        yield client


def policy(answer: httpx.Response) -> dict[str, str]:
    said = (part.strip().partition(" ") for part in answer.headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in said}


async def test_each_path_of_the_page_shows_it_and_no_other_does(built: httpx.AsyncClient) -> None:
    for path in ("/ladders", "/matches/m-1", "/bots/robot", "/organiser", "/submissions/s-1", "/games/naga/"):
        answer = await built.get(path)
        assert (answer.status_code, answer.text) == (200, DOCUMENT), path
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"
    for path in ("/ladder", "/nothing", "/index.html", "/assets/", "/assets/../index.html", "/%2e%2e/pyproject.toml"):
        assert (await built.get(path)).status_code == 404, path


async def test_a_browser_is_shown_by_the_page_that_there_is_nothing_and_a_script_in_words(
    built: httpx.AsyncClient,
) -> None:
    for path in ("/nothing", "/ladder", "/assets/gone.js", "/bots", "/embed", "/matches/m-1/moves", "/ladders/a/b/1"):
        answer = await built.get(path, headers=BROWSER)
        assert (answer.status_code, answer.text) == (404, MISSING_DOCUMENT), path
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
        again = await built.get(path, headers=BROWSER | {"if-none-match": answer.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    answer = await built.get("/nothing")
    assert (answer.status_code, answer.text) == (404, "nothing is at /nothing; GET / says what is here\n")
    assert (await built.post("/nothing", headers=BROWSER)).headers["content-type"].startswith("text/plain")


def test_the_gateway_knows_the_paths_that_the_page_has() -> None:
    routes = re.findall(r'^ +"(/[^"]+)": \{', (ROOT / "web" / "page" / "src" / "routes.ts").read_text(), re.MULTILINE)
    assert sorted(routes) == sorted(PATHS)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_document_is_titled_as_the_page_titles_what_is_not_there(language: str) -> None:
    texts = (ROOT / "web" / "page" / "src" / "i18n" / language / "late.ts").read_text()
    assert f'"late.missingTitle": "{MISSING_TITLES[language]}"' in texts


async def test_a_document_names_what_its_path_loads_in_the_languages_of_the_browser(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("<html><head></head></html>")
    files = {path: {"en": [f"assets/{at}-en.js"], "ja": [f"assets/{at}-ja.js", f"assets/{at}.css"]} for at, path in
             enumerate(("/", "/matches", "/ladders/:ladder", "/ladders/:ladder/seasons/:season"))}  # fmt: skip
    (tmp_path / "preloads.json").write_text(json.dumps(files))
    app = gateway(Settings(page=tmp_path))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client,
    ):

        async def named(path: str, languages: str) -> list[tuple[str, str]]:
            answer = await client.get(path, headers=BROWSER | {"accept-language": languages})
            assert "accept-language" in answer.headers["vary"].split(", ")
            return re.findall(r'<link rel="(\w+)" crossorigin href="/assets/([^"]+)">', answer.text)

        assert await named("/", "en") == [("modulepreload", "0-en.js")]
        assert await named("/matches", "fr, ja;q=0.8, en;q=0.5") == [
            ("modulepreload", "1-ja.js"), ("stylesheet", "1.css")
        ]  # fmt: skip
        assert await named("/ladders/open", "") == await named("/ladders/open/", "fr") == [("modulepreload", "2-en.js")]
        assert await named("/ladders/open/seasons/2", "en-GB") == [("modulepreload", "3-en.js")]
        assert await named("/games/naga", "en") == await named("/ladders/open/seasons", "en") == []
        assert (await client.get("/preloads.json")).status_code == 404


async def test_the_home_page_is_a_page_for_browsers_and_text_for_others(built: httpx.AsyncClient) -> None:
    shown = await built.get("/", headers=BROWSER)
    assert shown.text == DOCUMENT
    assert "accept" in shown.headers["vary"].split(", ")
    response = await built.get("/", headers={"accept": "*/*"})
    assert response.headers["content-type"].startswith("text/plain")
    assert "curl -T bot.tar.gz" in response.text
    assert "http://play.example.org/contract/" in response.text
    assert "scripts/page" not in response.text


async def test_a_gateway_serves_what_it_began_with_while_the_page_is_built_anew(tmp_path: Path) -> None:
    (tmp_path / "page" / "assets").mkdir(parents=True)
    files = {"index.html": DOCUMENT, "assets/index-a1.js": SCRIPT}
    for name, content in files.items():
        (tmp_path / "page" / name).write_text(content)
    (tmp_path / "page" / "gone.svg").symlink_to("nothing")  # as if it went between being listed and being read
    app = gateway(Settings(page=tmp_path / "page"))
    shutil.rmtree(tmp_path / "page")
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client,
    ):
        assert (await client.get("/games/naga")).text == DOCUMENT
        assert (await client.get("/assets/index-a1.js")).text == SCRIPT
        assert (await client.get("/gone.svg")).status_code == 404


async def test_where_no_page_is_built_it_says_so(tmp_path: Path) -> None:
    app = gateway(Settings(page=tmp_path))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://here") as client,
    ):
        answer = await client.get("/", headers=BROWSER)
        assert answer.headers["content-type"].startswith("text/plain")
        assert "no page for browsers. For whoever runs it: scripts/page builds it" in answer.text
        assert (await client.get("/ladders")).status_code == 404


def test_whoever_starts_a_gateway_without_the_page_is_told(web: Gateway, tmp_path: Path) -> None:
    assert not is_built(tmp_path)
    said = "" if is_built(Settings().page) else ", but not the page: scripts/page builds it"
    assert f"fudaba web serves on {web.url}{said}\n" in web.output


async def test_the_page_may_run_its_own_scripts_and_nothing_else(built: httpx.AsyncClient) -> None:
    said = policy(await built.get("/ladders"))
    assert said["default-src"] == said["base-uri"] == said["frame-ancestors"] == "'none'"
    for name in ("script-src", "style-src", "connect-src", "font-src", "manifest-src", "form-action"):
        assert said[name] == "'self'", name
    assert said["img-src"] == "'self' data:"
    for answer in (await built.get("/icon.svg"), await built.get("/assets/index-a1.js"), await built.get("/nothing")):
        assert policy(answer)["default-src"] == "'none'"
        assert "script-src" not in policy(answer)
        assert answer.headers["x-content-type-options"] == "nosniff"


async def test_other_sites_may_frame_boards_and_nothing_else(built: httpx.AsyncClient) -> None:
    assert policy(await built.get("/embed/m-1"))["frame-ancestors"] == "*"
    for path in ("/", "/matches/m-1", "/account", "/embed", "//embed/m-1"):
        answer = await built.get(path, headers=BROWSER)
        assert policy(answer)["frame-ancestors"] == "'none'", path


async def test_the_script_that_all_tabs_share_may_call_its_own_origin_and_do_nothing_else(
    built: httpx.AsyncClient,
) -> None:
    said = policy(await built.get("/assets/tabs_worker-c3.js"))
    assert said.pop("connect-src") == "'self'"
    assert set(said.values()) == {"'none'"}


async def test_assets_are_kept_for_ever_and_the_page_is_asked_for_anew(built: httpx.AsyncClient) -> None:
    asset = await built.get("/assets/index-a1.js")
    assert asset.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert asset.headers["content-type"] == "text/javascript; charset=utf-8"
    for path in ("/ladders", "/assets/index-a1.js", "/icon.svg"):
        tag = (await built.get(path)).headers["etag"]
        again = await built.get(path, headers={"if-none-match": f'"other", {tag}'})
        assert (again.status_code, again.content) == (304, b"")
        assert (await built.get(path, headers={"if-none-match": '"other"'})).status_code == 200


@pytest.mark.parametrize(
    ("takes", "gets"),
    [
        ("gzip, deflate, br, zstd", "zstd"),
        ("gzip, deflate, br", "gzip"),
        ("zstd;q=0, gzip;q=0.5", "gzip"),
        ("zstd;q=0.0", ""),
        ("identity", ""),
        ("", ""),
    ],
)
async def test_what_is_long_is_packed_as_the_browser_takes_it(built: httpx.AsyncClient, takes: str, gets: str) -> None:
    async with built.stream("GET", "/assets/index-a1.js", headers={"accept-encoding": takes}) as answer:
        raw = b"".join([part async for part in answer.aiter_raw()])
    assert answer.headers.get("content-encoding", "") == gets
    assert answer.headers["vary"] == "accept-encoding"
    unpacks: dict[str, Callable[[bytes], bytes]] = {"zstd": zstandard.decompress, "gzip": gzip.decompress, "": bytes}
    assert unpacks[gets](raw).decode() == SCRIPT
    assert len(raw) < len(SCRIPT) / 10 or not gets
    short = await built.get("/assets/x-b2.css", headers={"accept-encoding": takes})
    assert "content-encoding" not in short.headers
