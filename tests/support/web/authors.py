"""An author who is signed in at a gateway."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, bots_pb2
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import NO_TLS, Gateway

PAGE = {"x-fudaba-page": "1"}
SCRIPT = "<script>alert(1)</script>"


class Author:
    """An account with a bot, signed in at a gateway as the page signs in."""

    def __init__(self, hosted: Service, web: Gateway) -> None:
        self.name = f"author-{uuid4().hex[:8]}"
        self.bot = f"{self.name}-bot"
        with Client(hosted.address, hosted.token) as client:
            request = accounts_pb2.CreateAccountRequest(name=self.name, display_name=f"{SCRIPT} {self.name}")
            self.token = client.accounts.CreateAccount(request, timeout=PATIENCE).token
        with Client(hosted.address, self.token) as client:
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=self.bot), timeout=PATIENCE)
        self.http = httpx.Client(base_url=web.url, timeout=PATIENCE, verify=NO_TLS)
        assert self.http.post("/session", json={"token": self.token}, headers=PAGE).status_code == 200

    def page(self, method: str, message: Any) -> httpx.Response:
        """A call of the page."""
        return self.http.post(f"/fudaba.v1.{method}", json=message, headers=PAGE)

    def tokens(self) -> int:
        return len(self.page("AccountService/ListTokens", {}).json()["tokens"])
