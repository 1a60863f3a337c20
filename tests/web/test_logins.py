"""Signing in at an OpenID provider that runs here."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from fudaba.client import Client
from fudaba.v1 import accounts_pb2
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import NO_TLS, Gateway, gateway, refusal_of
from tests.support.web.provider import CLIENT, SECRET, Provider, provider

PAGE = {"x-fudaba-page": "1"}


@pytest.fixture(scope="module")
def issuer() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture(autouse=True)
def honest(issuer: Provider) -> Iterator[None]:
    """Each test has a subject that nobody had before, and leaves the provider as it should be."""
    issuer.subject = f"subject-{uuid4().hex}"
    yield
    issuer.claims, issuer.algorithm = {}, "ES256"


def options(issuer: Provider, token: Path, folder: Path) -> list[str]:
    secret = folder / "client-secret"
    secret.write_text(f"{SECRET}\n")
    words = ["--token-file", str(token), "--login-issuer", issuer.issuer, "--login-client-id", CLIENT]
    return [*words, "--login-secret-file", str(secret), "--login-name", "The Club", "--behind", "127.0.0.1"]


@pytest.fixture(scope="module")
def door(hosted: Service, issuer: Provider, gateway_token: Path, tmp_path_factory: Any) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("door")
    with gateway(folder, hosted.address, "", *options(issuer, gateway_token, folder)) as running:
        yield running


class Browser:
    """Follows redirects one by one, and keeps cookies. Each is at an address of its own, for the service's limits."""

    def __init__(self, url: str) -> None:
        number = uuid4().int
        address = f"10.{number % 256}.{number // 256 % 256}.{number // 65536 % 256}"
        headers = PAGE | {"x-forwarded-for": address}
        self.http = httpx.Client(base_url=url, timeout=PATIENCE, headers=headers, verify=NO_TLS)

    def begin(self, path: str = "/session/login") -> str:
        """Begins a login. Returns the URL to which the provider sends the browser back."""
        begun = self.http.get(path)
        assert begun.status_code == 303
        assert begun.headers["location"].startswith("http://127.0.0.1:"), begun.headers["location"]
        return str(httpx.get(begun.headers["location"], verify=NO_TLS, timeout=PATIENCE).headers["location"])

    def come(self, back: str) -> str:
        """Comes back. Returns where the gateway then sends the browser."""
        done = self.http.get(back)
        assert done.status_code == 303
        return str(done.headers["location"])

    def login(self) -> str:
        return self.come(self.begin())

    def session(self) -> Any:
        return self.http.get("/session").json()

    def post(self, path: str, **fields: str) -> httpx.Response:
        return self.http.post(path, json=fields)


@pytest.fixture
def browser(door: Gateway) -> Iterator[Browser]:
    opened = Browser(door.url)
    with opened.http:
        yield opened


def new_name() -> str:
    return f"ann-{uuid4().hex[:10]}"


@pytest.fixture
def ann(hosted: Service, issuer: Provider) -> str:
    """Returns an account with the login of the test's subject."""
    name = new_name()
    with Client(hosted.address, hosted.token) as client:
        link = accounts_pb2.Link(issuer=issuer.issuer, subject=issuer.subject)
        request = accounts_pb2.CreateAccountRequest(name=name, link=link)
        client.accounts.CreateAccount(request, timeout=PATIENCE)
    return name


def test_the_page_is_told_which_providers_there_are(web: Gateway, door: Gateway) -> None:
    assert door.http.get("/session/providers").json() == [{"id": "login", "name": "The Club"}]
    assert web.http.get("/session/providers").json() == []
    assert web.http.get("/session/login").status_code == 404


def test_a_login_finds_its_account_and_ends_with_the_session(browser: Browser, ann: str) -> None:
    back = browser.begin("/session/login?to=/enter")
    assert browser.come(back) == "/enter"
    session = browser.session()
    assert (session["signedIn"], session["scope"], session["account"], session["member"]) == (True, "author", ann, ann)
    assert session["expireTime"]
    assert "newcomer" not in session
    kept = dict(browser.http.cookies)
    assert browser.http.delete("/session").status_code == 204
    assert browser.session() == {"signedIn": False}
    browser.http.cookies.update(kept)
    assert browser.http.get("/session").status_code == 401  # its token was revoked, and not only forgotten


def test_no_other_site_gets_the_cookies_of_a_login_and_no_script(browser: Browser, ann: str) -> None:
    begun = browser.http.get("/session/login")
    [cookie] = begun.headers.get_list("set-cookie")
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    assert (asked["code_challenge_method"], asked["response_type"]) == (["S256"], ["code"])
    for secret in (asked["state"][0], asked["nonce"][0], "verifier"):
        assert secret not in cookie
    assert {"httponly", "samesite=lax", "max-age=600"} <= {part.strip().lower() for part in cookie.split(";")}
    cookies = browser.http.get(browser.begin()).headers.get_list("set-cookie")
    [session] = (header for header in cookies if header.startswith("fudaba_session=made:"))
    assert {"httponly", "samesite=strict"} <= {part.strip().lower() for part in session.split(";")}


def test_behind_tls_its_cookies_go_over_tls_alone_and_the_provider_is_told_https(browser: Browser) -> None:
    browser.http.headers["x-forwarded-proto"] = "https"  # the gateway believes this proxy
    begun = browser.http.get("/session/login")
    [cookie] = begun.headers.get_list("set-cookie")
    assert cookie.startswith("__Host-fudaba_login=")
    assert "secure" in {part.strip().lower() for part in cookie.split(";")}
    [back] = parse_qs(urlsplit(begun.headers["location"]).query)["redirect_uri"]
    assert back.startswith("https://127.0.0.1:")


def test_an_unknown_login_asks_for_an_account_and_gets_one(browser: Browser) -> None:
    assert browser.login() == "/account?login=new"
    assert browser.session() == {"signedIn": False, "newcomer": {"provider": "The Club", "name": "Ann A."}}
    taken = browser.post("/session/account", name="Not A Name")
    assert taken.status_code == 400
    name = new_name()
    made = browser.post("/session/account", name=name, displayName=f"Ann {name}")
    assert made.status_code == 200, made.text
    session = made.json()
    assert (session["scope"], session["account"], session["member"]) == ("author", name, name)
    assert session["expireTime"]
    assert browser.session() == {key: value for key, value in session.items() if key != "newcomer"}
    tokens = browser.http.post("/fudaba.v1.AccountService/ListTokens", json={}).json()["tokens"]
    assert [token["label"] for token in tokens] == ["login"]  # and none that never expires
    browser.http.delete("/session")
    assert browser.login() == "/account"
    assert browser.session()["account"] == name


def test_an_unknown_login_is_linked_to_the_account_that_a_token_shows(browser: Browser, hosted: Service) -> None:
    name = new_name()
    with Client(hosted.address, hosted.token) as client:
        token = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE).token
    assert browser.login() == "/account?login=new"
    assert refusal_of(browser.post("/session/link"))[0] == "unauthenticated"
    assert browser.post("/session", token=token).json()["newcomer"]["provider"] == "The Club"
    assert browser.post("/session/link").json()["account"] == name
    assert "newcomer" not in browser.session()
    browser.http.delete("/session")
    browser.login()
    assert browser.session()["account"] == name


@pytest.mark.exhaustive
def test_where_an_invitation_is_wanted_the_code_makes_the_account(
    issuer: Provider, gateway_token: Path, tmp_path: Path
) -> None:
    with Service(tmp_path, "--registration", "invite", "--gateway-token-file", str(tmp_path / "own")) as service:
        service.start()
        with Client(service.address, service.token) as client:
            code = client.accounts.CreateInvitation(accounts_pb2.CreateInvitationRequest(), timeout=PATIENCE).code
        with gateway(tmp_path, service.address, "", *options(issuer, tmp_path / "own", tmp_path)) as door:
            browser = Browser(door.url)
            with browser.http:
                assert browser.login() == "/account?login=new"
                without = browser.post("/session/account", name="ann")
                assert refusal_of(without)[1] == "REGISTRATION_CLOSED"
                wrong = browser.post("/session/account", name="ann", invitationCode="AAAA-BBBB-CCCC")
                assert refusal_of(wrong)[1] == "INVITATION_NOT_FOUND"
                assert browser.session()["newcomer"]
                entered = browser.post("/session/account", name="ann", invitationCode=code.lower())
                assert entered.json()["account"] == "ann"


def test_only_the_page_makes_accounts_and_links(browser: Browser) -> None:
    browser.login()
    del browser.http.headers["x-fudaba-page"]
    for path in ("/session/account", "/session/link"):
        assert browser.post(path, name=new_name()).status_code == 400
    browser.http.headers["x-fudaba-page"] = "1"
    answer = browser.http.post(
        "/session/account", json={"name": new_name()}, headers={"origin": "https://evil.example"}
    )
    assert answer.status_code == 400
    assert browser.session()["newcomer"]


def test_without_a_verified_login_nobody_gets_an_account(browser: Browser) -> None:
    answer = browser.post("/session/account", name=new_name())
    assert answer.status_code == 400
    assert "log in again" in answer.json()["message"]
    browser.begin()
    sealed = browser.http.cookies["fudaba_login"]
    browser.http.cookies.set("fudaba_newcomer", sealed)  # sealed by a gateway, for something else
    assert browser.post("/session/account", name=new_name()).status_code == 400


@pytest.mark.parametrize("state", ["", "another", "札"])
def test_a_wrong_state_ends_the_login(browser: Browser, ann: str, state: str) -> None:
    back = httpx.URL(browser.begin())
    assert browser.come(str(back.copy_set_param("state", state))) == "/account?login=expired"
    assert browser.come(str(back)) == "/account?login=expired"
    assert browser.session() == {"signedIn": False}


def test_another_browser_cannot_be_made_to_end_ones_login(browser: Browser, door: Gateway, ann: str) -> None:
    back = browser.begin()
    victim = Browser(door.url)
    with victim.http:
        assert victim.come(back) == "/account?login=expired"
        victim.begin()
        assert victim.come(back) == "/account?login=expired"
        assert victim.session() == {"signedIn": False}


@pytest.mark.parametrize("sealed", ["", "x", "gAAAAAB", "é", 5_000 * "A"])
def test_a_forged_cookie_of_a_login_is_none(browser: Browser, ann: str, sealed: str) -> None:
    back = browser.begin()
    browser.http.cookies.clear()
    done = browser.http.get(back, headers=[(b"cookie", f"fudaba_login={sealed}".encode())])
    assert done.headers["location"] == "/account?login=expired"


WRONG = {
    "a wrong nonce": {"nonce": "another"},
    "no nonce": {"nonce": None},
    "another issuer": {"iss": "https://issuer.example"},
    "another client": {"aud": "another"},
    "another client that names this one": {"aud": "another", "azp": CLIENT},
    "made for another of several": {"aud": [CLIENT, "another"], "azp": "another"},
    "no audience": {"aud": None},
    "long over": {"iat": 1_000, "exp": 2_000},
    "no end": {"exp": None},
    "no subject": {"sub": None},
    "an empty subject": {"sub": ""},
    "a subject that is no text": {"sub": ["ann"]},
    "a subject of several words": {"sub": "ann b"},
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("claims", WRONG.values(), ids=WRONG.keys())
def test_an_id_token_that_is_not_as_it_must_be_shows_nobody(
    browser: Browser, issuer: Provider, ann: str, claims: dict[str, Any]
) -> None:
    issuer.claims = claims
    assert browser.login() == "/account?login=unverified"
    assert browser.session() == {"signedIn": False}


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_an_id_token_that_others_could_have_signed_shows_nobody(
    browser: Browser, issuer: Provider, ann: str, algorithm: str
) -> None:
    assert algorithm in issuer.advertised
    issuer.algorithm = algorithm
    assert browser.login() == "/account?login=unverified"


def test_an_answer_of_another_issuer_is_refused(browser: Browser, ann: str) -> None:
    for issuer in ("https://issuer.example", ""):
        back = httpx.URL(browser.begin())
        assert browser.come(str(back.copy_set_param("iss", issuer))) == "/account?login=unverified"


def test_a_code_counts_once(browser: Browser, ann: str) -> None:
    back = browser.begin()
    kept = dict(browser.http.cookies)
    assert browser.come(back) == "/account"
    assert browser.come(back) == "/account?login=expired"  # the login is over
    browser.http.cookies.update(kept)
    assert browser.come(back) == "/account?login=refused"  # and so is its code


def test_a_login_that_the_provider_refused_is_told(browser: Browser) -> None:
    back = httpx.URL(browser.begin())
    refused = back.copy_remove_param("code").copy_set_param("error", "access_denied\r\nforged: line")
    assert browser.come(str(refused)) == "/account?login=refused"


def test_the_providers_new_key_counts_at_once(browser: Browser, issuer: Provider, ann: str) -> None:
    assert browser.login() == "/account"
    issuer.new_key()
    assert browser.login() == "/account"


def test_a_suspended_account_is_told(browser: Browser, ann: str, hosted: Service) -> None:
    with Client(hosted.address, hosted.token) as client:
        client.accounts.SuspendAccount(accounts_pb2.SuspendAccountRequest(account=ann), timeout=PATIENCE)
    assert browser.login() == "/account?login=barred"


@pytest.mark.parametrize(
    "to", ["https://evil.example", "//evil.example", "/\\evil.example", "/session/login", "/nothing"]
)
def test_a_login_ends_on_the_page_and_nowhere_else(browser: Browser, ann: str, to: str) -> None:
    begun = browser.http.get("/session/login", params={"to": to})
    back = httpx.get(begun.headers["location"], verify=NO_TLS, timeout=PATIENCE).headers["location"]
    assert browser.come(back) == "/account"


def test_another_site_cannot_begin_a_login(browser: Browser) -> None:
    begun = browser.http.get("/session/login", headers={"sec-fetch-site": "cross-site"})
    assert begun.headers["location"] == "/account"
    assert "set-cookie" not in begun.headers


@pytest.mark.exhaustive
def test_a_login_that_began_at_one_gateway_ends_at_another(
    browser: Browser, hosted: Service, issuer: Provider, gateway_token: Path, ann: str, tmp_path: Path
) -> None:
    with gateway(tmp_path, hosted.address, "", *options(issuer, gateway_token, tmp_path)) as second:
        begun = browser.begin()
        other = Browser(second.url)
        with other.http:
            other.http.cookies.update(browser.http.cookies)
            # Both are behind one name in truth; here the provider has to be told the other's.
            state = parse_qs(urlsplit(begun).query)["state"][0]
            code = parse_qs(urlsplit(begun).query)["code"][0]
            issuer.codes[code]["redirect_uri"] = f"{second.url}/session/callback"
            assert other.come(f"/session/callback?code={code}&state={state}&iss={issuer.issuer}") == "/account"
            assert other.session()["account"] == ann


@pytest.mark.exhaustive
def test_a_provider_that_is_down_is_told_and_does_no_harm_once_it_is_back(
    hosted: Service, gateway_token: Path, tmp_path: Path
) -> None:
    with provider() as issuer:
        issuer.subject = f"subject-{time.time_ns()}"
        with gateway(tmp_path, hosted.address, "", *options(issuer, gateway_token, tmp_path)) as door:
            browser = Browser(door.url)
            with browser.http:
                issuer.stop()
                assert browser.http.get("/session/login").headers["location"] == "/account?login=unreachable"
                assert "a login failed (unreachable): the provider does not answer" in door.output
                assert browser.post("/session", token=hosted.token).json()["scope"] == "organiser"  # tokens still work
                issuer.start()
                back = browser.begin()
                issuer.stop()
                assert browser.come(back) == "/account?login=unreachable"
                issuer.start()
                assert browser.login() == "/account?login=new"


def test_a_provider_that_calls_itself_otherwise_is_not_believed(
    hosted: Service, issuer: Provider, gateway_token: Path, tmp_path: Path
) -> None:
    words = options(issuer, gateway_token, tmp_path)
    words[words.index(issuer.issuer)] = issuer.issuer + "/"
    with gateway(tmp_path, hosted.address, "", *words) as door:
        assert door.http.get("/session/login").headers["location"] == "/account?login=unverified"
        assert "--login-issuer must be the same" in door.output
