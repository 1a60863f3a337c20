"""`fudaba restore --test`: a right backup is found right and stamped, a wrong one is not, and nothing is left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from fudaba.v1 import accounts_pb2
from fudaba_service.backup.stamp import stamped_time
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.service.backups.commands import early_form, everything, fudaba
from tests.support.service.bots import play_match
from tests.support.service.in_progress import started
from tests.support.service.organiser import Organiser, StoreView
from tests.support.service.processes import RedisServer, Service, free_port
from tests.support.service.scraping import scrape

METRIC = "fudaba_backup_tested_timestamp_seconds"


async def played(service: Service, redis: RedisServer | None = None) -> None:
    """Two matches are over and have left the store for the archive, and a third one is open when this returns.

    Of a match that the store still has, a backup leaves the record out.
    """
    async with Organiser(service.address, service.token) as organiser:
        pair = await organiser.entrant(), await organiser.entrant()
        done = [await organiser.match(*pair) for _ in range(2)]
        await play_match(*organiser.by_chance(*pair), matches=2)
        store = StoreView(f"unix://{service.data}/store/valkey.sock" if redis is None else redis.url)
        with contextlib.closing(store.client):
            for match_id in done:
                await store.forgets(match_id)
        await organiser.match(*pair)


async def test_a_right_backup_is_found_right_and_its_age_becomes_a_metric(folder: Path, redis: RedisServer) -> None:
    kept = folder / "kept"
    kept.mkdir()
    stamp = kept / "tested.json"
    with started(folder, redis) as service:
        await played(service, redis)
        named = "--data", service.data, "--redis", redis.url
        made = json.loads(await asyncio.to_thread(fudaba, "backup", kept, *named, "--json"))
    with pytest.MonkeyPatch.context() as patch:
        # What a container of the deployment has: a test must not use the stores in use.
        patch.setenv("FUDABA_REDIS", redis.url)
        patch.setenv("FUDABA_ARCHIVE", str(folder / "elsewhere"))
        patch.setenv("FUDABA_METRICS", "nowhere")
        before = everything(service.data)
        said = await asyncio.to_thread(fudaba, "restore", kept, "--test", "--stamp", stamp)
    assert everything(service.data) == before
    assert "listed 3 matches, 2 records replayed, 0 tournaments verified" in said
    assert sorted(path.name for path in kept.iterdir()) == [Path(made["path"]).name, "tested.json"]
    created = datetime.fromisoformat(made["created"]).timestamp()
    assert made["service"]
    assert stamped_time(stamp, made["service"]) == created
    port = free_port()
    options = "--redis", redis.url, "--metrics", f"127.0.0.1:{port}", "--backup-stamp", str(stamp)
    with Service(folder, *options, name="second", data=service.data) as second:
        second.metrics_port = port
        await asyncio.to_thread(second.start)
        async with Organiser(second.address, service.token) as organiser:
            # The test has made an organiser's token, which would have ended this one in the store in use.
            await organiser.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), metadata=organiser.metadata)
        assert (await scrape(second))[METRIC] == created
        stamp.unlink()
        assert (await scrape(second))[METRIC] == 0


async def test_a_backup_with_a_record_that_is_none_is_found_wrong_and_not_stamped(folder: Path) -> None:
    with started(folder) as service:
        await played(service)
    [record, *_] = sorted((service.data / "archive").glob("*/*.fudaba"))
    record.write_bytes(b"not a record")
    await asyncio.to_thread(fudaba, "backup", folder / "b", "--data", service.data)
    stamp = folder / "tested.json"
    stamp.write_text("{}")
    said = await asyncio.to_thread(fudaba, "restore", folder / "b", "--test", "--stamp", stamp, status=1)
    assert "is not right" in said
    assert "it is not a record" in said
    assert stamp.read_text() == "{}"
    assert "b" in left_in(folder)
    assert not any(name.startswith(".fudaba-") for name in left_in(folder))


def test_a_backup_of_an_arena_alone_does_not_pass_for_one_of_its_service(folder: Path) -> None:
    arena, stamp = folder / "arena", folder / "tested.json"
    arena.mkdir()
    (arena / "service.id").write_text("this\n")
    with EmbeddedValkey(arena / "store", appendfsync="always"):
        pass
    fudaba("backup", folder / "b", "--data", arena)
    assert "has an arena alone" in fudaba("restore", folder / "b", "--test", "--stamp", stamp, status=1)
    assert not stamp.exists()


async def test_the_newest_backup_with_a_service_is_stamped_though_an_arenas_is_newer(folder: Path) -> None:
    """As with the units in `deploy/systemd` where service and arena are backed up apart, into one folder."""
    kept, arena, stamp = folder / "kept", folder / "arena", folder / "tested.json"
    kept.mkdir()
    with started(folder) as service:
        await played(service)
    fudaba("backup", kept / "fudaba-20260101T040000Z.tar.zst", "--data", service.data)
    arena.mkdir()
    (arena / "service.id").write_text("this\n")
    with EmbeddedValkey(arena / "store", appendfsync="always"):
        pass
    fudaba("backup", kept / "fudaba-20260102T040000Z.tar.zst", "--data", arena)
    said = await asyncio.to_thread(fudaba, "restore", kept, "--test", "--stamp", stamp, "--json")
    assert Path(json.loads(said)["path"]).name == "fudaba-20260101T040000Z.tar.zst"
    assert json.loads(stamp.read_text())["backup"] == "fudaba-20260101T040000Z.tar.zst"
    before = stamp.read_text()
    (kept / "fudaba-20260103T040000Z.tar.zst").write_bytes(b"damaged")
    # It may be the service's: a stamp of an older one would hide that.
    assert "cut short" in fudaba("restore", kept, "--test", "--stamp", stamp, status=1)
    assert stamp.read_text() == before


def test_a_folder_with_backups_of_an_arena_alone_has_none_for_a_stamp(folder: Path) -> None:
    kept, arena = folder / "kept", folder / "arena"
    kept.mkdir()
    arena.mkdir()
    (arena / "service.id").write_text("this\n")
    with EmbeddedValkey(arena / "store", appendfsync="always"):
        pass
    made = fudaba("backup", kept, "--data", arena)
    assert "verified" in made
    early_form(next(kept.iterdir()))
    said = fudaba("restore", kept, "--test", "--stamp", folder / "tested.json", status=1)
    assert "backups of an arena alone" in said
    assert not (folder / "tested.json").exists()


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


def test_what_cannot_be_tested_is_refused_and_leaves_nothing(folder: Path, data: Path, file: Path) -> None:
    shutil.copy(file, folder / "cut")
    (folder / "cut").write_bytes(file.read_bytes()[:-200])
    (folder / "none").mkdir()
    fudaba("backup", folder / "without", "--data", data, "--without-store")
    before = everything(folder)
    for path, words in (
        ("cut", "cut short"), ("none", "has no backup"), ("absent", "no file"), ("without", "without the store")
    ):  # fmt: skip
        assert words in fudaba("restore", folder / path, "--test", status=1)
    assert "give one of them" in fudaba("restore", file, "--test", "--check", status=2)
    assert "options of --test" in fudaba("restore", file, "--check", "--stamp", folder / "s", status=2)
    assert everything(folder) == before
    assert not list(folder.glob(".fudaba-*"))


@pytest.mark.parametrize(
    "text",
    ["", "[]", '"x"', "{}", '{"service": "a", "created": "then"}', '{"service": "b", "created": "2026-01-01T00:00Z"}'],
)
def test_a_stamp_that_is_damaged_or_of_another_service_counts_as_none(folder: Path, text: str) -> None:
    (folder / "stamp").write_text(text)
    assert stamped_time(folder / "stamp", "a") == 0
    assert stamped_time(folder / "missing", "a") == 0
