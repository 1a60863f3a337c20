"""The bot in TypeScript, in real matches against the bots that come with Fudaba."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.v1 import play_pb2, record_pb2
from fudaba_games.naga.hands import hand_value
from fudaba_games.napoleon.tricks import trick_winner
from fudaba_games.registry import game
from tests.support.clients.node_matches import begun, built_ins, check, numbers
from tests.support.dead_end_proxy import dead_end_proxy, proxied
from tests.support.kit.scripted import Hosted, Line
from tests.support.kit.scripted import Service as ScriptedService
from tests.support.patience import PATIENCE
from tests.support.service.organiser import Organiser
from tests.support.service.processes import FUDABA, Process, Service, short_folder, until
from tests.support.service.proxy import Proxy

BOTH = [
    "naga",
    pytest.param("napoleon", marks=pytest.mark.nightly("the same with Naga; it plays Napoleon in every seat")),
]
pytestmark = pytest.mark.exhaustive  # the kit of its language is tested always, see test_kits.py

SHORT = record_pb2.Clock(move_ms=20_000, bank_ms=0, max_timeouts=3, max_illegal=10)


class NodeBot(Process):
    """A process of the bot."""

    def __init__(self, folder: Path, built: Path, address: str, token: str, **environment: str) -> None:
        super().__init__(folder, "node")
        self._command = ["node", str(built / "dist" / "src" / "main.js")]
        self._environment = {"FUDABA_SERVER": address, "FUDABA_TOKEN": token, "THINK_MS": "6", **environment}

    def start(self) -> NodeBot:
        self.launch(self._command, self._environment)
        return self

    async def connected(self, times: int = 1) -> None:
        await until(lambda: self.log.count("connected to ") >= times or not self.running, "its connection")
        assert self.running, self.log


@pytest.fixture
def node(tmp_path: Path, node_bot: Path) -> Iterator[Callable[..., NodeBot]]:
    """`node(address, token)` is a new process of the bot."""
    with contextlib.ExitStack() as stack:

        def start(address: str, token: str, **environment: str) -> NodeBot:
            folder = tmp_path / f"node-{len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            return stack.enter_context(NodeBot(folder, node_bot, address, token, **environment)).start()

        yield start


def said_in_the_end(bot: NodeBot) -> str:
    """The last line of a bot that has been told to stop, which sums it up."""
    assert bot.terminate() == 0, bot.log
    return bot.log.splitlines()[-1]


# ---- its parts ---------------------------------------------------------------------------------------------------


def test_its_own_tests_pass(node_bot: Path) -> None:
    done = subprocess.run(["npm", "test"], cwd=node_bot, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# pass [1-9]", done.stdout, re.MULTILINE)


def run_js(node_bot: Path, script: str, data: object) -> Any:
    """What a script prints that finds `data` in its standard input and the bot's modules in `./dist`."""
    command = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(
        command, cwd=node_bot, input=json.dumps(data), capture_output=True, text=True, check=False, timeout=PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_it_judges_hands_of_naga_as_the_rules_do(node_bot: Path) -> None:
    chance = random.Random(5)
    hands = [(place, chance.sample(range(51), 5 if place == 4 else 4)) for place in range(1, 8) for _ in range(300)]
    # Moons are in few hands; here they are in many.
    hands += [(place, [*chance.sample(range(49), 3 if place == 4 else 2), 49, 50]) for place, _ in hands[::10]]
    script = """
        import { readFileSync } from 'node:fs';
        import { handValue } from './dist/src/naga/hands.js';
        const hands = JSON.parse(readFileSync(0));
        console.log(JSON.stringify(hands.map(([place, cards]) => handValue(cards, place))));
    """
    theirs = run_js(node_bot, script, hands)
    ours = [hand_value(sum(1 << card for card in cards), place) for place, cards in hands]
    for place in range(1, 8):
        at = [number for number, (one, _) in enumerate(hands) if one == place]
        by_theirs = sorted(at, key=lambda number: theirs[number])
        pairs = list(itertools.pairwise(by_theirs))
        assert pairs
        for low, high in pairs:
            assert (ours[low] < ours[high]) == (theirs[low] < theirs[high]), (place, hands[low], hands[high])


def test_it_judges_tricks_of_napoleon_as_the_rules_do(node_bot: Path) -> None:
    chance = random.Random(6)
    tricks = [(chance.sample(range(52), 5), trump, chance.random() < 0.2) for trump in range(5) for _ in range(300)]
    # Same two, Yoromeki and the jacks are in few tricks; here they are in many.
    for trump in range(5):
        for suit in range(4):
            tricks += [(chance.sample(range(13 * suit, 13 * suit + 13), 5), trump, bool(n % 5 == 0)) for n in range(40)]
        rare = [39, 37, 10, 23, 36, 49, 1, 14]
        tricks += [(chance.sample([*rare, *chance.sample(range(52), 1)], 5), trump, False) for _ in range(100)]
    tricks = [(cards, trump, first) for cards, trump, first in tricks if len(set(cards)) == 5]
    script = """
        import { readFileSync } from 'node:fs';
        import { winning } from './dist/src/napoleon/cards.js';
        const tricks = JSON.parse(readFileSync(0));
        console.log(JSON.stringify(tricks.map(([cards, trump, first]) => winning(cards, trump, first))));
    """
    for trick, theirs in zip(tricks, run_js(node_bot, script, tricks), strict=True):
        assert trick_winner(*trick) == theirs, trick


# ---- matches -----------------------------------------------------------------------------------------------------


async def test_it_plays_twenty_matches_of_naga_at_once(service: Service, organiser: Organiser, node: Any) -> None:
    mine, other = await organiser.entrant("node"), await organiser.entrant("sensible")
    bot = node(service.address, mine.token)
    await bot.connected()
    seats = [number % 2 for number in range(20)]
    ids = [
        await organiser.match(*((other, mine) if seat else (mine, other)), clock=SHORT, options=numbers(deals=2))
        for seat in seats
    ]
    async with built_ins(service.address, other, name="sensible"):
        records = [await check(organiser, match_id, seat) for match_id, seat in zip(ids, seats, strict=True)]
    await until(lambda: bot.log.count(": over, ") == 20)
    score = sum(record.end.outcome.scores[seat] for record, seat in zip(records, seats, strict=True))
    assert said_in_the_end(bot) == (
        f"20 matches finished, score {score}; 0 aborted, 0 unfinished; 0 answers refused, 0 decisions timed out"
    )


async def test_it_plays_naga_better_than_chance(service: Service, organiser: Organiser, node: Any) -> None:
    mine, other = await organiser.entrant("node"), await organiser.entrant("random")
    seed = bytes(range(32))
    ids = []
    for number in range(6):
        pair = (other, mine) if number % 2 else (mine, other)
        made = bytes([number // 2]) + seed[1:]
        ids.append(await organiser.match(*pair, options=numbers(deals=5), seed=made))
    node(service.address, mine.token)
    async with built_ins(service.address, other, name="first"):
        records = [await check(organiser, match_id, number % 2) for number, match_id in enumerate(ids)]
    assert sum(record.end.outcome.scores[number % 2] for number, record in enumerate(records)) > 0


async def test_it_plays_napoleon_in_every_seat(service: Service, organiser: Organiser, node: Any) -> None:
    mine, *others = [await organiser.entrant(name) for name in ("node", "a", "b", "c", "d")]
    ids = []
    for seat in range(5):
        seated = [*others[:seat], mine, *others[seat:]]
        ids.append(await organiser.match(*seated, clock=SHORT, game="napoleon", options=numbers(deals=5)))
    bot = node(service.address, mine.token)
    async with built_ins(service.address, *others):
        for seat, match_id in enumerate(ids):
            await check(organiser, match_id, seat)
    await until(lambda: bot.log.count(": over, ") == 5)
    assert said_in_the_end(bot).endswith("0 answers refused, 0 decisions timed out")


async def test_five_of_them_play_napoleon_together(service: Service, organiser: Organiser, node: Any) -> None:
    seated = [await organiser.entrant("node") for _ in range(5)]
    match_id = await organiser.match(*seated, clock=SHORT, game="napoleon", options=numbers(deals=2))
    for one in seated:
        node(service.address, one.token)
    for seat in range(5):
        await check(organiser, match_id, seat)


TOURNAMENT = """
name = "mixed"
game = "{game}"
blocks = 1
concurrency = 8
{options}

[[bots]]
name = "in-node"
command = ["node", "dist/src/main.js"]
cwd = "{cwd}"
stateless = true
env = {{ THINK_MS = "3" }}
"""


@pytest.mark.parametrize("name", BOTH)
async def test_an_arena_runs_and_rates_it(service: Service, node_bot: Path, tmp_path: Path, name: str) -> None:
    with short_folder() as place:
        file = place / f"{name}.toml"
        options = "[options]\ndeals = 1" if name == "napoleon" else ""
        text = TOURNAMENT.format(game=name, cwd=node_bot, options=options)
        for number in range(game(name).max_seats - 1):
            text += f'[[bots]]\nname = "first-{number}"\nbuiltin = "first"\n'
        file.write_text(text, encoding="utf-8")
        environment = {"FUDABA_SERVER": service.address, "FUDABA_TOKEN": service.token}
        arena = Process(tmp_path, f"arena-{name}")
        with arena:
            arena.launch([str(FUDABA), "arena", "run", str(file), "--data", str(place / "arena")], environment)
            assert await asyncio.to_thread(arena.wait) == 0, arena.log
        (row,) = [line.split() for line in arena.log.splitlines() if " in-node " in line and "±" not in line]
        assert row[1:3] == ["in-node", "1"]


def test_it_plays_on_the_authors_own_machine(node_bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    bot = f"node {node_bot / 'dist' / 'src' / 'main.js'}"
    result = CliRunner().invoke(
        cli, ["match", "local", "naga", "--bot", bot, "--bot", "first", "--deals", "1", "--json"]
    )
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["matches"], found["faults"]) == (2, [])
    # Its decisions can be put to it again. It plays by chance, so it need not answer as it did.
    record = f"{found['records']}/deal-001-1.fudaba"
    result = CliRunner().invoke(cli, ["record", "rerun", record, "--seat", "0", "--json", "--", *bot.split()])
    again = json.loads(result.stdout)
    assert again["ended_early"] is None, result.stderr
    assert all(one["new"]["move"] and not one["new"]["refused"] for one in again["decisions"])


# ---- what goes wrong ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", BOTH)
async def test_killed_and_started_again_it_goes_on(
    service: Service, organiser: Organiser, node: Any, name: str
) -> None:
    seats = game(name).max_seats
    mine, *others = [await organiser.entrant("x") for _ in range(seats)]
    options = numbers(deals=8 if name == "naga" else 4)
    ids = [await organiser.match(mine, *others, clock=SHORT, game=name, options=options) for _ in range(4)]
    bot = node(service.address, mine.token)
    async with built_ins(service.address, *others):
        for far in (10, 40, 70):
            await begun(organiser, ids[0], far)
            bot.kill()
            bot.start()
        for match_id in ids:
            await check(organiser, match_id, 0)


async def test_cut_off_again_and_again_it_goes_on(service: Service, organiser: Organiser, node: Any) -> None:
    mine, other = await organiser.entrant("node"), await organiser.entrant("random")
    ids = [await organiser.match(mine, other, clock=SHORT, options=numbers(deals=8)) for _ in range(4)]
    async with Proxy(int(service.address.rpartition(":")[2])).run() as proxy:
        bot = node(proxy.address, mine.token)
        async with built_ins(service.address, other):
            for times in (1, 2, 3):
                await bot.connected(times)
                await begun(organiser, ids[0], 20 * times)
                proxy.cut()
            for match_id in ids:
                await check(organiser, match_id, 0)
        assert bot.log.count("trying again in") >= 3
        # Nothing was answered twice, and nothing that was not asked.
        assert "refused" not in bot.log.replace("0 answers refused", "").replace("ECONNREFUSED", "")
        assert said_in_the_end(bot).startswith("4 matches finished")


async def test_it_finds_a_service_again_that_was_killed(node: Any) -> None:
    with short_folder() as place, Service(place, "--appendfsync", "always") as own:
        own.start()
        async with Organiser(own.address, own.token) as one:
            mine, other = await one.entrant("node"), await one.entrant("random")
            ids = [await one.match(mine, other, clock=SHORT, options=numbers(deals=8)) for _ in range(4)]
            bot = node(own.address, mine.token)
            async with built_ins(own.address, other):
                for times in (1, 2):
                    await bot.connected(times)
                    await begun(one, ids[0], 30 * times)
                    own.kill()
                    await asyncio.to_thread(own.start)
                async with Organiser(own.address, own.token) as again:
                    for match_id in ids:
                        await check(again, match_id, 0)
        assert said_in_the_end(bot).endswith("0 answers refused, 0 decisions timed out")


async def test_told_to_stop_it_leaves_and_another_process_goes_on(
    service: Service, organiser: Organiser, node: Any
) -> None:
    mine, other = await organiser.entrant("node"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT, options=numbers(deals=8))
    bot = node(service.address, mine.token)
    async with built_ins(service.address, other):
        await begun(organiser, match_id, 20)
        assert "0 matches finished, score 0; 0 aborted, 1 unfinished" in said_in_the_end(bot)
        node(service.address, mine.token)
        await check(organiser, match_id, 0)


async def test_superseded_it_ends_and_does_not_come_back(service: Service, organiser: Organiser, node: Any) -> None:
    mine = await organiser.entrant("node")
    first = node(service.address, mine.token)
    await first.connected()
    second = node(service.address, mine.token)
    assert await asyncio.to_thread(first.wait) == 1
    assert "SUPERSEDED" in first.log
    await second.connected()


async def test_what_trying_again_cannot_mend_ends_it(service: Service, node: Any) -> None:
    unknown = node(service.address, "no-such-token")
    assert await asyncio.to_thread(unknown.wait) == 1
    assert "TOKEN_UNKNOWN" in unknown.log
    organisers = node(service.address, service.token)
    assert await asyncio.to_thread(organisers.wait) == 1
    assert "BOT_ONLY" in organisers.log
    without = node(service.address, "")
    assert await asyncio.to_thread(without.wait) == 2
    assert "FUDABA_TOKEN" in without.log


@pytest.mark.parametrize(
    ("token", "environment", "words"),
    [
        ("two\nlines", {}, "FUDABA_TOKEN has blanks"),
        ("t", {"FUDABA_CA_CERT": "/nowhere/ca.pem"}, "/nowhere/ca.pem, which cannot be read (ENOENT)"),
        ("t", {"FUDABA_CA_CERT": __file__}, "holds no certificate"),
        ("t", {"FUDABA_SERVER": "http://play.example.org"}, "write HOST:PORT"),
    ],
)
async def test_an_environment_that_cannot_be_used_is_told_in_one_line(
    node: Any, token: str, environment: dict[str, str], words: str
) -> None:
    bot = node(environment.pop("FUDABA_SERVER", "127.0.0.1:1"), token, **environment)
    assert await asyncio.to_thread(bot.wait) == 2
    assert words in bot.log
    assert bot.log.count("\n") == 1


async def test_tls_where_there_is_none_ends_it_with_what_to_leave_out(service: Service, node: Any) -> None:
    bot = node(service.address, "t", FUDABA_TLS="1")
    assert await asyncio.to_thread(bot.wait) == 1
    assert "does not use TLS: leave out FUDABA_TLS" in bot.log
    assert "    at " not in bot.log


async def test_it_waits_for_a_service_that_is_not_there_yet(node: Any) -> None:
    with short_folder() as place:
        bot = node(f"unix:{place}/s", "the-token")
        await until(lambda: "trying again" in bot.log)

        async def script(line: Line) -> None:
            await line.welcome()
            await line.host(Hosted())

        scripted = ScriptedService(f"unix:{place}/s", [script])
        await scripted.start()
        await until(lambda: ": over, score" in bot.log)
        await scripted.vanish()
        assert not scripted.faults


async def test_a_service_elsewhere_is_reached_through_the_proxy_which_is_named_without_its_password(node: Any) -> None:
    with dead_end_proxy() as (url, asked):
        bot = node("fudaba.invalid:7710", "the-token", **proxied(url))
        await until(lambda: "trying again" in bot.log)
    assert asked[0] == "CONNECT fudaba.invalid:7710"
    assert f", through the proxy {url.rpartition('@')[2]} (from grpc_proxy)); trying again in " in bot.log
    assert "secret" not in bot.log


async def test_a_match_that_was_put_back_is_played_from_there(node: Any) -> None:
    ahead, back = Hosted(), Hosted()
    answers: list[play_pb2.Answer] = []

    async def script(line: Line) -> None:
        await line.welcome()
        await line.send(ahead.update(started=True))
        for _ in range(3):
            await line.judge(ahead, await line.answer())
        answers.append(await line.answer())
        update = back.update()
        update.update.rewound = True
        await line.send(update)
        while not back.match.over:
            answers.append(await line.answer())
            await line.judge(back, answers[-1])

    with short_folder() as place:
        scripted = ScriptedService(f"unix:{place}/s", [script])
        await scripted.start()
        bot = node(scripted.address, "the-token")
        await until(lambda: ": over, score" in bot.log)
        await scripted.vanish()
        assert not scripted.faults
    first = answers[1].decision_id
    assert [answer.decision_id for answer in answers[1:]].count(first) == 1
    assert len(answers) > 4
    assert said_in_the_end(bot).endswith("0 answers refused, 0 decisions timed out")


async def test_it_plays_over_tls_and_trusts_no_unknown_authority(
    tmp_path: Path, node: Any, need_tool: Callable[[str], Path]
) -> None:
    key, cert = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(  # noqa: ASYNC221 - nothing else runs yet
        [need_tool("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    with short_folder() as place, Service(place, "--tls-cert", str(cert), "--tls-key", str(key)) as own:
        own.start()
        credentials = grpc.ssl_channel_credentials(cert.read_bytes())
        async with Organiser(own.address, own.token, credentials) as one:
            mine, other = await one.entrant("node"), await one.entrant("random")
            match_id = await one.match(mine, other)
            distrustful = node(own.address, mine.token, FUDABA_TLS="1")
            await until(lambda: "trying again" in distrustful.log)
            assert "certificate" in distrustful.log
            assert distrustful.terminate() == 0
            plain = node(own.address, mine.token)
            assert await asyncio.to_thread(plain.wait) == 1
            assert "wants TLS: set FUDABA_TLS=1" in plain.log
            node(own.address, mine.token, FUDABA_TLS="1", FUDABA_CA_CERT=str(cert))
            async with built_ins(own.address, other, ca_cert=str(cert)):
                await check(one, match_id, 0)
