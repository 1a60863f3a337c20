"""Signing in at an OpenID provider that somebody else has written, and what is tried against that."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit, urlunsplit
from uuid import uuid4

import httpx
import pytest

from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import Service, free_port
from tests.support.web.gateways import gateway
from tests.support.web.openid_package import (
    CLIENT,
    LATE,
    LATE_SECONDS,
    OTHER_CLIENT,
    SECRET,
    installed_provider,
    log_in,
    running_provider,
)

pytestmark = pytest.mark.nightly("the same with a provider of the tests' own, which signs what a test wants")
INSTALL_SECONDS = 4 * PATIENCE


class Site(NamedTuple):
    """A gateway, and the provider at which one logs in to it."""

    url: str
    issuer: str

    @property
    def redirect(self) -> str:
        return f"{self.url}/session/callback"


@pytest.fixture(scope="module")
def site(
    hosted: Service, gateway_token: Path, tmp_path_factory: pytest.TempPathFactory, need_tool: Callable[[str], Path]
) -> Iterator[Site]:
    need_tool("node")
    need_tool("npm")
    folder = tmp_path_factory.mktemp("site")
    provider, port = installed_provider(folder / "provider"), free_port()
    issuer = f"http://127.0.0.1:{port}"
    (folder / "secret").write_text(SECRET, encoding="utf-8")
    words = ["--token-file", str(gateway_token), "--login-issuer", issuer, "--login-client-id", CLIENT]
    words += ["--login-secret-file", str(folder / "secret"), "--login-name", "The Club"]
    with gateway(folder, hosted.address, "", *words) as started:
        made = Site(started.url, issuer)
        with running_provider(provider, port, made.redirect):
            yield made


class Visitor:
    """A browser before the gateway, which keeps cookies and follows nothing by itself."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.http = httpx.Client(base_url=site.url, timeout=PATIENCE, headers={"x-fudaba-page": "1"})

    def begin(self, **changes: str) -> str:
        """Begins a login. Returns where the gateway sends the browser, with these changes of what it asks there."""
        begun = self.http.get("/session/login")
        assert begun.status_code == 303
        return changed(begun.headers["location"], **changes)

    def comes_back_from(self, url: str, subject: str) -> str:
        """Logs in at the provider; the URL with which the browser comes back."""
        return log_in(url, subject, self.site.redirect)

    def come(self, back: str) -> str:
        """Comes back. Returns where the gateway then sends the browser."""
        done = self.http.get(back)
        assert done.status_code == 303
        return str(done.headers["location"])

    def is_nobody(self) -> bool:
        """Returns whether neither a session has begun, nor a login waits for its account."""
        return bool(self.http.get("/session").json() == {"signedIn": False})


@pytest.fixture
def visitor(site: Site) -> Iterator[Visitor]:
    opened = Visitor(site)
    with opened.http:
        yield opened


def changed(url: str, **changes: str) -> str:
    """Returns the same URL with other parameters."""
    parts = urlsplit(url)
    asked = {name: values[0] for name, values in parse_qs(parts.query).items()} | changes
    return urlunsplit(parts._replace(query=urlencode(asked)))


@pytest.mark.timeout(INSTALL_SECONDS)
def test_a_login_at_it_makes_an_account_once_and_finds_it_again(visitor: Visitor) -> None:
    subject, name = f"ann-{uuid4().hex}", f"ann-{uuid4().hex[:10]}"
    assert visitor.come(visitor.comes_back_from(visitor.begin(), subject)) == "/account?login=new"
    assert visitor.http.get("/session").json()["newcomer"] == {
        "provider": "The Club",
        "name": f"{subject} of the provider",
    }
    made = visitor.http.post("/session/account", json={"name": name, "displayName": f"Ann {name}"})
    assert made.status_code == 200, made.text
    visitor.http.delete("/session")
    assert visitor.is_nobody()
    assert visitor.come(visitor.comes_back_from(visitor.begin(), subject)) == "/account"
    assert visitor.http.get("/session").json()["account"] == name


@pytest.mark.timeout(INSTALL_SECONDS)
@pytest.mark.parametrize(
    ("asked", "word"),
    [
        ({"nonce": "another-login"}, "unverified"),
        ({"code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"}, "refused"),
        ({"client_id": OTHER_CLIENT}, "refused"),
    ],
    ids=["another nonce", "another verifier", "a code for another site"],
)
def test_who_changes_what_the_provider_is_asked_gets_no_session(
    visitor: Visitor, asked: dict[str, str], word: str
) -> None:
    back = visitor.comes_back_from(visitor.begin(**asked), "ann")
    assert visitor.come(back) == f"/account?login={word}"
    assert visitor.is_nobody()


@pytest.mark.timeout(INSTALL_SECONDS)
@pytest.mark.parametrize(
    ("claims", "word"),
    [({"state": "another"}, "expired"), ({"iss": "http://127.0.0.1:1"}, "unverified"), ({"code": "guess"}, "refused")],
    ids=["another state", "another issuer", "another code"],
)
def test_who_changes_what_the_provider_has_told_gets_no_session(
    visitor: Visitor, claims: dict[str, str], word: str
) -> None:
    back = changed(visitor.comes_back_from(visitor.begin(), "ann"), **claims)
    assert visitor.come(back) == f"/account?login={word}"
    assert visitor.is_nobody()


@pytest.mark.timeout(INSTALL_SECONDS)
def test_a_code_counts_once_and_for_the_browser_alone_that_began(visitor: Visitor, site: Site) -> None:
    back = visitor.comes_back_from(visitor.begin(), f"ann-{uuid4().hex}")
    kept = dict(visitor.http.cookies)
    thief = Visitor(site)
    with thief.http:
        assert thief.come(back) == "/account?login=expired"
        assert thief.is_nobody()
        assert visitor.come(back) == "/account?login=new"
        thief.http.cookies.update(kept)
        assert thief.come(back) == "/account?login=refused", "the provider has taken the code once"
        assert thief.is_nobody()


@pytest.mark.timeout(INSTALL_SECONDS)
def test_a_code_that_has_expired_shows_nobody(visitor: Visitor) -> None:
    back = visitor.comes_back_from(visitor.begin(), LATE)
    given = time.monotonic()
    wait_until(lambda: time.monotonic() > given + 2 * LATE_SECONDS, "the code's time is over")
    assert visitor.come(back) == "/account?login=refused"
    assert visitor.is_nobody()
