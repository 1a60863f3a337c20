"""What an earlier release has left in its data folder goes on with the code of now: nothing is lost, nothing twice."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import cache_from_source, source_hash
from pathlib import Path
from typing import Any, Final, cast

import pytest
from google.protobuf.message import Message
from redis import Redis

from fudaba.client import Client
from fudaba.codec import option_to_proto
from fudaba.errors import ServiceError
from fudaba.records import verify
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, game_pb2, matches_pb2, record_pb2
from fudaba.v1 import submissions_pb2 as pb
from fudaba_games.registry import GAMES
from tests.support.arena.clients import Clients
from tests.support.arena.programs.entered import ONE
from tests.support.arena.programs.uploads import GOOD, folder, over, send
from tests.support.conformance.cases import usual_options
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import FUDABA, Process
from tests.support.sizes import exhaustive
from tests.support.upgrade.releases import EARLIER, installed

pytestmark = pytest.mark.exhaustive
HOUR_MS: Final = 3_600_000
STOPS: Final = """
import asyncio, os, pathlib
import fudaba

class Stops(fudaba.Bot):
    asked = 0

    async def choose(self, decision):
        self.asked += 1
        if self.asked > 1 and not pathlib.Path(os.environ["GATE"]).exists():
            print("stops in", decision.match.id, flush=True)
            await asyncio.Event().wait()
        return 0

async def main():
    address, tokens = os.environ["FUDABA_SERVER"], os.environ["TOKENS"].split()
    options = [fudaba.PlayOptions(address=address, token=token) for token in tokens]
    await asyncio.gather(*(fudaba.play(Stops, each) for each in options))

asyncio.run(main())
"""
"""A bot that plays one move of each match, and the others once a file exists. It plays as several bots at once."""
SEAT = matches_pb2.Seat
UNCHECKED: Final = (1).to_bytes(4, "little")
"""The flags of a compiled module that is taken as it is, whatever its source (PEP 552)."""


class Site(Process):
    """`fudaba up` of one release or another, with sockets in its folder."""

    def __init__(self, place: Path) -> None:
        super().__init__(place, "up")
        self.service = f"unix:{place}/s"
        self.address = f"unix:{place}/a"
        self.clients = Clients(self.address)

    def begin(self, **variables: str) -> None:
        """Starts it; returns when it is up."""
        self.clients.close()
        where = ["--data", str(self.folder / "d"), "--listen", self.service, "--arena-listen", self.address]
        self.launch([str(FUDABA), "up", *where, "--web-listen", "127.0.0.1:0"], {"COLUMNS": "200", **variables})
        wait_until(lambda: "Fudaba is up" in self.log or not self.running, lambda: f"it is up: {self.log}")
        assert self.running, self.log

    @property
    def organiser(self) -> str:
        return (self.folder / "d" / "organiser.token").read_text().strip()

    def calls(self, token: str | None = None) -> Client:
        """Returns a client of the arena, as the helpers of submissions want it."""
        return self.clients.with_token(self.organiser if token is None else token)

    @contextmanager
    def client(self, token: str | None = None) -> Iterator[Client]:
        """Yields the same, closed with the context."""
        with Client(self.address, self.organiser if token is None else token) as client:
            yield client

    @contextmanager
    def players(self) -> Iterator[Client]:
        """Yields a client of the service."""
        with Client(self.service, self.organiser) as client:
            yield client

    def listed(self) -> dict[str, matches_pb2.Match]:
        """Returns all matches, by id."""
        found: dict[str, matches_pb2.Match] = {}
        page = ""
        with self.players() as client:
            while True:
                request = matches_pb2.ListMatchesRequest(page_size=200, page_token=page)
                answer = ask(client.matches.ListMatches, request)
                found |= {match.header.match_id: match for match in answer.matches}
                page = answer.next_page_token
                if not page:
                    return found

    def record(self, match_id: str) -> record_pb2.MatchRecord:
        with self.players() as client:
            request = matches_pb2.GetRecordRequest(match_id=match_id)
            return cast(record_pb2.MatchRecord, ask(client.matches.GetRecord, request).record)

    def standings(self) -> dict[str, arena_pb2.Standing]:
        with self.client() as client:
            request = arena_pb2.GetStandingsRequest(tournament="mid-season")
            return {row.bot: row for row in ask(client.arena.GetStandings, request).standings[0].rows}

    def blocks(self) -> list[arena_pb2.Block]:
        request = arena_pb2.ListBlocksRequest(
            tournament="mid-season", state=arena_pb2.BLOCK_STATE_COUNTED, page_size=1000
        )
        with self.client() as client:
            return list(ask(client.arena.ListBlocks, request).blocks)


def ask(call: Callable[..., Any], request: Message) -> Any:
    """Returns the answer to a request that can be repeated. It asks again while the store does not answer in time."""

    def answer() -> Any:
        try:
            return call(request, timeout=PATIENCE)
        except ServiceError as error:
            if error.reason != "STORE_UNAVAILABLE":
                raise
            return None

    return wait_until(answer, f"the store answers {type(request).__name__}")


@pytest.fixture
def site() -> Iterator[Site]:
    with short_folder() as place, Site(place) as running:
        yield running
        running.clients.close()


class Bots:
    """Bots that stop in mid-match, all of them a process of one release or another."""

    def __init__(self, site: Site, number: int) -> None:
        self._site = site
        self.gate = site.folder / "gate"
        (site.folder / "stops.py").write_text(STOPS)
        self._tokens = {}
        self._process = Process(site.folder, "stops")
        with site.players() as client:
            for name in (f"stops-{n}" for n in range(number)):
                client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name), timeout=PATIENCE)
                made = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=name), timeout=PATIENCE)
                self._tokens[name] = made.token

    @contextmanager
    def running(self, **variables: str) -> Iterator[None]:
        """Has all of them play, until the end of the context kills them."""
        tokens = " ".join(self._tokens.values())
        more = {"FUDABA_SERVER": self._site.service, "TOKENS": tokens, "GATE": str(self.gate)}
        with self._process as process:
            process.launch([sys.executable, f"{self._site.folder}/stops.py"], more | variables)
            yield

    @property
    def log(self) -> str:
        """What they have said."""
        return self._process.log

    def stopped_in(self, match_id: str) -> bool:
        """Returns whether a bot waits for the gate in a match."""
        assert self._process.running, self.log
        return f"stops in {match_id}\n" in self.log

    def match(self, game: str) -> str:
        """Returns a new match of them, of one deal where its game has long ones; its id."""
        seats = [SEAT(bot=record_pb2.Player(bot=name)) for name in list(self._tokens)[: GAMES[game].min_seats]]
        clock = record_pb2.Clock(move_ms=HOUR_MS, start_ms=HOUR_MS)
        options = {name: option_to_proto(value) for name, value in usual_options(GAMES[game]).items()}
        request = matches_pb2.CreateMatchRequest(game=game, seats=seats, clock=clock, options=options)
        return created(self._site, request)


def created(site: Site, request: matches_pb2.CreateMatchRequest) -> str:
    """Creates a match under an id that is set here, so that the request can be repeated. Returns the id."""
    request.match_id = f"m-{secrets.token_hex(6)}"
    with site.players() as client:
        ask(client.matches.CreateMatch, request)
    return request.match_id


def archive(site: Site, number: int) -> list[str]:
    """Returns that many matches of the service's own bots, once they are over."""
    deals = {"deals": game_pb2.OptionValue(number=1)}
    seats = [SEAT(house_bot="house-first"), SEAT(house_bot="house-random")]
    ids = [
        created(site, matches_pb2.CreateMatchRequest(game="naga", seats=seats, options=deals)) for _ in range(number)
    ]
    for match_id in ids:
        wait_for_end(site, match_id)
    return ids


def wait_for_end(site: Site, match_id: str) -> None:
    """Returns when a match is over."""
    request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=10_000)
    with site.players() as client:
        wait_until(
            lambda: ask(client.matches.AwaitMatch, request).match.HasField("end"),
            lambda: f"{match_id} is over: {site.log}",
        )


def ladder_with_an_upload(site: Site) -> None:
    """A ladder in mid-season, on which a submission has played, and which is paused."""
    with site.players() as client:
        alice = client.accounts.CreateAccount(accounts_pb2.CreateAccountRequest(name="alice"), timeout=PATIENCE).token
    with Client(site.service, alice) as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="uploaded"), timeout=PATIENCE)
    arena: Any = site
    submission = over(arena, alice, send(arena, alice, folder({"bot.py": GOOD, **kit()}), "uploaded"))
    assert submission.state == pb.SUBMISSION_STATE_ACCEPTED, submission
    with site.client() as client:
        definition = ONE.format(name="mid-season", narrow=0)
        for newer in ("rank_half = 0\n", 'names = "shown"\n'):
            definition = definition.replace(newer, "")
        client.arena.CreateLadder(arena_pb2.CreateLadderRequest(definition=definition), timeout=PATIENCE)
    with site.client(alice) as client:
        client.arena.EnterLadder(arena_pb2.EnterLadderRequest(ladder="mid-season", bot="uploaded"), timeout=PATIENCE)
    wait_until(lambda: len(blocks_of(site, "uploaded")) >= 2, lambda: f"the upload has played: {site.log}")
    with site.client() as client:
        client.arena.PauseLadder(arena_pb2.PauseLadderRequest(ladder="mid-season"), timeout=PATIENCE)
    # That release may say that nothing is in play while a worker plays what it took just before the pause, also before
    # the worker has created the matches. No block is taken after the pause.
    with Redis(unix_socket_path=str(site.folder / "d" / "arena" / "store" / "valkey.sock")) as store:
        wait_until(lambda: not leases(store), lambda: f"no worker has a block, but {leases(store)}")
    wait_until(lambda: not unfinished(site), lambda: f"the blocks in play are over, but {unfinished(site)}")


def kit() -> dict[str, bytes]:
    """Returns the packages of the earlier release, which are no part of the runtime, so that a bot brings its own.

    They come with their compiled modules, which a sandbox cannot keep: each process would compile all of them.
    """
    packages, files = installed(EARLIER), {}
    for source in (path for name in ("fudaba", "fudaba_games") for path in (packages / name).rglob("*.py")):
        content = source.read_bytes()
        files[str(source.relative_to(packages))] = content
        compiled = Path(cache_from_source(str(source)))
        if compiled.exists():
            magic, code = compiled.read_bytes()[:4], compiled.read_bytes()[16:]
            unchecked = magic + UNCHECKED + source_hash(content) + code  # they are unpacked at another time
            files[str(compiled.relative_to(packages))] = unchecked
    return files


def leases(store: Redis) -> list[str]:
    """Returns what says which worker has which of the blocks of the ladder's seasons, in the store of the arena."""
    return [key.decode() for key in store.scan_iter("fudaba-arena:{mid-season.*}:lease:*", count=10_000)]


def unfinished(site: Site) -> list[str]:
    """Returns the ladder's matches that are not over."""
    matches = (match for match in site.listed().values() if match.header.match_id.startswith("mid-season."))
    return [match.header.match_id for match in matches if not match.HasField("end")]


def blocks_of(site: Site, bot: str) -> list[arena_pb2.Block]:
    return [block for block in site.blocks() if any(name.partition("@")[0] == bot for name in block.bots)]


def test_all_of_it_goes_on_where_it_was(site: Site, need_tool: Callable[[str], Path]) -> None:
    need_tool("bwrap")
    earlier = {"PYTHONPATH": str(installed(EARLIER))}
    site.begin(**earlier)
    assert earlier["PYTHONPATH"] in (Path("/proc") / str(site.pid) / "environ").read_text()
    bots = Bots(site, max(game.min_seats for game in GAMES.values()))
    waits = bots.match("naga")
    with bots.running(**earlier):
        live = [waits, *(bots.match(game) for game in GAMES)]
        wait_until(lambda: all(map(bots.stopped_in, live)), lambda: f"all are in mid-play: {bots.log}")
        finished = archive(site, 300 if exhaustive() else 5)
        ladder_with_an_upload(site)
    sleeping = bots.match("naga")  # for which nobody has come yet
    before = {match_id: site.record(match_id).SerializeToString(deterministic=True) for match_id in finished}
    listed, standings, blocks = site.listed(), site.standings(), site.blocks()
    assert site.terminate() == 0, site.log

    site.begin()
    again = site.listed()
    assert again.keys() == listed.keys()
    assert {match_id: match.state for match_id, match in again.items()} == {
        match_id: match.state for match_id, match in listed.items()
    }
    for match_id, kept in before.items():
        assert site.record(match_id).SerializeToString(deterministic=True) == kept
    rows = site.standings()
    assert rows.keys() == standings.keys()
    for bot, row in standings.items():
        assert abs(rows[bot].rating - row.rating) <= 0.01
        assert (rows[bot].matches, rows[bot].rank) == (row.matches, row.rank)

    bots.gate.touch()
    with bots.running():
        for match_id in [*live, sleeping]:
            wait_for_end(site, match_id)
            record = site.record(match_id)
            assert not verify(record)
            assert {entry.WhichOneof("what") for entry in record.log} <= {"ready", "move"}

    with site.client() as client:
        client.arena.ResumeLadder(arena_pb2.ResumeLadderRequest(ladder="mid-season"), timeout=PATIENCE)
    played = len(blocks_of(site, "uploaded"))
    wait_until(lambda: len(blocks_of(site, "uploaded")) > played, lambda: f"the upload plays on: {site.log}")
    numbers = [block.number for block in site.blocks()]
    assert len(numbers) == len(set(numbers))
    assert {block.number for block in blocks} < set(numbers)
