"""A standing arena: real service, real bots, real calls."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from fudaba.client import AsyncClient, Client, Endpoint
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, bots_pb2, matches_pb2
from fudaba_arena.schedule.seeds import commitment
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, RANDOM, STEADY, bot, head
from tests.support.arena.running import PLAYER as PLAYER_PROGRAM
from tests.support.arena.running import Arena as BatchArena
from tests.support.arena.running import Run, Service, command_of, environment, gated
from tests.support.arena.scraping import scrape, value
from tests.support.arena.standing import Arena, standing
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import free_port

PLAYING = arena_pb2.TOURNAMENT_STATE_PLAYING
PAUSED = arena_pb2.TOURNAMENT_STATE_PAUSED
STALLED = arena_pb2.TOURNAMENT_STATE_STALLED
CLOSED = arena_pb2.TOURNAMENT_STATE_CLOSED
FIRST = bot("first", 'builtin = "first"')


@pytest.fixture(scope="module")
def metrics_port() -> int:
    """Where the arena serves its metrics."""
    return free_port()


@pytest.fixture(scope="module")
def arena(hosted: Service, metrics_port: int) -> Iterator[Arena]:
    with standing(hosted, "--metrics", f"127.0.0.1:{metrics_port}") as running:
        yield running


class Followed(NamedTuple):
    """A tournament that was followed to its end."""

    made: arena_pb2.Tournament
    """As it was created."""
    messages: list[arena_pb2.WatchTournamentResponse]
    """All that was told of it."""
    played: set[str]
    """The matches that the service knows of it."""


@pytest.fixture(scope="module")
def followed(arena: Arena, hosted: Service) -> Followed:
    made = arena.create(head("whole", blocks=3) + STEADY + RANDOM + FIRST)
    messages = list(watched(arena, "whole"))
    return Followed(made, messages, set(hosted.matches("whole")))


@pytest.fixture(scope="module")
def whole(followed: Followed) -> str:
    """The name of a tournament that is over."""
    return followed.made.name


def watched(arena: Arena, name: str, seen: int = 0) -> Iterator[arena_pb2.WatchTournamentResponse]:
    with arena.client("") as client:
        request = arena_pb2.WatchTournamentRequest(tournament=name, seen=seen)
        yield from client.arena.WatchTournament(request, timeout=PATIENCE)


def test_a_tournament_is_created_and_followed_to_its_end(arena: Arena, hosted: Service, followed: Followed) -> None:
    made, messages, played = followed
    assert made.state == PLAYING
    assert made.progress.matches_planned == 3 * 3 * 2
    assert not made.master

    changes = [change for message in messages for change in message.changes]
    blocks = [change.block.number for change in changes if change.WhichOneof("change") == "block"]
    states = [change.state for change in changes if change.WhichOneof("change") == "state"]
    assert sorted(blocks) == list(range(9))
    assert states == [PLAYING, CLOSED]
    assert messages[-1].seen == len(changes)
    assert [message.seen for message in messages] == sorted({message.seen for message in messages})

    # Who comes back with a number is told the rest, and nothing twice.
    rest = [change for message in watched(arena, "whole", seen=4) for change in message.changes]
    for change in rest:
        if change.HasField("block"):
            change.block.ClearField("seed")  # it is open by now
    assert rest == changes[4:]

    over = messages[-1].tournament
    assert over.state == CLOSED
    assert over.progress.complete
    assert commitment(over.master) == over.commitment == made.commitment
    matches = arena.matches("whole")
    assert len(matches) == 18
    assert {match.match_id for match in matches} == played
    assert {match.counting for match in matches} == {arena_pb2.MATCH_COUNTING_COUNTED}
    assert all(sum(match.scores) == 0 and match.HasField("end_time") for match in matches)
    check_standings(arena, matches)
    wait_until(lambda: hosted.bot_processes() == [], "the bots end")


def check_standings(arena: Arena, matches: list[arena_pb2.TournamentMatch]) -> None:
    with arena.client("") as client:
        request = arena_pb2.GetStandingsRequest(tournament="whole")
        [standings] = client.arena.GetStandings(request, timeout=PATIENCE).standings
        history = client.arena.GetRatingHistory(
            arena_pb2.GetRatingHistoryRequest(tournament="whole", every_blocks=4), timeout=PATIENCE
        )
        blocks = client.arena.ListBlocks(arena_pb2.ListBlocksRequest(tournament="whole"), timeout=PATIENCE).blocks
        queue = client.arena.GetQueue(arena_pb2.GetQueueRequest(tournament="whole"), timeout=PATIENCE)
    assert standings.game == "naga"
    assert {row.bot: row.matches for row in standings.rows} == Counter(name for match in matches for name in match.bots)
    assert all(row.low < row.rating < row.high for row in standings.rows)
    assert [point.blocks for point in history.points] == [4, 8, 9]
    now = {row.bot: row.rating for row in standings.rows}
    assert {rating.bot: rating.rating for rating in history.points[-1].ratings} == pytest.approx(now)
    assert [block.number for block in blocks] == list(range(9))
    assert all(len(block.seed) == 32 for block in blocks)
    assert not queue.blocks
    assert not queue.more


@pytest.mark.nightly(
    "`schedule/test_swiss.py` has the points of a Swiss by hand, and `commands/test_running_formats.py` plays one"
)
def test_the_victory_points_of_a_swiss_are_those_of_its_matches(arena: Arena) -> None:
    """With one deal a match of Naga is won or lost: a bot's share of a block is what it won of it."""
    second = bot("second", 'builtin = "random"')
    third = bot("third", 'builtin = "random"')
    arena.create(head("swiss", format='"swiss"', rounds=2) + STEADY + RANDOM + second + third + FIRST)
    arena.wait_for("swiss", CLOSED)
    with arena.client("") as client:
        request = arena_pb2.GetStandingsRequest(tournament="swiss")
        [table] = client.arena.GetStandings(request, timeout=PATIENCE).swiss
    assert (table.game, table.rounds, table.rounds_begun) == ("naga", 2, 2)
    won: defaultdict[str, float] = defaultdict(float)
    played: Counter[str] = Counter()
    for match in arena.matches("swiss"):
        for name, score in zip(match.bots, match.scores, strict=True):
            won[name] += (score + 1) / 2
            played[name] += 1
    rows = {row.bot: row for row in table.rows}
    assert rows.keys() == {"steady", "random", "second", "third", "first"}
    for name, row in rows.items():
        assert (row.rounds_played, row.rounds_played + row.byes) == (played[name] / 2, 2)
        assert row.victory_points == won[name] / 2 + row.byes / 2
    assert sum(row.byes for row in table.rows) == 2  # of five bots one sits out in each round
    points = [row.victory_points for row in table.rows]
    assert points == sorted(points, reverse=True)
    assert [row.rank for row in table.rows] == [1 + sum(other > own for other in points) for own in points]
    assert [row.tied for row in table.rows] == [points.count(own) > 1 for own in points]
    check_same_from_the_folder(arena, "swiss")


def test_the_bracket_of_a_knockout_is_told_to_everybody(arena: Arena) -> None:
    arena.create(head("cup", format='"single-elimination"', blocks=2) + STEADY + RANDOM + FIRST)
    arena.wait_for("cup", CLOSED)
    with arena.client("") as client:
        answer = client.arena.GetStandings(arena_pb2.GetStandingsRequest(tournament="cup"), timeout=PATIENCE)
    definition, bracket = answer.tournament.definition, answer.bracket
    assert definition.format == arena_pb2.TOURNAMENT_FORMAT_SINGLE_ELIMINATION
    assert (list(definition.seeds), definition.tiebreak_blocks) == (["steady", "random", "first"], 2)
    assert [seat.bot for seat in bracket.groups[0].seats] == ["random", "first"]
    winner = next(seat.bot for seat in bracket.groups[1].seats if seat.place == 1)
    assert [(place.rank, place.bot == winner) for place in bracket.places] == [(1, True), (2, False), (3, False)]
    check_same_from_the_folder(arena, "cup")


def test_all_mistakes_are_told_at_once_and_nothing_is_created(arena: Arena) -> None:
    text = head("wrong", blocks=0, metrics='"127.0.0.1:9"') + STEADY + bot("x", 'builtin = "nobody"')
    error = arena.refusal("CreateTournament", arena_pb2.CreateTournamentRequest(definition=text))
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "BAD_TOURNAMENT")
    lines = [field for field, _ in error.violations]
    assert lines == ["definition:3", "definition:4", "definition:10"]
    assert "leave metrics out" in error.violations[1][1]
    assert arena.refusal("GetTournament", arena_pb2.GetTournamentRequest(tournament="wrong")).code == "NOT_FOUND"


def test_more_mistakes_than_a_header_holds_are_counted(arena: Arena) -> None:
    text = head("wrong") + "".join(bot(f"x{number}", 'builtin = "nobody"') for number in range(200))
    error = arena.refusal("CreateTournament", arena_pb2.CreateTournamentRequest(definition=text))
    assert error.reason == "BAD_TOURNAMENT"
    *listed, (field, rest) = error.violations
    assert not field
    assert rest == f"and {200 - len(listed)} more"


def test_a_bot_that_the_service_does_not_know_is_told_by_its_line(arena: Arena) -> None:
    text = head("unknown") + STEADY + bot("nobody-knows-me", "remote = true")
    error = arena.refusal("CreateTournament", arena_pb2.CreateTournamentRequest(definition=text))
    [(field, message)] = error.violations
    assert field == "definition:7"
    assert "fudaba bot create nobody-knows-me" in message


def test_only_the_organiser_creates_and_steers(arena: Arena, whole: str, hosted: Service) -> None:
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="visitor"))
        visitor = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="visitor")).token
    request = arena_pb2.CreateTournamentRequest(definition=head("mine") + STEADY + RANDOM)
    for token, reason in (("", "TOKEN_MISSING"), ("nonsense", "TOKEN_UNKNOWN"), (visitor, "ORGANISER_ONLY")):
        assert arena.refusal("CreateTournament", request, token).reason == reason
        for call in ("Pause", "Resume", "Close"):
            steer = getattr(arena_pb2, f"{call}TournamentRequest")(tournament=whole)
            assert arena.refusal(f"{call}Tournament", steer, token).reason == reason
    assert arena.get(whole, visitor).name == "whole"


def test_the_same_definition_again_is_the_same_tournament_and_another_is_refused(arena: Arena, tmp_path: Path) -> None:
    text = head("twice") + STEADY + RANDOM
    planned = arena.create(text, validate_only=True)
    assert (planned.name, planned.commitment) == ("twice", b"")
    file = tmp_path / "twice.toml"
    file.write_text(text, encoding="utf-8")
    output = arena.command("tournament", "create", str(file), "--dry-run").stdout
    assert "naga      2       1       1        2             20" in output
    assert "  round 1: random - steady\n" in output
    plan = json.loads(arena.command("tournament", "create", str(file), "--dry-run", "--json").stdout)
    assert (plan["concurrency"], plan["games"][0]["groups"]) == (8, 1)
    made = arena.create(text, paused=True)
    assert made.state == PAUSED
    assert arena.create(text).commitment == made.commitment
    other = arena_pb2.CreateTournamentRequest(definition=text + FIRST)
    assert arena.refusal("CreateTournament", other).reason == "TOURNAMENT_EXISTS"


@pytest.mark.exhaustive
def test_a_tournament_is_paused_resumed_and_closed(arena: Arena, hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    slow = bot("slow", PLAYER, env=gated(gate, free=6))
    arena.create(head("steered", blocks=20, concurrency=2, clock=PATIENT_CLOCK) + STEADY + slow)
    wait_until(lambda: arena.get("steered").progress.matches_counted >= 2, "some matches count")
    assert arena.command("tournament", "pause", "steered").stdout.startswith("steered is paused")
    gate.touch()
    wait_until(lambda: not arena.get("steered").progress.matches_playing, "the matches in play end")
    wait_until(lambda: hosted.bot_processes() == [], "the bots end")
    counted = arena.get("steered").progress.matches_counted
    assert counted < 40

    arena.command("tournament", "resume", "steered")
    wait_until(lambda: arena.get("steered").progress.matches_counted > counted, "it goes on")
    done = arena.command("tournament", "close", "steered")
    assert done.stdout.startswith("steered is closed"), done.stderr
    over = arena.get("steered")
    assert over.state == CLOSED
    assert commitment(over.master) == over.commitment
    for call in ("Pause", "Resume"):
        request = getattr(arena_pb2, f"{call}TournamentRequest")(tournament="steered")
        assert arena.refusal(f"{call}Tournament", request).reason == "TOURNAMENT_CLOSED"
    states = [
        change.state
        for message in watched(arena, "steered")
        for change in message.changes
        if change.WhichOneof("change") == "state"
    ]
    assert states == [PLAYING, PAUSED, PLAYING, CLOSED]


@pytest.mark.exhaustive
def test_nothing_of_a_block_in_play_is_told_but_to_the_organiser(arena: Arena, hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    waits = bot("waits", PLAYER, env=gated(gate, free=1))
    arena.create(head("held-back", deals=2, clock=PATIENT_CLOCK) + STEADY + waits)

    def one_is_over() -> list[arena_pb2.TournamentMatch]:
        return [match for match in arena.matches("held-back", hosted.token) if match.scores]

    [ended] = wait_until(one_is_over, "one match of the block is over")
    matches = arena.matches("held-back")
    assert ended.match_id in {match.match_id for match in matches}
    assert {match.counting for match in matches} == {arena_pb2.MATCH_COUNTING_OPEN}
    for match in matches:
        assert not match.scores
        assert not match.HasField("deal")
        assert not match.HasField("end_time")
    with arena.client("") as client:
        request = arena_pb2.ListBlocksRequest(tournament="held-back")
        blocks = client.arena.ListBlocks(request, timeout=PATIENCE).blocks
        queue = client.arena.GetQueue(arena_pb2.GetQueueRequest(tournament="held-back"), timeout=PATIENCE)
    assert [(block.state, block.seed) for block in blocks] == [(arena_pb2.BLOCK_STATE_PLAYING, b"")]
    assert [(queued.block.number, queued.block.state) for queued in queue.blocks] == [
        (0, arena_pb2.BLOCK_STATE_PLAYING)
    ]
    gate.touch()
    arena.wait_for("held-back", CLOSED)


@pytest.mark.nightly("one stream of a remote bot plays for several tournaments at once, in the same file")
def test_two_tournaments_at_once_share_the_bots_that_the_arena_starts(
    arena: Arena, hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    for name in ("left", "right"):
        shared = bot("shared", PLAYER, env=gated(gate))
        arena.create(head(name, blocks=2, clock=PATIENT_CLOCK) + STEADY + shared)
    wait_until(lambda: all(arena.get(name).progress.matches_playing for name in ("left", "right")), "both are played")

    # One for each bot and none for each tournament; there are more processes while one starts another.
    def bots() -> list[str]:
        """Their commands, each once: whoever sees to it that nothing of a bot is left has the bot's variables too."""
        commands = map(command_of, hosted.bot_processes())
        return [command for command in commands if command and "_reaper_process.py" not in command]

    wait_until(lambda: len(bots()) == 2, lambda: f"two bots are two processes: {bots()}, {arena.output}")
    other = head("third") + STEADY + bot("shared", PLAYER)
    arena.create(other)
    stalled = arena.wait_for("third", STALLED)
    assert "another program is another version" in stalled.stalled_because
    assert not arena.get("third").stalled_because
    gate.touch()
    for name in ("left", "right"):
        assert arena.wait_for(name, CLOSED).progress.matches_counted == 4
    arena.wait_for("third", CLOSED)  # tried again by itself
    wait_until(lambda: hosted.bot_processes() == [], "the bots end")


@pytest.mark.exhaustive
def test_one_stream_of_a_remote_bot_plays_for_several_tournaments_and_arenas_at_once(
    arena: Arena, hosted: Service, tmp_path: Path
) -> None:
    names = ("here", "there", "elsewhere")
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="everywhere"))
        token = client.bots.CreateToken(bots_pb2.CreateTokenRequest(bot="everywhere")).token
    gate, everywhere = tmp_path / "gate", bot("everywhere", "remote = true")
    whose = environment() | {"FUDABA_SERVER": hosted.address, "FUDABA_TOKEN": token, "GATE": str(gate)}
    (tmp_path / "gated.py").write_text(PLAYER_PROGRAM.replace("fudaba.run(Player)", ""), encoding="utf-8")
    process = Forked(["bot", "run", f"{tmp_path}/gated.py:Player"], tmp_path / "bot.log", whose)
    other = Run(BatchArena(hosted, tmp_path, head("elsewhere") + FIRST + everywhere), tmp_path / "run.log", ())
    try:
        for name in names[:2]:
            arena.create(head(name) + STEADY + everywhere)

        def playing() -> set[str]:
            """The tournaments of the matches that have begun and go on."""
            with hosted.client() as client:
                request = matches_pb2.ListMatchesRequest(bot="everywhere", state=matches_pb2.MATCH_STATE_PLAYING)
                return {match.header.label for match in client.matches.ListMatches(request, timeout=PATIENCE).matches}

        wait_until(lambda: playing() == set(names), lambda: f"it plays in all three: {other.output}")
        gate.touch()
        for name in names[:2]:
            over = arena.wait_for(name, CLOSED)
            assert (over.progress.matches_counted, over.progress.blocks_void) == (2, 0)
        assert other.wait() == 0, other.output
        said = (tmp_path / "bot.log").read_text(encoding="utf-8")
        assert said.count("connected to") == 1, said
    finally:
        for bot_process in (other.process, process):
            bot_process.kill()
            bot_process.wait()


@pytest.mark.exhaustive
def test_a_bot_that_is_absent_stalls_its_tournament_until_the_organiser_resumes_it(
    arena: Arena, hosted: Service, whole: str
) -> None:
    with hosted.client() as client:
        client.bots.CreateBot(bots_pb2.CreateBotRequest(name="absent"))
    arena.create(head("stalls", connect_seconds=1, attempts=1, no_shows=9) + STEADY + bot("absent", "remote = true"))
    stalled = arena.wait_for("stalls", STALLED)
    assert "1 of 1 block is parked" in stalled.stalled_because
    parked = arena_pb2.StallReason(cause=arena_pb2.STALL_CAUSE_PARKED, blocks_parked=1, blocks=1)
    assert stalled.stall_reason == parked
    assert not arena.get("stalls").HasField("stall_reason"), "only the organiser sees it"
    [void] = arena.json("arena", "matches", "--void", "--tournament", "stalls")
    assert (void["cause"], void["parked"]) == ("no_show", True)
    assert "absent" in void["bots"]
    arena.command("tournament", "resume", "stalls")
    wait_until(lambda: arena.get("stalls").progress.blocks_void == 2, "it is tried again")
    assert arena.command("tournament", "close", "stalls").returncode == 0
    check_same_from_the_folder(arena, "stalls", whole)


FORMS = (
    ("standings",),
    ("standings", "--json"),
    ("standings", "--csv"),
    ("matches",),
    ("matches", "--json"),
    ("matches", "--void"),
    ("matches", "--void", "--json"),
    ("blocks",),
    ("blocks", "--json"),
)
"""All that is read of a tournament, in each form."""
WHOLE_FORMS = (("standings", "--json"), ("matches", "--json"), ("blocks", "--json"))
"""The forms that leave nothing out."""


def check_same_from_the_folder(arena: Arena, *names: str, forms: Sequence[Sequence[str]] = FORMS) -> None:
    """Reading from the arena and from its folder gives the same tables, JSON and CSV."""
    folder = {"FUDABA_ARENA_DATA": str(arena.folder / "data"), "FUDABA_ARENA": ""}
    for words in forms:
        for name in names:
            there = arena.command("arena", *words, "--tournament", name)
            here = arena.command("arena", *words, "--tournament", name, **folder)
            assert there.returncode == 0, there.stderr
            assert there.stdout == here.stdout


@pytest.mark.exhaustive
def test_blocks_are_annulled_while_the_arena_plays_by_a_call_and_in_its_folder(
    arena: Arena, hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    waits = bot("annul-waits", PLAYER, env=gated(gate, free=6))
    arena.create(head("annulled", blocks=9, concurrency=1, clock=PATIENT_CLOCK) + STEADY + waits)

    def counted() -> bool:
        return arena.get("annulled").progress.blocks_counted >= 3

    wait_until(counted, "blocks count")
    request = arena_pb2.AnnulBlocksRequest(tournament="annulled", blocks=[0], reason="the network failed")
    assert arena.refusal("AnnulBlocks", request, "").reason == "TOKEN_MISSING"
    with arena.client() as client:
        done = client.arena.AnnulBlocks(request, timeout=PATIENCE)
    assert (list(done.blocks), done.tournament.progress.blocks_counted) == ([0], 2)
    assert arena.refusal("AnnulBlocks", request).reason == "NOTHING_TO_ANNUL"

    def rated() -> int:
        return int(arena.json("arena", "standings", "--tournament", "annulled")["standings"][0]["blocks"])

    assert rated() == 2
    folder = {"FUDABA_ARENA_DATA": str(arena.folder / "data"), "FUDABA_ARENA": ""}
    words = ("arena", "annul", "--tournament", "annulled", "--block", "1", "--yes", "--reason", "so did the power")
    assert arena.command(*words, **folder).returncode == 0
    wait_until(lambda: arena.get("annulled").progress.blocks_counted == 1, "the arena has heard of it")
    by_call = (
        "arena",
        "annul",
        "--tournament",
        "annulled",
        "--bot",
        "annul-waits",
        "--yes",
        "--reason",
        "and the rest",
    )
    done_by_hand = arena.command(*by_call)
    assert "of annulled (annulment 3); 0 are rated" in done_by_hand.stderr
    with arena.client("") as client:
        listed = arena_pb2.ListBlocksRequest(tournament="annulled", state=arena_pb2.BLOCK_STATE_ANNULLED)
        blocks = client.arena.ListBlocks(listed, timeout=PATIENCE).blocks
    assert {block.number: block.annul_reason for block in blocks} == {
        0: "the network failed", 1: "so did the power", 2: "and the rest",
    }  # fmt: skip
    gate.touch()
    over = arena.wait_for("annulled", CLOSED)
    assert (over.progress.blocks_counted, over.progress.complete) == (6, True)
    changes = [change for message in watched(arena, "annulled") for change in message.changes]
    reported = [change.block.number for change in changes if change.HasField("block")]
    assert reported.count(0) == 2  # when it was closed, and when it was annulled
    # Rated anew as soon as something else is annulled, be it as much as before.
    with arena.client() as client:
        undo = arena_pb2.UndoAnnulmentRequest(tournament="annulled", annulment=3, reason="it was right")
        seen = client.arena.UndoAnnulment(arena_pb2.UndoAnnulmentRequest(
            tournament="annulled", annulment=3, validate_only=True), timeout=PATIENCE)  # fmt: skip
        assert (seen.effect.blocks_before, seen.effect.blocks_after) == (6, 7)
        assert client.arena.UndoAnnulment(undo, timeout=PATIENCE).tournament.progress.blocks_counted == 7
    assert arena.refusal("UndoAnnulment", undo).reason == "NOTHING_TO_ANNUL"
    assert rated() == 7
    reported = [change.block.state for message in watched(arena, "annulled") for change in message.changes
            if change.block.number == 2 and change.HasField("block")]  # fmt: skip
    assert len(reported) == 3, "when it was closed, when it was annulled, and when that was undone"
    check_same_from_the_folder(arena, "annulled", forms=WHOLE_FORMS)


def test_a_client_that_has_seen_more_than_there_is_is_refused(arena: Arena, whole: str) -> None:
    with pytest.raises(Exception, match="MALFORMED"):
        next(watched(arena, whole, seen=1_000_000))


def test_metrics_tell_of_tournaments_calls_and_refusals(arena: Arena, metrics_port: int, whole: str) -> None:
    arena.refusal("GetTournament", arena_pb2.GetTournamentRequest(tournament="nobody"), "")

    def answer() -> str:
        scraped = scrape(metrics_port)
        if not scraped or value(scraped, "fudaba_arena_watchers"):
            return ""  # the streams of the tests before end a moment after their clients
        return scraped if value(scraped, 'fudaba_arena_tournaments{state="closed"}') >= 1 else ""

    scraped = wait_until(answer, "it counts tournaments, and nobody follows one")
    assert value(scraped, 'fudaba_arena_calls_total{method="GetTournament"}') >= 1
    assert value(scraped, 'fudaba_arena_refusals_total{reason="TOURNAMENT_NOT_FOUND"}') >= 1


def test_it_serves_health_and_reflection(arena: Arena) -> None:
    assert arena.command("health", "--server", arena.address).returncode == 0
    with grpc.insecure_channel(arena.address) as channel:
        services = ProtoReflectionDescriptorDatabase(channel).get_services()
    assert {"fudaba.v1.ArenaService", "grpc.health.v1.Health"} <= set(services)


def test_messages_that_are_not_the_contracts_are_refused(arena: Arena, whole: str) -> None:
    endpoint = Endpoint(arena.address)
    with endpoint.channel() as channel:
        call: Any = channel.unary_unary("/fudaba.v1.ArenaService/GetTournament")
        with pytest.raises(grpc.RpcError) as caught:
            call(b"\x0a\xff", timeout=PATIENCE)
    assert caught.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    request = arena_pb2.ListBlocksRequest(tournament=whole, page_token="nonsense")
    assert arena.refusal("ListBlocks", request, "").reason == "MALFORMED"
    standings = arena_pb2.GetStandingsRequest(tournament=whole, game="chess")
    assert arena.refusal("GetStandings", standings, "").reason == "GAME_NOT_FOUND"
    states = arena_pb2.ListTournamentsRequest()
    states.state = 99  # type: ignore[assignment]
    assert arena.refusal("ListTournaments", states, "").reason == "MALFORMED"


@pytest.mark.exhaustive
def test_the_command_line_lists_shows_and_explains(arena: Arena, whole: str, tmp_path: Path) -> None:
    assert whole in arena.command("tournament", "list", "--state", "closed").stdout
    shown = arena.command("tournament", "show", whole).stdout
    assert "the deals are open: master " in shown
    assert "bot first 1: builtin first" in shown
    assert arena.command("tournament", "queue", whole).stdout == "nothing is left to play\n"
    assert len(arena.command("tournament", "history", whole, "--every", "3").stdout.splitlines()) == 4
    file = tmp_path / "new.toml"
    file.write_text(head("new") + STEADY)
    done = arena.command("tournament", "create", str(file))
    assert done.returncode == 2
    assert done.stderr.splitlines()[0].startswith(f"{file}:3: a tournament needs at least 2 bots")
    file.write_text(head("new") + STEADY + RANDOM)
    assert "is right: 2 bots" in arena.command("tournament", "create", str(file), "--check").stdout
    assert arena.command("tournament", "create", str(file)).stdout == "new\n"
    assert "-- closed, 2 of 2 matches" in arena.command("tournament", "watch", "new").stdout


def test_matches_that_are_over_are_shown_to_everybody(arena: Arena, whole: str, hosted: Service) -> None:
    for match in arena.matches(whole):
        with hosted.client(stranger=True) as client:
            found = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match.match_id)).match
        assert not found.hidden
        assert list(found.end.outcome.scores) == list(match.scores)


@pytest.mark.parametrize("more", [{}, {"author": '"Ann"'}], ids=["the service knows", "the file says"])
def test_a_definition_whose_bots_may_never_meet_is_refused_and_the_arena_goes_on(
    arena: Arena, hosted: Service, tmp_path: Path, more: dict[str, str]
) -> None:
    """Unless the file says whose bots they are, that turns out when the service is asked."""
    names = [f"{name}-{len(more)}" for name in ("own", "other")]
    with hosted.client() as client:
        for name in names:
            client.bots.CreateBot(bots_pb2.CreateBotRequest(name=name, author="Ann"), timeout=PATIENCE)
    file = tmp_path / "own.toml"
    file.write_text(head("own", blocks=1) + "".join(bot(name, "remote = true", **more) for name in names))
    for way in ([], ["--check"], ["--dry-run"]):
        done = arena.command("tournament", "create", str(file), *way)
        assert done.returncode == 2, done.stderr
        assert "all bots are of one author; enter others, or allow bots of one author to meet" in done.stderr
    assert "own" not in {tournament["name"] for tournament in arena.json("tournament", "list")}


def test_an_arena_that_is_not_there_or_does_not_answer_is_called_an_arena(arena: Arena, tmp_path: Path) -> None:
    request = arena_pb2.ListTournamentsRequest()
    with Client(f"unix:{tmp_path}/nobody") as client:
        with pytest.raises(ServiceError, match="cannot reach the arena at unix:"):
            client.arena.ListTournaments(request, timeout=PATIENCE)
        with pytest.raises(ServiceError, match="cannot reach the arena at unix:"):
            list(client.arena.WatchTournament(arena_pb2.WatchTournamentRequest(), timeout=PATIENCE))
    with arena.client("") as client, pytest.raises(ServiceError, match=r"the arena at unix:.* did not answer in time"):
        client.arena.ListTournaments(request, timeout=0)


async def test_so_it_is_in_an_event_loop(tmp_path: Path) -> None:
    async with AsyncClient(f"unix:{tmp_path}/nobody") as client:
        with pytest.raises(ServiceError, match="cannot reach the arena at unix:"):
            await client.arena.ListTournaments(arena_pb2.ListTournamentsRequest(), timeout=PATIENCE)
        with pytest.raises(ServiceError, match="cannot reach the service at unix:"):
            await client.matches.ListMatches(matches_pb2.ListMatchesRequest(), timeout=PATIENCE)
