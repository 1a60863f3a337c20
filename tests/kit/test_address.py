"""Addresses: one parser of HOST:PORT for all that listen and all that look."""

from __future__ import annotations

import pytest

from fudaba.address import HostPort, check_address, is_host_port, is_loopback, parse_host_port
from fudaba.errors import BadAddress


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("127.0.0.1:7710", HostPort("127.0.0.1", 7710)),
        ("play.example.org:443", HostPort("play.example.org", 443)),
        ("[::1]:7710", HostPort("::1", 7710)),
        ("localhost:0", HostPort("localhost", 0)),
    ],
)
def test_host_and_port_are_read(text: str, parts: HostPort) -> None:
    assert parse_host_port(text) == parts
    assert is_host_port(text)


@pytest.mark.parametrize(
    "text",
    ["", "nonsense", ":7710", "host:", "host:x", "host:65536", "host:-1", "host:٣", "::1:7710", "[]:1", "host:1 "],
)
def test_what_is_no_host_and_port_is_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(BadAddress, match="write HOST:PORT, for example 127"):
        parse_host_port(text)
    assert not is_host_port(text)


@pytest.mark.parametrize("address", ["127.0.0.1:7710", "[::1]:7710", "unix:/run/fudaba", "unix-abstract:fudaba"])
def test_an_address_of_a_service_is_taken(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize("address", ["host:0", "unix:", "https://host:1", "host", "a\nb:1", "::1:7710"])
def test_what_is_no_address_of_a_service_is_refused(address: str) -> None:
    with pytest.raises(BadAddress):
        check_address(address)


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "localhost:1", "unix:/x"])
def test_loopback_is_what_no_other_machine_reaches(address: str) -> None:
    assert is_loopback(address)


@pytest.mark.parametrize("address", ["0.0.0.0:1", "[::]:1", "127.example.org:1", "localhost.example.org:1", "nonsense"])
def test_what_others_may_reach_is_no_loopback(address: str) -> None:
    assert not is_loopback(address)
