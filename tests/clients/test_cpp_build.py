"""What a build of a C++ bot says where it cannot work. That it works is tested with the other kits: `test_kits.py`."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from fudaba.starting import write_project


@pytest.fixture
def make(need_tool: Callable[[str], Path], tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """`make(…)` is what `make` does in a new bot's project, with these variables."""
    tool = str(need_tool("make"))
    write_project("cpp", "careful", tmp_path / "new")

    def made(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [tool, *words],
            cwd=tmp_path / "new",
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )

    return made


def test_where_grpc_is_missing_the_build_says_what_to_install(
    make: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    done = make("-j2", "bot", PKG_CONFIG_LIBDIR="/nowhere", PKG_CONFIG_PATH="")
    assert done.returncode == 2
    assert "gRPC for C++, protobuf, protoc or pkg-config is not installed here" in done.stderr
    assert "apt-get install g++ make pkg-config libgrpc++-dev libprotobuf-dev protobuf-compiler" in done.stderr
    assert not done.stdout


@pytest.mark.nightly("the kit is built, and its own tests and bots run, in `test_kits.py`")
def test_all_that_is_compiled_of_the_contract_is_what_the_stream_needs(
    make: Callable[..., subprocess.CompletedProcess[str]], need_tool: Callable[[str], Path]
) -> None:
    for name in ("pkg-config", "protoc", "grpc++.pc", "protobuf.pc"):
        need_tool(name)
    made = make("build/contract/made")
    assert made.returncode == 0, made.stderr
    planned = make("-n", "bot").stdout
    assert "play.pb.cc" in planned
    assert "naga.pb.cc" in planned
    assert "arena.pb" not in planned
