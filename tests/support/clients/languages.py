"""The languages that have a kit, and what an author does there before playing."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, final

from fudaba.starting import languages, write_project
from tests.support.build_cache import cargo_target, compilers
from tests.support.clients.outcomes import content_of, keep, outcome
from tests.support.patience import PATIENCE

Command = Sequence[str]
CARGO: Final = (["cargo", "build"], ["cargo", "test"])
PROGRAM: Final = "target/release/bot"
"""The path to which Cargo puts a bot that it has built."""
BUILD_SECONDS: Final = 12 * PATIENCE
"""The time that a kit with all of gRPC may take to be built, beside five other tests: alone it takes two minutes."""
FAILS: Final = "TEST_BOT_FAILS"
NOTES: Final = "TEST_BOT_NOTES"
"""Variables of a bot that `alter` has altered."""
PATIENT_BUILDS: Final = f"[builds]\nwall = {BUILD_SECONDS}\ncpu = {BUILD_SECONDS}\n"
"""A worker's file that gives builds all the time that a machine with much else to do may need."""


@final
@dataclass(frozen=True)
class Language:
    """The commands of its template's README, in the project's folder."""

    tools: Sequence[str]
    prepare: Sequence[Command]
    """The commands that fetch everything that is sent along."""
    test: Sequence[Command]
    build: Sequence[Command] = ()
    """The commands that come next where it is played; an arena builds it itself."""
    rebuild: Sequence[Command] = ()
    """The commands that compile a change of the file that decides into what `prepare` has made."""
    libraries: Sequence[str] = ()
    strict: Mapping[str, str] = field(default_factory=dict)
    """Variables with which its compiler is done soon, and finds, as does what it makes, more of what is wrong."""

    decides: tuple[str, str] = ("", "")
    """The file with the function that decides, and how that begins."""
    fails: str = ""
    """A statement that fails where it has a choice."""
    proxy: str = "grpc_proxy"
    """The setting of the proxy that its gRPC goes through, in the kit's words; empty where it goes through none."""
    notes: str = ""
    """A statement that notes a byte or half a character that is none, and behind it far more than a note may have."""
    where: str = ""
    """The beginning of a block that runs only where a variable is set; its name goes into `{}`."""
    imports: tuple[str, str] = ("", "")
    """A line of the file with the function that decides, and what stands behind it for the sake of `where`."""
    tested: str = ""
    """The files, as a pattern, in which what prepares it has told of its tests, where that runs them."""
    made: str = ""
    """The file that what prepares it makes of all that is sent along, where that runs its tests, too."""
    program: str = ""
    """The file that building it makes, and that is started; empty where nothing is built."""
    versions: Sequence[Command] = ()
    """The commands that print the versions of its tools."""

    def break_code(self, folder: Path, *, builds: bool = True) -> None:
        """Makes the bot of a project fail in its own code at each decision where it has a choice.

        It is built anew, or only what is sent along is, where that is compiled.
        """
        self.decide_with(self.fails, folder, builds=builds)

    def alter(self, name: str, folder: Path, original: Path) -> None:
        """Makes the bot of a copied project fail where FAILS is set as it starts, and take notes where NOTES is.

        `original` is the project that was copied.
        """
        source = folder / self.decides[0]
        line, more = self.imports
        text = source.read_text(encoding="utf-8")
        assert line in text
        source.write_text(text.replace(line, line + more, 1), encoding="utf-8")
        blocks = ((FAILS, self.fails), (NOTES, self.notes))
        statements = (f"{self.where.format(variable)} {{ {statement} }}" for variable, statement in blocks)
        self._decide("\n".join(statements), folder)
        commands = (*self.rebuild, *self.build)
        settings = {**self.strict, "ORIGINAL": _written(original).read_text(encoding="utf-8")}
        self._build(outcome(f"altered-{name}", content_of([source], commands, settings, [])), folder, commands)

    def decide_with(self, statement: str, folder: Path, *, builds: bool = True) -> None:
        """Makes the bot of a project begin each decision with a statement."""
        self._decide(statement, folder)
        for command in (*self.rebuild, *(self.build if builds else ())):
            run(command, folder, **self.strict)

    def _decide(self, statement: str, folder: Path) -> None:
        name, begin = self.decides
        source = folder / name
        text = source.read_text(encoding="utf-8")
        assert begin in text
        source.write_text(text.replace(begin, f"{begin}\n{statement}\n", 1), encoding="utf-8")

    def _build(self, kept: Path, folder: Path, commands: Sequence[Command]) -> None:
        """Makes the program by these commands, or takes what they have made of the same from the build cache."""
        if not self.program or not kept.exists():
            for command in commands:
                run(command, folder, **self.strict)
            if self.program:
                keep(kept, folder / self.program)
            return
        (folder / self.program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(kept / Path(self.program).name, folder / self.program)

    def need(self, need_tool: Callable[[str], Path]) -> None:
        """Skips the test that asks, or fails it with CI=true, where a tool or a library is absent."""
        for tool in (*self.tools, *(f"{library}.pc" for library in self.libraries)):
            need_tool(tool)

    def source(self, name: str, folder: Path) -> None:
        """Writes a new bot, and fetches what it needs. Beside the folder it notes which content was written.

        Where that compiles and tests all of it, what it has made of the same is taken from the build cache.
        """
        write_project(name, "careful", folder)
        kept = self.outcome(name, folder)
        _written(folder).write_text(kept.name, encoding="utf-8")
        if self.made and kept.exists():
            shutil.copy2(kept / self.made, folder)
            return
        for command in self.prepare:
            run(command, folder)
        if self.made:
            assert any(folder.glob(self.tested)), "its tests have not run"
            keep(kept, folder / self.made)

    def outcome(self, name: str, folder: Path) -> Path:
        """Returns the folder which is there if its own tests have passed for a new bot, which has just been written."""
        commands = (*self.prepare, *self.build, *self.test)
        return outcome(name, content_of([folder], commands, self.strict, self.versions))

    def is_of(self, kept: Path, folder: Path) -> bool:
        """Returns whether a folder with a bot was written with the content of an outcome. It may be older than what is
        now."""
        return _written(folder).read_text(encoding="utf-8") == kept.name

    def project(self, name: str, folder: Path) -> None:
        """Writes a new bot, fetches what it needs, and builds it."""
        self.source(name, folder)
        if self.build:
            content = _written(folder).read_text(encoding="utf-8").removeprefix(f"{name}-")
            self._build(outcome(f"program-{name}", content), folder, self.build)


LANGUAGES: Final = {
    "cpp": Language(
        tools=["g++", "make", "pkg-config", "protoc"],
        libraries=["grpc++", "protobuf"],
        prepare=[],
        build=[["make", "-j2"]],
        program="bot",
        test=[["make", "test"]],
        strict={
            "CXXFLAGS": "-O1 -g1 -Wall -Wextra -Wconversion -Wshadow -Werror "
            "-fsanitize=address,undefined -fno-sanitize-recover=all"
        },
        decides=("main.cpp", "int choose(fudaba::Decision& decision) override {"),
        fails='if (decision.legal_count > 1) throw std::runtime_error("no idea");',
        notes='decision.note = "\\xff"; for (int n = 0; n < 500; ++n) decision.note += "札";',
        where='if (std::getenv("{}") != nullptr)',
        imports=("#include <random>\n", "#include <cstdlib>\n"),
        versions=[
            [*shlex.split(os.environ.get("CXX", "c++")), "--version"],
            ["make", "--version"],
            ["protoc", "--version"],
            ["pkg-config", "--modversion", "grpc++", "protobuf"],
        ],
    ),
    "go": Language(
        tools=["go"],
        prepare=[["go", "mod", "vendor"]],
        build=[["go", "build", "-mod=vendor", "-o", "bot", "."]],
        program="bot",
        test=[
            ["go", "vet", "./..."],
            ["go", "test", "-count=1", "./..."],  # what is in Go's cache was tested another time
            ["go", "-C", "fudaba", "test", "-count=1", "./..."],
        ],
        decides=("main.go", "func (myBot) Choose(_ context.Context, decision *fudaba.Decision) (int, error) {"),
        proxy="HTTPS_PROXY",
        fails='if decision.LegalCount > 1 { panic("no idea") }',
        notes='decision.Note = "\\xff"; for range 500 { decision.Note += "札" }',
        where='if os.Getenv("{}") != ""',
        imports=('import (\n\t"context"\n', '\t"os"\n'),
        versions=[["go", "version"]],
    ),
    "java": Language(
        tools=["java", "mvn"],
        prepare=[["mvn", "-q", "package"]],
        rebuild=[
            ["javac", "-cp", "bot.jar", "-d", "target/rebuilt", "src/main/java/bot/MyBot.java"],
            ["jar", "--update", "--file", "bot.jar", "-C", "target/rebuilt", "."],
        ],
        test=[],
        decides=("src/main/java/bot/MyBot.java", "public int choose(Decision decision) {"),
        proxy="Java's settings",
        fails='if (decision.legalCount() > 1) throw new IllegalStateException("no idea");',
        notes='decision.note("\\udce9" + "札".repeat(500));',
        where='if (System.getenv("{}") != null)',
        tested="target/surefire-reports/*.txt",
        made="bot.jar",
        program="bot.jar",
        versions=[["mvn", "--version"]],
    ),
    "node": Language(
        tools=["node", "npm"],
        prepare=[["npm", "ci"]],
        test=[["npm", "test"]],
        decides=("bot.js", "  choose(decision) {"),
        fails="if (decision.legalCount > 1) throw new Error('no idea');",
        notes="decision.note = '\\udce9' + '札'.repeat(500);",
        where="if (process.env.{})",
        versions=[["node", "--version"], ["npm", "--version"]],
    ),
    "rust": Language(
        tools=["cargo"],
        prepare=[["cargo", "vendor", "--locked"]],
        build=[["cargo", "build", "--release", "--locked"]],
        program=PROGRAM,
        test=[
            ["cargo", "test", "--locked", "--release"],  # all of gRPC is compiled once
            ["cargo", "test", "--locked", "--release", "--package", "fudaba"],
        ],
        strict={
            "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
            "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS": "true",
            "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS": "true",
        },
        decides=("src/main.rs", "(&mut self, decision: &mut Decision) -> Result<usize, BotError> {"),
        proxy="",
        fails='if decision.legal_count > 1 { panic!("no idea") }',
        notes='decision.note = "\\u{fffd}".to_string() + &"札".repeat(500);',
        where='if std::env::var_os("{}").is_some()',
        versions=[["cargo", "-Vv"], ["rustc", "-Vv"]],
    ),
}


def name_of(language: Language) -> str:
    """Returns the name of a language in the list."""
    [name] = [name for name, entry in LANGUAGES.items() if entry is language]
    return name


def _written(folder: Path) -> Path:
    """Returns the file that names the content with which a bot was written."""
    return folder.with_name(f"{folder.name}.written")


def with_kit() -> set[str]:
    """Returns the languages whose bots are connected by a folder of their own project."""
    return {name for name, folder in languages().items() if (folder / "kit").is_dir()}


def run(command: Command, folder: Path, **environment: str) -> None:
    """Runs a command that has to succeed. Compilers use the build cache."""
    if command[:2] in CARGO:
        with cargo_target(folder) as target:
            _run(command, folder, **environment, CARGO_TARGET_DIR=str(target))
            if command[1] == "build":
                (folder / PROGRAM).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(target / Path(PROGRAM).relative_to("target"), folder / PROGRAM)
    else:
        _run(command, folder, **environment)


def _run(command: Command, folder: Path, **environment: str) -> None:
    done = subprocess.run(
        command, cwd=folder, env=os.environ | compilers() | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"


def start(folder: Path) -> list[str]:
    """Returns the command that starts the bot of a project, whatever the current folder is."""
    words: list[str] = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))["start"]
    return [os.path.join(folder, word) if (folder / word).exists() else word for word in words]  # noqa: PTH118 - text
