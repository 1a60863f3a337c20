"""Request smuggling: what follows a request is the next one to a gateway and to what is before it, or is nothing."""

from __future__ import annotations

import re
import socket
from urllib.parse import urlsplit

import pytest

from tests.support.patience import PATIENCE
from tests.support.web.gateways import Gateway
from tests.support.web.smuggling import CHUNKED, CHUNKS, HIDDEN, NEXT, POST


def answers(web: Gateway, sent: bytes) -> list[int]:
    """Returns the statuses of all answers on one connection, which the gateway closes."""
    address = urlsplit(web.url)
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as connection:
        connection.sendall(sent)
        got = bytearray()
        try:
            while piece := connection.recv(65_536):
                got += piece
        except ConnectionResetError:
            pass  # what it has not read any more
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", got)]


@pytest.mark.parametrize("sent", HIDDEN.values(), ids=HIDDEN)
def test_behind_a_request_whose_end_is_ambiguous_nothing_is_answered(web: Gateway, sent: bytes) -> None:
    assert answers(web, sent) == [400]


@pytest.mark.parametrize(
    "sent", [POST + CHUNKED + CHUNKS, POST + b"Content-Length: 2\r\n\r\n{}" + NEXT], ids=["chunks", "a length"]
)
def test_requests_whose_end_is_plain_are_answered_one_after_the_other(web: Gateway, sent: bytes) -> None:
    assert answers(web, sent) == [200, 404]
