"""What the processes of a service say to each other arrives as it was said."""

from __future__ import annotations

import asyncio
import socket
from dataclasses import fields
from pathlib import Path

import pytest

from fudaba_service.processes.line import Line, LineEnded, packed, unpacked
from fudaba_service.settings import Settings


def test_settings_arrive_as_they_were() -> None:
    paths = {field.name: Path("/somewhere") / field.name for field in fields(Settings) if "Path" in str(field.type)}
    assert "tls_key" in paths
    every = Settings(**paths, archive="s3://bucket", guests=True, grace_seconds=0.5, processes=3)  # type: ignore[arg-type]  # by name
    for settings in (Settings(Path("data")), every):
        assert unpacked(packed(settings)) == settings


async def test_what_is_sent_arrives_whole_and_in_order_until_the_other_end_is_closed() -> None:
    near_end, other = socket.socketpair()
    here, there = await Line.over(near_end), await Line.over(other)
    sent = [("settings", {"text": "札場\n", "long": "x" * 200_000}), ("begin", None), ("metrics", [1, [2.5]])]

    async def send() -> None:
        for kind, value in sent:
            await here.send(kind, value)
        here.close()

    sending = asyncio.create_task(send())
    assert [await there.receive() for _ in sent] == sent
    await sending
    with pytest.raises(LineEnded):
        await there.receive()
    there.close()


async def test_a_line_that_breaks_in_a_message_has_ended() -> None:
    near_end, other = socket.socketpair()
    there = await Line.over(other)
    near_end.sendall(b'["metrics", [1,')
    near_end.close()
    with pytest.raises(LineEnded):
        await there.receive()
    there.close()
