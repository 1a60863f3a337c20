"""What a bot connects with: an address, a token and a capacity that cannot be are refused before anything happens."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.rpc import code_pb2

import fudaba
from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.errors import BadAddress, FudabaError, ServiceError
from fudaba.v1 import play_pb2
from tests.support.kit.scripted import First


@pytest.mark.parametrize("address", ["", "host", "host:", "host:99999", "http://host:1", "unix:", ":7710", "host:x"])
async def test_an_address_that_is_none_is_refused_with_an_example(address: str) -> None:
    with pytest.raises(BadAddress, match=r"is not an address|names no socket"):
        await play(First, PlayOptions(address=address))


async def test_a_token_that_cannot_be_one_is_refused(tmp_path: Any) -> None:
    with pytest.raises(BadAddress, match="token"):
        await play(First, PlayOptions(token="abc\n"))
    with pytest.raises(BadAddress, match="token"):
        await play(First, PlayOptions(token="ab c"))
    with pytest.raises(BadAddress, match="certificate"):
        await play(First, PlayOptions(ca_cert=str(tmp_path / "none.pem")))


@pytest.mark.parametrize("given", ["many", "-1", "1000001"])
def test_a_capacity_in_the_environment_that_is_none_is_refused_before_anything(
    monkeypatch: pytest.MonkeyPatch, given: str
) -> None:
    monkeypatch.setenv("FUDABA_CAPACITY", given)
    with pytest.raises(FudabaError, match="write how many matches at once"):
        fudaba.run(First)


async def test_a_script_says_with_the_environment_s_words_where_and_how_many(
    scripted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hellos: list[play_pb2.Hello] = []

    async def script(line: Any) -> None:
        hellos.append(await line.welcome())
        await line.abort(code_pb2.UNAUTHENTICATED, "TOKEN_UNKNOWN", "that was all")

    service = await scripted(script)
    monkeypatch.setenv("FUDABA_SERVER", service.options().address)
    monkeypatch.setenv("FUDABA_TOKEN", "the-token")
    monkeypatch.setenv("FUDABA_CAPACITY", "3")
    with pytest.raises(ServiceError, match="that was all"):
        await asyncio.to_thread(fudaba.run, First)
    assert [hello.capacity for hello in hellos] == [3]
