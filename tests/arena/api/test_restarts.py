"""A standing arena goes on where it was, whatever died."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from fudaba.v1 import arena_pb2
from fudaba_arena.play.tournaments.claim import CLAIM_SECONDS
from tests.support.arena.commands.tournaments import PATIENT_CLOCK, PLAYER, STEADY, bot, head
from tests.support.arena.running import Service, gated
from tests.support.arena.standing import Arena, standing, two_standing
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import RedisServer
from tests.support.service.servers import each_server, executable_of

CLOSED = arena_pb2.TOURNAMENT_STATE_CLOSED
BLOCK_COUNT = 6
FREE_MATCHES = 6
"""The number of matches that are played before the gate of a tournament is opened, however fast the machine is."""


def begun(arena: Arena, name: str, prefix: str = "") -> Path:
    """Returns a tournament of which something is played and something is left to play until its gate is there.

    `prefix` begins the names of its bots: two arenas do not run bots of the same name at once.
    """
    gate = arena.folder / f"{name}.gate"
    waiting = bot(f"{prefix}waiting", PLAYER, env=gated(gate, FREE_MATCHES))
    steady = STEADY.replace('name = "', f'name = "{prefix}')
    bots = steady + waiting
    arena.create(head(name, blocks=BLOCK_COUNT, concurrency=2, attempts=50, clock=PATIENT_CLOCK) + bots)
    wait_until(lambda: arena.get(name).progress.blocks_counted >= 1, "some blocks count")
    return gate


def check_whole(arena: Arena, name: str) -> None:
    """Everything was played, each match that counts once, each block closed once."""
    over = arena.wait_for(name, CLOSED)
    assert over.progress.complete
    counted = [match.match_id for match in arena.matches(name) if match.counting == arena_pb2.MATCH_COUNTING_COUNTED]
    assert len(counted) == len(set(counted)) == over.progress.matches_planned == 2 * BLOCK_COUNT
    with arena.client("") as client:
        stream = client.arena.WatchTournament(arena_pb2.WatchTournamentRequest(tournament=name), timeout=PATIENCE)
        changes = [change for message in stream for change in message.changes]
    closed = [change.block.number for change in changes if change.WhichOneof("change") == "block"]
    assert len(closed) == len(set(closed)) == over.progress.blocks_counted + over.progress.blocks_void


@pytest.mark.exhaustive
def test_a_killed_arena_goes_on_and_its_followers_with_it(hosted: Service) -> None:
    with standing(hosted) as arena:
        gate = begun(arena, "killed")
        with arena.client("") as client:
            stream = client.arena.WatchTournament(
                arena_pb2.WatchTournamentRequest(tournament="killed"), timeout=PATIENCE
            )
            first = next(stream)
        arena.kill()
        wait_until(lambda: hosted.bot_processes() == [], "the bots end with their arena")
        arena.start()
        gate.touch()
        with arena.client("") as client:
            request = arena_pb2.WatchTournamentRequest(tournament="killed", seen=first.seen)
            rest = [
                change
                for message in client.arena.WatchTournament(request, timeout=PATIENCE)
                for change in message.changes
            ]
            request.seen = 0
            every = [
                change
                for message in client.arena.WatchTournament(request, timeout=PATIENCE)
                for change in message.changes
            ]
        assert len(first.changes) + len(rest) == len(every) == first.seen + len(rest)
        check_whole(arena, "killed")


@pytest.mark.nightly("`test_restored.py` stops an arena and starts it again, which plays on")
def test_a_stopped_arena_stops_in_order_and_goes_on(hosted: Service) -> None:
    with standing(hosted) as arena:
        gate = begun(arena, "stopped")
        arena.process.terminate()
        wait_until(lambda: "stopping" in arena.output, "it stops")
        gate.touch()  # what is in play is played to its end
        assert arena.process.wait(PATIENCE) == 0
        assert hosted.bot_processes() == []
        arena.start()
        check_whole(arena, "stopped")
        assert arena.stop() == 0


@pytest.mark.nightly(
    "`test_other_service.py` starts an arena on a store with a paused tournament, which stays so until it is resumed"
)
def test_a_paused_tournament_stays_paused_whatever_is_started_again(hosted: Service) -> None:
    with standing(hosted) as arena:
        gate = begun(arena, "asleep")
        arena.command("tournament", "pause", "asleep")
        arena.kill()
        arena.start()
        gate.touch()
        assert arena.get("asleep").state == arena_pb2.TOURNAMENT_STATE_PAUSED
        arena.command("tournament", "resume", "asleep")
        check_whole(arena, "asleep")


@pytest.mark.nightly("`commands/test_running_on.py` has a service and a store that die while a tournament is played")
def test_a_killed_service_is_waited_for(hosted: Service) -> None:
    with standing(hosted) as arena:
        gate = begun(arena, "alone")
        hosted.kill()
        refused = arena.refusal("CreateTournament", arena_pb2.CreateTournamentRequest(definition="x"), "other")
        assert refused.reason == "SERVICE_UNAVAILABLE"
        assert arena.get("alone").progress.matches_counted  # standings need no service
        hosted.start_again()
        gate.touch()
        check_whole(arena, "alone")


@pytest.mark.nightly(
    "`workers/test_loss.py` has a Redis that dies under load, and `commands/test_running_on.py` the arena's own store"
)
def test_a_killed_store_is_waited_for(hosted: Service) -> None:
    with short_folder() as place, RedisServer(place, "--appendfsync", "always") as redis:
        redis.start()
        with standing(hosted, "--redis", redis.url) as arena:
            gate = begun(arena, "stored")
            redis.kill()
            refused = arena.refusal("GetTournament", arena_pb2.GetTournamentRequest(tournament="other"), "")
            assert refused.reason == "STORE_UNAVAILABLE"
            redis.start()
            gate.touch()
            check_whole(arena, "stored")


@pytest.mark.exhaustive
def test_a_second_arena_on_the_same_store_shows_the_tournament_and_steers_it_and_takes_it_over(hosted: Service) -> None:
    with short_folder() as place, RedisServer(place) as redis:
        redis.start()
        with two_standing(hosted, redis.url) as (first, other):
            gate = begun(first, "both")
            wait_until(lambda: other.get("both").progress.matches_counted, "the other reads what has counted")
            stands_by = f"another arena (host {socket.gethostname()}, process {first.process.pid}, since "
            wait_until(lambda: stands_by in other.output, lambda: f"it says who plays: {other.output}")
            assert "on the same store plays both: this arena stands by." in other.output
            assert "this arena stands by" not in first.output
            wait_until(lambda: "but stands by" in health(other), lambda: health(other))
            assert health(first) == f"{first.address} serves\n"
            status = ["arena", "status", "--redis", redis.url]
            arenas = first.json(*status)["arenas"]
            assert [(row["pid"], row["plays"]) for row in arenas] == [
                (first.process.pid, ["both"]),
                (other.process.pid, []),
            ]
            text = first.command(*status).stdout
            assert f"process {first.process.pid}, " in text
            assert text.count(") stands by: stop it, or give it another store") == 1
            assert other.command("tournament", "pause", "both").returncode == 0
            paused = arena_pb2.TOURNAMENT_STATE_PAUSED
            wait_until(lambda: first.get("both").state == paused, "the one that plays hears of it")
            gate.touch()
            wait_until(lambda: not first.get("both").progress.matches_playing, "what had begun is over")
            assert first.get("both").state == paused
            gate.unlink()
            other.command("tournament", "resume", "both")
            wait_until(lambda: first.get("both").state != paused, "and of that")
            first.kill()
            gate.touch()
            check_whole(other, "both")
            wait_until(lambda: "plays nothing on this store now: this arena plays" in other.output, "it says so")
            assert health(other) == f"{other.address} serves\n"


@pytest.mark.nightly("a second arena takes over what the first one plays, above")
def test_of_two_arenas_that_share_what_is_played_each_takes_over_all_when_the_other_ends(hosted: Service) -> None:
    with short_folder() as place, RedisServer(place) as redis:
        redis.start()
        with two_standing(hosted, redis.url) as (first, other):
            theirs, ours = begun(first, "theirs", "a-"), begun(other, "ours", "b-")
            shares = f"on the same store plays ours, and this arena others: either plays all within {CLAIM_SECONDS:g} s"
            wait_until(lambda: shares in first.output, lambda: first.output)
            for arena in (first, other):
                wait_until(lambda arena=arena: health(arena) == f"{arena.address} serves\n", "none stands by")  # type: ignore[misc]  # the loop's
            first.kill()
            theirs.touch()
            ours.touch()
            check_whole(other, "ours")
            check_whole(other, "theirs")
            wait_until(lambda: "plays nothing on this store now: this arena plays" in other.output, "it says so")


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", each_server())
def test_an_arena_that_starts_on_a_full_store_shows_what_there_is_and_plays_on_once_there_is_room(
    hosted: Service, kind: str
) -> None:
    with short_folder() as place, RedisServer(place, executable=executable_of(kind)) as redis:
        redis.start()
        with standing(hosted, "--redis", redis.url) as arena:
            name = f"full-{kind}"
            gate = begun(arena, name, f"{kind}-")
            arena.kill()
            with redis.client() as client:
                client.config_set("maxmemory", 1)
            arena.start()
            assert arena.get(name).progress.matches_counted
            refused = arena.refusal("PauseTournament", arena_pb2.PauseTournamentRequest(tournament=name))
            assert refused.reason == "STORE_UNAVAILABLE"
            wait_until(lambda: "is full, make room or raise its maxmemory" in arena.output, lambda: arena.output)
            with redis.client() as client:
                client.config_set("maxmemory", 0)
            gate.touch()
            check_whole(arena, name)


def health(arena: Arena) -> str:
    return arena.command("health", "--server", arena.address).stdout
