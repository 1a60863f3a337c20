"""A data folder that is copied while it is in use, and started a second time."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.service.organiser import Organiser
from tests.support.service.processes import RedisServer, Service


async def test_a_copy_of_a_services_folder_is_refused_beside_its_original_and_serves_after_it(folder: Path) -> None:
    with Service(folder) as original:
        original.start()
        copied = folder / "copied"
        shutil.copytree(original.data, copied, ignore=shutil.ignore_patterns("*.sock"))
        with Service(folder, name="again", data=copied) as again:
            again.try_start()
            assert again.wait() == 1
            assert f"The folder {copied}/store is a copy of {original.data}/store, which is in use by proc" in again.log
            assert "name an empty folder" in again.log
            async with Organiser(original.address, original.token) as organiser:
                await organiser.entrant()  # the original's store is as it was
            assert original.terminate() == 0
            again.start()
            assert f"{copied} is a copy of {original.data}: never start a service there again" in again.log


async def test_a_copy_of_a_folder_that_replicas_share_is_refused_beside_them_and_serves_after_them(
    folder: Path,
) -> None:
    """The store is another server's; each replica's records would be missing at the others."""
    store = RedisServer(folder)
    options = ("--redis", store.url, "--accept-risk", "empty-store")
    with (
        store.start(),
        Service(folder, *options) as original,
        Service(folder, *options, name="replica", data=original.data) as replica,
        Service(folder, *options, name="copy", data=folder / "copied") as copy,
    ):
        original.start()
        replica.start()
        shutil.copytree(original.data, copy.data)
        assert original.terminate() == 0
        refusal = copy.refuses_to_start()
        assert f"The folder {copy.data} is a copy of {original.data}, which is in use by proc" in refusal
        assert "Replicas of one service share one folder" in refusal
        async with Organiser(replica.address, original.token) as organiser:
            await organiser.entrant()
        original.start()  # it is no copy
        assert replica.terminate() == original.terminate() == 0
        copy.start()
        assert f"{copy.data} is a copy of {original.data}: never start a service there again" in copy.log
