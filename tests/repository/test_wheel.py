"""What is installed, and what a bot author has to install with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.message import Message
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.wheels import SOURCES, build_wheel, copy_sources

ROOT = Path(__file__).resolve().parents[2]
PAGE = ("index.html", "icon.svg", "assets/index-a1b2c3.js", "assets/index-a1b2c3.css")
pytestmark = pytest.mark.exhaustive
CORE = {"grpcio", "protobuf", "grpcio-status", "click", "zstandard"}


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a copy of what a wheel is built from."""
    copy = tmp_path_factory.mktemp("checkout")
    copy_sources(copy)
    shutil.rmtree(copy / "web" / "fudaba_web" / "page", ignore_errors=True)
    write_page(copy)
    return copy


def write_page(sources: Path) -> None:
    """Writes a page into sources, as Node would build it."""
    for name in PAGE:
        file = sources / "web" / "fudaba_web" / "page" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)


@pytest.fixture(scope="module")
def wheel(checkout: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without the network."""
    return build_wheel(checkout, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def content(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path, content: set[str]) -> Message:
    (name,) = (name for name in content if name.endswith(".dist-info/METADATA"))
    with zipfile.ZipFile(wheel) as archive:
        return Parser().parsestr(archive.read(name).decode())


def test_the_wheel_has_the_six_packages_and_nothing_else(content: set[str]) -> None:
    tops = {name.split("/")[0] for name in content if ".dist-info/" not in name}
    assert tops == {"fudaba", "fudaba_games", "fudaba_serving", "fudaba_service", "fudaba_arena", "fudaba_web"}


def files(checkout: Path, kinds: set[str]) -> set[str]:
    """Returns the packages' files of these kinds, as a wheel names them."""
    roots = [checkout / source for source in SOURCES]
    found = ((root, file) for root in roots for package in root.glob("fudaba*") for file in package.rglob("*"))
    return {str(file.relative_to(root)) for root, file in found if file.suffix in kinds or file.name in kinds}


def built(checkout: Path, made: Path, hook: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Returns what `build_wheel` or `build_sdist` of the build backend says in a folder of sources."""
    code = f"import sys; from setuptools import build_meta; build_meta.{hook}(sys.argv[1])"
    kept = {name: value for name, value in os.environ.items() if name != "FUDABA_PAGE"}
    return subprocess.run(
        [sys.executable, "-c", code, made],
        cwd=checkout,
        env=kept | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def without_page(tmp_path: Path) -> Path:
    """Sources without the page, and without most of what else a build would copy."""
    sources = tmp_path / "sources"
    (sources / "games" / "fudaba_games").mkdir(parents=True)
    (sources / "games" / "fudaba_games" / "__init__.py").touch()
    for folder in SOURCES:
        (sources / folder).mkdir(parents=True, exist_ok=True)
    for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, sources)
    return sources


@pytest.mark.parametrize("hook", ["build_wheel", "build_sdist"])
def test_a_build_without_the_page_fails_and_says_how_to_build_it(without_page: Path, hook: str, tmp_path: Path) -> None:
    done = built(without_page, tmp_path, hook)
    assert done.returncode != 0
    assert "Build it with scripts/page, which needs Node" in done.stderr
    assert "with FUDABA_PAGE=none in the environment Fudaba is built without it" in done.stderr
    assert not list(tmp_path.glob("*.whl")) + list(tmp_path.glob("*.tar.gz"))


def test_fudaba_is_built_without_the_page_where_that_is_asked_for(without_page: Path, tmp_path: Path) -> None:
    done = built(without_page, tmp_path, "build_wheel", FUDABA_PAGE="none")
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("*.whl"))


def test_another_choice_of_the_page_than_none_is_refused(without_page: Path, tmp_path: Path) -> None:
    done = built(without_page, tmp_path, "build_wheel", FUDABA_PAGE="no")
    assert done.returncode != 0
    assert "FUDABA_PAGE is 'no': write none" in done.stderr


def test_the_built_page_is_among_the_sources_so_that_building_from_them_needs_no_node(
    without_page: Path, tmp_path: Path
) -> None:
    write_page(without_page)
    done = built(without_page, tmp_path, "build_sdist")
    assert done.returncode == 0, done.stderr
    [packed] = tmp_path.glob("*.tar.gz")
    with tarfile.open(packed) as archive:
        inside = {name.partition("/")[2] for name in archive.getnames()}
    assert {f"web/fudaba_web/page/{name}" for name in PAGE} <= inside


def test_every_module_of_the_sources_is_in_the_wheel(content: set[str], checkout: Path) -> None:
    modules = files(checkout, {".py", ".pyi"})
    assert "fudaba/v1/play_pb2.py" in modules
    assert modules - content == set()


def test_what_the_packages_read_beside_their_modules_is_in_the_wheel(content: set[str], checkout: Path) -> None:
    others = files(checkout, {".lua", ".toml", ".md", "py.typed"})
    assert "fudaba/py.typed" in others
    assert others - content == set()


def test_the_contract_is_in_the_wheel(content: set[str]) -> None:
    proto = ROOT / "proto"
    assert {f"fudaba/proto/{file.relative_to(proto)}" for file in proto.rglob("*.proto")} - content == set()


def test_the_page_is_in_the_wheel_as_it_was_built_and_nothing_of_its_source(content: set[str]) -> None:
    assert {name for name in content if "page/" in name} == {f"fudaba_web/page/{name}" for name in PAGE}


def test_no_tests_and_no_leftovers_are_in_the_wheel(content: set[str]) -> None:
    own = [name for name in content if not name.startswith("fudaba/languages/")]  # a new bot's project has a test
    assert [name for name in own if re.search(r"(^|/)(tests?|__pycache__)/|test_|\.pyc$", name)] == []


def test_the_templates_and_kits_of_new_bots_are_in_the_wheel(content: set[str]) -> None:
    sources = [path for part in ("template", "kit") for path in (ROOT / "clients").glob(f"*/{part}/**/*")]
    expected = {
        f"fudaba/languages/{path.relative_to(ROOT / 'clients')}"
        for path in sources
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert "fudaba/languages/python/template/bot.toml" in expected
    assert expected == {name for name in content if name.startswith("fudaba/languages/")}


def test_the_licence_is_in_the_wheel(content: set[str], metadata: Message) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in content)
    assert metadata["License-Expression"] == "Apache-2.0"


def test_a_bot_author_installs_five_packages(metadata: Message) -> None:
    requirements = [Requirement(line) for line in metadata.get_all("Requires-Dist", [])]
    assert {requirement.name for requirement in requirements if "extra" not in str(requirement.marker)} == CORE


def test_the_wheel_asks_for_the_python_that_the_readme_names(metadata: Message) -> None:
    assert metadata["Requires-Python"] == ">=3.11"


def core_closure() -> set[str]:
    """Returns the core requirements and theirs, by name."""
    open_, closed = set(CORE), set[str]()
    while open_:
        name = canonicalize_name(open_.pop())
        closed.add(name)
        for line in distribution(name).requires or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                open_ |= {canonicalize_name(requirement.name)} - closed
    return closed


@pytest.fixture(scope="module")
def core_install(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the wheel and nothing but its core requirements, linked from what is installed here."""
    place = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(place)
    for name in core_closure():
        installed = distribution(name)
        for file in installed.files or []:
            if not file.parts[0].startswith("..") and file.suffix != ".pyc":
                link = place / file
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(installed.locate_file(file))  # type: ignore[arg-type]  # it is a Path
    return place


def with_core_only(place: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    head = f"import sys; sys.path.insert(0, {str(place)!r}); "
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", head + program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "100"},
    )


def test_the_core_install_has_all_that_the_kit_offers(core_install: Path) -> None:
    done = with_core_only(
        core_install, "import fudaba; [getattr(fudaba, name) for name in fudaba.__all__]; print(fudaba.__file__)"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == str(core_install / "fudaba" / "__init__.py")


def test_the_command_line_works_in_the_core_install(core_install: Path) -> None:
    done = with_core_only(core_install, "from fudaba.cli import main; sys.argv[0] = 'fudaba'; main()", "--help")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: fudaba")
