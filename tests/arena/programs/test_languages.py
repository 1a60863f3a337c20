"""Each language's runtime: what is submitted is built in a sandbox, without a network, and started."""

from __future__ import annotations

import io
import json
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.submissions.packing import pack_folder
from fudaba_games.registry import GAMES
from tests.support.arena.nodes import LIVES, Node, node
from tests.support.arena.programs.uploads import stages_of
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.clients import languages
from tests.support.clients.languages import BUILD_SECONDS, PATIENT_BUILDS
from tests.support.clients.projects import sent_along

Submit = Callable[..., pb.Submission]
FAILS = {
    "bot.py": ("python3", "import sys; print('hello from Python', file=sys.stderr); sys.exit(3)"),
    "bot.js": ("node", "console.error('hello from Node'); process.exit(3)"),
    "bot.java": ("java", ('class B { public static void main(String[] a) {'
                          ' System.err.println("hello from Java"); System.exit(3); } }')),
    # Go compiles what a program imports of its library: as little as can be.
    "bot.go": ("go", 'package main\nimport "syscall"\nfunc main() { println("hello from Go"); syscall.Exit(3) }'),
    "bot.rs": ("rustc", 'fn main() { eprintln!("hello from Rust"); std::process::exit(3) }'),
    "bot.cpp": ("g++", '#include <iostream>\nint main() { std::cerr << "hello from C++" << std::endl; return 3; }'),
}  # fmt: skip
pytestmark = pytest.mark.timeout(2 * BUILD_SECONDS)
LANGUAGES = {"py": "Python", "js": "Node", "java": "Java", "go": "Go", "rs": "Rust", "cpp": "C++"}


@pytest.fixture(scope="module")
def worker(hosted: Service, arena: Arena, need_sandbox: None) -> Iterator[Node]:
    """Yields one that is patient with builds."""
    file = arena.folder / "worker.toml"
    file.write_text(PATIENT_BUILDS, encoding="utf-8")
    place = arena.folder / "data" / "submissions"
    with node(hosted, arena, "runs", "--submissions", str(place), "--config", str(file), *LIVES) as started:
        yield started


@pytest.mark.parametrize(
    "file",
    [
        "bot.py",
        "bot.js",
        *(pytest.param(file, marks=pytest.mark.exhaustive) for file in ("bot.java", "bot.rs", "bot.cpp")),
        pytest.param(
            "bot.go",
            marks=pytest.mark.nightly(
                "the same of all other languages; `clients/test_kits.py` has Go build a bot from what is sent along"
            ),
        ),
    ],
)
def test_a_source_file_is_built_and_started_with_the_runtime_of_its_language(
    submit: Submit, need_tool: Callable[[str], Path], file: str
) -> None:
    tool, code = FAILS[file]
    need_tool(tool)
    suffix = file.partition(".")[2]
    submission = submit(code.encode(), f"hello-{suffix}", file)
    built = [("BUILD", True)] if suffix in {"go", "rs", "cpp"} else []
    assert stages_of(submission) == [("UNPACK", True), *built, ("START", False)], submission
    assert "it ended with status 3" in submission.stages[-1].output, submission
    assert f"| hello from {LANGUAGES[suffix]}" in submission.stages[-1].output


AT_NIGHT = pytest.mark.nightly(
    "a file of each language but Go is started in a sandbox, where `sandbox/test_matches.py` has a whole bot on Node"
    " play, `test_checking.py` accepts a bot and refuses one whose code fails, `clients/test_kit_matches.py` has whole"
    " bots of each language play all games outside, and `clients/test_kits.py` has all but those in C++ fail"
)


@pytest.fixture
def new_bot(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, Iterable[str]], Path]:
    """`new_bot(language, games)` is the folder of a new bot that plays these, with all that is sent along."""

    def made(language: str, games: Iterable[str]) -> Path:
        folder = shutil.copytree(sent_along(language, tmp_path_factory), tmp_path / "new", symlinks=True)
        manifest = folder / "bot.toml"
        text = manifest.read_text(encoding="utf-8")
        assert 'games = "all"' in text
        manifest.write_text(text.replace('games = "all"', f"games = {json.dumps(list(games))}"), encoding="utf-8")
        return folder

    return made


@AT_NIGHT
@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_a_bot_whose_own_code_fails_at_a_decision_is_refused_although_the_match_comes_to_its_end(
    submit: Submit, need_tool: Callable[[str], Path], new_bot: Callable[[str, Iterable[str]], Path], language: str
) -> None:
    known = languages.LANGUAGES[language]
    known.need(need_tool)
    folder = new_bot(language, ["naga"])
    known.break_code(folder, builds=False)
    archive = io.BytesIO()
    pack_folder(folder, archive)
    submission = submit(archive.getvalue(), f"broken-{language}", seconds=BUILD_SECONDS)
    assert submission.state == pb.SUBMISSION_STATE_REFUSED, submission
    failed = submission.stages[-1]
    assert failed.stage == pb.SUBMISSION_STAGE_MATCH, submission
    assert "its own code failed at " in failed.output
    assert "the position at decision " in failed.output
    assert re.search(r"\n\| .*no idea", failed.output), failed.output
    assert re.search(r"\n\| .*: own error at decision \S+; the default move is played$", failed.output), failed.output


@AT_NIGHT
@pytest.mark.parametrize("language", languages.LANGUAGES)
def test_a_new_bot_is_accepted_with_its_games(
    submit: Submit, need_tool: Callable[[str], Path], new_bot: Callable[[str, Iterable[str]], Path], language: str
) -> None:
    known = languages.LANGUAGES[language]
    known.need(need_tool)
    archive = io.BytesIO()
    pack_folder(new_bot(language, GAMES), archive)
    submission = submit(archive.getvalue(), f"new-{language}", seconds=BUILD_SECONDS)
    assert (submission.state, submission.version) == (pb.SUBMISSION_STATE_ACCEPTED, "2"), submission
    assert {stage.game for stage in submission.stages if stage.game} == set(GAMES)
