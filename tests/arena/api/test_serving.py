"""A standing arena: real service, real bots, real calls."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from fudaba.client import AsyncClient, Client, Endpoint
from fudaba.errors import ServiceError
from fudaba.v1 import arena_pb2, bots_pb2, matches_pb2
from fudaba_arena.schedule.seeds import commitment
from tests.support.arena.api.reading import check_same_from_the_folder, watched
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, RANDOM, STEADY, bot, head
from tests.support.arena.running import Service, gated
from tests.support.arena.scraping import scrape, value
from tests.support.arena.standing import Arena, standing
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import free_port

PLAYING = arena_pb2.TOURNAMENT_STATE_PLAYING
PAUSED = arena_pb2.TOURNAMENT_STATE_PAUSED
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


@pytest.mark.exhaustive
def test_reading_from_the_arena_and_from_its_folder_gives_the_same(arena: Arena, whole: str) -> None:
    check_same_from_the_folder(arena, whole)


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
    assert {rating.bot: rating.rating for rating in history.points[-1].ratings} == pytest.approx(now, abs=0.006)
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
