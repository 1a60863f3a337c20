"""What tells an operator that a process or its store is in trouble, seen while it is."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest

from fudaba.v1 import errors_pb2
from fudaba_games.registry import GAMES
from tests.support.patience import wait_until
from tests.support.service.processes import RedisServer
from tests.support.service.watched_metrics import Watched, store_pid

STOPPED_SECONDS = 2.0


@pytest.fixture
def watched(folder: Path) -> Iterator[Watched]:
    """Yields a service with a store of its own."""
    watched_service = Watched(folder)
    with watched_service.service as service:
        service.start()
        yield watched_service


def test_every_counter_is_there_at_0_before_anything_has_happened(watched: Watched) -> None:
    samples = watched.samples()
    expected = {f"fudaba_refusals_total,{name.removeprefix('REASON_')}" for name in errors_pb2.Reason.keys()[1:]}
    for game in GAMES:
        expected |= {f"fudaba_{name}_total,{game}" for name in ("matches_created", "illegal_moves", "timeouts")}
        expected |= {f"fudaba_matches_ended_total,{end},{game}" for end in ("finished", "forfeited", "aborted")}
    expected |= {f"fudaba_streams,{kind}" for kind in ("play", "seat", "match")}
    expected |= {f"fudaba_log_messages_total,{level}" for level in ("warning", "error", "critical")}
    assert {name: samples.get(name) for name in expected} == dict.fromkeys(expected, 0.0)


def test_the_release_the_store_s_memory_and_the_disk_s_room_are_told(watched: Watched) -> None:
    wait_until(lambda: watched.value("fudaba_redis_memory_bytes") > 100_000, "the store's memory")
    samples = watched.samples()
    assert samples["fudaba_redis_memory_limit_bytes"] == 0  # the embedded store has none
    assert samples[f"fudaba_build_info,{version('fudaba')}"] == 1
    disk = os.statvfs(watched.service.data)
    assert samples["fudaba_data_size_bytes"] == disk.f_blocks * disk.f_frsize
    assert 0 < samples["fudaba_data_free_bytes"] <= samples["fudaba_data_size_bytes"]
    assert samples["process_resident_memory_bytes"] > 1_000_000
    assert abs(samples["process_start_time_seconds"] - time.time()) < 3600


def test_a_process_that_was_stopped_was_behind_and_its_store_was_not_silent(watched: Watched) -> None:
    lag, silence = "fudaba_event_loop_lag_seconds_total", "fudaba_redis_silent_seconds_total"

    def silent_while_stopped() -> float:
        """Stops the process; the seconds of silence that it counts by the time it knows of the stop."""
        behind, silent = watched.value(lag), watched.value(silence)
        watched.service.freeze()
        time.sleep(STOPPED_SECONDS)  # the time that has to be seen
        watched.service.thaw()
        wait_until(lambda: watched.value(lag) >= behind + 0.9 * STOPPED_SECONDS, "the time for which it was stopped")
        return watched.value(silence) - silent

    # On a busy machine the store may be silent as well, as long as it likes: then another stop is looked at.
    wait_until(lambda: silent_while_stopped() < STOPPED_SECONDS, "a stop that is not counted as silence")


@pytest.mark.exhaustive
def test_the_limit_of_an_external_store_is_told_and_its_silence_is_counted(folder: Path, redis: RedisServer) -> None:
    with redis.client() as client:
        client.config_set("maxmemory", 64_000_000)
    watched_service = Watched(folder, "--redis", redis.url)
    with watched_service.service as service:
        service.start()
        wait_until(lambda: watched_service.value("fudaba_redis_memory_limit_bytes") == 64_000_000, "the limit")
        redis.freeze()
        wait_until(lambda: watched_service.value("fudaba_redis_silent_seconds_total") > 2, "the silence")
        silent_seconds = watched_service.value("fudaba_redis_silent_seconds_total")
        redis.thaw()
        wait_until(lambda: watched_service.value("fudaba_redis_memory_bytes") > 0, "an answer")
        assert watched_service.value("fudaba_redis_silent_seconds_total") >= silent_seconds


def test_an_error_that_is_logged_is_counted(watched: Watched) -> None:
    assert watched.value("fudaba_log_messages_total,error") == 0
    os.kill(store_pid(watched.service), signal.SIGKILL)
    wait_until(lambda: watched.value("fudaba_log_messages_total,error") >= 1, "the error")
    wait_until(lambda: "the embedded store died; starting it again" in watched.service.log, "the message")
