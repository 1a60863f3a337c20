"""House bots: listed, challenged, played through the same sessions, and alive whatever dies."""

from __future__ import annotations

import contextlib
import logging
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from fudaba.codec import option_to_proto
from fudaba.v1 import catalog_pb2, errors_pb2, matches_pb2, play_pb2
from fudaba_games.game import OptionValue
from fudaba_games.registry import GAMES
from fudaba_service.house import seats
from fudaba_service.refusals import Refused
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.challenges import SEAT, challenge, play_by_hand
from tests.support.service.organiser import Organiser, StoreView
from tests.support.service.processes import Service
from tests.support.sizes import some

MAX_DECISIONS = 40
"""After so many of its own a bot gives up a match of the longest game in a sample."""


def workers(service: Service) -> list[int]:
    """Returns the processes that think for a service's house bots."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            if parent == service.pid and b"house.worker" in status.with_name("cmdline").read_bytes():
                found.append(int(status.parent.name))
    return found


def alive(process: int) -> bool:
    """Returns whether a process is there. One that has ended and that nobody has asked about is not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_the_catalogue_lists_the_house_bots_of_each_game(organiser: Organiser) -> None:
    listed = await organiser.catalog.ListGames(catalog_pb2.ListGamesRequest())
    for game in listed.games:
        names = [house_bot.name for house_bot in game.house_bots]
        assert names[-2:] == ["house-random", "house-first"]
        assert all(house_bot.name.startswith("house-") and house_bot.description for house_bot in game.house_bots)
    naga = await organiser.catalog.GetGame(catalog_pb2.GetGameRequest(game="naga"))
    assert [house_bot.name for house_bot in naga.game.house_bots] == ["house-sensible", "house-random", "house-first"]


@pytest.mark.parametrize("name", ["sensible", "random", "first"])
async def test_whoever_has_a_bots_token_may_challenge_a_house_bot(organiser: Organiser, name: str) -> None:
    entrant = await organiser.entrant()
    match_id = await challenge(organiser, entrant, name)
    await play_by_hand(organiser, entrant, match_id)
    record = await organiser.record(match_id)
    assert record.header.players[1].bot == f"house-{name}"
    moves = [entry for entry in record.log if entry.seat == 1]
    assert {entry.WhichOneof("what") for entry in moves} == {"ready", "move"}
    assert record.end.HasField("outcome")


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_house_bots_fill_the_other_seats_of_every_game(organiser: Organiser, game: str) -> None:
    entrant = await organiser.entrant()
    match_id = await challenge(organiser, entrant, *["random"] * (GAMES[game].min_seats - 1), game=game)
    await play_by_hand(organiser, entrant, match_id, stop_after=some(1_500, least=MAX_DECISIONS))
    if not (await organiser.get(match_id)).HasField("end"):
        resign = matches_pb2.ResignMatchRequest(match_id=match_id)
        await organiser.matches.ResignMatch(resign, metadata=bearer(entrant.token))
    record = await organiser.record(match_id)
    assert [player.bot for player in record.header.players[1:]] == ["house-random"] * (GAMES[game].min_seats - 1)
    assert {entry.seat for entry in record.log if entry.HasField("move")} == set(range(GAMES[game].min_seats))
    assert not any(entry.WhichOneof("what") in {"timeout", "illegal"} for entry in record.log)


async def test_house_bots_alone_may_play_for_the_organiser(organiser: Organiser, store: StoreView) -> None:
    request = matches_pb2.CreateMatchRequest(
        game="naga", seats=[SEAT(house_bot="house-random"), SEAT(house_bot="house-sensible")]
    )
    made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
    match_id = made.match.header.match_id
    assert (await organiser.ended(match_id)).end.HasField("outcome")
    await store.forgets(match_id)


async def test_a_house_bot_that_is_beaten_to_a_foundation_is_no_fault(folder: Path) -> None:
    seats = [SEAT(house_bot=f"house-{name}") for name in ("sensible", "sensible", "random", "random")]
    given: dict[str, OptionValue] = {"target": 0, "pace": "realtime", "hand_ms": 0, "stuck_ms": 1_000}
    options = {name: option_to_proto(value) for name, value in given.items()}
    with Service(folder, "--verbose") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            request = matches_pb2.CreateMatchRequest(game="nerts", options=options, seats=seats)
            while "was refused: too late" not in service.log:
                made = await organiser.matches.CreateMatch(request, metadata=organiser.metadata)
                assert (await organiser.ended(made.match.header.match_id)).end.HasField("outcome")
        assert "ERROR" not in service.log


async def test_no_process_thinks_before_a_house_bot_is_asked() -> None:
    with short_folder() as place, Service(place) as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrant = await organiser.entrant()
            assert not workers(service)
            await play_by_hand(organiser, entrant, await challenge(organiser, entrant, "first"))
            [worker] = workers(service)
        assert service.terminate() == 0, service.log
        await until(lambda: not alive(worker), "the end of the worker")
        assert "Traceback" not in service.log


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a process is a fork")
@pytest.mark.parametrize("killed", [False, True])
async def test_a_service_for_a_moment_has_that_process_before_it_is_asked_and_a_new_one_if_it_is_killed(
    killed: bool,
) -> None:
    with short_folder() as place, Service(place, "--load-game", "naga") as service:
        service.start()
        [worker] = workers(service)
        if killed:
            os.kill(worker, signal.SIGKILL)
        async with Organiser(service.address, service.token) as organiser:
            entrant = await organiser.entrant()
            match_id = await challenge(organiser, entrant, "random")
            await play_by_hand(organiser, entrant, match_id)
            assert not any(entry.HasField("timeout") for entry in (await organiser.record(match_id)).log)
            assert (workers(service) == [worker]) is not killed
        assert service.terminate() == 0, service.log
        await until(lambda: not alive(worker), "the end of the worker")
        assert "Traceback" not in service.log


@pytest.mark.skipif(sys.platform != "linux", reason="only on Linux a process is a fork")
async def test_a_service_for_a_moment_that_asks_no_house_bot_leaves_no_process() -> None:
    with short_folder() as place, Service(place, "--load-game", "naga") as service:
        service.start()
        [worker] = workers(service)
        assert service.terminate() == 0, service.log
        await until(lambda: not alive(worker), "the end of the worker")


@pytest.mark.exhaustive
async def test_a_house_bots_process_that_is_killed_is_started_again_and_the_match_goes_on() -> None:
    with short_folder() as place, Service(place) as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrant = await organiser.entrant()
            match_id = await challenge(organiser, entrant, "sensible")
            await play_by_hand(organiser, entrant, match_id, stop_after=2)
            [worker] = workers(service)
            os.kill(worker, signal.SIGKILL)
            await play_by_hand(organiser, entrant, match_id)
            record = await organiser.record(match_id)
            assert not any(entry.HasField("timeout") for entry in record.log)
            assert workers(service) != [worker]
            assert re.search(r"house bots' process ended", service.log)


@pytest.mark.exhaustive
async def test_a_service_that_is_killed_takes_its_house_bots_process_with_it_and_goes_on_after_its_restart() -> None:
    with short_folder() as place, Service(place, "--appendfsync", "always") as service:
        service.start()
        async with Organiser(service.address, service.token) as organiser:
            entrant = await organiser.entrant()
            match_id = await challenge(organiser, entrant, "sensible")
            await play_by_hand(organiser, entrant, match_id, stop_after=2)
            [worker] = workers(service)
            service.kill()
            await until(lambda: not alive(worker), "the end of the worker")
            service.start()
            await play_by_hand(organiser, entrant, match_id)
            record = await organiser.record(match_id)
            assert record.end.HasField("outcome")
            assert not any(entry.HasField("timeout") for entry in record.log)


@pytest.mark.exhaustive
async def test_two_replicas_play_the_same_house_bot_and_each_decision_counts_once(redis: Any, folder: Path) -> None:
    a, b = Service(folder, "--redis", redis.url, name="a"), Service(folder, "--redis", redis.url, name="b")
    with a, b:
        a.start()
        b.start()
        async with Organiser(a.address, a.token) as here, Organiser(b.address, a.token) as there:
            entrant = await here.entrant()
            match_id = await challenge(here, entrant, "random")
            await play_by_hand(there, entrant, match_id, stop_after=3)
            a.kill()
            await play_by_hand(there, entrant, match_id)
            record = await there.record(match_id)
            decisions = [entry.decision_id for entry in record.log if entry.decision_id]
            assert len(decisions) == len(set(decisions))


@pytest.mark.parametrize("reason", ["DECISION_CLOSED", "NOT_YOUR_DECISION", "STALE", "MATCH_OVER", "STORE_UNAVAILABLE"])
def test_an_answer_that_came_too_late_is_no_error(caplog: pytest.LogCaptureFixture, reason: str) -> None:
    told_of(reason, caplog)
    assert [record.levelno for record in caplog.records] == [logging.DEBUG]


@pytest.mark.parametrize("reason", ["ILLEGAL_MOVE", "MALFORMED_MOVE"])
def test_an_answer_that_breaks_the_rules_is_an_error_of_the_house_bot(
    caplog: pytest.LogCaptureFixture, reason: str
) -> None:
    told_of(reason, caplog)
    assert [record.levelno for record in caplog.records] == [logging.ERROR]


def told_of(reason: str, caplog: pytest.LogCaptureFixture) -> None:
    """Refuses an answer of the house."""
    nobody: Any = None
    refused = Refused(errors_pb2.Reason.Value(f"REASON_{reason}"), "why")
    with caplog.at_level(logging.DEBUG, "fudaba_service.house.seats"):
        seats._on_reply(nobody, 0, play_pb2.Answer(match_id="m"), refused)
