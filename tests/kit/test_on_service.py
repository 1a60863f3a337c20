"""The kit's clients and bots against the real service, some in processes of their own."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import zlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.bot import Bot
from fudaba.bots import First, Random
from fudaba.bundle import write_bundle
from fudaba.client import AsyncClient, Client, translated
from fudaba.errors import ServiceError
from fudaba.local import play_local
from fudaba.v1 import bots_pb2, catalog_pb2, matches_pb2
from fudaba_games import naga
from fudaba_games.registry import GAMES
from tests.support.patience import PATIENCE

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.kit.served import Served
from tests.support.service.processes import free_port

FUDABA = (sys.executable, "-c", "from fudaba.cli import main; main()")

SLOW = """
import time, fudaba

class Slow(fudaba.Bot):
    def choose(self, decision):
        print("thinking", flush=True)
        time.sleep(3600)
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("s"))
    service.start()
    yield service
    service.kill()


def test_the_client_speaks_every_service_and_raises_one_kind_of_error(served: Served) -> None:
    served.bot("jan")
    with Client(served.address, served.token) as client:
        games = client.catalog.ListGames(catalog_pb2.ListGamesRequest()).games
        assert [game.id for game in games] == list(GAMES)
        assert "jan" in {bot.name for bot in client.bots.ListBots(bots_pb2.ListBotsRequest()).bots}
        with pytest.raises(ServiceError) as caught:
            client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id="nothere"))
        assert (caught.value.code, caught.value.reason) == ("NOT_FOUND", "MATCH_NOT_FOUND")
        assert not caught.value.retryable
        with pytest.raises(ServiceError):
            next(iter(client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id="nothere"))))


@pytest.fixture
async def client(served: Served) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(served.address, served.token) as found:
        yield found


async def test_so_does_the_client_for_event_loops(served: Served, client: AsyncClient) -> None:
    await asyncio.to_thread(served.bot, "karl")
    assert "karl" in {bot.name for bot in (await client.bots.ListBots(bots_pb2.ListBotsRequest())).bots}
    with pytest.raises(ServiceError) as caught:
        await client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id="nothere"))
    assert caught.value.reason == "MATCH_NOT_FOUND"
    stream = client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id="nothere"))
    with pytest.raises(ServiceError) as caught:
        async for _ in translated(stream):
            pass
    assert caught.value.reason == "MATCH_NOT_FOUND"


@pytest.mark.exhaustive
@pytest.mark.parametrize("answer", [None, 10_000, "\ud800", "designate 4", "hello", naga.Designate(4)])
async def test_answers_are_judged_on_a_service_as_in_process(served: Served, answer: Any) -> None:
    class Wrong(Bot):
        def choose(self, decision: Any) -> Any:
            return answer

    name = f"wrong-{zlib.crc32(repr(answer).encode('utf-8', 'replace')):x}"
    a, b = served.bot(name), served.bot(f"{name}-other")
    created = ("match", "create", "naga", name, f"{name}-other", "--option", "deals=3", "--seed", "11" * 32)
    match_id = served.ok(*created).strip()
    async with asyncio.timeout(PATIENCE):
        tally, _ = await asyncio.gather(
            *(play(bot, dataclasses.replace(options, matches=1)) for bot, options in ((Wrong, a), (First, b)))
        )
    end = json.loads(served.ok("match", "show", match_id, "--json"))["end"]
    local = play_local([Wrong, First], "naga", {"deals": 3}, seed=b"\x11" * 32)
    assert tuple(end["outcome"]["scores"]) == local.scores
    assert end.get("forfeit_cause", "").removeprefix("FORFEIT_CAUSE_") == local.result.forfeit_cause
    assert local.seats[0].refused > 0
    # A refusal that comes with the end of the match is not asked again, so it may not be counted by the process.
    assert tally.refused in {local.seats[0].refused, local.seats[0].refused - 1}


@pytest.mark.nightly("`tests/clients/test_bundle_sample.py` has it play, and `test_bundle.py` has what is written")
async def test_the_bot_for_node_in_the_bundle_plays_as_printed(
    served: Served, tmp_path: Path, need_tool: Callable[[str], Path]
) -> None:
    need_tool("node")
    need_tool("npm")
    written = tmp_path / "bundle"
    write_bundle(written)
    text = (written / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```js\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    (install,) = re.findall(r"^ {4}(npm install .*)$", text, re.MULTILINE)
    (start,) = re.findall(r"^ {4}FUDABA_TOKEN=\.\.\. (node bot.js) 127.0.0.1:7710$", text, re.MULTILINE)
    (written / "bot.js").write_text(code, encoding="utf-8")
    await asyncio.to_thread(
        subprocess.run, install.split(), cwd=written, check=True, capture_output=True, timeout=PATIENCE
    )
    node, other = served.bot("nora"), served.bot("otto")
    for number in range(2):
        pair = ("nora", "otto") if number else ("otto", "nora")
        served.ok("match", "create", "naga", *pair, "--id", f"node-{number}", "--option", "deals=2")
    with (tmp_path / "out").open("w") as out:
        process = subprocess.Popen(  # noqa: ASYNC220 - only its ends are waited for
            [*start.split(), served.address], cwd=written, env={**os.environ, "FUDABA_TOKEN": node.token},
            stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
    try:
        async with asyncio.timeout(PATIENCE):
            tally = await play(First, dataclasses.replace(other, matches=2))
        output = ""
        async with asyncio.timeout(PATIENCE):
            while output.count("seat ") < 2:
                output = (tmp_path / "out").read_text()
                await asyncio.sleep(0.02)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
    assert output.startswith("connected as nora version 1\n")
    assert "refused" not in output
    for number, score in enumerate(_score_of("otto", served, f"node-{number}") for number in range(2)):
        assert f"node-{number}: seat {1 - number}: {-score}\n" in output
    assert tally.finished == 2
    # It chose its moves itself: neither was it forfeited, nor did time run out.
    for number in range(2):
        path = tmp_path / f"{number}.fudaba"
        served.ok("record", "get", f"node-{number}", "-o", str(path))
        shown = served.ok("record", "show", str(path))
        assert "time ran out" not in shown
        assert "forfeit" not in shown.replace("forfeit: after", "")


def _score_of(bot: str, served: Served, match_id: str) -> int:
    match = json.loads(served.ok("match", "show", match_id, "--json"))
    seat = [player["bot"] for player in match["header"]["players"]].index(bot)
    return int(match["end"]["outcome"]["scores"][seat])


@pytest.mark.exhaustive
async def test_a_service_that_is_killed_and_started_again_loses_no_match(tmp_path: Path) -> None:
    service = Served(tmp_path, "--appendfsync", "always")
    service.start()
    a, b = service.bot("anna"), service.bot("bert")
    for number in range(4):
        service.ok("match", "create", "naga", "anna", "bert", "--option", "deals=20", "--id", f"m{number}")
    playing = asyncio.ensure_future(service.plays(a, b, 4))
    try:
        await asyncio.sleep(0.6)
        for _ in range(2):
            await asyncio.to_thread(service.kill, signal.SIGKILL)
            await asyncio.to_thread(service.start)
            await asyncio.sleep(0.3)
        tallies = await playing
    finally:
        playing.cancel()
        verified = [
            (service.run("record", "get", f"m{n}", "-o", str(tmp_path / f"m{n}")).exit_code,
             service.run("record", "verify", str(tmp_path / f"m{n}")).exit_code)
            for n in range(4)
        ]  # fmt: skip
        service.kill()
    assert [tally.finished for tally in tallies] == [4, 4]
    assert tallies[0].refused == tallies[1].refused == 0
    assert verified == [(0, 0)] * 4


@pytest.mark.exhaustive
def test_a_bot_process_that_is_told_to_stop_stops_though_its_bot_thinks(served: Served, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    token, other = served.bot("greta").token, served.bot("hans").token
    served.ok("match", "create", "naga", "greta", "hans")
    env = {**os.environ, **served.env(token)}
    opponent = subprocess.Popen(
        [*FUDABA, "bot", "run", "first", "-q"], env={**os.environ, **served.env(other)}, stdout=subprocess.PIPE
    )
    process = subprocess.Popen(
        [*FUDABA, "bot", "run", f"{tmp_path}/slow.py:Slow"],
        env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "thinking\n"
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        opponent.terminate()
        opponent.communicate(timeout=PATIENCE)
    assert process.returncode == 0
    assert "0 matches finished" in out
    assert "1 unfinished match is left to the clock" in err


@pytest.mark.exhaustive
def test_a_second_process_of_a_bot_takes_over_and_the_first_one_ends(served: Served) -> None:
    token = served.bot("ida").token
    env = {**os.environ, **served.env(token)}
    command = [*FUDABA, "bot", "run", "first"]
    first = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert first.stderr is not None
    assert "connected to" in first.stderr.readline()
    second = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        _, errors = first.communicate(timeout=PATIENCE)
        assert first.returncode == 1
        assert "SUPERSEDED" in errors
        assert second.poll() is None
    finally:
        first.kill()
        second.terminate()
        second.communicate(timeout=PATIENCE)


@pytest.mark.exhaustive
async def test_bots_play_over_tls_and_an_unknown_authority_is_refused(
    tmp_path: Path, need_tool: Callable[[str], Path]
) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(  # noqa: ASYNC221 - nothing else runs yet
        [need_tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    service = Served(tmp_path, "--tls-cert", str(cert), "--tls-key", str(key), listen=f"127.0.0.1:{free_port()}")
    service.start()
    service.ca_cert = str(cert)
    try:
        tokens = [service.ok("bot", "create", name, "--ca-cert", str(cert)).strip() for name in ("a", "b")]
        service.ok("match", "create", "naga", "a", "b", "--ca-cert", str(cert))
        a, b = (PlayOptions(address=service.address, token=token, ca_cert=str(cert)) for token in tokens)
        assert [tally.finished for tally in await service.plays(a, b, 1)] == [1, 1]
        assert "--ca-cert" in service.refused("match", "list", "--tls")
        # gRPC's own log stays out of sight.
        env = {name: value for name, value in os.environ.items() if not name.startswith("GRPC_")} | service.env()
        command = [sys.executable, "-m", "fudaba", "match", "list", "--tls"]
        done = await asyncio.to_thread(subprocess.run, command, env=env, capture_output=True, text=True, check=False)
        assert (done.stderr.startswith("error: "), done.stderr.count("\n")) == (True, 1), done.stderr
        # What cannot be mended by trying again is not tried again.
        with pytest.raises(ServiceError, match="not trusted"):
            await play(Random, PlayOptions(address=service.address, token=tokens[0], tls=True))
        assert "does it want --tls?" in service.refused("match", "list")
        with pytest.raises(ServiceError, match="does it want --tls"):
            await play(Random, PlayOptions(address=service.address, token=tokens[0], retry_seconds=0))
    finally:
        service.kill()
