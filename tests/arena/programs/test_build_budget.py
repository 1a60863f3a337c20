"""What a build costs its author: what ran, no more than one build may take, and nothing where the host failed."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn, final

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.programs.build_budget import AccountBudget
from fudaba_arena.programs.building import BUILD_LIMITS
from fudaba_arena.programs.cache import ProgramCache
from fudaba_arena.programs.folders import Folders
from fudaba_arena.programs.passed_before import KnownHere
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.sandbox.sandbox import Job, Sandbox, SandboxUnavailable
from fudaba_arena.store.data_folder import open_to_play
from fudaba_arena.store.submissions.build_use import BuildQuotaUsed
from fudaba_arena.submissions.contents import KeptContents, hash_of
from fudaba_arena.submissions.faults import BadSubmission
from fudaba_arena.submissions.manifest import Manifest
from tests.support.arena.programs.uploads import GOOD, folder

BUILD = '["true"]'


@final
class Away(Sandbox):
    """Of a host on which nothing can be started."""

    isolated = True
    enforces = frozenset()

    def new_socket(self) -> NoReturn:
        raise SandboxUnavailable("no")

    def start(self, job: Job) -> NoReturn:
        raise SandboxUnavailable(f"{job.name} cannot be started")

    async def close(self) -> None:
        """Nothing runs."""


async def test_a_build_costs_no_more_than_one_may_take_and_nothing_where_the_host_failed(tmp_path: Path) -> None:
    raw = tmp_path / "bot.tar.gz"
    raw.write_bytes(folder({"bot.py": GOOD}, build=BUILD))
    contents, digest = KeptContents(str(tmp_path / "kept")), hash_of(raw)
    await contents.prepare()
    await contents.put(raw, digest)
    cache = ProgramCache(tmp_path / "programs", 1 << 30)
    cache.open()
    folders = Folders(cache, contents, KnownHere(), Away(), BUILD_LIMITS)
    manifest = Manifest("ada", ("naga",), "python", ("python3", "bot.py"), ("true",))
    async with open_to_play(tmp_path / "arena", None, print) as home:
        use = home.store.build_use
        await use.set_quota(1, 1_000)
        program = Program("one", "ada", raw.name, digest, manifest, "ann")
        with pytest.raises(ArenaError, match="cannot be started"):
            async with folders.using(program, Runtime("python-3", "python"), AccountBudget(use, "ann", "one.1")):
                raise AssertionError("it was not built")
        for build in ("two.1", "three.1"):
            budget = AccountBudget(use, "ann", build)
            await budget.begin(0.5)
            await budget.end(99.0)
        with pytest.raises(BadSubmission, match=r"took 1 s in the last 24 hours, and may take 1 s"):
            await AccountBudget(use, "ann", "four.1").begin(0.5)
        with pytest.raises(BuildQuotaUsed):
            await use.charge("ann", "five.1", 2, 0)
