"""An arena with a worker that has a runtime of its own kind."""

from __future__ import annotations

import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import fudaba
import fudaba_games
from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.sandbox.probe import own_python
from tests.support.arena.api.ladders import author, call, register
from tests.support.arena.nodes import LIVES, Node, node
from tests.support.arena.programs.uploads import GOOD, folder, over, send
from tests.support.arena.running import Service, service
from tests.support.arena.standing import Arena, standing
from tests.support.patience import wait_until

EXTRA = "import only_here\n" + GOOD
"""A bot that needs a package of the runtime `python-extra`."""


@pytest.fixture(scope="module")
def hosted() -> Iterator[Service]:
    with service() as running:
        yield running


@pytest.fixture(scope="module")
def arena(hosted: Service) -> Iterator[Arena]:
    with standing(hosted, "--workers") as running:
        yield running


@pytest.fixture(scope="module")
def alice(hosted: Service) -> str:
    return author(hosted, "alice")


@pytest.fixture(scope="module")
def extra(tmp_path_factory: pytest.TempPathFactory, need_sandbox: None) -> Path:
    """Returns an environment of Python's with a package that no other has, and with the kit."""
    place = tmp_path_factory.mktemp("runtime") / "extra"
    venv.create(place, with_pip=False)
    [packages] = place.glob("lib/python*/site-packages")
    shared = [str(Path(package.__path__[0]).parent) for package in (fudaba, fudaba_games)]
    installed = [str(path) for folder in own_python() for path in folder.glob("lib/python*/site-packages")]
    (packages / "shared.pth").write_text("\n".join([*shared, *installed]), encoding="utf-8")
    (packages / "only_here.py").write_text("", encoding="utf-8")
    about = packages / "only_here-1.2.3.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: only-here\nVersion: 1.2.3\n", encoding="utf-8")
    return place


@contextmanager
def worker(arena: Arena, hosted: Service, name: str, extra: Path | None = None, until: str = "") -> Iterator[Node]:
    """Yields a worker, with the runtime `python-extra` or without."""
    options = ["--submissions", str(arena.folder / "data" / "submissions"), *LIVES]
    if extra is not None:
        shared = [Path(package.__path__[0]).parent for package in (fudaba, fudaba_games)]
        folders = ", ".join(f'"{path}"' for path in dict.fromkeys([extra, *own_python(), *shared]))
        last = f"until = {until}\n" if until else ""
        file = arena.folder / f"{name}.toml"
        file.write_text(
            f'[runtimes.python-extra]\nlanguage = "python"\nfolders = [{folders}]\nprograms = ["{extra}/bin"]\n{last}',
            encoding="utf-8",
        )
        options += ["--config", str(file)]
    with node(hosted, arena, name, *options) as started:
        until_known(arena, started)
        yield started
        assert started.stop() == 0


def until_known(arena: Arena, worker_node: Node) -> None:
    def known() -> bool:
        listed = arena.json("arena", "workers", "--data", str(arena.folder / "data"))["workers"]
        return worker_node.name in {each["name"] for each in listed}

    wait_until(known, "the worker is listed")
    count = len(arena.json("arena", "workers", "--data", str(arena.folder / "data"))["workers"])
    wait_until(lambda: sum(each.workers for each in runtimes(arena) if each.name == "other") == count, "it is heard of")


def runtimes(arena: Arena, **fields: Any) -> list[pb.Runtime]:
    found: list[pb.Runtime] = []
    while True:
        answer = call(arena, "ListRuntimes", pb.ListRuntimesRequest(page_size=2, **fields), "")
        found += answer.runtimes
        if not answer.next_page_token:
            return found
        fields["page_token"] = answer.next_page_token


def submit(arena: Arena, hosted: Service, alice: str, bot: str, **manifest: Any) -> pb.Submission:
    """Returns a bot's submission once it is checked. No stage was passed before with the same content, which is each
    bot's own.
    """
    register(hosted, alice, bot)
    files = {"bot.py": f"{EXTRA}# {bot}\n"}
    return over(arena, alice, send(arena, alice, folder(files, **manifest), bot))
