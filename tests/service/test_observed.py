"""What operators look at: health, reflection, metrics."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2
from prometheus_client.parser import text_string_to_metric_families

from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_games.registry import GAMES
from tests.support.folders import short_folder
from tests.support.service import bots
from tests.support.service.bots import Bot, Stream, play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser, kinds, refused
from tests.support.service.processes import RedisServer, Service, free_port
from tests.support.service.scraping import fetch, scrape, settled

SERVICES = {f"fudaba.v1.{name}Service" for name in ("Bot", "Catalog", "Match", "Play")}
PROMISED = {
    "fudaba_matches_created",
    "fudaba_matches_ended",
    "fudaba_matches",
    "fudaba_decisions",
    "fudaba_decision_seconds",
    "fudaba_illegal_moves",
    "fudaba_timeouts",
    "fudaba_refusals",
    "fudaba_streams",
    "fudaba_redis_batch_appends",
    "fudaba_redis_round_trip_seconds",
    "fudaba_redis_errors",
    "fudaba_redis_connections_lost",
    "fudaba_task_errors",
    "fudaba_replays",
    "fudaba_rewinds",
    "fudaba_archive_failures",
    "fudaba_event_loop_lag_seconds",
    "fudaba_redis_silent_seconds",
    "fudaba_redis_memory_bytes",
    "fudaba_redis_memory_limit_bytes",
    "fudaba_redis_full",
    "fudaba_clock_ahead_seconds",
    "fudaba_data_free_bytes",
    "fudaba_data_size_bytes",
    "fudaba_log_messages",
    "fudaba_build_info",
    "process_cpu_seconds",
    "process_resident_memory_bytes",
    "process_open_fds",
    "process_max_fds",
    "process_start_time_seconds",
}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with short_folder() as place:
        port = free_port()
        with Service(place, "--metrics", f"127.0.0.1:{port}") as running:
            running.metrics_port = port
            yield running.start()
            assert running.terminate() == 0
            assert_no_fault(running)


# --- health


async def test_every_service_is_healthy_and_an_unknown_one_is_not_found(organiser: Organiser) -> None:
    stub: Any = health_pb2_grpc.HealthStub(organiser.channel)
    for name in {"", *SERVICES}:
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=name))
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    with pytest.raises(aio.AioRpcError) as info:
        await stub.Check(health_pb2.HealthCheckRequest(service="nonsense"))
    assert info.value.code() == grpc.StatusCode.NOT_FOUND
    watch = stub.Watch(health_pb2.HealthCheckRequest(service=""))
    assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
    watch.cancel()


# --- reflection


REFLECTIONS = ("grpc.reflection.v1", "grpc.reflection.v1alpha")


async def reflect(organiser: Organiser, package: str, **request: Any) -> reflection_pb2.ServerReflectionResponse:
    method: Any = organiser.channel.stream_stream(
        f"/{package}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    call = method()
    await call.write(reflection_pb2.ServerReflectionRequest(**request))
    response = await call.read()
    call.cancel()
    return response  # type: ignore[no-any-return]


@pytest.mark.parametrize("package", REFLECTIONS)
async def test_reflection_lists_the_services_and_gives_their_descriptors(organiser: Organiser, package: str) -> None:
    listed = await reflect(organiser, package, list_services="")
    names = {service.name for service in listed.list_services_response.service}
    reflections = {f"{version}.ServerReflection" for version in REFLECTIONS}
    assert names >= SERVICES | reflections | {"grpc.health.v1.Health"}
    for service in SERVICES | reflections:
        found = await reflect(organiser, package, file_containing_symbol=service)
        files = [FileDescriptorProto.FromString(f) for f in found.file_descriptor_response.file_descriptor_proto]
        assert any(f"{file.package}.{s.name}" == service for file in files for s in file.service)


# --- metrics


async def test_every_promised_metric_is_there_with_a_help_text_and_a_proper_name(service: Service) -> None:
    families = {f.name: f for f in text_string_to_metric_families(await asyncio.to_thread(fetch, service))}
    assert set(families) >= PROMISED
    for name, family in families.items():
        assert re.fullmatch(r"(fudaba|process)(_[a-z]+)+", name)
        assert len(family.documentation) > 10
        assert family.documentation.endswith(".")
        assert family.type in {"counter", "gauge", "histogram"}
        if family.type == "histogram" and "seconds" not in name:
            assert name == "fudaba_redis_batch_appends"


async def test_no_label_says_which_match_or_bot(service: Service, organiser: Organiser) -> None:
    entrants = await organiser.entrant("labelled"), await organiser.entrant("labelled")
    match_id = await organiser.match(*entrants)
    await play_match(*organiser.by_chance(*entrants))
    await organiser.ended(match_id)
    text = await asyncio.to_thread(fetch, service)
    assert match_id not in text
    assert "labelled" not in text
    labels: dict[str, set[str]] = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            for key, value in sample.labels.items():
                labels.setdefault(key, set()).add(value)
    assert set(labels) <= {"game", "state", "end", "reason", "kind", "le", "level", "version", "task"}
    assert labels["game"] == set(GAMES)
    assert labels["state"] == {"waiting", "playing", "over"}


async def test_a_match_moves_the_counters_of_matches_decisions_and_round_trips(
    service: Service, organiser: Organiser
) -> None:
    # Matches of earlier tests may still be on their way to the archive; they are counted when they are there.
    await settled(service, "fudaba_matches{over}", 0)
    before = await scrape(service)
    entrants = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*entrants)
    await play_match(*organiser.by_chance(*entrants))
    record = await organiser.record(match_id)
    ended = "fudaba_matches_ended_total{finished}"
    await settled(service, ended, before.get(ended, 0) + 1)
    after = await scrape(service)

    def rise(name: str) -> float:
        return after.get(name, 0) - before.get(name, 0)

    decisions = sum(entry.HasField("move") for entry in record.log)
    assert rise("fudaba_matches_created_total") == 1
    assert rise("fudaba_matches_ended_total{finished}") == 1
    assert rise("fudaba_decisions_total") == decisions
    assert rise("fudaba_decision_seconds_count") == decisions
    charged = sum(entry.spent.bot_us for entry in record.log) / 1e6
    assert rise("fudaba_decision_seconds_sum") == pytest.approx(charged, abs=0.001)
    assert rise("fudaba_redis_batch_appends_sum") == len(record.log)
    assert 0 < rise("fudaba_redis_batch_appends_count") <= len(record.log)
    assert rise("fudaba_redis_round_trip_seconds_count") == rise("fudaba_redis_batch_appends_count")
    assert rise("fudaba_timeouts_total") == rise("fudaba_illegal_moves_total") == rise("fudaba_redis_errors_total") == 0


async def test_timeouts_illegal_answers_forfeits_aborts_and_refusals_are_counted(
    service: Service, organiser: Organiser
) -> None:
    before = await scrape(service)
    records: list[record_pb2.MatchRecord] = []
    # On a busy machine the good bot too may need longer than a silent one gets.
    for name, move_ms in (("silent", 100), ("illegal", 3_600_000)):
        bad, good = await organiser.entrant(name), await organiser.entrant()
        clock = record_pb2.Clock(move_ms=move_ms, max_timeouts=2, max_illegal=2)
        match_id = await organiser.match(good, bad, clock=clock)
        [other] = organiser.by_chance(good)
        await play_match(Bot(organiser.address, bad.token, getattr(bots, name)), other)
        records.append(await organiser.record(match_id))
    timeouts = kinds(records[0]).count("timeout")
    assert timeouts >= 2
    assert kinds(records[1]).count("illegal") == 2
    aborted = await organiser.match(good, bad)
    request = matches_pb2.AbortMatchRequest(match_id=aborted)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
    await organiser.record(aborted)
    await refused(organiser.get("unknown"), "MATCH_NOT_FOUND")
    for end, count in (("forfeited", 2), ("aborted", 1)):
        ended = f"fudaba_matches_ended_total{{{end}}}"
        await settled(service, ended, before.get(ended, 0) + count)
    after = await scrape(service)
    for name, expected in (
        ("fudaba_timeouts_total", timeouts),
        ("fudaba_illegal_moves_total", 2),
        ("fudaba_matches_ended_total{forfeited}", 2),
        ("fudaba_matches_ended_total{aborted}", 1),
        ("fudaba_refusals_total{MATCH_NOT_FOUND}", 1),
        ("fudaba_refusals_total{ILLEGAL_MOVE}", 2),
    ):
        assert after[name] - before.get(name, 0) == expected, name


async def test_what_happens_is_counted_by_the_one_replica_that_stored_it(folder: Path, redis: RedisServer) -> None:
    with started(folder, redis, "one") as first, started(folder, redis, "two") as two:
        async with Organiser(first.address, first.token) as organiser:
            good, bad = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(good, bad, clock=record_pb2.Clock(move_ms=3_600_000, max_illegal=5))
            players = Bot(first.address, good.token, bots.by_chance), Bot(two.address, bad.token, bots.illegal)
            await play_match(*players)
            record = await organiser.record(match_id)
        # Who stored it may be told so later than the other one is told of it.
        for kind, name in (("illegal", "fudaba_illegal_moves_total"), ("move", "fudaba_decisions_total")):
            assert kinds(record).count(kind) > 0
            await settled([first, two], name, kinds(record).count(kind))


async def test_open_streams_and_held_matches_are_counted_as_they_come_and_go(
    service: Service, organiser: Organiser
) -> None:
    # Those of earlier tests may still be on their way out.
    for name in ("fudaba_matches{over}", *(f"fudaba_streams{{{kind}}}" for kind in ("play", "match", "seat"))):
        await settled(service, name, 0)
    entrants = await organiser.entrant(), await organiser.entrant()
    before = await scrape(service)
    match_id = await organiser.match(*entrants)
    async with Stream(organiser.address, entrants[0].token) as stream:
        await stream.hello()
        await stream.update()
        watch = organiser.matches.WatchMatch(matches_pb2.WatchMatchRequest(match_id=match_id))
        await watch.read()
        seat = organiser.play.WatchSeat(
            play_pb2.WatchSeatRequest(match_id=match_id), metadata=bots.bearer(entrants[1].token)
        )
        await seat.read()
        await settled(service, "fudaba_matches{playing}", before["fudaba_matches{playing}"] + 1)
        during = await scrape(service)
        for kind in ("play", "match", "seat"):
            name = f"fudaba_streams{{{kind}}}"
            assert during[name] - before.get(name, 0) == 1
        watch.cancel()
        seat.cancel()
    request = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
    await settled(service, "fudaba_matches{playing}", before["fudaba_matches{playing}"])
    for kind in ("play", "match", "seat"):
        await settled(service, f"fudaba_streams{{{kind}}}", before.get(f"fudaba_streams{{{kind}}}", 0))
