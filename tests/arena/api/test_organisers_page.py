"""The page for organisers: every command of it is run, in its order, as a reader does who begins with nothing."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from tests.support.arena.running import environment
from tests.support.folders import short_folder
from tests.support.forked import Forked
from tests.support.kit.command_lines import understood, with_files
from tests.support.patience import PATIENCE, wait_until

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "organisers.md").read_text(encoding="utf-8")
BLOCKS: list[tuple[str, str]] = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
COMMANDS = [
    line.removeprefix("$ ").partition("  #")[0].rstrip()
    for kind, text in BLOCKS
    for line in text.splitlines()
    if not kind and line.startswith("$ ")
]

LEAVES_ALL = dict.fromkeys(("VISUAL", "EDITOR"), "true")
"""The variables of an editor that is closed at once. Without them the machine's own editor would wait for keys."""
FILE = re.compile(r"[\w-]+\.(toml|token|account|jsonl)")


@contextmanager
def up(home: Path, command: str) -> Iterator[str]:
    """Yields what the first terminal says once all is up."""
    log = home / "log"
    words = command.replace("~", str(home)).split()[1:]
    where = {"FUDABA_LISTEN": f"unix:{home}/s", "FUDABA_ARENA_LISTEN": f"unix:{home}/a"}
    where |= {"FUDABA_WEB_LISTEN": "127.0.0.1:0", "HOME": str(home)}
    process = Forked(words, log, environment() | where)

    def is_shown() -> bool:
        assert process.poll() is None, log.read_text()
        return log.exists() and "fudaba tournament --help" in log.read_text()  # the last line

    try:
        wait_until(is_shown, lambda: f"it is up: {log.read_text()}")
        yield log.read_text()
    finally:
        process.terminate()
        assert process.wait(PATIENCE) == 0


def _in_process(commands: list[str], home: Path, env: dict[str, str]) -> str:
    """Returns what these commands print.

    They are run here: to start so many processes would take longer than all else.
    """
    output, bots = "", []
    try:
        for line in commands:
            command, _, file = line.removesuffix(" &").partition(" > ")
            program, *words = [str(home / word) if FILE.fullmatch(word) else word for word in shlex.split(command)]
            if line.endswith(" &"):
                bots.append(Forked(words, home / "bot.log", environment() | env))
                continue
            if program == "fudaba":
                done = CliRunner().invoke(cli, words, env=env, prog_name="fudaba")
                assert done.exit_code == 0, (line, done.output)
                said = done.stdout
            else:
                said = subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=True).stdout
            if file:
                (home / file).write_text(said)
            output += said
    finally:
        for bot in bots:
            bot.kill()
            bot.wait()
    return output


def _less(text: str, setting: str, smaller: str) -> str:
    """Returns a text of the page with a smaller number, so that less is played."""
    assert text.count(setting) == 1
    return text.replace(setting, smaller)


def test_every_command_of_the_page_is_one_that_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(with_files(tmp_path))
    others = [line for line in COMMANDS if not understood(line)]
    assert [line.split()[0] for line in others] == ["export", "export", "sed"]


def test_the_ladder_of_the_page_is_the_one_among_the_examples() -> None:
    [_, ladder, *_] = [text for kind, text in BLOCKS if kind == "toml"]
    example = (ROOT / "docs" / "examples" / "open.toml").read_text(encoding="utf-8")
    assert example.partition("\n")[2] == ladder


@pytest.mark.nightly(
    "each of the commands is one that there is, above; `test_steering.py` has tournaments steered by"
    " commands and `test_ladders.py` ladders"
)
def test_every_command_of_the_page_works() -> None:
    (file, *_, settings) = [text for kind, text in BLOCKS if kind == "toml"]
    assert set(tomllib.loads(settings)) == {"serve", "arena"}
    place = next(place for place, line in enumerate(COMMANDS) if line.startswith("fudaba ladder"))
    (first, *rest), ladder_commands = COMMANDS[:place], COMMANDS[place:]
    assert first.startswith("fudaba up")
    with short_folder() as home, up(home, first) as output:
        exports = re.findall(r"^ +(export .*)$", output, re.MULTILINE)
        env = dict(shlex.split(line)[1].split("=", 1) for line in exports)
        assert list(env) == ["FUDABA_TOKEN_FILE", "FUDABA_SERVER", "FUDABA_ARENA"]
        env |= LEAVES_ALL
        # The address is another one here, where the usual one may be taken.
        assert rest[0].replace("~", str(home)) == f"export FUDABA_TOKEN_FILE={env['FUDABA_TOKEN_FILE']}"
        assert rest[1].startswith("export FUDABA_ARENA=")
        (home / "spring.toml").write_text(_less(file, "blocks = 5 ", "blocks = 2 "), encoding="utf-8")
        (to_autumn,) = (line for line in rest if line.startswith("sed "))
        commands = [_less(line, "blocks = 5 ", "blocks = 2 ") if line == to_autumn else line for line in rest[2:]]
        shown = _in_process(commands, home, env)
        assert "-- closed, 12 of 12 matches" in shown
        assert re.search(r"^ +\d=? +alice ", shown, re.MULTILINE)
        assert re.search(r"^spring-\w+ is right: 6 blocks", shown, re.MULTILINE)
        new, *others = ladder_commands
        _in_process([new], home, env)
        ladder = home / "open.toml"
        shorter = _less(ladder.read_text(encoding="utf-8"), "final_blocks = 5 ", "final_blocks = 1 ")
        shorter = _less(shorter, "provisional_blocks = 5 ", "provisional_blocks = 1 ")
        ladder.write_text(shorter, encoding="utf-8")
        shown = _in_process(others, home, env)
        assert re.search(r"^open, season 1, is (final|closed)", shown, re.MULTILINE)
        assert "all versions are frozen; the final is played" in shown
        assert re.search(r"^open, season 2, is paused", shown, re.MULTILINE)


def test_the_commands_in_the_text_are_ones_that_there_are() -> None:
    for line in set(re.findall(r"`(fudaba [^`…]+)`", PAGE)):
        words = line.split()[1:]
        assert CliRunner().invoke(cli, [*words, "--help"]).exit_code == 0, line
