"""What is taken away from a gateway, and what is brought to it."""

from __future__ import annotations

import io
import socket
import zipfile
from base64 import b64decode
from hashlib import sha256
from http.client import HTTPResponse
from urllib.parse import urlsplit

import httpx
import pytest

from fudaba.bundle import bundle
from fudaba.client import Client
from fudaba.v1 import accounts_pb2, bots_pb2
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service
from tests.support.web.gateways import Gateway, refusal_of
from tests.support.web.shared_servers import STANDING

ONE = b"import fudaba\n"


def test_the_contract_is_there_file_by_file_and_as_one(web: Gateway) -> None:
    archive = zipfile.ZipFile(io.BytesIO(web.http.get("/contract/fudaba-contract.zip").content))
    assert {name: archive.read(name) for name in archive.namelist()} == bundle()
    for name in ("fudaba.binpb", "contract.md", "rules/naga.md", "fudaba/v1/play.proto"):
        assert web.http.get(f"/contract/{name}").content == bundle()[name]


def test_what_has_not_changed_is_not_sent_again(web: Gateway) -> None:
    first = web.http.get("/contract/contract.md")
    again = web.http.get("/contract/contract.md", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.fixture(scope="module")
def alice(hosted: Service) -> str:
    """Returns the token of an author with a bot `one`."""

    def made() -> str:
        with Client(hosted.address, hosted.token) as client:
            request = accounts_pb2.CreateAccountRequest(name="alice")
            token: str = client.accounts.CreateAccount(request, timeout=PATIENCE).token
        with Client(hosted.address, token) as client:
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name="one"), timeout=PATIENCE)
        return token

    return STANDING.once("alice", made)


def put(web: Gateway, path: str, content: bytes, token: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return web.http.put(f"/submissions/{path}", content=content, headers=headers)


def test_a_submission_is_one_request(web: Gateway, alice: str) -> None:
    content = ONE + b"# " + b"x" * 700_000  # more than one piece
    answer = put(web, "one/bot.py?message=by%20hand", content, alice)
    assert answer.status_code == 200, answer.text
    sent = answer.json()
    assert (sent["bot"], sent["file"], sent["message"]) == ("one", "bot.py", "by hand")
    assert b64decode(sent["sha256"]) == sha256(content).digest()
    assert web.answer("ArenaService/GetSubmission", {"submissionId": sent["submissionId"]}, alice)


def test_a_submission_that_is_not_taken_says_why(web: Gateway, alice: str) -> None:
    assert refusal_of(put(web, "one/bot.py", ONE, "")) == ("unauthenticated", "TOKEN_MISSING")
    assert refusal_of(put(web, "another/bot.py", ONE, alice))[0] in {"not_found", "permission_denied"}
    assert refusal_of(put(web, "one/a/b.py", ONE, alice))[0] == "invalid_argument"
    assert refusal_of(put(web, "one/bot.py", b"", alice))[0] == "invalid_argument"


def test_a_file_that_is_announced_as_too_large_is_refused_at_once(web: Gateway, alice: str) -> None:
    where = urlsplit(web.url)
    with socket.create_connection((where.hostname or "", where.port or 0)) as connection:
        head = f"PUT /submissions/one/bot.py HTTP/1.1\r\nhost: web\r\nauthorization: Bearer {alice}\r\n"
        connection.sendall(f"{head}content-length: {2_000_000_000}\r\n\r\nx".encode())
        answer = HTTPResponse(connection)
        answer.begin()
        body = answer.read()
    assert answer.status == 400
    assert b"MESSAGE_TOO_LARGE" in body


def begun(web: Gateway, token: str, bot: str = "one", size: int = 1_000) -> socket.socket:
    """Returns a request of which the body comes when it is asked for."""
    where = urlsplit(web.url)
    connection = socket.create_connection((where.hostname or "", where.port or 0))
    head = f"PUT /submissions/{bot}/bot.py HTTP/1.1\r\nhost: web\r\nauthorization: Bearer {token}\r\n"
    connection.sendall(f"{head}expect: 100-continue\r\ncontent-length: {size}\r\n\r\n".encode())
    connection.settimeout(PATIENCE)
    return connection


def answered(connection: socket.socket) -> tuple[int, str]:
    answer = HTTPResponse(connection)
    answer.begin()
    return answer.status, answer.read().decode()


@pytest.mark.parametrize(
    ("token", "bot", "size", "reason"),
    [
        ("nobody's", "one", 1_000, "TOKEN_UNKNOWN"),
        ("", "another", 1_000, "BOT_NOT_FOUND"),
        ("", "one", 900_000_000, "SUBMISSION_TOO_LARGE"),
    ],
)
def test_nothing_of_a_file_is_read_that_would_not_be_taken(
    web: Gateway, alice: str, token: str, bot: str, size: int, reason: str
) -> None:
    with begun(web, token or alice, bot, size) as connection:
        assert connection.recv(10, socket.MSG_PEEK) == b"HTTP/1.1 4"  # and no "100 Continue" before it
        _, text = answered(connection)
    assert reason in text


def test_a_file_of_unknown_size_is_refused(web: Gateway, alice: str) -> None:
    answer = web.http.put("/submissions/one/bot.py", content=iter([ONE]), headers={"authorization": f"Bearer {alice}"})
    assert refusal_of(answer) == ("invalid_argument", "MALFORMED")
    assert "send a Content-Length" in answer.text


def test_an_account_sends_two_files_at_once_and_no_more(web: Gateway, alice: str) -> None:
    with begun(web, alice) as first, begun(web, alice) as second:
        for connection in (first, second):
            assert connection.recv(1_000).startswith(b"HTTP/1.1 100")  # it is read now
        answer = put(web, "one/bot.py", ONE, alice)
        assert refusal_of(answer) == ("resource_exhausted", "QUOTA_EXCEEDED")
        assert "account alice has its 2 files sent at once" in answer.text
        details = {detail["type"]: detail["debug"] for detail in answer.json()["details"]}
        assert details["google.rpc.ErrorInfo"]["metadata"]["limit"] == "2"
        assert details["google.rpc.RetryInfo"] == {"retryDelay": "5s"}
        first.sendall(ONE.ljust(1_000))
        assert answered(first)[0] == 200
        assert put(web, "one/bot.py", ONE, alice).status_code == 200
