"""A data folder that is copied while it is in use, and started a second time."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service


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
