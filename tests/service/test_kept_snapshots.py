"""Snapshots of long matches in the store: with them a match is loaded sooner, and is the same."""

from __future__ import annotations

import asyncio
import io
import os
import pickle
import zlib
from math import inf
from pathlib import Path
from typing import Any, Final

import pytest

from fudaba.replay import Replay
from fudaba.v1 import game_pb2, record_pb2
from fudaba_games.registry import GAMES
from fudaba_service.sessions import snapshot
from fudaba_service.store import StoredMatch, match_keys
from tests.support.kit.played_record import Playing, by_chance
from tests.support.patience import until
from tests.support.service.bots import play_match
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import PATIENT, Organiser
from tests.support.service.processes import RedisServer, Service
from tests.support.service.snapshots import known
from tests.support.sizes import some

LONG: Final = {"deals": game_pb2.OptionValue(number=some(99, least=20))}
OFTEN: Final = """
from fudaba_service.sessions import live_sessions, snapshot
snapshot._ENTRIES_PER_SNAPSHOT, live_sessions._SNAPSHOT_SECONDS = 8, 0.001
opened = snapshot.opened
def told(stored):
    found = opened(stored)
    if found is not None:
        print("loaded with", found.length, "of", len(stored.entries), "entries", flush=True)
    return found
snapshot.opened = told
"""
"""Makes a service keep many snapshots, and say when it uses one."""


def stored(playing: Playing, length: int | None = None) -> StoredMatch:
    """Returns a match as it is stored, or was when its log had this length."""
    record = playing.record
    entries = [entry.SerializeToString() for entry in record.log[:length]]
    return StoredMatch(record.header.SerializeToString(), record.seed, record.salt, entries)


def played(moves: int = 20) -> Playing:
    playing = Playing("naga", options={"deals": 99})
    playing.play(by_chance(1), most=moves)
    return playing


def sealed(playing: Playing) -> bytes:
    made = snapshot.sealed(playing.replay, stored(playing))
    assert made is not None
    return made


@pytest.mark.parametrize("name", GAMES)
def test_a_match_goes_on_from_its_snapshot_by_the_entries_that_came_after_it(name: str) -> None:
    playing = Playing(name)
    playing.play(by_chance(1), most=20)
    kept, length = sealed(playing), len(playing.record.log)
    playing.play(by_chance(2), most=20)
    back = snapshot.opened(stored(playing)._replace(snapshot=kept))
    assert back is not None
    assert back.length == length
    for entry in playing.record.log[length:]:
        back.apply(entry)
    assert known(back) == known(playing.replay)


def test_a_snapshot_of_entries_that_the_store_has_lost_is_not_used() -> None:
    playing = played()
    kept = sealed(playing)
    assert snapshot.opened(stored(playing)._replace(snapshot=kept)) is not None
    lost = stored(playing, -1)
    assert snapshot.opened(lost._replace(snapshot=kept)) is None
    other = record_pb2.LogEntry.FromString(stored(playing).entries[-1])
    other.spent.bot_us += 1
    went_on_otherwise = [*lost.entries, other.SerializeToString(), b"more"]
    assert snapshot.opened(lost._replace(entries=went_on_otherwise, snapshot=kept)) is None


@pytest.mark.parametrize("field", ["header", "seed", "salt"])
def test_a_snapshot_of_another_match_is_not_used(field: str) -> None:
    playing = played()
    now = stored(playing)._replace(snapshot=sealed(playing))
    assert snapshot.opened(now._replace(**{field: getattr(now, field) + b"x"})) is None


@pytest.mark.parametrize("at", [0, 3, 4, 35, 36, -1])
def test_a_snapshot_of_which_a_byte_has_changed_is_not_used(at: int) -> None:
    playing = played()
    kept = bytearray(sealed(playing))
    kept[at] ^= 1
    assert snapshot.opened(stored(playing)._replace(snapshot=bytes(kept))) is None


@pytest.mark.parametrize("length", [1, 4, 36, -1])
def test_a_snapshot_that_was_cut_off_is_not_used(length: int) -> None:
    playing = played()
    assert snapshot.opened(stored(playing)._replace(snapshot=sealed(playing)[:length])) is None


def test_a_snapshot_of_another_release_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = played()
    now = stored(playing)._replace(snapshot=sealed(playing))
    monkeypatch.setattr(snapshot, "release", lambda: b"another")
    assert snapshot.opened(now) is None


def forged(content: bytes, length: int | None = None) -> StoredMatch:
    """Returns a match with a snapshot of this content, under a seal that is right."""
    now = stored(played())
    length = len(now.entries) if length is None else length
    kept = length.to_bytes(4, "big") + snapshot._seal(now, length, content) + content
    return now._replace(snapshot=kept)


class Calls:
    """What a pickle can be made of that calls something when it is read."""

    def __init__(self, function: Any, *args: object) -> None:
        self.reduced = function, args

    def __reduce__(self) -> Any:
        return self.reduced


@pytest.mark.parametrize(
    "pickled", [Calls(os.mkdir, "harm"), Calls(getattr, "text", "join"), Calls(Replay.apply, 1), 1]
)
def test_a_snapshot_that_the_service_has_not_made_runs_nothing_and_is_not_used(
    pickled: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    file = io.BytesIO()
    pickle.Pickler(file).dump(pickled)
    assert snapshot.opened(forged(zlib.compress(file.getvalue()))) is None
    assert "is not this service's" in caplog.text
    assert not list(tmp_path.iterdir())


def test_a_snapshot_under_a_right_seal_that_cannot_be_read_or_is_of_another_length_is_not_used() -> None:
    right = snapshot.taken(played().replay)
    assert snapshot.opened(forged(right)) is not None
    assert snapshot.opened(forged(right, length=3)) is None
    assert snapshot.opened(forged(right[:-20])) is None
    assert snapshot.opened(forged(b"nothing")) is None


def test_a_release_without_source_files_seals_no_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    playing = played()
    monkeypatch.setattr(snapshot, "release", lambda: b"")
    assert snapshot.sealed(playing.replay, stored(playing)) is None


def test_snapshots_of_a_long_log_come_later_and_end() -> None:
    due, length = [], 0.0
    while length < inf:
        length = snapshot.due_after(int(length))
        due.append(length)
    assert due[:6] == [128, 256, 384, 512, 640, 800]
    assert due[-1] == inf
    assert 4_096 <= due[-2] < 5_200


@pytest.mark.exhaustive
async def test_a_long_match_comes_back_after_a_kill_with_its_snapshot_which_leaves_the_store_with_it(
    folder: Path, redis: RedisServer
) -> None:
    with Service(folder, "--redis", redis.url) as service, redis.client() as client:
        service.start(first=OFTEN)
        async with Organiser(service.address, service.token) as organiser:
            entrant, other = await organiser.entrant(), await organiser.entrant()
            match_id = await organiser.match(entrant, other, clock=PATIENT, options=LONG)
            keys = match_keys(match_id)
            playing = asyncio.create_task(play_match(*organiser.by_chance(entrant, other)))
            await until(lambda: bool(client.exists(keys.snapshot)), "a snapshot")
            await asyncio.to_thread(service.kill)
            await asyncio.to_thread(service.start, first=OFTEN)
            await playing
            await organiser.record(match_id)  # which verifies it
            await until(lambda: not client.exists(keys.meta), "the end of the match in the store")
            assert not client.exists(keys.snapshot)
        assert "loaded with " in service.log
        assert service.terminate() == 0
        assert_no_fault(service)
