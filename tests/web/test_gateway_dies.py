"""A gateway that dies in mid-match: the next one goes on, and nothing is lost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.authors import PAGE, Author
from tests.support.web.gateways import NO_TLS, Gateway


@pytest.fixture
def ann(hosted: Service, web: Gateway) -> Iterator[Author]:
    author = Author(hosted, web)
    yield author
    author.http.close()


class Seat:
    """One seat of a match, played with JSON over whatever gateway there is."""

    def __init__(self, token: str, match_id: str) -> None:
        self.headers = {"authorization": f"Bearer {token}"}
        self.match_id = match_id
        self.seen = self.history = 0
        self.events: list[Any] = []
        self.answered: list[str] = []
        self.over = False

    def play(self, url: str, answers: int) -> None:
        """Plays on until so many decisions are answered, or the match is over."""
        body = json.dumps({"matchId": self.match_id, "seen": self.seen, "history": self.history}).encode()
        headers = self.headers | {"content-type": "application/connect+json"}
        content, left = b"\0" + len(body).to_bytes(4, "big") + body, b""
        with (
            httpx.Client(base_url=url, timeout=PATIENCE, headers=self.headers, verify=NO_TLS) as client,
            client.stream("POST", "/fudaba.v1.PlayService/WatchSeat", content=content, headers=headers) as stream,
        ):
            for chunk in stream.iter_bytes():
                left += chunk
                while len(left) >= 5 and len(left) >= (end := 5 + int.from_bytes(left[1:5], "big")):
                    flags, message, left = left[0], json.loads(left[5:end]), left[end:]
                    assert not flags or message == {}, message
                    if flags or self._take(client, message["update"], answers):
                        return

    def _take(self, client: httpx.Client, update: Any, answers: int) -> bool:
        self.events += update.get("events", [])
        self.seen, self.history = update.get("seen", 0), update.get("history", 0)
        assert len(self.events) == self.seen
        if "over" in update:
            self.over = True
            return True
        if decision := update.get("decision"):
            self.submit(client, decision["decisionId"])
        return len(self.answered) >= answers

    def submit(self, client: httpx.Client, decision: str) -> Any:
        """Answers a decision; what stands for it."""
        answer = {"matchId": self.match_id, "decisionId": decision, "index": 0}
        reply = client.post("/fudaba.v1.PlayService/SubmitMove", json={"answer": answer})
        assert reply.status_code == 200, reply.text
        if decision not in self.answered:
            self.answered.append(decision)
        return reply.json()


def test_when_a_gateway_dies_in_mid_match_the_next_one_goes_on_and_nothing_is_lost(
    web: Gateway, ann: Author, hosted: Service, tmp_path: Path
) -> None:
    token = ann.page("BotService/CreateToken", {"bot": ann.bot}).json()["token"]
    seats = [{"caller": {}}, {"houseBot": "house-first"}]
    made = web.answer("MatchService/CreateMatch", {"game": "naga", "seats": seats}, token)["match"]
    seat = Seat(token, made["header"]["matchId"])
    first = Gateway(tmp_path, hosted.address, "")
    try:
        seat.play(first.url, 3)
        answered_before = len(seat.answered)
        assert answered_before == 3
    finally:
        first.process.kill()
    first.process.wait(PATIENCE)
    with httpx.Client(base_url=web.url, timeout=PATIENCE, headers=seat.headers, verify=NO_TLS) as client:
        # Whether the last answer arrived was perhaps not told: sent again it is the same move, and no second one.
        assert seat.submit(client, seat.answered[-1])["repeatedCall"] is True
    assert ann.http.get("/session", headers=PAGE).json()["account"] == ann.name
    seat.play(web.url, 10**6)
    assert seat.over
    assert len(set(seat.answered)) == len(seat.answered) > answered_before
    whole = Seat(token, seat.match_id)
    whole.play(web.url, 10**6)
    assert whole.events == seat.events
