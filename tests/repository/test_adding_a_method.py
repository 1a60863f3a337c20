"""Adding a method takes what CONTRIBUTING.md says: the contract with its policy, and a handler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import grpc
import pytest

from tests.support.patience import PATIENCE
from tests.support.wheels import SOURCES, copy_sources

ROOT = Path(__file__).resolve().parents[2]
RPC = """  // Counts the games.
  rpc CountGames(CountGamesRequest) returns (CountGamesResponse) {
    option (policy) = {
      everybody: REACH_PUBLIC
      base_cost: 3
      changes: false
    };
  }
"""
MESSAGES = """
// Asks for the number of games.
message CountGamesRequest {}

// The number of games.
message CountGamesResponse {
  // How many there are.
  uint32 games = 1;
}
"""
HANDLER = '''
    async def CountGames(
        self, request: catalog_pb2.CountGamesRequest, context: Context
    ) -> catalog_pb2.CountGamesResponse:
        """See catalog.proto."""
        return catalog_pb2.CountGamesResponse(games=len(GAMES))
'''
COUNT = "/fudaba.v1.CatalogService/CountGames"


def run(copy: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Returns what a program of Python says in the copy, whose packages it has."""
    return subprocess.run(
        [sys.executable, *words], cwd=copy, env=own(copy), capture_output=True, text=True, check=False
    )


def own(copy: Path) -> dict[str, str]:
    """Returns an environment with the packages of the copy in place of those of the checkout."""
    return os.environ | {"PYTHONPATH": os.pathsep.join(str(copy / name) for name in SOURCES)}


def insert(path: Path, before: str, text: str) -> None:
    """Writes a text before another one, which is there once."""
    old = path.read_text("utf-8")
    assert old.count(before) == 1
    path.write_text(old.replace(before, text + before), "utf-8")


def declare(copy: Path, rpc: str) -> None:
    """Steps 1 and 2: declares the method, and generates its code."""
    proto = copy / "proto" / "fudaba" / "v1" / "catalog.proto"
    insert(proto, "}\n\n// Asks for the list of games.", rpc)
    proto.write_text(proto.read_text("utf-8") + MESSAGES, "utf-8")
    out = copy / "clients" / "python"
    done = run(
        copy, "-m", "grpc_tools.protoc", f"-I{copy / 'proto'}", f"--python_out={out}", f"--grpc_python_out={out}", proto
    )
    assert done.returncode == 0, done.stderr


def counted(address: str) -> bytes:
    """Returns the answer of the new method, to whoever has no token."""
    with grpc.insecure_channel(address) as channel:
        call: Any = channel.unary_unary(COUNT)
        return bytes(call(b"", timeout=PATIENCE, wait_for_ready=True))


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Returns a copy of the tree, with what the five lines name."""
    folder = tmp_path / "tree"
    folder.mkdir()
    copy_sources(folder)
    for name in ("tests/contract/test_policy.py", "tests/contract/policy.golden", "scripts/_methods.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


@pytest.mark.nightly("`serving/grpc/test_policy.py` serves a method that a test declares, and none without a policy")
def test_a_method_is_added_by_the_contract_and_a_handler(copy: Path, tmp_path: Path) -> None:
    golden, page = copy / "tests" / "contract" / "policy.golden", copy / "docs" / "methods.md"
    before, shown = golden.read_text("utf-8"), page.read_text("utf-8")
    declare(copy, RPC)
    done = run(copy, "scripts/_methods.py", page, tmp_path / "reading.ts")
    assert done.returncode == 0, done.stderr
    (row,) = set(page.read_text("utf-8").splitlines()) - set(shown.splitlines())
    assert row.startswith("| `CountGames` | public | ")
    insert(copy / "service" / "fudaba_service" / "api" / "catalog.py", "\n\ndef _hosted(", HANDLER)
    done = run(copy, "-m", "tests.contract.test_policy")
    assert done.returncode == 0, done.stderr
    (line,) = set(golden.read_text("utf-8").splitlines()) - set(before.splitlines())
    assert line.split() == ["fudaba.v1.CatalogService/CountGames", *["public"] * 8, "3", "no", "no"]
    address = f"unix:{tmp_path}/s"
    serve = "from fudaba.cli import main; main()", "serve", "--data", tmp_path / "data", "--listen", address
    with subprocess.Popen([sys.executable, "-c", *serve], cwd=copy, env=own(copy)) as service:
        try:
            assert counted(address)[:1] == b"\x08"
        finally:
            service.terminate()


@pytest.mark.nightly("`serving/grpc/test_policy.py` has no server start with a method without a whole policy")
def test_a_service_does_not_start_with_a_method_whose_policy_was_forgotten(copy: Path, tmp_path: Path) -> None:
    declare(copy, "  // Counts the games.\n  rpc CountGames(CountGamesRequest) returns (CountGamesResponse);\n")
    serve = (
        "from fudaba.cli import main; main()",
        "serve",
        "--data",
        tmp_path / "data",
        "--listen",
        f"unix:{tmp_path}/s",
    )
    done = run(copy, "-c", *serve)
    assert done.returncode != 0
    assert "fudaba.v1.CatalogService.CountGames has no policy" in done.stderr
