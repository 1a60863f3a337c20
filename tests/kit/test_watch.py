"""Watching a match in the terminal, also over a line that breaks."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import grpc.aio
import pytest
from click.testing import CliRunner, Result

from fudaba.cli import cli
from fudaba.v1 import matches_pb2, record_pb2
from tests.support.kit.scripted import Hosted


class Watched:
    """A match of which each connection shows this many messages before it breaks; the last one shows the rest."""

    def __init__(self, address: str, *breaks: int) -> None:
        self.address = address
        self.breaks = list(breaks)
        self.asked: list[int] = []
        self.messages = self._messages()

    def _messages(self) -> list[matches_pb2.WatchMatchResponse]:
        hosted = Hosted("m")
        messages: list[matches_pb2.WatchMatchResponse] = []
        shown_count = 0

        def tell() -> matches_pb2.WatchMatchResponse:
            nonlocal shown_count
            message = matches_pb2.WatchMatchResponse()
            shown = hosted.match.shown(None)
            for event in shown[shown_count:]:
                hosted.codec.event_to_proto(event, message.events.add())
            shown_count = message.seen = len(shown)
            hosted.codec.view_to_proto(hosted.match.view(None), message.view)
            messages.append(message)
            return message

        first = tell()
        first.match.header.CopyFrom(hosted.header())
        first.match.state = matches_pb2.MATCH_STATE_PLAYING
        while (decision := next(iter(hosted.match.open_decisions()), None)) is not None:
            hosted.match.play(decision.seat, decision.legal[0])
            if len(hosted.match.shown(None)) > shown_count:
                tell()
        assert hosted.match.outcome is not None
        last = messages[-1].match
        last.header.CopyFrom(hosted.header())
        last.state = matches_pb2.MATCH_STATE_FINISHED
        last.end.CopyFrom(record_pb2.MatchEnd())
        last.end.outcome.scores.extend(hosted.match.outcome.scores)
        last.end.outcome.placements.extend(hosted.match.outcome.placements)
        return messages

    async def _watch(self, request: matches_pb2.WatchMatchRequest, context: Any) -> AsyncIterator[Any]:
        self.asked.append(request.seen)
        left = [message for message in self.messages if message.seen > request.seen]
        count = self.breaks.pop(0) if self.breaks else len(left)
        for message in left[:count]:
            yield message
        if count < len(left):
            await context.abort(grpc.StatusCode.UNAVAILABLE, "Connection reset by peer")

    async def __aenter__(self) -> Watched:
        self._server = grpc.aio.server()
        handler = grpc.unary_stream_rpc_method_handler(
            self._watch,
            matches_pb2.WatchMatchRequest.FromString,
            matches_pb2.WatchMatchResponse.SerializeToString,
        )
        self._server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler("fudaba.v1.MatchService", {"WatchMatch": handler}),)
        )
        self._server.add_insecure_port(self.address)
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(None)

    async def run(self, *options: str) -> Result:
        arguments = ["match", "watch", "m", "--server", self.address, *options]
        return await asyncio.to_thread(CliRunner().invoke, cli, arguments)


@pytest.fixture
def address(tmp_path: Path) -> str:
    return f"unix:{tmp_path}/w"


async def test_a_match_is_told_line_by_line_to_its_result(address: str) -> None:
    async with Watched(address) as watched:
        result = await watched.run()
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0].startswith("match m: naga")
    assert any(line.startswith("Battle for ") for line in lines)
    battles = [number for number, line in enumerate(lines) if line.startswith("Battle for ")]
    assert lines.index("-- playing") < battles[0]
    assert lines.index("-- finished") > battles[-1]
    assert any(line.startswith("start: ") and "60000 ms" in line for line in lines)
    assert "score" in lines[-1]
    assert "\x1b" not in result.stdout


async def test_a_line_that_breaks_is_made_again_and_nothing_is_told_twice(address: str) -> None:
    async with Watched(address) as watched:
        whole = (await watched.run()).stdout
    async with Watched(address, 3, 2) as watched:
        result = await watched.run()
        seen = [message.seen for message in watched.messages]
    assert result.stdout == whole
    assert watched.asked == [0, seen[2], seen[4]]
    assert "trying again" in result.stderr


async def test_messages_can_be_had_as_json_lines(address: str) -> None:
    async with Watched(address) as watched:
        lines = [json.loads(line) for line in (await watched.run("--json")).stdout.splitlines()]
    assert len(lines) == len(watched.messages)
    assert lines[-1]["match"]["end"]["outcome"]["placements"]


async def test_the_table_can_be_drawn_after_each_message(address: str) -> None:
    async with Watched(address) as watched:
        plain, drawn = (await watched.run()).stdout, (await watched.run("--table")).stdout
    assert len(drawn) > 2 * len(plain)


async def test_on_a_terminal_the_table_stays_at_the_bottom(address: str) -> None:
    async with Watched(address) as watched:
        master, slave = pty.openpty()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", "from fudaba.cli import main; main()", "match", "watch", "m", "--server", address,
            stdout=slave, stderr=slave, env={**os.environ, "TERM": "xterm"},
        )  # fmt: skip
        os.close(slave)
        output = await asyncio.to_thread(_drain, master)
        assert await process.wait() == 0
    # Each table is erased before the next events are printed, so exactly as many are drawn as erased.
    assert output.count("\x1b[J") == len(watched.messages) - 1
    assert "Battle for " in output.split("\x1b[J")[-2]


def _drain(master: int) -> str:
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(master)
    return b"".join(parts).decode()
