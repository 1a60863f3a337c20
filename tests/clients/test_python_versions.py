"""The kit with the oldest and the newest packages that it may be installed with; and authors' own, without the kit."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from fudaba.bridges.features import layout_of
from fudaba.bundle import write_bundle
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_games.registry import GAMES
from tests.support.clients.projects import built_once
from tests.support.patience import wait_until
from tests.support.service.organiser import QUICK, Entrant, Organiser, house_bot_of_sample, kinds, length_of_sample
from tests.support.service.processes import Process, Service
from tests.support.wheels import NotInstalled, environment, install, wheel_of_checkout

ROOT = Path(__file__).resolve().parents[2]
DEPENDENCIES = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
BOUNDS = {
    requirement.name: {bound.operator: Version(bound.version) for bound in requirement.specifier}
    for requirement in map(Requirement, DEPENDENCIES)
}
Started = Callable[[Sequence[str], str], Process]
OWN_BOT = """
import os, queue, sys
import google.protobuf, grpc
from fudaba.v1 import play_pb2, play_pb2_grpc

print("protobuf", google.protobuf.__version__, flush=True)
said = queue.SimpleQueue()
said.put(play_pb2.PlayRequest(hello=play_pb2.Hello(client="own")))
metadata = [("authorization", "Bearer " + os.environ["FUDABA_TOKEN"])]
with grpc.insecure_channel(sys.argv[1]) as channel:
    for message in play_pb2_grpc.PlayServiceStub(channel).Play(iter(said.get, None), metadata=metadata):
        update = message.update
        if message.HasField("ping"):
            said.put(play_pb2.PlayRequest(pong=play_pb2.Pong(id=message.ping.id)))
        if update.HasField("over"):
            said.put(None)
            break
        if update.HasField("decision"):
            answer = play_pb2.Answer(match_id=update.match_id, decision_id=update.decision.decision_id, index=0)
            said.put(play_pb2.PlayRequest(answer=answer))
"""


@pytest.fixture(
    scope="session",
    params=[
        "lowest-direct",
        pytest.param(
            "highest",
            marks=pytest.mark.nightly(
                "the same with the oldest; all other tests of the kit run with those that the lock file names"
            ),
        ),
    ],
)
def programs(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the programs of an environment with the kit, and of what it asks for the oldest or the newest."""
    made = f"kit-{request.param}"
    folder = built_once(
        tmp_path_factory, made, lambda folder: install(folder, wheel_of_checkout(tmp_path_factory), request.param)
    )
    return folder / "environment" / "bin"


def output(*command: str | Path, **more: Any) -> str:
    done: subprocess.CompletedProcess[str] = subprocess.run(
        command, capture_output=True, text=True, check=False, **more
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def version(programs: Path, package: str) -> Version:
    program = f"from importlib.metadata import version; print(version({package!r}))"
    return Version(output(programs / "python", "-c", program).strip())


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    """`started(command, token)` is the process of a bot, which ends with the test."""
    with Process(tmp_path, "bot") as process:

        def start(command: Sequence[str], token: str) -> Process:
            process.launch(list(command), {"FUDABA_TOKEN": token})
            return process

        yield start


@pytest.mark.exhaustive
def test_the_oldest_are_what_is_asked_for_and_the_newest_protobuf_is_of_the_last_version_that_may_be(
    programs: Path,
) -> None:
    found = {name: version(programs, name) for name in BOUNDS}
    if "lowest-direct" in str(programs):
        assert found == {name: bounds[">="] for name, bounds in BOUNDS.items()}
    else:
        assert found["protobuf"].major == BOUNDS["protobuf"]["<"].major - 1


@pytest.mark.exhaustive
def test_all_that_the_kit_offers_is_imported_without_a_warning(programs: Path) -> None:
    program = "import fudaba, fudaba.bundle, fudaba.client; [getattr(fudaba, name) for name in fudaba.__all__]"
    output(programs / "python", "-I", "-W", "error", "-c", program)


@pytest.mark.exhaustive
def test_it_plays_in_process(programs: Path, tmp_path: Path) -> None:
    bot = f"{ROOT / 'docs' / 'examples' / 'first_bot.py'}:FirstBot"
    options = ("--bot", bot, "--bot", "random", "--deals", "2", "--seed", "1", "--in-process")
    assert "naga: 4 matches" in output(programs / "fudaba", "match", "local", "naga", *options, cwd=tmp_path)


@pytest.mark.exhaustive
def test_the_numbers_of_its_views_are_those_of_the_newest(programs: Path) -> None:
    """What trains on them may keep back protobuf."""
    program = "from fudaba.bridges.features import layout_of; print(layout_of({!r}, {}).parts)"
    for name in ("naga", "makkaik"):
        seats = GAMES[name].min_seats
        printed = output(programs / "python", "-c", program.format(name, seats))
        assert printed == f"{layout_of(name, seats).parts}\n"


async def against_the_house(organiser: Organiser, bot: Entrant, game: str) -> str:
    """Returns a new match of the bot, in seat 0, and house bots; its id."""
    house = [matches_pb2.Seat(house_bot=house_bot_of_sample(game))] * (GAMES[game].min_seats - 1)
    seats = [matches_pb2.Seat(bot=record_pb2.Player(bot=bot.name)), *house]
    request = matches_pb2.CreateMatchRequest(game=game, seats=seats, clock=QUICK, options=length_of_sample(game))
    made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
    return str(made.match.header.match_id)


@pytest.mark.exhaustive
async def test_it_plays_every_game_on_a_service(
    service: Service, organiser: Organiser, programs: Path, started: Started
) -> None:
    mine = await organiser.entrant("mine")
    matches = [await against_the_house(organiser, mine, game) for game in GAMES]
    command = [
        str(programs / "fudaba"),
        "bot",
        "run",
        "random",
        "--matches",
        str(len(matches)),
        "--server",
        service.address,
    ]
    bot = started(command, mine.token)
    for match_id in matches:
        record = await organiser.record(match_id)
        assert set(kinds(record, 0)) <= {"ready", "move"}, bot.log
        assert record.end.HasField("outcome"), bot.log
    assert await asyncio.to_thread(bot.wait) == 0, bot.log


@pytest.mark.exhaustive
def test_it_reads_why_a_service_refuses_it(service: Service, programs: Path) -> None:
    done = subprocess.run(
        [programs / "fudaba", "bot", "list", "--server", service.address, "--token", "fudaba-org-nobody"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "(TOKEN_UNKNOWN)" in done.stderr


@pytest.mark.nightly("the oldest that authors install play every game on a service above")
def test_the_oldest_servers_that_may_be_installed_start_and_play(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """All of `fudaba up`: the service, an arena, a worker, a gateway."""
    extras = ("service", "arena", "web")
    wheel = wheel_of_checkout(tmp_path_factory)
    folder = built_once(tmp_path_factory, "servers", lambda folder: install(folder, wheel, "lowest-direct", *extras))
    fudaba = folder / "environment" / "bin" / "fudaba"
    listen = [f"--{server}listen=127.0.0.1:0" for server in ("", "arena-", "web-")]
    with Process(tmp_path, "up") as up:
        up.launch([str(fudaba), "up", "--data", str(tmp_path / "data"), *listen])
        wait_until(lambda: "In another terminal:" in up.log or not up.running, "fudaba up")
        assert up.running, up.log
        variables = dict(re.findall(r"export (\w+)=(\S+)", up.log))
        gateway = re.search(r"^  for browsers +(http://[\d.:]+)", up.log, re.MULTILINE)
        assert gateway is not None, up.log
        seats = ("--seat", "house-random", "--seat", "house-first", "--wait")
        match_id = output(fudaba, "match", "create", "naga", *seats, env=os.environ | variables).strip()
        assert match_id in output(fudaba, "match", "list", "--state", "finished", env=os.environ | variables)
        output(fudaba, "tournament", "list", env=os.environ | variables)
        url, head = f"{gateway[1]}/fudaba.v1.CatalogService/ListGames", {"Content-Type": "application/json"}
        with urllib.request.urlopen(urllib.request.Request(url, b"{}", head)) as answer:
            assert len(json.load(answer)["games"]) == len(GAMES)
        assert up.terminate() == 0, up.log


@pytest.mark.exhaustive
@pytest.mark.parametrize("older", ["4.25.8", "5.29.5"])
def test_an_environment_that_keeps_back_an_older_protobuf_is_told_so_at_the_installation(
    tmp_path: Path, older: str
) -> None:
    with pytest.raises(NotInstalled) as refusal:
        environment(tmp_path / "own", *DEPENDENCIES, f"protobuf=={older}")
    assert f"protobuf=={older}" in str(refusal.value)
    assert str(BOUNDS["protobuf"][">="]) in str(refusal.value)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "protobuf",
    [
        pytest.param("4", marks=pytest.mark.skipif(sys.version_info >= (3, 13), reason="it is not for this Python")),
        pytest.param("5", marks=pytest.mark.skipif(sys.version_info >= (3, 14), reason="it is not for this Python")),
    ],
)
async def test_without_the_kit_the_code_that_authors_generate_with_their_own_protoc_plays(
    service: Service, organiser: Organiser, tmp_path: Path, started: Started, protobuf: str
) -> None:
    bundle, generated = tmp_path / "bundle", tmp_path / "generated"
    write_bundle(bundle)
    generated.mkdir()
    python = environment(tmp_path / "own", "grpcio-tools", f"protobuf=={protobuf}.*", "setuptools<80") / "python"
    out = (f"--python_out={generated}", f"--grpc_python_out={generated}")
    protos = sorted(str(path.relative_to(bundle)) for path in (bundle / "fudaba").rglob("*.proto"))
    output(python, "-m", "grpc_tools.protoc", "-I.", *out, *protos, cwd=bundle)
    (generated / "bot.py").write_text(OWN_BOT)
    mine = await organiser.entrant("mine")
    match_id = await against_the_house(organiser, mine, "naga")
    bot = started([str(python), str(generated / "bot.py"), service.address], mine.token)
    assert await asyncio.to_thread(bot.wait) == 0, bot.log
    assert f"protobuf {protobuf}." in bot.log
    assert set(kinds(await organiser.record(match_id), 0)) == {"ready", "move"}, bot.log
