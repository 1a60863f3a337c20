"""One store is of one service: arenas and workers of another one are refused, and hurt nobody."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fudaba.client import Client
from fudaba.v1 import accounts_pb2, arena_pb2
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, RANDOM, STEADY, bot, head
from tests.support.arena.nodes import Node, check_whole, node
from tests.support.arena.running import Arena as Runs
from tests.support.arena.running import Service, environment, gated, service
from tests.support.arena.standing import Arena, standing
from tests.support.folders import short_folder
from tests.support.forked import Forked
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import RedisServer

_CLOSED = arena_pb2.TOURNAMENT_STATE_CLOSED


@pytest.fixture(scope="module")
def another() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture
def redis() -> Iterator[str]:
    with short_folder() as place, RedisServer(place) as server:
        yield server.start().url


@pytest.fixture
def place() -> Iterator[Path]:
    with short_folder() as folder:
        yield folder


def identity(started_service: Service) -> str:
    with Client(started_service.address, started_service.token) as client:
        return client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=PATIENCE).service_id


def begun(arena: Arena, name: str) -> Path:
    """Returns a tournament of which some is played and nothing more until its gate is there."""
    gate = arena.folder / f"{name}.gate"
    arena.create(head(name, blocks=3, clock=PATIENT_CLOCK) + STEADY + bot("waiting", PLAYER, env=gated(gate, 1)))
    wait_until(lambda: arena.service.matches(name), "it is played")
    return gate


def starting(started_service: Service, folder: Path, *options: str) -> Forked:
    """Returns an arena on a service, that may or may not begin to serve."""
    folder.mkdir(exist_ok=True)
    (folder / "token").write_text(started_service.arena_token)
    where = ["--data", str(folder / "data"), "--listen", f"unix:{folder}/a", "--token-file", str(folder / "token")]
    return Forked(
        ["arena", "serve", "--server", started_service.address, *where, *options], folder / "log", environment()
    )


def refused(process: Forked, log: Path) -> str:
    assert process.wait(PATIENCE) == 1, log.read_text()
    return log.read_text()


@pytest.mark.exhaustive
def test_an_arena_of_another_service_is_refused_and_plays_nothing_even_when_the_first_one_is_gone(
    hosted: Service, another: Service, redis: str, place: Path
) -> None:
    with standing(hosted, "--redis", redis) as first:
        gate = begun(first, "one")
        other = place / "other"
        said = refused(starting(another, other, "--redis", redis), other / "log")
        assert f"this arena plays on service {identity(hosted)}" in said
        assert f"add --service-id {identity(another)}" in said
        first.kill()
        refused(starting(another, other, "--redis", redis), other / "log")
        first.start()
        gate.touch()
        check_whole(first, "one")
    assert not another.matches("one")


@pytest.mark.exhaustive
def test_a_worker_of_another_service_is_refused_and_the_others_play(
    hosted: Service, another: Service, redis: str
) -> None:
    with standing(hosted, "--redis", redis, "--workers") as arena:
        arena.create(head("worked", blocks=2) + STEADY + RANDOM)
        wrong = Node(another, arena, "wrong")
        said = refused(wrong.process, wrong.log)
        assert f"the one at {another.address} is service {identity(another)}" in said
        assert "Name the arena's service with --server" in said
        with node(hosted, arena, "right"):
            check_whole(arena, "worked")
    assert not another.matches("worked")


@pytest.mark.exhaustive
def test_a_worker_that_starts_before_the_arena_waits_until_that_has_said_on_which_service_it_plays(
    hosted: Service, another: Service, redis: str, place: Path
) -> None:
    early = Arena(hosted, place, "--redis", redis, "--workers")
    right, wrong = Node(hosted, early, "right"), Node(another, early, "wrong")
    wait_until(lambda: all("waiting for the arena" in worker.output for worker in (right, wrong)), "both wait")
    with standing(hosted, "--redis", redis, "--workers"):
        right.wait_until_it_plays()
        assert "whose bots are different" in refused(wrong.process, wrong.log)
        assert right.stop() == 0


@pytest.mark.nightly(
    "an arena of another service is refused above, and a worker that could not ask yet waits until it knows"
)
def test_an_arena_that_could_not_ask_its_service_ends_when_that_turns_out_to_be_another(
    hosted: Service, redis: str, place: Path
) -> None:
    with standing(hosted, "--redis", redis) as first:
        gate = begun(first, "late")
        first.kill()
        with service() as away:
            away.kill()
            process = starting(away, place / "other", "--redis", redis)
            log = place / "other" / "log"
            wait_until(lambda: log.exists() and "nothing is played until it answers" in log.read_text(), "it serves")
            wait_until(lambda: "serves on" in log.read_text(), "it serves")
            with Client(f"unix:{place}/other/a", away.token) as client:
                found = client.arena.GetTournament(arena_pb2.GetTournamentRequest(tournament="late"), timeout=PATIENCE)
            assert found.tournament.progress.matches_planned == 6
            away.start_again()
            assert "whose bots are different" in refused(process, log)
            assert not away.matches("late")
        first.start()
        gate.touch()
        check_whole(first, "late")


@pytest.mark.exhaustive
def test_an_arena_moves_to_another_service_when_it_is_told_to_and_nobody_else_plays_from_its_store(
    hosted: Service, another: Service, redis: str, place: Path
) -> None:
    here, there = identity(hosted), identity(another)
    with standing(hosted, "--redis", redis) as first:
        begun(first, "moved")
        other = place / "other"
        moving = ["--redis", redis, "--service-id", there]
        refusal = refused(starting(another, other, *moving), other / "log")
        assert f"process {first.process.pid}, since" in refusal
        assert "still plays on the service that this arena had: stop all other arenas" in refusal
        wrong = ["--redis", redis, "--service-id", "nobody"]
        assert f"is {there}" in refused(starting(another, other, *wrong), other / "log")
        first.create(head("left", blocks=1) + STEADY + RANDOM, paused=True)
        assert first.stop() == 0
        with standing(another, *moving) as second:
            assert f"moved from service {here} to {there}" in second.output
            assert second.get("left").state == arena_pb2.TOURNAMENT_STATE_PAUSED
            second.command("tournament", "resume", "left")
            second.wait_for("left", _CLOSED)
            assert another.matches("left")
            assert f"plays on service {there}" in refused(starting(hosted, other, "--redis", redis), other / "log")


@pytest.mark.exhaustive
def test_a_run_in_the_folder_of_another_service_is_refused(hosted: Service, another: Service, place: Path) -> None:
    ran = Runs(hosted, place, head("run", blocks=1) + STEADY + RANDOM)
    assert ran.run_to_the_end().process.returncode == 0
    ran.file.write_text(head("again", blocks=1) + STEADY + RANDOM)
    ran.service = another
    run = ran.run_to_the_end()
    assert run.process.returncode == 1
    assert "whose bots are different" in run.output
    assert not another.matches("again")
