"""A code becomes the session of a page, once."""

from __future__ import annotations

import re
from uuid import uuid4

import httpx
import pytest
from starlette.responses import Response

from fudaba.client import Client
from fudaba.v1 import accounts_pb2
from fudaba_web.sessions import SessionCookie
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import NO_TLS, Gateway, refusal_of

DAY_SECONDS = 24 * 3_600
PAGE = {"x-fudaba-page": "1"}


def new_code(hosted: Service) -> tuple[str, str]:
    """Returns a new account, and a link's code for it."""
    name = f"cora-{uuid4().hex[:8]}"
    with Client(hosted.address, hosted.token) as client:
        client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name=name), timeout=PATIENCE)
        kind = accounts_pb2.SIGN_IN_CODE_KIND_LINK
        asked = accounts_pb2.CreateSignInCodeRequest(account=name, kind=kind)
        return name, client.accounts.CreateSignInCode(asked, timeout=PATIENCE).code


def test_a_code_signs_in_once_and_signing_out_ends_its_token(web: Gateway, hosted: Service) -> None:
    name, code = new_code(hosted)
    with httpx.Client(base_url=web.url, headers=PAGE, timeout=PATIENCE, verify=NO_TLS) as browser:
        entered = browser.post("/session/code", json={"code": code})
        assert entered.status_code == 200, entered.text
        assert (entered.json()["scope"], entered.json()["account"]) == ("author", name)
        life_seconds = re.search(r"max-age=(\d+)", entered.headers["set-cookie"].lower())
        assert life_seconds is not None, "it has to outlive the browser"
        assert 29 * DAY_SECONDS < int(life_seconds[1]) <= 30 * DAY_SECONDS
        token = browser.cookies["fudaba_session"].strip('"').removeprefix("made:")
        assert browser.get("/session").json()["account"] == name
        assert browser.delete("/session").status_code == 204
        assert web.refusal("AccountService/WhoAmI", token=token)[1] == "TOKEN_UNKNOWN"
        assert refusal_of(browser.post("/session/code", json={"code": code}))[1] == "INVITATION_NOT_FOUND"


def test_only_the_page_signs_in_with_a_code(web: Gateway, hosted: Service) -> None:
    _, code = new_code(hosted)
    for headers in ({}, PAGE | {"sec-fetch-site": "cross-site"}):
        answer = web.http.post("/session/code", json={"code": code}, headers=headers)
        assert refusal_of(answer) == ("invalid_argument", "MALFORMED")
    assert web.http.post("/session/code", json={"code": code}, headers=PAGE).status_code == 200


def test_what_is_no_text_is_refused_in_words(web: Gateway) -> None:
    for body in ('{"code": "\\ud800"}', "[" * 3_000):
        answer = web.http.post("/session/code", content=body, headers=PAGE)
        assert refusal_of(answer) == ("invalid_argument", "MALFORMED")


@pytest.mark.parametrize(("path", "goes"), [("/session/code", False), ("/session/guest", False), ("/other", True)])
async def test_signing_in_anew_in_vain_leaves_who_is_signed_in_as_they_were(path: str, goes: bool) -> None:
    app = SessionCookie(Response(status_code=401))
    transport = httpx.ASGITransport(app)
    headers = PAGE | {"cookie": "fudaba_session=a-guests"}
    async with httpx.AsyncClient(transport=transport, base_url="http://play.example.org", headers=headers) as browser:
        answer = await browser.post(path)
    assert ("set-cookie" in answer.headers) == goes
