"""Runs of `fudaba backup`: several in one folder, killed ones, those without room, and what a folder keeps."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fudaba_service.backup.reading import read
from fudaba_service.store import keys
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.backups.commands import begin, early_form, everything, fudaba
from tests.support.service.organiser import StoreView

NAMED = "fudaba-*Z.tar.zst"


def test_two_at_once_are_two_whole_backups(folder: Path, data: Path) -> None:
    with ThreadPoolExecutor(2) as both:
        running = [both.submit(begin(folder / name, "--data", data).communicate, timeout=PATIENCE) for name in "bc"]
        said = [run.result()[0] for run in running]
    assert all("verified" in text for text in said), said
    assert {read(folder / name).records for name in "bc"} == {2}


def test_a_killed_run_leaves_no_backup_and_the_next_one_removes_what_it_left(folder: Path, data: Path) -> None:
    (data / "large").write_bytes(os.urandom(200_000))
    # At this rate it would take minutes.
    with begin(folder / "b", "--data", data, "--rate", "0.001") as run:
        wait_until(lambda: list(folder.glob(".fudaba-*/backup")), "a backup that is being written")
        run.send_signal(signal.SIGKILL)
    [left] = folder.glob(".fudaba-*")
    assert not (folder / "b").exists()
    with begin(folder / "c", "--data", data, "--rate", "0.001") as other:
        wait_until(lambda: not left.exists(), "the end of what was left")
        wait_until(lambda: list(folder.glob(".fudaba-*/backup")), "another that is being written")
        [busy] = folder.glob(".fudaba-*")
        fudaba("backup", folder / "d", "--data", data)
        assert busy.exists(), "a run that goes on keeps its folder"
        other.send_signal(signal.SIGKILL)
    assert read(folder / "d").records == 2


def test_a_disk_that_is_full_leaves_nothing(folder: Path, data: Path) -> None:
    (data / "large").write_bytes(os.urandom(2_000_000))
    before = everything(folder)
    with begin(folder / "b", "--data", data, largest=1_000_000) as run:
        said = run.communicate(timeout=PATIENCE)[0]
    assert run.returncode == 1
    assert "File too large" in said
    assert "Traceback" not in said
    assert everything(folder) == before
    assert not list(folder.glob(".fudaba-*"))


def test_a_backup_keeps_to_its_rate(folder: Path, data: Path) -> None:
    (data / "large").write_bytes(os.urandom(400_000))
    began = time.monotonic()
    fudaba("backup", folder / "b", "--data", data, "--rate", "0.5")
    # It is read from the data folder once, and once more from the backup.
    assert time.monotonic() - began > 2 * 400_000 / (0.5 * 2**20)


def test_a_folder_keeps_the_newest_backups_of_its_service_and_nothing_else_goes(folder: Path, data: Path) -> None:
    kept, file = folder / "kept", folder / "file"
    kept.mkdir()
    with EmbeddedValkey(data / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set(keys.SERVICE, "this")
        view.client.close()
    fudaba("backup", file, "--data", data)
    for day in range(1, 5):
        shutil.copy(file, kept / f"fudaba-2026010{day}T040000Z.tar.zst")
    other = folder / "other"
    (other / "archive").mkdir(parents=True)
    (other / "service.id").write_text("another\n")
    fudaba("backup", kept / "fudaba-20250101T040000Z.tar.zst", "--data", other)
    (kept / "fudaba-20250102T040000Z.tar.zst").write_bytes(b"damaged")
    (kept / "mine.tar.zst").write_bytes(b"mine")
    report = json.loads(fudaba("backup", kept, "--data", data, "--keep", 3, "--json"))
    assert [Path(path).name for path in report["removed"]] == [
        "fudaba-20260101T040000Z.tar.zst",
        "fudaba-20260102T040000Z.tar.zst",
    ]
    assert sorted(path.name for path in kept.iterdir()) == [
        "fudaba-20250101T040000Z.tar.zst",
        "fudaba-20250102T040000Z.tar.zst",
        "fudaba-20260103T040000Z.tar.zst",
        "fudaba-20260104T040000Z.tar.zst",
        Path(report["path"]).name,
        "mine.tar.zst",
    ]


def test_backups_of_an_arena_do_not_push_out_those_of_its_service(folder: Path, data: Path) -> None:
    kept, arena = folder / "kept", folder / "arena"
    kept.mkdir()
    with EmbeddedValkey(data / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set(keys.SERVICE, "this")
        view.client.close()
    arena.mkdir()
    (arena / "service.id").write_text("this\n")
    with EmbeddedValkey(arena / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set("fudaba-arena:{spring}:tournament", "kept")
        view.client.close()
    fudaba("backup", kept / "fudaba-20260101T040000Z.tar.zst", "--data", data)
    for day in (2, 3):
        fudaba("backup", kept / f"fudaba-2026010{day}T040000Z.tar.zst", "--data", arena)
    removed = json.loads(fudaba("backup", kept, "--data", arena, "--keep", 2, "--json"))["removed"]
    assert [Path(path).name for path in removed] == ["fudaba-20260102T040000Z.tar.zst"]


def test_backups_of_an_early_release_count_by_what_they_hold(folder: Path, data: Path) -> None:
    kept, arena, up = folder / "kept", folder / "arena", folder / "up"
    kept.mkdir()
    with EmbeddedValkey(data / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set(keys.SERVICE, "this")
        view.client.close()
    arena.mkdir()
    (arena / "service.id").write_text("this\n")
    with EmbeddedValkey(arena / "store", appendfsync="always"):
        pass
    up.mkdir()
    shutil.copytree(data, up / "service")
    shutil.copytree(arena, up / "arena")
    for day, source in enumerate((data, data, arena, arena, up, up), start=1):
        path = kept / f"fudaba-2026010{day}T040000Z.tar.zst"
        fudaba("backup", path, "--data", source)
        early_form(path)
    for source, name in (
        (arena, "fudaba-20260103T040000Z.tar.zst"),
        (up, "fudaba-20260105T040000Z.tar.zst"),
        (data, "fudaba-20260101T040000Z.tar.zst"),
    ):
        removed = json.loads(fudaba("backup", kept, "--data", source, "--keep", 2, "--json"))["removed"]
        assert [Path(path).name for path in removed] == [name]
        time.sleep(1.01)  # names are of the second
    assert not list(kept.glob(".fudaba-*"))


def test_a_backup_is_kept_though_the_others_have_later_names(folder: Path, data: Path) -> None:
    """As where the clock of the earlier ones was ahead."""
    kept, file = folder / "kept", folder / "file"
    kept.mkdir()
    with EmbeddedValkey(data / "store", appendfsync="always") as server:
        view = StoreView(server.url)
        view.client.set(keys.SERVICE, "this")
        view.client.close()
    fudaba("backup", file, "--data", data)
    for day in (1, 2):
        shutil.copy(file, kept / f"fudaba-9999010{day}T040000Z.tar.zst")
    report = json.loads(fudaba("backup", kept, "--data", data, "--keep", 2, "--json"))
    assert [Path(path).name for path in report["removed"]] == ["fudaba-99990101T040000Z.tar.zst"]
    assert Path(report["path"]).is_file()


def test_without_the_id_of_a_service_no_backup_is_removed(folder: Path, data: Path, file: Path) -> None:
    kept = folder / "kept"
    kept.mkdir()
    for day in range(1, 5):
        shutil.copy(file, kept / f"fudaba-2026010{day}T040000Z.tar.zst")
    assert "none was removed" in fudaba("backup", kept, "--data", data, "--keep", 2, status=1)
    assert len(list(kept.iterdir())) == 5
    assert "leave out" in fudaba("backup", kept, "--data", data, "--keep", 2, "--without-store", status=2)
    assert len(list(kept.iterdir())) == 5


def test_keep_needs_a_folder_and_at_least_two(folder: Path, data: Path) -> None:
    assert "name a folder" in fudaba("backup", folder / "b", "--data", data, "--keep", 3, status=2)
    assert "range" in fudaba("backup", folder, "--data", data, "--keep", 0, status=2)
    assert not list(folder.glob(NAMED))
