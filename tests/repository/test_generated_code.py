"""What the package asks for is what its generated code runs with: no version installs that does not run."""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from subprocess import run

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[2]
GENERATED = ROOT / "clients" / "python" / "fudaba" / "v1"
PROTOBUF = re.compile(r"ValidateProtobufRuntimeVersion\(\s*[\w.]+,\s*(\d+),\s*(\d+),\s*(\d+),")
GRPC = re.compile(r"^GRPC_GENERATED_VERSION = '([\d.]+)'$", re.MULTILINE)


def generated_version(pattern: re.Pattern[str], files: str) -> Version:
    """Returns the version that the code of these files needs; each names it once, and all name the same."""
    found = {path.name: pattern.findall(path.read_text("utf-8")) for path in GENERATED.glob(files)}
    assert found
    assert {name: len(versions) for name, versions in found.items()} == dict.fromkeys(found, 1)
    (version,) = {".".join(match) if isinstance(match, tuple) else match for (match,) in found.values()}
    return Version(version)


def asked_for() -> dict[str, SpecifierSet]:
    """Returns what pyproject.toml asks for in every installation, by name."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    requirements = [Requirement(line) for line in project["dependencies"]]
    return {requirement.name: requirement.specifier for requirement in requirements}


def test_the_package_asks_for_the_protobuf_that_its_messages_run_with() -> None:
    """Code of one major version runs with that version from its own minor on, and with all of the next one."""
    generated = generated_version(PROTOBUF, "*_pb2.py")
    assert asked_for()["protobuf"] == SpecifierSet(f">={generated},<{generated.major + 2}")


def test_the_package_asks_for_the_grpc_that_its_stubs_run_with_and_that_connects_after_a_refusal() -> None:
    """What fails with other versions is in tests/kit/test_client.py."""
    assert generated_version(GRPC, "*_pb2_grpc.py") == Version("1.72.1")
    assert asked_for()["grpcio"] == SpecifierSet(">=1.72.2,!=1.73.0")
    assert asked_for()["grpcio-status"] == SpecifierSet(">=1.72.2"), "it is released together with grpcio"


def test_the_code_runs_with_the_protobuf_that_authors_other_packages_keep_back_and_with_the_newest() -> None:
    assert generated_version(PROTOBUF, "*_pb2.py").release[:2] == (6, 30)


def test_the_stubs_are_those_of_the_protoc_that_is_pinned() -> None:
    (line,) = re.findall(r"^grpcio-tools==.*$", (ROOT / "scripts" / "_protoc.in").read_text("utf-8"), re.MULTILINE)
    assert Requirement(line).specifier == SpecifierSet(f"=={generated_version(GRPC, '*_pb2_grpc.py')}")


def test_the_lists_of_methods_are_those_of_the_policies(tmp_path: Path) -> None:
    methods, reading = tmp_path / "methods.md", tmp_path / "reading.ts"
    run([sys.executable, ROOT / "scripts" / "_methods.py", methods, reading], check=True)
    assert methods.read_text("utf-8") == (ROOT / "docs" / "methods.md").read_text("utf-8")
    assert reading.read_text("utf-8") == (ROOT / "web" / "page" / "src" / "api" / "reading.ts").read_text("utf-8")
