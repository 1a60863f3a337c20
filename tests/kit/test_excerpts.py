"""Of what is too long the beginning and the end are told: what a bot said last, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba.bot_program import BotLog
from fudaba.cli import cli
from fudaba.excerpts import Excerpt, excerpt, short_line, short_lines

CRASHER = """\
import os, sys
import fudaba

class Crasher(fudaba.Bot):
    def choose(self, decision):
        for _ in range(30):
            sys.stdout.write("x" * 1_000_000)
        sys.stdout.flush()
        os.write(2, b"LAST WORDS: assertion failed in eval.cpp:77 \\xff\\xfe\\n")
        os.abort()

fudaba.run(Crasher)
"""


@pytest.mark.parametrize("pieces", [[b"0123456789"], [b"012", b"3456", b"", b"789"], [b"%d" % n for n in range(10)]])
def test_an_excerpt_has_the_beginning_and_the_end_however_it_comes(pieces: list[bytes]) -> None:
    found = Excerpt(5, "..{}..")
    for piece in pieces:
        found.add(piece)
    assert (found.text, found.total) == (b"012..5..89", 10)
    assert excerpt(b"01234", 5) == b"01234"


def test_short_lines_are_left_alone_and_of_long_ones_both_ends_are_shown() -> None:
    assert short_line("short", 20) == "short"
    assert short_line("a" * 50 + "b" * 50, 10) == "aaaaa [… 90 bytes left out …] bbbbb"


def test_of_many_lines_the_first_and_the_last_are_shown() -> None:
    lines = [str(number) for number in range(9)]
    assert short_lines(lines, 2, 3) == ["0", "1", "[… 4 lines left out …]", "6", "7", "8"]
    assert short_lines(lines, 4, 4) == lines


def test_a_log_tells_the_last_words_behind_an_endless_line(tmp_path: Path) -> None:
    log = BotLog(tmp_path / "bot.log")
    for _ in range(3):
        log.write(b"x" * 1_000_000)
    log.write(b"LAST ")
    log.write(b"WORDS\n")
    assert log.said()[-1].startswith("xxx")
    assert log.said()[-1].endswith("LAST WORDS")
    log.write(b"y" * 1_000_000 + b" more")
    assert log.said()[-1].endswith("y more")
    log.close()


@pytest.mark.exhaustive
def test_a_bot_that_dies_behind_an_endless_line_loses_at_once_with_its_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("redis", reason="the service's extra is not installed")
    (tmp_path / "crasher.py").write_text(CRASHER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    arguments = ["match", "local", "naga", "--bot", "python crasher.py", "--bot", "first", "--matches", "1"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 1
    assert "seat 0: ended with signal SIGABRT before its match was over" in result.stderr
    words = next(line for line in result.stderr.splitlines() if "LAST WORDS" in line)
    assert words.startswith("    xxx")
    assert "LAST WORDS: assertion failed in eval.cpp:77 \ufffd\ufffd" in words
    [log] = tmp_path.glob("local-matches/*/*.seat0.log")
    assert "LAST WORDS: assertion failed in eval.cpp:77" in log.read_text(encoding="utf-8", errors="replace")
