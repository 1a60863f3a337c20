"""Who follows docs/extending.md, "Adding a game", has a new game that is played on a service, and on the page."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from fudaba_games.registry import GAMES
from tests.support.folders import short_folder
from tests.support.page.browsing import Watched, launch_options
from tests.support.page.playing import LONGEST, POINT, begin_as_guest
from tests.support.page.readable import check_readable
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import FUDABA, Process, Service
from tests.support.sizes import exhaustive

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("games", "games/starter", "serving", "service", "arena", "web", "clients/python")
GAME, NAME = "lucky_seven", "Lucky Seven"
SOURCES = {".py", ".proto", ".md", ".toml", ".ts", ".tsx"}

pytestmark = pytest.mark.exhaustive

Run = Callable[..., str]


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a copy of the checkout: what is in its history, as it is now."""
    copy = tmp_path_factory.mktemp("tree")
    files = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    for name in filter(None, files):
        if (ROOT / name).exists():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    return copy


def environment(tree: Path) -> dict[str, str]:
    """Returns what has a process use the copy, and not the checkout that is installed."""
    return {
        "PYTHONPATH": os.pathsep.join(str(tree / package) for package in PACKAGES),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),  # protoc's plugins, ruff
        "TEST_EXTENT": "all" if exhaustive() else "sample",  # of the tests that run there
    }


@pytest.fixture(scope="module")
def run(tree: Path) -> Run:
    """Runs Python in the copy; gives what it prints."""

    def runs(*arguments: str, fails: bool = False) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tree, env={**os.environ, **environment(tree)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode != 0) is fails, f"{arguments}\n{done.stdout}\n{done.stderr}"
        return done.stderr if fails else done.stdout

    return runs


@pytest.fixture(scope="module")
def copied(tree: Path, run: Run) -> Path:
    """Returns the copy with the new game's files, registered; nothing is generated."""
    run("scripts/_new_game.py", GAME, NAME)
    return tree


@pytest.fixture(scope="module")
def added(copied: Path, run: Run) -> Path:
    """Returns the copy with the new game: what `scripts/new-game` does, but for making an environment of its own."""
    script = (ROOT / "scripts" / "new-game").read_text(encoding="utf-8")
    assert re.findall(r"^(?:python|scripts/|ruff).*", script, re.MULTILINE)[:2] == [
        'python scripts/_new_game.py "$@"', "scripts/generate",
    ]  # fmt: skip
    out = "--python_out=clients/python", "--mypy_out=quiet:clients/python"
    protos = sorted(str(path.relative_to(copied)) for path in (copied / "proto" / "fudaba" / "v1").glob("*.proto"))
    run("-m", "grpc_tools.protoc", "-Iproto", *out, *protos)
    run("scripts/_values.py", "docs/values")
    run("-m", "ruff", "check", "--fix", "--quiet", ".")
    run("-m", "ruff", "format", "--quiet", ".")
    run("-m", "tests.goldens", GAME)
    return copied


@pytest.fixture(params=["copied", "added"])
def new(request: pytest.FixtureRequest) -> Path:
    """Returns the copy with the new game, before and after its files are generated and put in order."""
    found: Path = request.getfixturevalue(request.param)
    return found


def test_nothing_but_the_registry_and_the_contract_lists_the_game(new: Path) -> None:
    """And the front page, in prose. All else is files of its own, or generated."""
    listed = set()
    for path in new.rglob("*"):
        own = GAME in str(path.relative_to(new)) or "docs/values" in str(path) or "_pb2" in path.name
        if (
            path.suffix not in SOURCES
            or own
            or "node_modules" in path.parts
            or path.parts[-2:] == ("starter", "README.md")
        ):
            continue
        before = ROOT / path.relative_to(new)
        if before.read_text(encoding="utf-8") != path.read_text(encoding="utf-8"):
            listed.add(str(path.relative_to(new)))
    keys = "web/page/src/i18n/keys.ts"
    assert listed == {"games/fudaba_games/registry.py", "proto/fudaba/v1/game.proto", "README.md", keys}


def test_it_stands_in_the_order_of_the_registry_and_last_in_the_contract(new: Path, run: Run) -> None:
    assert run("-c", "from fudaba_games.registry import GAMES; print(*GAMES)").split() == sorted([*GAMES, GAME])
    contract = (new / "proto" / "fudaba" / "v1" / "game.proto").read_text(encoding="utf-8")
    for kind in ("Move", "View", "Event"):
        assert f"    LuckySeven{kind} lucky_seven = {len(GAMES) + 1};\n  }}\n}}\n" in contract


@pytest.mark.usefixtures("copied")
def test_the_tests_of_its_own_rules_pass_as_they_are_copied(run: Run) -> None:
    out = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout", "0", f"tests/games/{GAME}")
    assert re.search(r"^\d\d passed", out, re.MULTILINE)


@pytest.mark.nightly(
    "its own tests pass above, it is played on a service below, and nothing but the registry lists games"
)
def test_the_checks_and_tests_of_every_game_pass_for_it(added: Path, run: Run) -> None:
    run("-m", "ruff", "check", ".")
    every_game = (
        "tests/conformance/test_conformance.py", "tests/contract/test_codec.py", "tests/goldens/test_goldens.py",
        "tests/terminal/test_renderers.py", f"tests/games/{GAME}",
    )  # fmt: skip
    of_all = (
        "tests/test_rule_numbers.py", "tests/contract/test_protos.py", "tests/repository/test_readme.py",
        "tests/repository/test_values_pages.py",
    )  # fmt: skip
    # In one process: most of its time goes to what every one does before its first test.
    wanted = " or ".join([GAME, "of_the_page", *(Path(file).name for file in of_all)])
    files = (*every_game, *of_all, "tests/bridges/test_training_page.py")
    out = run("-m", "pytest", "-q", "-rp", "-p", "no:cacheprovider", "--timeout", "0", "-k", wanted, *files)
    assert len(re.findall(rf"^PASSED .*{GAME}", out, re.MULTILINE)) > 50
    for file in (*every_game[:-1], *of_all, "tests/bridges/test_training_page.py"):
        assert f"PASSED {file}::" in out


def test_it_is_played_on_a_service_and_its_records_verify(added: Path, run: Run) -> None:
    with short_folder() as folder, Service(folder) as service:
        service.start(environment=environment(added))
        at = ("--server", service.address, "--token", service.token)
        seats = ("--seat", "house-sensible", "--seat", "house-random")
        match_id = run("-m", "fudaba", "match", "create", GAME, *seats, "--wait", *at).strip()
        record = folder / "match.fudaba"
        run("-m", "fudaba", "record", "get", match_id, "--output", str(record), *at)
        found = json.loads(run("-m", "fudaba", "record", "show", "--json", str(record)))
        assert found["header"]["game"] == GAME
        assert sum(found["end"]["outcome"]["scores"]) == 0
        assert run("-m", "fudaba", "record", "verify", str(record)).endswith("valid: commitment, every move, result\n")


@contextmanager
def web(folder: Path, service: Service, tree: Path) -> Iterator[str]:
    """Yields the address of the copy's gateway."""
    with Process(folder, "web") as gateway:
        gateway.launch([str(FUDABA), "web", "--listen", "127.0.0.1:0", "--server", service.address], environment(tree))
        wait_until(lambda: "serves on" in gateway.log or not gateway.running, "the start of the gateway")
        assert gateway.running, gateway.log
        yield gateway.log.partition("serves on ")[2].split()[0].removesuffix(",")


@pytest.fixture(scope="module")
def paged(added: Path, need_tool: Callable[[str], Path]) -> Path:
    """Returns the copy with the new game on its page, which is checked and built."""
    npm = need_tool("npm")
    page = added / "web" / "page"
    (page / "node_modules").symlink_to(ROOT / "web" / "page" / "node_modules")
    for words in (("run", "build"), ("run", "types"), ("exec", "eslint", "--", f"src/boards/{GAME}", "src/i18n")):
        done = subprocess.run([npm, *words], cwd=page, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}\n{done.stdout}\n{done.stderr}"
    return added


@pytest.mark.parametrize(("language", "hand"), [("en", "Your hand"), ("ja", "手札")])
def test_it_is_played_to_its_end_on_the_page(
    paged: Path, need_tool: Callable[[str], Path], language: str, hand: str
) -> None:
    with short_folder() as folder, Service(folder, "--guests") as service, sync_playwright() as playwright:
        service.start(environment=environment(paged))
        with (
            web(folder, service, paged) as address,
            playwright.chromium.launch(**launch_options(need_tool)) as browser,
            browser.new_context(base_url=address, locale="en", reduced_motion="reduce") as context,
            Watched(context.new_page()) as page,
        ):
            begin_as_guest(page, GAME)
            page.evaluate("chosen => localStorage.setItem('language', chosen)", language)
            page.reload()
            expect(page.get_by_role("group", name=hand)).to_be_visible(timeout=PATIENCE * 1000)
            expect(page.locator("button[data-piece='move:pass']")).to_be_visible(timeout=PATIENCE * 1000)
            check_readable(page)
            page.evaluate(POINT, None)
            expect(page.locator(".match-ending")).to_be_visible(timeout=LONGEST * 1000)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("naga", "Naga"), "the id 'naga' is taken"),
        *[
            ((taken, "New Game"), f"the id {taken!r} is taken: there is {path}; choose another one")
            for taken, path in (
                ("match", "games/fudaba_games/match.py"),
                ("shuffle", "games/fudaba_games/shuffle.py"),
                ("lazy", "games/fudaba_games/lazy.py"),
                ("wording", "games/fudaba_games/wording.py"),
                ("kamikisen", "games/fudaba_games/kamikisen"),
                ("record", "proto/fudaba/v1/record.proto"),
                ("base", "clients/python/fudaba/codec/base.py"),
                ("listing", "clients/python/fudaba/terminal/renderers/listing.py"),
                ("search", "clients/python/fudaba/bots/search"),
            )
        ],
        (("Lucky", "Lucky"), "'Lucky' is not an id"),
        (("import", "Import"), "'import' is a keyword of Python"),
        (("lucky_eight", " "), "the name is empty"),
        (("lucky_eight", 'Lucky "Eight"'), 'without "'),
        (("lucky_eight", "Lucky | Eight"), "without |"),
        (("lucky_eight", "Nerts Extra"), "cannot begin with 'NE'"),
        (("lucky_eight",), "usage"),
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    tree: Path, run: Run, arguments: tuple[str, ...], words: str
) -> None:
    before = {path: path.stat().st_mtime_ns for path in tree.rglob("*.py")}
    assert words in run("scripts/_new_game.py", *arguments, fails=True)
    assert {path: path.stat().st_mtime_ns for path in tree.rglob("*.py")} == before


def test_the_starter_is_in_no_catalogue_and_no_wheel() -> None:
    assert "high_card" not in GAMES
    assert "package fudaba.starter;" in (ROOT / "games" / "starter" / "high_card.proto").read_text(encoding="utf-8")
