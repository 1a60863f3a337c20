"""The bot for Node that the bundle's README prints, as it stands there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fudaba.bundle import write_bundle
from tests.support.clients.languages import LANGUAGES
from tests.support.clients.matches import begun, built_ins, check, numbers
from tests.support.clients.projects import built_project
from tests.support.patience import until
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Process, Service
from tests.support.service.proxy import Proxy


@pytest.fixture
def sample(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, need_tool: Callable[[str], Path]
) -> Iterator[Process]:
    """Yields a process for it, in a folder as its README wants it."""
    bundle = tmp_path / "bundle"
    write_bundle(bundle)
    found = re.search(r"```js\n(.*?)```", (bundle / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    (bundle / "bot.js").write_text(found[1], encoding="utf-8")
    LANGUAGES["node"].need(need_tool)
    (bundle / "node_modules").symlink_to(built_project("node", tmp_path_factory) / "node_modules")
    with Process(tmp_path, "sample") as process:
        yield process


def run(sample: Process, address: str, token: str) -> None:
    script = sample.folder / "bundle" / "bot.js"
    sample.launch(["node", str(script), address], {"FUDABA_TOKEN": token})


@pytest.mark.exhaustive
async def test_cut_off_again_and_again_it_plays_its_match_to_the_end(
    service: Service, organiser: Organiser, sample: Process
) -> None:
    mine, other = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(mine, other, options=numbers(deals=8))
    async with Proxy(int(service.address.rpartition(":")[2])).run() as proxy, built_ins(service.address, other):
        run(sample, proxy.address, mine.token)
        for moves in (20, 40, 60):
            await begun(organiser, match_id, moves)
            proxy.cut()
        record = await check(organiser, match_id, 0)
        said = f"{match_id}: seat 0: {record.end.outcome.scores[0]}"
        await until(lambda: said in sample.log, "what it says of the end")
    assert sample.log.count("connected as ") == 4
    assert ": refused: " not in sample.log


@pytest.mark.exhaustive
async def test_with_a_token_that_is_of_no_use_it_ends(service: Service, sample: Process) -> None:
    run(sample, service.address, "nobody's")
    assert sample.wait() == 1
    assert "token" in sample.log
