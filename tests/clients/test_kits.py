"""What `fudaba bot new` writes in each language, as its author meets it: its tests, matches, and what goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.bots import built_in
from fudaba.bundle import write_bundle
from fudaba.cli import cli
from fudaba.starting import write_project
from fudaba.v1 import game_pb2, matches_pb2, play_pb2, record_pb2
from fudaba_games.registry import GAMES
from tests.support.build_cache import cargo_target
from tests.support.certificates import certify
from tests.support.clients.languages import FAILS, LANGUAGES, NOTES, Language, run, start, with_kit
from tests.support.clients.outcomes import content_of, keep, outcome
from tests.support.clients.projects import altered_project, built_project
from tests.support.dead_end_proxy import dead_end_proxy, proxied
from tests.support.folders import short_folder
from tests.support.kit.scripted import Hosted, Line
from tests.support.kit.scripted import Service as ScriptedService
from tests.support.service.bots import bearer
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import HOUR_MS, Entrant, Organiser, house_bot_of_sample, kinds, length_of_sample
from tests.support.service.processes import Process, Service, until
from tests.support.service.proxy import Proxy
from tests.support.sizes import exhaustive

SHORT = record_pb2.Clock(move_ms=60_000, bank_ms=0, max_timeouts=3, max_illegal=10, start_ms=HOUR_MS)
UNHURRIED = record_pb2.Clock(move_ms=HOUR_MS, start_ms=HOUR_MS)
"""Of many matches at once none is lost by time."""
PATIENT = ("--clock", "move=120s,start=600s")
"""A virtual machine that starts beside others may take longer than a bot is given by default."""
CLIENTS = Path(__file__).resolve().parents[2] / "clients"
QUICK = "node"
"""Its project is built in seconds; those of the others are left to the exhaustive run."""


def test_every_kit_is_tested() -> None:
    assert set(LANGUAGES) == with_kit()


@pytest.mark.parametrize(
    ("name", "versions", "generator", "kept"),
    [
        pytest.param("go", [["go", "version"]], [], "fudabav1", marks=pytest.mark.exhaustive),
        pytest.param(
            "rust",
            [["cargo", "-Vv"], ["rustc", "-Vv"]],
            ["generator/src", "generator/Cargo.toml", "generator/Cargo.lock"],
            "src/generated",
            marks=pytest.mark.exhaustive,
        ),
        ("java", [], ["generator"], "generated"),
    ],
)
def test_the_contract_s_code_in_it_is_what_generate_makes(
    need_tool: Callable[[str], Path],
    tmp_path: Path,
    name: str,
    versions: list[list[str]],
    generator: list[str],
    kept: str,
) -> None:
    """It is made unless it was made of the same contract by the same generator: the build cache knows."""
    for tool in versions:
        need_tool(tool[0])
    kit = CLIENTS / name
    generate = [str(kit / "generate"), str(tmp_path / "made")]
    write_bundle(tmp_path / "protos")
    inputs = [tmp_path / "protos", kit / "kit" / kept, kit / "generate", *(kit / part for part in generator)]
    tools = {"grpcio-tools": metadata.version("grpcio-tools")}
    passed = outcome(f"generated-{name}", content_of(inputs, [], tools, versions))
    if passed.exists():
        return
    if name == "rust":
        with cargo_target(CLIENTS / name / "generator") as target:
            run(generate, tmp_path, CARGO_TARGET_DIR=str(target))
    else:
        run(generate, tmp_path)
    there, made = (
        {path.relative_to(folder): path.read_text() for path in folder.rglob("*") if path.is_file()}
        for folder in (CLIENTS / name / "kit" / kept, tmp_path / "made")
    )
    assert made == there
    keep(passed)


JAVA_AT_NIGHT = pytest.mark.nightly(
    "the same with Node, Go, C++ and Rust; Java's own tests run, it plays every game at once, is cut off and killed"
)
"""A virtual machine that starts costs more than what most of these tests look at."""
CPP_AT_NIGHT = pytest.mark.nightly("the same with the others; C++'s own tests have a bot that fails and takes notes")
"""It takes longest to be compiled once more."""


def _languages(at_night: Mapping[str, pytest.MarkDecorator]) -> list[Any]:
    """All languages as parameters: the quick one always runs."""
    return [
        pytest.param(name, marks=[] if name == QUICK else at_night.get(name, pytest.mark.exhaustive))
        for name in LANGUAGES
    ]


every_language = pytest.mark.parametrize("language", _languages({}), indirect=True, scope="session")
failing_languages = pytest.mark.parametrize(
    "language", _languages({"cpp": CPP_AT_NIGHT}), indirect=True, scope="session"
)


@pytest.fixture(scope="session", params=_languages({"java": JAVA_AT_NIGHT}))
def language(request: pytest.FixtureRequest, need_tool: Callable[[str], Path]) -> Language:
    found = LANGUAGES[request.param]
    found.need(need_tool)
    return found


def name_of(language: Language) -> str:
    [name] = [name for name, entry in LANGUAGES.items() if entry is language]
    return name


@pytest.fixture(scope="session")
def project(language: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new bot of the language, made and built as its README says."""
    return built_project(name_of(language), tmp_path_factory)


@pytest.fixture(scope="session")
def altered(project: Path, language: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same bot, which fails in its own code, or takes notes, where FAILS or NOTES is set as it starts."""
    return altered_project(name_of(language), tmp_path_factory)


class KitBot(Process):
    """A process of the bot."""

    def __init__(self, folder: Path, project: Path, address: str, token: str, **environment: str) -> None:
        super().__init__(folder, "bot")
        self._command = start(project)
        self._environment = {"FUDABA_SERVER": address, "FUDABA_TOKEN": token, **environment}

    def start(self) -> KitBot:
        self.launch(self._command, self._environment)
        return self

    async def connected(self, times: int = 1) -> None:
        await until(lambda: self.log.count("connected to ") >= times or not self.running, "its connection")
        assert self.running, self.log

    async def ended(self) -> int:
        """Its exit code, once it has ended by itself."""
        return await asyncio.to_thread(self.wait)


@pytest.fixture
def bot(tmp_path: Path, project: Path) -> Iterator[Callable[..., KitBot]]:
    """`bot(address, token)` is a new process of it."""
    with contextlib.ExitStack() as stack:

        def started(address: str, token: str, **environment: str) -> KitBot:
            folder = tmp_path / f"bot-{len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            return stack.enter_context(KitBot(folder, project, address, token, **environment)).start()

        yield started


@contextlib.asynccontextmanager
async def opponent(address: str, entrant: Entrant) -> AsyncIterator[None]:
    stop = asyncio.Event()
    options = PlayOptions(address=address, token=entrant.token)
    running = asyncio.create_task(play(built_in("random"), options, stop))
    try:
        yield
    finally:
        stop.set()
        await running


def deals(number: int) -> dict[str, game_pb2.OptionValue]:
    return {"deals": game_pb2.OptionValue(number=number)}


async def check(organiser: Organiser, match_id: str) -> None:
    """A match that is over: the bot in seat 0 made every decision itself, and none was refused."""
    assert set(kinds(await organiser.record(match_id), 0)) == {"ready", "move"}


async def over(organiser: Organiser, match_id: str) -> matches_pb2.Match:
    """The match, once it is over, however long that takes."""
    request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=20_000)
    while True:
        found = (await organiser.matches.AwaitMatch(request, metadata=organiser.metadata)).match
        if found.HasField("end"):
            return found  # type: ignore[no-any-return]  # gRPC types no answers


async def shown(organiser: Organiser, match_id: str, events: int) -> None:
    """Waits until so many events of a match have been shown."""
    request = matches_pb2.WatchMatchRequest(match_id=match_id)
    async for message in organiser.matches.WatchMatch(request, metadata=organiser.metadata):
        assert not message.match.HasField("end"), "it was over before anything could happen"
        if message.seen >= events:
            return


@contextlib.asynccontextmanager
async def scripted(*scripts: Any) -> AsyncIterator[ScriptedService]:
    """A service that does as the scripts say; without faults of theirs."""
    with short_folder() as place:
        service = ScriptedService(f"unix:{place}/s", list(scripts))
        await service.start()
        yield service
        await service.vanish()
        assert not service.faults


# ---- as its author meets it --------------------------------------------------------------------------------------


@every_language
@pytest.mark.exhaustive
def test_its_own_tests_pass(language: Language, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """They run unless they have passed for the same kit, contract, commands and tools: the build cache knows."""
    name = name_of(language)
    write_project(name, "careful", tmp_path / "new")
    kept = language.outcome(name, tmp_path / "new")
    if not kept.exists():
        project: Path = request.getfixturevalue("project")  # what makes it runs the tests where that compiles it
        for command in language.test:
            run(command, project, **language.strict)
        if language.test and language.is_of(kept, project):
            keep(kept)


def local(project: Path, game: str, *length: str) -> Any:
    words = ["match", "local", game, "--bot", str(project), "--bot", "random", *length, "--seed", "1"]
    played = CliRunner().invoke(cli, [*words, *PATIENT, "--json"])
    assert played.exit_code == 0, played.output
    found = json.loads(played.stdout)
    assert found["faults"] == []
    return found


@every_language
@pytest.mark.nightly(
    "one process of each plays every game at once; `match local` starts all but C++ where their own code fails"
)
def test_match_local_plays_every_game_with_it(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for game in GAMES:
        local(project, game, "--deals", "1")


async def against_the_house(
    organiser: Organiser, bot: Entrant, game: str, seat: int = 0, **options: game_pb2.OptionValue
) -> str:
    """A new match of the bot and of house bots; its id."""
    seats = [matches_pb2.Seat(house_bot=house_bot_of_sample(game)) for _ in range(GAMES[game].min_seats)]
    seats[seat] = matches_pb2.Seat(bot=record_pb2.Player(bot=bot.name))
    request = matches_pb2.CreateMatchRequest(game=game, seats=seats, clock=UNHURRIED, options=options)
    made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
    return str(made.match.header.match_id)


@pytest.mark.exhaustive
async def test_it_beats_random_play_in_naga(service: Service, organiser: Organiser, bot: Any) -> None:
    """It wins four deals of five, so that luck cannot do it in as many."""
    mine = await organiser.entrant("mine")
    seats = [0, 1] * (4 if exhaustive() else 2)
    ids = [await against_the_house(organiser, mine, "naga", seat, **deals(12)) for seat in seats]
    bot(service.address, mine.token)
    scores = [(await over(organiser, match_id)).end.outcome.scores for match_id in ids]
    assert sum(score[seat] for score, seat in zip(scores, seats, strict=True)) > sum(
        score[1 - seat] for score, seat in zip(scores, seats, strict=True)
    )


@every_language
@pytest.mark.exhaustive
async def test_one_process_plays_every_game_at_once(service: Service, organiser: Organiser, bot: Any) -> None:
    mine = await organiser.entrant("mine")
    ids = [await against_the_house(organiser, mine, game, 0, **length_of_sample(game)) for game in GAMES]
    process = bot(service.address, mine.token)
    for match_id in ids:
        await over(organiser, match_id)
        await check(organiser, match_id)
    assert "refused:" not in process.log


@failing_languages
@pytest.mark.exhaustive
def test_where_its_own_code_fails_it_plays_the_default_move_and_match_local_tells_how_often(
    altered: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").symlink_to(altered)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(FAILS, "1")
    words = ["match", "local", "naga", "--bot", "./broken", "--bot", "first", "--matches", "1", "--option", "deals=1"]
    played = CliRunner().invoke(cli, [*words, *PATIENT, "--json"])
    assert played.exit_code == 1, played.output
    found = json.loads(played.stdout)
    [fault] = found["faults"]
    assert (fault["bot"], fault["kind"], found["matches"]) == ("./broken", "exception", 1)
    assert fault["text"].startswith("its own error at decision ")
    assert fault["count"] > 1
    assert any("no idea" in line for line in fault["last_lines"])


# ---- matches -----------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
async def test_a_process_with_a_match_token_ends_with_its_match(
    service: Service, organiser: Organiser, bot: Any
) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT)
    process = bot(service.address, await organiser.match_token(match_id, 0))
    async with opponent(service.address, other):
        await check(organiser, match_id)
    assert await process.ended() == 0, process.log


@every_language
@pytest.mark.exhaustive
async def test_cut_off_and_killed_it_goes_on(service: Service, organiser: Organiser, bot: Any) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    ids = [await organiser.match(mine, other, clock=SHORT, options=deals(8)) for _ in range(4)]
    async with Proxy(int(service.address.rpartition(":")[2])).run() as proxy, opponent(service.address, other):
        process = bot(proxy.address, mine.token)
        for times in (1, 2):
            await process.connected(times)
            await shown(organiser, ids[0], 20 * times)
            proxy.cut()
        await process.connected(3)
        assert "refused:" not in process.log  # nothing was answered twice, and nothing that was not asked
        process.kill()
        process.start()
        for match_id in ids:
            await check(organiser, match_id)
        await until(lambda: process.log.count(": over, score") >= len(ids))


@pytest.mark.exhaustive
async def test_told_to_stop_it_leaves_and_another_process_goes_on(
    service: Service, organiser: Organiser, bot: Any
) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT, options=deals(8))
    process = bot(service.address, mine.token)
    async with opponent(service.address, other):
        await shown(organiser, match_id, 20)
        assert process.terminate() == 0, process.log
        bot(service.address, mine.token)
        await check(organiser, match_id)


async def notes(organiser: Organiser, match_id: str, token: str) -> set[str]:
    """The texts of the notes that the service has kept of a match for whoever has this token."""
    request = matches_pb2.GetNotesRequest(match_id=match_id)
    found = await organiser.matches.GetNotes(request, metadata=bearer(token))
    return {note.text for note in found.notes}


@failing_languages
@pytest.mark.exhaustive
async def test_a_note_that_cannot_be_sent_is_put_right_and_cut_and_every_move_is_played(
    service: Service, organiser: Organiser, altered: Path, tmp_path: Path
) -> None:
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT)
    token = await organiser.match_token(match_id, 0)
    with KitBot(tmp_path, altered, service.address, token, **{NOTES: "1"}).start() as process:
        async with opponent(service.address, other):
            await check(organiser, match_id)
        assert await process.ended() == 0, process.log
        assert "refused:" not in process.log
        assert process.log.count("the note is longer than 1024 bytes in UTF-8; the rest is cut off") == 1
    assert await notes(organiser, match_id, mine.token) == {"\ufffd" + "札" * 340}


@pytest.mark.exhaustive
async def test_in_node_a_note_that_is_no_text_is_put_right_or_left_out(
    service: Service,
    organiser: Organiser,
    need_tool: Callable[[str], Path],
    tmp_path_factory: pytest.TempPathFactory,
    tmp_path: Path,
) -> None:
    node = LANGUAGES["node"]
    node.need(need_tool)
    noting = shutil.copytree(built_project("node", tmp_path_factory), tmp_path / "noting", symlinks=True)
    wrong = "[0.61, null, undefined, Symbol('ace'), Object.create(null)]"
    node.decide_with(f"decision.note = {wrong}[(globalThis.asked = (globalThis.asked ?? -1) + 1) % 5];", noting)
    mine, other = await organiser.entrant("mine"), await organiser.entrant("random")
    match_id = await organiser.match(mine, other, clock=SHORT, options=deals(2))
    with KitBot(tmp_path, noting, service.address, await organiser.match_token(match_id, 0)).start() as process:
        async with opponent(service.address, other):
            await check(organiser, match_id)
        assert await process.ended() == 0, process.log
    for words in (
        "the note is of type number, not text",
        "the note is null, not text",
        "the note is undefined, not text",
        "the note is of type symbol, not text",
        "the note is of type object, and has no text form",
    ):
        assert process.log.count(words) == 1, process.log
    assert await notes(organiser, match_id, mine.token) == {"0.61", "Symbol(ace)"}


# ---- what goes wrong ---------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
async def test_superseded_it_ends_and_does_not_come_back(service: Service, organiser: Organiser, bot: Any) -> None:
    mine = await organiser.entrant("mine")
    first = bot(service.address, mine.token)
    await first.connected()
    second = bot(service.address, mine.token)
    assert await first.ended() == 1
    assert "SUPERSEDED" in first.log
    await second.connected()


@pytest.mark.exhaustive
async def test_what_trying_again_cannot_mend_ends_it_with_the_reason(service: Service, bot: Any) -> None:
    unknown = bot(service.address, "no-such-token")
    assert await unknown.ended() == 1
    assert "TOKEN_UNKNOWN" in unknown.log
    encrypted = bot(service.address, "t", FUDABA_TLS="1")
    assert await encrypted.ended() == 1
    assert "does not use TLS: leave out FUDABA_TLS" in encrypted.log


@pytest.mark.exhaustive
async def test_tls_is_spoken_where_an_authority_is_named_and_asked_for_where_it_is_missing(
    bot: Any, need_tool: Callable[[str], Path]
) -> None:
    openssl = need_tool("openssl")
    with short_folder() as place:
        cert, key = place / "cert.pem", place / "key.pem"
        certify(openssl, cert, key)
        with Service(place, "--tls-cert", str(cert), "--tls-key", str(key)) as service:
            service.start()
            address = f"localhost:{service.address.rpartition(':')[2]}"
            plain = bot(address, "no-such-token")
            assert await plain.ended() == 1
            assert "wants TLS: set FUDABA_TLS=1" in plain.log
            trusted = bot(address, "no-such-token", FUDABA_CA_CERT=str(cert))
            assert await trusted.ended() == 1
            assert "TOKEN_UNKNOWN" in trusted.log
            assert_no_fault(service)


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("token", "environment", "words"),
    [
        ("", {}, "FUDABA_TOKEN"),
        ("two\nlines", {}, "FUDABA_TOKEN has blanks"),
        ("t", {"FUDABA_CA_CERT": "/nowhere/ca.pem"}, "/nowhere/ca.pem, which cannot be read"),
        ("t", {"FUDABA_CA_CERT": __file__}, "holds no certificate"),
        ("t", {"FUDABA_SERVER": "http://play.example.org"}, "write HOST:PORT"),
        ("t", {"FUDABA_CAPACITY": "many"}, "write how many matches at once"),
        ("t", {"FUDABA_CAPACITY": "1000001"}, "write how many matches at once"),
    ],
)
async def test_an_environment_that_cannot_be_used_is_told_in_one_line(
    bot: Any, token: str, environment: dict[str, str], words: str
) -> None:
    address = environment.get("FUDABA_SERVER", "127.0.0.1:1")
    process = bot(address, token, **{name: value for name, value in environment.items() if name != "FUDABA_SERVER"})
    assert await process.ended() == 2
    assert words in process.log
    assert process.log.count("\n") == 1


@pytest.mark.exhaustive
async def test_it_waits_for_a_service_that_is_not_there_yet(bot: Any) -> None:
    with short_folder() as place:
        process = bot(f"unix:{place}/s", "the-token")
        await until(lambda: "trying again" in process.log)

        async def script(line: Line) -> None:
            await line.welcome()
            await line.host(Hosted())

        late = ScriptedService(f"unix:{place}/s", [script])
        await late.start()
        await until(lambda: ": over, score" in process.log)
        await late.vanish()
        assert not late.faults


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
@pytest.mark.exhaustive
async def test_no_proxy_of_the_environment_is_on_the_way_to_this_machine(bot: Any, host: str) -> None:
    async def script(line: Line) -> None:
        await line.welcome()
        await line.host(Hosted())

    service = ScriptedService(f"{host}:0", [script])
    await service.start()
    with dead_end_proxy() as (url, asked):
        process = bot(service.address, "the-token", **proxied(url))
        await until(lambda: ": over, score" in process.log)
    assert asked == []
    await service.vanish()
    assert not service.faults


@pytest.mark.exhaustive
async def test_a_service_elsewhere_is_reached_through_the_proxy_which_is_named_without_its_password(
    bot: Any, language: Language
) -> None:
    with dead_end_proxy() as (url, asked):
        process = bot("fudaba.invalid:7710", "the-token", **proxied(url))
        await until(lambda: "trying again" in process.log)
        host = url.rpartition("@")[2]
    assert "secret" not in process.log
    if language.proxy:
        assert asked[0] == "CONNECT fudaba.invalid:7710"
        assert f", through the proxy {host} (from {language.proxy})); trying again in " in process.log
    else:
        assert asked == []
        assert "proxy" not in process.log


@pytest.mark.exhaustive
async def test_where_no_proxy_is_wanted_none_is_asked_or_named(bot: Any) -> None:
    with dead_end_proxy() as (url, asked):
        process = bot("fudaba.invalid:7710", "the-token", **proxied(url, "fudaba.invalid"))
        await until(lambda: "trying again" in process.log)
    assert asked == []
    assert "through the proxy" not in process.log


async def test_a_ping_is_answered(bot: Any) -> None:
    pongs: list[int] = []

    async def script(line: Line) -> None:
        await line.welcome()
        await line.send(play_pb2.PlayResponse(ping=play_pb2.Ping(id=2**40 + 7)))
        pongs.append((await line.read()).pong.id)

    async with scripted(script) as service:
        bot(service.address, "the-token")
        await until(lambda: pongs == [2**40 + 7])


@pytest.mark.exhaustive
@pytest.mark.parametrize(("capacity", "said"), [("3", 3), ("", 0)])
async def test_it_says_how_many_matches_it_plays_at_once(bot: Any, capacity: str, said: int) -> None:
    hellos: list[play_pb2.Hello] = []

    async def script(line: Line) -> None:
        hellos.append(await line.welcome())
        await line.host(Hosted())

    async with scripted(script) as service:
        process = bot(service.address, "the-token", FUDABA_CAPACITY=capacity)
        await until(lambda: ": over, score" in process.log)
    assert [hello.capacity for hello in hellos] == [said]


@pytest.mark.exhaustive
async def test_an_answer_that_is_refused_is_followed_by_another(bot: Any) -> None:
    answers: list[play_pb2.Answer] = []

    async def script(line: Line) -> None:
        hosted = Hosted()
        await line.welcome()
        await line.send(hosted.update(started=True))
        for reason in ("ILLEGAL_MOVE", "TOO_FAST"):  # about the answer, and about the moment
            answers.append(await line.answer())
            await line.refuse(answers[-1], reason)
        while not hosted.match.over:
            answers.append(await line.answer())
            await line.judge(hosted, answers[-1])

    async with scripted(script) as service:
        process = bot(service.address, "the-token")
        await until(lambda: ": over, score" in process.log)
    assert len({answer.decision_id for answer in answers[:3]}) == 1
    assert answers[2] == answers[1]
    assert answers[3].decision_id != answers[2].decision_id
    assert "refused: ILLEGAL_MOVE" in process.log


@pytest.mark.exhaustive
async def test_updates_that_come_in_one_message_are_all_answered_by_a_kit_that_asks_for_that(bot: Any) -> None:
    hosted = {f"m{number}": Hosted(f"m{number}") for number in range(5)}

    async def script(line: Line) -> None:
        hello = await line.welcome()
        updates = [hosted_match.update(started=True).update for hosted_match in hosted.values()]
        if hello.batches:
            await line.send(play_pb2.PlayResponse(updates=play_pb2.SeatUpdates(updates=updates)))
        else:
            for update in updates:
                await line.send(play_pb2.PlayResponse(update=update))
        while not all(hosted_match.match.over for hosted_match in hosted.values()):
            answer = await line.answer()
            await line.judge(hosted[answer.match_id], answer)

    async with scripted(script) as service:
        process = bot(service.address, "the-token")
        await until(lambda: process.log.count(": over, score") == len(hosted))


async def test_after_a_lost_connection_the_same_answer_is_sent_again(bot: Any) -> None:
    hosted = Hosted()
    answers: list[play_pb2.Answer] = []
    hellos: list[play_pb2.Hello] = []

    async def breaking(line: Line) -> None:
        hellos.append(await line.welcome())
        await line.send(hosted.update(started=True))
        answers.append(await line.answer())
        await line.abort(14, "SHUTTING_DOWN", "back soon")

    async def going_on(line: Line) -> None:
        hellos.append(await line.welcome())
        await line.send(hosted.update(started=True))
        answers.append(await line.answer())
        await line.judge(hosted, answers[-1])
        while not hosted.match.over:
            await line.judge(hosted, await line.answer())

    async with scripted(breaking, going_on) as service:
        process = bot(service.address, "the-token")
        await until(lambda: ": over, score" in process.log)
    assert answers[0] == answers[1]
    assert [seen_match.match_id for seen_match in hellos[1].seen] == ["m"]
    assert hellos[0].process == hellos[1].process != ""
    assert [hello.attempt for hello in hellos] == [1, 2]


@pytest.mark.exhaustive
async def test_a_match_that_was_put_back_is_played_from_there(bot: Any) -> None:
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

    async with scripted(script) as service:
        process = bot(service.address, "the-token")
        await until(lambda: ": over, score" in process.log)
    assert len(answers) > 4
    assert [answer.decision_id for answer in answers[1:]].count(answers[1].decision_id) == 1
