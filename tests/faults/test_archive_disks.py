"""The archive's disk is full, or takes no writes: no match waits for it, and the records are there afterwards."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, final

import pytest

from fudaba import records
from fudaba.v1 import matches_pb2
from soak.chaos.disks import Disk
from tests.support.patience import until, wait_until
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.finished import finished
from tests.support.service.organiser import Organiser, StoreView
from tests.support.service.processes import Service

MAX_DISK_MEGABYTES: Final = 4


@final
class ArchiveDisk:
    """A file system of its own for the archive of a service."""

    def __init__(self, folder: Path) -> None:
        self._disk = Disk(folder, MAX_DISK_MEGABYTES, mounts=True)
        self.folder = folder

    @property
    def there(self) -> bool:
        return self._disk.can_fill

    def fill(self) -> None:
        self._disk.fill()

    def free(self) -> None:
        self._disk.free()

    def take_no_writes(self) -> None:
        self._remount("ro")

    def take_writes(self) -> None:
        self._remount("rw")

    def unmount(self) -> None:
        self._disk.unmount()

    def _remount(self, option: str) -> None:
        command = ["mount", "-o", f"remount,{option}", str(self.folder)]
        # The kernel refuses it while a file is open for writing.
        wait_until(lambda: subprocess.run(command, capture_output=True, check=False).returncode == 0, "the remount")


@pytest.fixture
def disk(folder: Path) -> Iterator[ArchiveDisk]:
    found = ArchiveDisk(folder / "archive")
    if not found.there:
        pytest.skip("mounting a disk needs root")
    try:
        yield found
    finally:
        found.unmount()


FAULTS: Final = pytest.mark.parametrize(
    ("begin", "end", "advice"),
    [
        (ArchiveDisk.fill, ArchiveDisk.free, "make room on its disk"),
        (ArchiveDisk.take_no_writes, ArchiveDisk.take_writes, "mount it for writing"),
    ],
    ids=["full", "read-only"],
)
Change = Callable[[ArchiveDisk], None]


@FAULTS
async def test_matches_go_on_and_their_records_come_when_the_disk_takes_them(
    folder: Path, disk: ArchiveDisk, begin: Change, end: Change, advice: str
) -> None:
    del advice
    with Service(folder, "--archive", str(disk.folder)) as service:
        await asyncio.to_thread(service.start)
        async with Organiser(service.address, service.token) as organiser:
            before = await finished(organiser)
            view = StoreView(f"unix://{service.data}/store/valkey.sock")
            await view.forgets(before)  # it is in the index
            view.client.close()
            await until((disk.folder / "index" / "whole").exists, "the end of the index's first build")
            begin(disk)
            match_id = await finished(organiser)
            await until(lambda: f"match {match_id} is not archived yet, trying again" in service.log, "the failure")
            record = await organiser.record(match_id)
            assert (await organiser.get(match_id)).state == matches_pb2.MATCH_STATE_FINISHED
            assert {match.header.match_id for match in (await listed(organiser)).matches} >= {before, match_id}
            assert not archived(disk, match_id)
            end(disk)
            await until(lambda: archived(disk, match_id), "the record in the archive")
            assert records.read(archived(disk, match_id)[0]) == record
            assert await organiser.record(before)
        assert service.terminate() == 0
        assert_no_fault(service)


@FAULTS
async def test_a_service_does_not_start_with_such_a_disk_and_says_what_helps(
    folder: Path, disk: ArchiveDisk, begin: Change, end: Change, advice: str
) -> None:
    with Service(folder, "--archive", str(disk.folder)) as service:
        begin(disk)
        said = await asyncio.to_thread(service.refuses_to_start)
        assert advice in said
        assert str(disk.folder) in said
        end(disk)
        await asyncio.to_thread(service.start)
        assert service.terminate() == 0


def archived(disk: ArchiveDisk, match_id: str) -> list[Path]:
    return list(disk.folder.glob(f"*/{match_id}.fudaba"))


async def listed(organiser: Organiser) -> matches_pb2.ListMatchesResponse:
    found: matches_pb2.ListMatchesResponse = await organiser.matches.ListMatches(
        matches_pb2.ListMatchesRequest(), metadata=organiser.metadata
    )
    return found
