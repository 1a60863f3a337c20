"""What authors in other languages get."""

from __future__ import annotations

import difflib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2, descriptor_pool

from fudaba.bundle import DESCRIPTORS, descriptor_set, proto_sources, write_bundle
from fudaba.catalog import shared_rules
from fudaba.errors import FudabaError
from fudaba_games.registry import GAMES
from tests.support.links import dead_links

ROOT = Path(__file__).resolve().parents[2]


def test_the_bundle_is_complete_code_can_be_generated_from_it_alone(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    write_bundle(bundle)
    out = tmp_path / "out"
    out.mkdir()
    files = [str(path.relative_to(bundle)) for path in sorted(bundle.rglob("*.proto"))]
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", "-I.", f"--python_out={out}", f"--grpc_python_out={out}", *files],
        cwd=bundle,
        check=True,
    )
    assert (out / "fudaba" / "v1" / "play_pb2_grpc.py").is_file()
    assert (out / "google" / "rpc" / "error_details_pb2.py").is_file()


POLICY = re.compile(
    r'import "fudaba/v1/policy.proto";|    option \(policy\) = \{|      \w+: \w+( // .*)?|      // .*|    \};|  \}|'
)
"""A line of a source that only servers need, or the empty one behind their import."""


def test_the_bundle_has_every_file_of_the_contract_word_for_word_but_what_only_servers_read(tmp_path: Path) -> None:
    write_bundle(tmp_path / "bundle")
    sources = sorted((ROOT / "proto").rglob("*.proto"))
    assert not (tmp_path / "bundle" / "fudaba" / "v1" / "policy.proto").exists()
    for source in sources:
        if source.name == "policy.proto":
            continue
        copy = (tmp_path / "bundle" / source.relative_to(ROOT / "proto")).read_text("utf-8")
        whole = re.sub(r"^(  rpc .*\)) \{$", r"\1;", source.read_text("utf-8"), flags=re.MULTILINE)
        compared = list(difflib.ndiff(whole.splitlines(), copy.splitlines(), charjunk=None))
        assert [line for line in compared if line.startswith("+ ")] == [], source
        assert [line for line in compared if line.startswith("- ") and not POLICY.fullmatch(line[2:])] == [], source
        assert "policy" not in copy


def test_every_link_of_the_bundle_leads_somewhere_and_the_shared_rules_are_there(tmp_path: Path) -> None:
    write_bundle(tmp_path)
    pages = {path.relative_to(tmp_path).as_posix(): path.read_text("utf-8") for path in tmp_path.rglob("*.md")}
    assert {"README.md", "contract.md", "glossary.md", "methods.md", "verifying.md"} <= set(pages)
    assert {"rules/README.md", "rules/kamikisen.md"} <= set(pages)
    assert {f"rules/{game_id}.md" for game_id in GAMES} <= set(pages)
    assert dead_links(pages) == []
    assert "](rules/README.md)" in pages["contract.md"]
    assert "](README.md)" in pages["rules/naga.md"]
    assert all(f"**{rule}** " in pages["rules/README.md"] for rule in ("G2.4", "G3.1", "G4.1", "G5.1"))


def test_the_descriptor_set_stands_alone(tmp_path: Path) -> None:
    write_bundle(tmp_path)
    files = descriptor_pb2.FileDescriptorSet.FromString((tmp_path / DESCRIPTORS).read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    methods = pool.FindServiceByName("fudaba.v1.PlayService").methods_by_name
    assert set(methods) == {"Play", "WatchSeat", "SubmitMove"}
    assert files == descriptor_set()
    assert "policy" not in str(files)


def test_writing_it_again_replaces_it_and_a_folder_with_other_things_is_left_alone(tmp_path: Path) -> None:
    first = write_bundle(tmp_path / "bundle")
    assert write_bundle(tmp_path / "bundle") == first
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(FudabaError, match="not empty"):
        write_bundle(tmp_path / "other")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.txt"]


def test_the_sources_are_those_of_the_checkout() -> None:
    assert proto_sources() == ROOT / "proto"


@pytest.mark.exhaustive
def test_a_wheel_carries_the_contract_the_pages_of_rules_and_values_and_a_ladders_file(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    ignored = shutil.ignore_patterns("__pycache__", "node_modules", "*.egg-info")
    packages = ("games", "serving", "service", "arena", "clients/python")
    for name in (*packages, "proto", "docs/rules", "docs/values", "docs/examples"):
        shutil.copytree(ROOT / name, copy / name, ignore=ignored)
    for name in ("contract.md", "glossary.md", "methods.md", "verifying.md"):
        shutil.copy(ROOT / "docs" / name, copy / "docs")
    build = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
    done = subprocess.run(
        [sys.executable, "-c", build, tmp_path],
        cwd=copy,
        env=os.environ | {"FUDABA_PAGE": "none"},  # what the kit carries is not in it
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    expected = {f"fudaba/proto/{path.relative_to(ROOT / 'proto')}" for path in (ROOT / "proto").rglob("*.proto")}
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
        archive.extractall(tmp_path / "installed")
    pages = {f"fudaba/{folder}/{game_id}.md" for folder in ("rules", "values") for game_id in GAMES}
    pages |= {"fudaba/examples/open.toml"}
    pages |= {f"fudaba/rules/{shared}" for shared in shared_rules()}
    assert (
        expected | {f"fudaba/{page}.md" for page in ("bundle", "contract", "glossary", "methods", "verifying")} | pages
        <= inside
    )
    # And the kit finds them there.
    paths = [str(tmp_path / "installed"), *sys.path]
    code = f"import sys; sys.path[:0] = {paths!r}; from fudaba.bundle import proto_sources; print(proto_sources())"
    found = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False)
    assert found.stdout.strip() == str(tmp_path / "installed" / "fudaba" / "proto"), found.stderr
