"""The kit and its commands against the real service, in processes of their own."""

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
from click.testing import CliRunner, Result

from fudaba import records
from fudaba._stream import PlayOptions, play
from fudaba.bot import Answer, Bot, Decision
from fudaba.bots import First, Random, built_in
from fudaba.bundle import write_bundle
from fudaba.cli import cli
from fudaba.client import AsyncClient, Client, translated
from fudaba.errors import ServiceError
from fudaba.local import play_local
from fudaba.v1 import bots_pb2, catalog_pb2, matches_pb2
from fudaba_games import naga
from fudaba_games.registry import GAMES
from tests.patience import PATIENCE

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.service.processes import Service, free_port

FUDABA = (sys.executable, "-c", "from fudaba.cli import main; main()")

SLOW = """
import time, fudaba

class Slow(fudaba.Bot):
    def choose(self, decision):
        print("thinking", flush=True)
        time.sleep(3600)
"""


class Served:
    """A service in a process of its own, on a socket of its own."""

    def __init__(self, folder: Path, *options: str, listen: str = "") -> None:
        self.process = Service(folder, *options, listen=listen or f"unix:{folder}/s")
        self.token = ""
        self.ca_cert = ""

    @property
    def address(self) -> str:
        return self.process.address

    def start(self) -> None:
        self.process.start()
        self.token = self.process.token

    def kill(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.signal(number)
        self.process.wait()

    def env(self, token: str | None = None) -> dict[str, str]:
        return {"FUDABA_SERVER": self.address, "FUDABA_TOKEN": self.token if token is None else token}

    def run(self, *arguments: str, token: str | None = None) -> Result:
        return CliRunner().invoke(cli, list(arguments), env=self.env(token))

    def ok(self, *arguments: str, token: str | None = None) -> str:
        result = self.run(*arguments, token=token)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *arguments: str, token: str | None = None) -> str:
        result = self.run(*arguments, token=token)
        assert result.exit_code == 1, result.output
        assert result.stderr.startswith("error: ")
        return result.stderr

    def bot(self, name: str) -> PlayOptions:
        """A new bot, ready to be run."""
        token = self.ok("bot", "create", name).strip()
        return PlayOptions(address=self.address, token=token, ca_cert=self.ca_cert)

    async def plays(self, a: PlayOptions, b: PlayOptions, matches: int) -> list[Any]:
        """Runs two bots until each has played this many matches."""
        both = [
            play(factory, PlayOptions(address=one.address, token=one.token, ca_cert=one.ca_cert, matches=matches))
            for factory, one in ((built_in("random", 1), a), (First, b))
        ]
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*both)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    service = Served(tmp_path_factory.mktemp("s"))
    service.start()
    yield service
    service.kill()


async def test_matches_are_created_played_shown_watched_and_recorded(served: Served, tmp_path: Path) -> None:
    a, b = served.bot("anna"), served.bot("bert")
    created = [
        served.ok("match", "create", "naga", "anna", "bert@1", "--option", "deals=2", "--id", f"whole-{number}").strip()
        for number in range(3)
    ]
    assert created == ["whole-0", "whole-1", "whole-2"]
    assert "waiting" in served.ok("match", "show", "whole-0")
    tallies = await served.plays(a, b, 3)
    assert [tally.finished for tally in tallies] == [3, 3]
    assert sum(tallies[0].scores) == -sum(tallies[1].scores)

    listed = json.loads(served.ok("match", "list", "--state", "finished", "--json"))
    assert set(created) <= {match["header"]["match_id"] for match in listed}
    shown = served.ok("match", "show", "whole-0")
    assert "deals=2" in shown
    assert "state: finished" in shown
    assert "seat 0 (anna 1): score" in shown
    watched = served.ok("match", "watch", "whole-0").splitlines()
    assert any(line.startswith("Battle for ") for line in watched)
    assert watched[-2:] == shown.splitlines()[-2:]
    lines = [json.loads(line) for line in served.ok("match", "watch", "whole-0", "--json").splitlines()]
    assert sum(len(line.get("events", [])) for line in lines) == lines[-1]["seen"]

    path = tmp_path / "m.fudaba"
    served.ok("record", "get", "whole-1", "-o", str(path))
    assert served.ok("record", "verify", str(path)) == f"{path}: valid: commitment, every move, result\n"
    assert "seat 0 (anna 1): score" in served.ok("record", "show", str(path))
    assert "--force" in served.refused("record", "get", "whole-1", "-o", str(path))
    served.ok("record", "get", "whole-1", "-o", str(path), "--force")

    folder = tmp_path / "records"
    chosen = ("--bot", "anna", "--since", "2026-01-01", "--to", str(folder))
    assert "3 records fetched" in served.ok("record", "get", *chosen)
    (folder / "whole-1.fudaba").unlink()
    (folder / "whole-0.fudaba").write_bytes(b"mine")
    fetched = json.loads(served.ok("record", "get", *chosen, "--json"))
    assert fetched == {"fetched": ["whole-1"], "there": ["whole-2", "whole-0"], "not_sent": []}
    assert (folder / "whole-0.fudaba").read_bytes() == b"mine"
    assert json.loads(served.ok("record", "get", *chosen, "--force", "--json"))["fetched"] == created[::-1]
    assert {path.name for path in folder.iterdir()} == {f"{match_id}.fudaba" for match_id in created}
    assert served.ok("record", "verify", *map(str, folder.iterdir())).count("valid") == 3
    assert "0 records" in served.ok("record", "get", "--before", "2026-01-01", "--to", str(folder))


class Noting(Bot):
    """Says why, at more length than is kept."""

    instant = True

    def choose(self, decision: Decision) -> Answer:
        return Answer(decision.legal_moves[0], f"札 of {decision.legal_count}\n" + "札" * 1000)


async def test_a_bots_notes_are_fetched_beside_its_record_and_shown_below_its_moves(
    served: Served, tmp_path: Path
) -> None:
    one, other = served.bot("thea"), served.bot("timo")
    served.ok("match", "create", "naga", "thea", "timo", "--id", "noted")
    async with asyncio.timeout(PATIENCE):
        await asyncio.gather(
            *[
                play(factory, dataclasses.replace(options, matches=1))
                for factory, options in ((Noting, one), (First, other))
            ]
        )
    for name, token in (("mine", one.token), ("theirs", other.token)):
        path = tmp_path / f"{name}.fudaba"
        served.ok("record", "get", "noted", "-o", str(path), "--notes", token=token)
    moves = sum(entry.HasField("move") and entry.seat == 0 for entry in records.read(tmp_path / "mine.fudaba").log)
    shown = served.ok("record", "show", str(tmp_path / "mine.fudaba")).splitlines()
    told = [line.strip() for line in shown if line.strip().startswith("note: ")]
    assert len(told) == 2 * moves > 0
    assert all(len(line.encode()) < 1024 for line in told)
    first = next(number for number, line in enumerate(shown) if "note: 札 of" in line)
    assert "seat 0" in shown[first - 1]
    assert "note: " not in served.ok("record", "show", str(tmp_path / "theirs.fudaba"))
    assert not (tmp_path / "theirs.fudaba.notes.json").exists()
    served.ok("record", "get", "--bot", "thea", "--to", str(tmp_path / "all"), "--notes", token=one.token)
    notes = (tmp_path / "all" / "noted.fudaba.notes.json").read_text(encoding="utf-8")
    assert notes == (tmp_path / "mine.fudaba.notes.json").read_text(encoding="utf-8")
    assert "this call takes: author" in served.refused("record", "get", "noted", "-o", str(tmp_path / "m"), "--notes")
    (tmp_path / "theirs.fudaba.notes.json").write_text('{"match_id": "another"}')
    assert "the notes of match another" in served.refused("record", "show", str(tmp_path / "theirs.fudaba"))


def test_a_bot_has_versions_and_tokens(served: Served) -> None:
    made = json.loads(served.ok("bot", "create", "carl", "--author", "C.", "--version", "a", "--json"))
    assert (made["bot"]["name"], made["bot"]["author"], made["version"]) == ("carl", "C.", "a")
    assert "a, b" in served.ok("bot", "version", "add", "carl", "b")
    token = served.ok("bot", "token", "carl").strip()
    assert token not in {"", made["token"]}
    row = next(line for line in served.ok("bot", "list").splitlines() if line.startswith("carl"))
    assert row.split()[1:3] == ["b", "2"]
    assert "2 tokens" in served.ok("bot", "revoke", "carl", "--yes")
    assert "BOT_EXISTS" in served.refused("bot", "create", "carl")
    assert "BOT_NOT_FOUND" in served.refused("bot", "token", "nobody")


def test_an_account_is_made_listed_suspended_resumed_and_deleted(served: Served) -> None:
    token = served.ok("account", "create", "greta", "--display-name", "Greta G.").strip()
    made = json.loads(served.ok("bot", "create", "greta-bot", "--json", token=token))
    assert (made["bot"]["account"], made["bot"]["author"]) == ("greta", "Greta G.")
    assert "NOT_YOURS" in served.refused("bot", "create", "other-bot", "--account", "someone", token=token)
    rows = served.ok("token", "list", token=token).splitlines()
    assert sorted(row.split()[1] for row in rows[1:]) == ["author", "bot"]
    assert "account greta: suspended: enough" in served.ok("account", "suspend", "greta", "--message", "enough")
    assert "ACCOUNT_SUSPENDED" in served.refused("token", "show", token=token)
    assert "account greta: open" in served.ok("account", "resume", "greta")
    row = next(line for line in served.ok("account", "list").splitlines() if line.startswith("greta"))
    assert row.split()[1:4] == ["Greta", "G.", "1"]
    assert re.fullmatch(r"[0-9A-Z-]{14}\n", served.ok("account", "invite"))
    assert "REGISTRATION_CLOSED" in served.refused("account", "create", "hugo", token="")
    assert "--yes" in served.refused("account", "delete", "greta")
    assert "deleted-" in served.ok("account", "delete", "greta", "--yes", token=token)
    assert "ACCOUNT_NOT_FOUND" in served.refused("account", "suspend", "greta")
    told = served.ok("account", "actions")
    assert "AccountService.SuspendAccount" in told
    assert "account=greta, message=enough" in told


def test_a_token_is_made_shown_rotated_and_revoked(served: Served) -> None:
    bot = served.bot("tilda").token
    made = json.loads(
        served.ok("token", "create", "--scope", "arena", "--label", "spring", "--lifetime", "1h", "--json")
    )
    shown = served.ok("token", "show", token=made["token"])
    assert "scope: arena" in shown
    assert "label: spring" in shown
    assert served.ok("token", "create", "--bot", "tilda").startswith("fudaba-bot-")
    new = served.ok("token", "rotate", token=bot).strip()
    assert "TOKEN_UNKNOWN" in served.refused("token", "show", token=bot)
    assert "of: tilda 1" in served.ok("token", "show", token=new)
    assert "--yes" in served.refused("token", "revoke", made["info"]["token_id"])
    assert "was revoked" in served.ok("token", "revoke", made["info"]["token_id"], "--yes")
    assert "TOKEN_NOT_FOUND" in served.refused("token", "revoke", made["info"]["token_id"], "--yes")
    for wrong in (["--bot", "tilda", "--scope", "arena"], [], ["--scope", "arena", "--lifetime", "soon"]):
        assert served.run("token", "create", *wrong).exit_code == 2


def test_refusals_tell_what_to_do_and_give_exit_code_1(served: Served) -> None:
    bot = served.bot("dora").token
    assert "FUDABA_TOKEN" in served.refused("bot", "list", token="")
    assert "TOKEN_UNKNOWN" in served.refused("bot", "list", token="wrong")
    assert "WRONG_SCOPE" in served.refused("bot", "list", token=bot)
    assert "MATCH_NOT_FOUND" in served.refused("match", "show", "nothere")
    assert "MATCH_NOT_FOUND" in served.refused("match", "watch", "nothere")
    assert "MATCH_NOT_FOUND" in served.refused("record", "get", "nothere")
    assert "BAD_PLAYERS" in served.refused("match", "create", "naga", "dora")
    assert "BOT_NOT_FOUND" in served.refused("match", "create", "naga", "dora", "nobody")
    assert "GAME_NOT_FOUND" in served.refused("match", "create", "chess", "dora", "nobody")
    assert "BOT_ONLY" in served.refused("bot", "run", "first")
    assert "TOKEN_UNKNOWN" in served.refused("bot", "run", "first", token="wrong")


def test_a_match_is_aborted_released_and_waited_for(served: Served) -> None:
    served.bot("emil")
    served.bot("fritz")
    match_id = served.ok("match", "create", "naga", "emil", "fritz", "--hidden", "--label", "a test").strip()
    assert "hidden" in served.ok("match", "show", match_id)
    assert "MATCH_HIDDEN" in served.refused("match", "watch", match_id, token="")
    assert "1 match released" in served.ok("match", "release", match_id)
    assert "aborted" in served.ok("match", "abort", match_id, "--message", "enough")
    shown = served.ok("match", "show", match_id)
    assert "label: a test" in shown
    assert "aborted by an organiser" in shown
    waited = served.run("match", "create", "naga", "emil", "fritz", "--clock", "move=1s,start=200ms", "--wait")
    assert waited.exit_code == 1
    assert re.fullmatch(r"m-[0-9a-f]+\n", waited.stdout)  # a script gets the id, however the wait ends
    assert "did not connect in time" in waited.stderr


def test_the_catalogue_of_a_service_is_the_registry(served: Served) -> None:
    assert served.ok("games", "--server", served.address) == served.ok("games")
    assert served.ok("games", "naga", "--rules", "--server", served.address) == served.ok("games", "naga", "--rules")
    # What a service has, and an installation has not, is house bots.
    asked = json.loads(served.ok("games", "naga", "--json", "--server", served.address))
    assert [one["name"] for one in asked.pop("house_bots")] == ["house-sensible", "house-random", "house-first"]
    assert asked == json.loads(served.ok("games", "naga", "--json"))
    shown = served.ok("games", "naga", "--server", served.address)
    assert shown.startswith(served.ok("games", "naga"))
    assert "house bots: house-sensible, house-random, house-first" in shown


def test_the_client_speaks_every_service_and_raises_one_kind_of_error(served: Served) -> None:
    served.bot("jan")
    with Client(served.address, served.token) as client:
        games = client.catalog.ListGames(catalog_pb2.ListGamesRequest()).games
        assert [one.id for one in games] == list(GAMES)
        assert "jan" in {one.name for one in client.bots.ListBots(bots_pb2.ListBotsRequest()).bots}
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
    assert "karl" in {one.name for one in (await client.bots.ListBots(bots_pb2.ListBotsRequest())).bots}
    with pytest.raises(ServiceError) as caught:
        await client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id="nothere"))
    assert caught.value.reason == "MATCH_NOT_FOUND"
    stream = client.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id="nothere"))
    with pytest.raises(ServiceError) as caught:
        async for _ in translated(stream):
            pass
    assert caught.value.reason == "MATCH_NOT_FOUND"


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
            *(play(bot, dataclasses.replace(one, matches=1)) for bot, one in ((Wrong, a), (First, b)))
        )
    end = json.loads(served.ok("match", "show", match_id, "--json"))["end"]
    local = play_local([Wrong, First], "naga", {"deals": 3}, seed=b"\x11" * 32)
    assert tuple(end["outcome"]["scores"]) == local.scores
    assert end.get("forfeit_cause", "").removeprefix("FORFEIT_CAUSE_") == local.result.forfeit_cause
    assert local.seats[0].refused > 0
    # A refusal that comes with the end of the match is not asked again, so it may not be counted by the process.
    assert tally.refused in {local.seats[0].refused, local.seats[0].refused - 1}


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
        told = ""
        async with asyncio.timeout(PATIENCE):
            while told.count("seat ") < 2:
                told = (tmp_path / "out").read_text()
                await asyncio.sleep(0.02)
    finally:
        process.terminate()
        process.wait(timeout=PATIENCE)
    assert told.startswith("connected as nora version 1\n")
    assert "refused" not in told
    for number, score in enumerate(_score_of("otto", served, f"node-{number}") for number in range(2)):
        assert f"node-{number}: seat {1 - number}: {-score}\n" in told
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


def test_a_second_process_of_a_bot_takes_over_and_the_first_one_ends(served: Served) -> None:
    token = served.bot("ida").token
    env = {**os.environ, **served.env(token)}
    command = [*FUDABA, "bot", "run", "first"]
    first = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert first.stderr is not None
    assert "connected to" in first.stderr.readline()
    second = subprocess.Popen(command, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    try:
        _, told = first.communicate(timeout=PATIENCE)
        assert first.returncode == 1
        assert "SUPERSEDED" in told
        assert second.poll() is None
    finally:
        first.kill()
        second.terminate()
        second.communicate(timeout=PATIENCE)


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
