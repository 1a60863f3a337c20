"""The session of a page: a cookie that scripts cannot read, that counts for calls of the page alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from fudaba.client import Client
from fudaba.v1 import accounts_pb2
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import NO_TLS, Gateway, gateway, refusal_of

PAGE = {"x-fudaba-page": "1"}
WHO = "/fudaba.v1.AccountService/WhoAmI"


class Browser:
    """Who uses the page: calls have its header, and cookies are kept."""

    def __init__(self, url: str) -> None:
        self.http = httpx.Client(base_url=url, headers=PAGE, timeout=PATIENCE, verify=NO_TLS)

    def sign_in(self, token: str) -> httpx.Response:
        return self.http.post("/session", json={"token": token})

    def whoami(self, **headers: str) -> httpx.Response:
        return self.http.post(WHO, json={}, headers=headers)


@pytest.fixture
def browser(web: Gateway) -> Iterator[Browser]:
    opened = Browser(web.url)
    with opened.http:
        yield opened


@pytest.fixture
def bob(hosted: Service) -> tuple[str, str]:
    """Returns an author's name and token."""
    name = f"bob-{uuid4().hex[:8]}"
    with Client(hosted.address, hosted.token) as client:
        made = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE)
    return name, made.token


def content_of(answer: httpx.Response) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_pasted_token_signs_in_and_its_calls_need_no_token_any_more(browser: Browser, bob: tuple[str, str]) -> None:
    name, token = bob
    assert content_of(browser.http.get("/session")) == {"signedIn": False}
    entered = content_of(browser.sign_in(f"  {token}\n"))
    assert (entered["signedIn"], entered["scope"], entered["account"]) == (True, "author", name)
    assert token not in str(entered)
    assert content_of(browser.http.get("/session")) == entered
    assert content_of(browser.whoami())["token"]["account"] == name
    assert browser.http.delete("/session").status_code == 204
    assert content_of(browser.http.get("/session")) == {"signedIn": False}
    assert browser.whoami().status_code == 401
    assert content_of(browser.sign_in(token)) == entered  # a pasted token outlives its sessions


def test_no_script_can_read_the_cookie_and_no_other_site_gets_it(browser: Browser, bob: tuple[str, str]) -> None:
    [cookie] = browser.sign_in(bob[1]).headers.get_list("set-cookie")
    assert cookie.startswith("fudaba_session=")
    parts = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert not any(part.startswith(("domain=", "max-age=", "expires=")) for part in parts)


def test_behind_tls_the_cookie_goes_over_tls_alone(browser: Browser, bob: tuple[str, str]) -> None:
    browser.http.headers["x-forwarded-proto"] = "https"  # the gateway believes this proxy
    [cookie] = browser.sign_in(bob[1]).headers.get_list("set-cookie")
    assert cookie.startswith("__Host-fudaba_session=")
    assert "secure" in {part.strip().lower() for part in cookie.split(";")}


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_another_site_can_do_nothing_in_the_name_of_who_is_signed_in(
    browser: Browser, bob: tuple[str, str], headers: dict[str, str]
) -> None:
    browser.sign_in(bob[1])
    assert refusal_of(browser.whoami(**headers)) == ("unauthenticated", "TOKEN_MISSING")
    for method, path in (("POST", "/session"), ("POST", "/session/guest"), ("DELETE", "/session")):
        assert browser.http.request(method, path, headers=headers).status_code == 400
    assert content_of(browser.http.get("/session"))["account"] == bob[0]


def test_a_form_of_another_site_cannot_set_the_pages_header_and_so_does_nothing(
    browser: Browser, bob: tuple[str, str]
) -> None:
    browser.sign_in(bob[1])
    del browser.http.headers["x-fudaba-page"]
    assert refusal_of(browser.whoami()) == ("unauthenticated", "TOKEN_MISSING")
    assert browser.sign_in(bob[1]).status_code == 400
    upload = browser.http.put("/submissions/robot/bot.py", content=b"pass")
    assert refusal_of(upload) == ("unauthenticated", "TOKEN_MISSING")


def test_a_token_that_is_sent_wins_over_the_cookie(browser: Browser, bob: tuple[str, str], hosted: Service) -> None:
    browser.sign_in(bob[1])
    answer = content_of(browser.whoami(authorization=f"Bearer {hosted.token}"))
    assert answer["token"]["scope"] == "TOKEN_SCOPE_ORGANISER"


def test_a_guest_needs_no_token_and_is_gone_after_signing_out(browser: Browser) -> None:
    entered = content_of(browser.http.post("/session/guest"))
    assert (entered["scope"], entered["account"]) == ("guest", "")
    assert entered["bot"]
    assert entered["expireTime"]
    assert content_of(browser.whoami())["token"]["bot"] == entered["bot"]
    kept = dict(browser.http.cookies)
    assert browser.http.delete("/session").status_code == 204
    browser.http.cookies.update(kept)
    assert refusal_of(browser.whoami())[0] == "unauthenticated"  # the token was revoked, not only forgotten


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "send {"),
        (b"[]", "send {"),
        (b'{"token": 3}', "no token"),
        (b'{"token": "\xe6\x9c\xad"}', "not a token"),
        (b'{"token": "a\\r\\nset-cookie: x=y"}', "not a token"),
        (b'{"token": "' + 5_000 * b"a" + b'"}', "longer than any token"),
    ],
)
def test_what_is_no_token_is_told(browser: Browser, body: bytes, said: str) -> None:
    answer = browser.http.post("/session", content=body)
    assert answer.status_code == 400
    assert said in answer.json()["message"]
    assert "set-cookie" not in answer.headers


def test_a_token_that_is_not_valid_signs_nobody_in(browser: Browser) -> None:
    answer = browser.sign_in("fudaba-nobody-has-this")
    assert refusal_of(answer) == ("unauthenticated", "TOKEN_UNKNOWN")
    assert not browser.http.cookies


def test_a_token_that_is_refused_leaves_who_was_signed_in_before(browser: Browser) -> None:
    guest = content_of(browser.http.post("/session/guest"))["bot"]
    answer = browser.sign_in("fudaba-nobody-has-this")
    assert refusal_of(answer) == ("unauthenticated", "TOKEN_UNKNOWN")
    assert "set-cookie" not in answer.headers
    assert content_of(browser.whoami())["token"]["bot"] == guest


def test_an_arenas_token_has_no_business_in_a_browser(browser: Browser, hosted: Service, gateway_token: Any) -> None:
    for token in ((hosted.folder / "arena-token").read_text().strip(), gateway_token.read_text()):
        answer = browser.sign_in(token)
        assert answer.status_code == 400
        assert "sign in with your account's" in answer.json()["message"]
        assert not browser.http.cookies


def test_the_cookie_of_a_revoked_token_is_refused_and_taken_back(
    browser: Browser, bob: tuple[str, str], hosted: Service
) -> None:
    browser.sign_in(bob[1])
    with Client(hosted.address, bob[1]) as client:
        client.accounts.RevokeToken(accounts_pb2.RevokeTokenRequest(), timeout=PATIENCE)
    assert refusal_of(browser.whoami())[0] == "unauthenticated"
    assert not browser.http.cookies
    assert content_of(browser.http.get("/session")) == {"signedIn": False}


@pytest.mark.parametrize("value", ["x", "a b", '"quoted"', "fudaba-forged", "é", "\x07", 3_000 * "a"])
def test_a_forged_cookie_opens_nothing(web: Gateway, value: str) -> None:
    cookie = f"fudaba_session={value}".encode()
    answer = web.http.post(WHO, json={}, headers=[(b"cookie", cookie), (b"x-fudaba-page", b"1")])
    assert refusal_of(answer)[0] in {"unauthenticated", "invalid_argument"}


def test_any_gateway_knows_a_session_that_another_began(
    browser: Browser, bob: tuple[str, str], hosted: Service, tmp_path: Any
) -> None:
    browser.sign_in(bob[1])
    with gateway(tmp_path, hosted.address) as second:
        second.http.cookies.update(browser.http.cookies)
        answer = second.http.post(WHO, json={}, headers=PAGE)
        assert content_of(answer)["token"]["account"] == bob[0]
