"""Whose site it is: what the page, robots and researchers are told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from fudaba_web.app import gateway
from fudaba_web.cli import web
from fudaba_web.settings import Settings, Site

BROWSER = {"accept": "text/html"}


@asynccontextmanager
async def opened(folder: Path, site: Site) -> AsyncIterator[httpx.AsyncClient]:
    """Yields a gateway, before nothing, of a site."""
    (folder / "index.html").write_text("<!doctype html><head><title>Fudaba</title></head><body></body>")
    app = gateway(Settings(page=folder, site=site))
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://play.example.org") as client,
    ):
        yield client


async def test_the_page_is_told_the_sites_name_contact_and_imprint_as_text(tmp_path: Path) -> None:
    site = Site('Class "3b" <Tokyo>', "mailto:games@school.example", "/imprint")
    async with opened(tmp_path, site) as client:
        head = (await client.get("/games", headers=BROWSER)).text.partition("</head>")[0]
    assert '<meta name="application-name" content="Class &quot;3b&quot; &lt;Tokyo&gt;" />' in head
    assert '<meta name="contact" content="mailto:games@school.example" />' in head
    assert '<meta name="imprint" content="/imprint" />' in head


async def test_the_title_and_the_previews_of_links_call_the_site_by_its_name(tmp_path: Path) -> None:
    async with opened(tmp_path, Site("Class <3b>")) as client:
        home, ladder = [(await client.get(path, headers=BROWSER)).text for path in ("/games", "/ladders/open")]
    for head in (home, ladder):
        assert "<title>Class &lt;3b&gt;</title>" in head
        assert '<meta property="og:site_name" content="Class &lt;3b&gt;" />' in head
        assert "Fudaba" not in head
    assert '<meta property="og:title" content="Class &lt;3b&gt;" />' in home
    assert '<meta property="og:description" content="A ladder of bots on Class &lt;3b&gt;." />' in ladder


async def test_a_site_of_which_nothing_is_said_says_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path, Site()) as client:
        head = (await client.get("/games", headers=BROWSER)).text.partition("</head>")[0]
        assert 'name="application-name"' not in head
        assert (await client.get("/.well-known/security.txt")).status_code == 404


async def test_researchers_find_whom_to_write_to_and_until_when_that_counts(tmp_path: Path) -> None:
    async with opened(tmp_path, Site(contact="https://school.example/security")) as client:
        answer = await client.get("/.well-known/security.txt")
    assert answer.headers["content-type"].startswith("text/plain")
    fields = dict(line.split(": ", 1) for line in answer.text.splitlines())
    assert fields["Contact"] == "https://school.example/security"
    assert datetime.fromisoformat(fields["Expires"]) > datetime.now(UTC)


async def test_robots_keep_out_of_what_is_a_persons_unless_the_site_says_otherwise(tmp_path: Path) -> None:
    async with opened(tmp_path, Site()) as client:
        lines = (await client.get("/robots.txt")).text.splitlines()
    assert {f"Disallow: {path}" for path in ("/join/", "/account", "/enter?invitation=")} <= set(lines)
    async with opened(tmp_path, Site(robots="User-agent: *\nDisallow: /\n")) as client:
        assert (await client.get("/robots.txt")).text == "User-agent: *\nDisallow: /\n"


@pytest.mark.parametrize("option", ["--contact", "--imprint"])
@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "games@school.example", "//elsewhere.example", "https://", "https://["]
)
def test_what_is_no_link_is_refused_with_what_to_write(option: str, link: str) -> None:
    refused = CliRunner().invoke(web, [option, link])
    assert refused.exit_code == 2
    assert "write https://HOST/PATH, or for mail mailto:NAME@HOST" in refused.output


def test_a_contact_is_not_written_to_in_the_clear() -> None:
    assert CliRunner().invoke(web, ["--contact", "http://school.example/contact"]).exit_code == 2
