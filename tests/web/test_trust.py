"""Whose word a gateway takes: it lends nobody its own rights, and a client's address is what a proxy it knows says."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, gateway
from tests.support.web.limited_servers import REGISTRATIONS_PER_HOUR, gateway_token, hosted, web

__all__ = ["gateway_token", "hosted", "web"]


def new_account(web: Gateway, address: str) -> tuple[str, str]:
    """Registers somebody from an address; the refusal, empty if there is none."""
    answer = web.call("AccountService/CreateAccount", {"name": f"a{uuid4().hex[:10]}"}, **{"x-forwarded-for": address})
    if answer.status_code == 200:
        return "", ""
    return answer.json()["code"], answer.json()["details"][0]["debug"]["reason"]


@pytest.mark.exhaustive
def test_limits_of_an_address_are_those_of_the_client_and_not_of_the_gateway(web: Gateway) -> None:
    codes = [new_account(web, "192.0.2.1")[0] for _ in range(REGISTRATIONS_PER_HOUR + 1)]
    assert codes == [""] * REGISTRATIONS_PER_HOUR + ["resource_exhausted"]
    assert new_account(web, "192.0.2.2") == ("", "")


def test_who_is_no_known_proxy_cannot_say_where_it_is(hosted: Service, gateway_token: Path, tmp_path: Path) -> None:
    with gateway(tmp_path, hosted.address, "", "--token-file", str(gateway_token)) as direct:
        codes = [new_account(direct, f"198.51.100.{n}")[0] for n in range(REGISTRATIONS_PER_HOUR + 1)]
    assert codes[-1] == "resource_exhausted"


def test_nobody_gets_an_account_or_a_token_for_a_login_that_was_not_verified(web: Gateway) -> None:
    link = {"issuer": "https://issuer.example", "subject": "mallory"}
    made = {"name": "mallory", "link": link}
    assert web.refusal("AccountService/CreateAccount", made)[1] == "ORGANISER_ONLY"
    assert web.refusal("AccountService/ExchangeLogin", {"link": link})[1] == "TOKEN_MISSING"
    assert web.refusal("AccountService/AddLink", {"account": "mallory", "link": link})[1] == "TOKEN_MISSING"


def test_a_client_cannot_name_an_address_as_a_gateway_does(web: Gateway) -> None:
    for _ in range(REGISTRATIONS_PER_HOUR):
        assert new_account(web, "192.0.2.9") == ("", "")
    answer = web.call(
        "AccountService/CreateAccount",
        {"name": "someone"},
        **{"x-forwarded-for": "192.0.2.9", "fudaba-client-address": "192.0.2.10"},
    )
    assert answer.json()["code"] == "resource_exhausted"


def test_a_token_that_is_of_no_use_is_refused_as_the_service_does(web: Gateway) -> None:
    assert web.refusal("AccountService/WhoAmI", token="fudaba-bot-none") == ("unauthenticated", "TOKEN_UNKNOWN")
    assert web.refusal("AccountService/WhoAmI") == ("unauthenticated", "TOKEN_MISSING")


def test_every_answer_tells_browsers_to_run_and_frame_nothing(web: Gateway) -> None:
    for answer in (
        web.http.get("/"),
        web.http.get("/nothing"),
        web.http.get("/contract/contract.md"),
        web.call("CatalogService/ListGames"),
        web.call("CatalogService/GetGame"),
    ):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers
        assert "access-control-allow-origin" not in answer.headers
