"""Names, labels and messages of others: they neither drive the terminal nor pass for lines of ours."""

from __future__ import annotations

import ast
import json
import logging
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fudaba import records
from fudaba.cli import cli
from fudaba.cli.failures import Misuse, failed
from fudaba.cli.logs import log_to_standard_error
from fudaba.cli.output import table
from fudaba.errors import FudabaError, ServiceError
from fudaba.safe_text import QUOTED, escaped, fault_of, safe_error, safe_line, safe_lines, safe_output
from tests.support.kit.records import a_record

ROOT = Path(__file__).resolve().parents[2]
FORGED = "spring\nstate: finished\r\x1b[2J\x9b1m\u2028\u202eb"


def test_a_line_stays_one_line_and_readable_text_stays_as_it_is() -> None:
    assert safe_line(FORGED) == "spring\ufffdstate: finished\ufffd\ufffd[2J\ufffd1m\ufffd\ufffdb"
    assert safe_line("a\tb\udcff\0") == "a\ufffdb\ufffd\ufffd"
    assert safe_line("ナーガ, Žluťoučký ± 95% 🂡") == "ナーガ, Žluťoučký ± 95% 🂡"
    assert safe_lines("a\n\tb\r\n") == "a\n\tb\ufffd\n"


def test_json_means_the_same_and_drives_no_terminal() -> None:
    text = escaped(json.dumps({"label": FORGED}, ensure_ascii=False, indent=2))
    assert json.loads(text) == {"label": FORGED}
    assert safe_lines(text) == text


UNSEEN = "\u00ad\u200b\u200d\u2060\u061c\ufeff\u180e\u3164\u115f\U000e0041\ue000\U0010fffd\u0378\ud800\u0085\x7f"
READABLE = (
    "",
    "Ada Lovelace",
    "ナーガ\u3000札場",
    "Žluťoučký",
    "Nguyễn",
    "אבג",
    "👍🏽",
    "葛\U000e0100飾",
    "no\u00a0break",
    "± 95%",
)


def test_what_nobody_can_see_is_marked_and_refused_by_one_rule() -> None:
    assert safe_line(UNSEEN) == "\ufffd" * len(UNSEEN)
    for char in UNSEEN:
        assert fault_of(f"ab{char}").startswith(f"character 3 is U+{ord(char):04X}")
        assert json.loads(escaped(json.dumps(char, ensure_ascii=False))) == char
    for text in READABLE:
        assert fault_of(text) == ""
        assert safe_line(text) == safe_lines(text) == text
        assert escaped(text) == text


def test_a_text_is_in_the_one_form_in_which_equal_ones_are_the_same() -> None:
    assert fault_of("Zoe\u0308").startswith("character 4, U+0308 (COMBINING DIAERESIS)")
    assert fault_of("2 \u212b").startswith("character 3, U+212B (ANGSTROM SIGN)")
    assert safe_line("Zoe\u0308") == "Zo\u00eb"


def test_a_label_and_a_name_cannot_forge_a_line_of_a_record(tmp_path: Path) -> None:
    record = a_record()
    record.header.label = FORGED
    record.header.players[0].bot = "alpha\nseat 9 (nobody)"
    file = tmp_path / "m.fudaba"
    file.write_bytes(records.pack(record))
    lines = CliRunner().invoke(cli, ["record", "show", str(file)]).stdout.splitlines()
    assert not [line for line in lines if line.startswith(("state:", "seat 9"))]
    assert [line for line in lines if line.startswith("label: spring\ufffdstate: finished")]


def test_a_cell_cannot_forge_a_row() -> None:
    assert len(table(("author",), [["me\nbeta  1"]]).splitlines()) == 2


def test_what_a_service_says_of_a_failure_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    failed(ServiceError("NOT_FOUND", "no\nerror: yes\x1b[2J")).show()
    assert capsys.readouterr().err == "error: no\ufffderror: yes\ufffd[2J (NOT_FOUND)\n"


def test_what_a_service_says_to_a_bot_is_one_line_of_its_log(capsys: pytest.CaptureFixture[str]) -> None:
    log = logging.getLogger("fudaba")
    handlers, level = log.handlers[:], log.level
    try:
        log_to_standard_error()
        log.warning("refused: %s", "no\n12:00:00 INFO m-1: over, score +1")
        output = capsys.readouterr().err
    finally:
        log.handlers[:], log.level = handlers, level
    assert output.count("\n") == 1


def test_an_error_of_ours_keeps_its_lines_and_the_further_ones_are_indented() -> None:
    assert safe_error("a store ended. Its log:\n1:M * begins\n\tat b\r\n") == (
        "a store ended. Its log:\n    1:M * begins\n        at b"
    )
    assert safe_error(f"it cannot start; its last lines:{QUOTED}a{QUOTED}    b") == (
        "it cannot start; its last lines:\n    a\n        b"
    )


def test_what_others_wrote_in_an_error_passes_for_no_line_of_ours_and_drives_no_terminal() -> None:
    first, *further = safe_error(f"no bot {FORGED}\nerror: \x1b[1Aforged").split("\n")
    assert first == "no bot spring"
    assert further == ["    state: finished\ufffd\ufffd[2J\ufffd1m\ufffd\ufffdb", "    error: \ufffd[1Aforged"]


def test_failures_are_shown_with_their_lines(capsys: pytest.CaptureFixture[str]) -> None:
    failed(FudabaError("the file has mistakes:\na.toml:1: one\n\tthere")).show()
    assert capsys.readouterr().err == "error: the file has mistakes:\n    a.toml:1: one\n        there\n"
    Misuse(click.UsageError("it has two\nlines")).show()
    assert capsys.readouterr().err == "error: it has two\n    lines\n"


def test_a_line_of_output_keeps_its_indentation() -> None:
    assert safe_output("\tat main.go:7\x1b[2J") == "        at main.go:7\ufffd[2J"


def printing(path: Path) -> list[str]:
    """Returns the places in a module where it prints by itself."""
    code = path.read_text(encoding="utf-8")
    if "echo" not in code and "print" not in code:
        return []
    calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    by_itself = {"click.echo", "click.secho", "print"}
    return [f"{path}:{call.lineno}" for call in calls if ast.unparse(call.func) in by_itself]


@pytest.mark.parametrize(
    "folder",
    ["clients/python/fudaba/cli", "serving/fudaba_serving", "service/fudaba_service", "arena/fudaba_arena"],
)
def test_commands_print_through_what_makes_text_safe(folder: str) -> None:
    modules = [path for path in (ROOT / folder).rglob("*.py") if path.name != "output.py"]
    assert modules
    assert [place for path in modules for place in printing(path)] == []


@pytest.mark.parametrize(
    ("code", "lines"), [("import click\nclick.echo(1)", [2]), ("print(1)", [1]), ("sprint(1)", [])]
)
def test_a_command_that_prints_by_itself_is_found(tmp_path: Path, code: str, lines: list[int]) -> None:
    path = tmp_path / "command.py"
    path.write_text(code, encoding="utf-8")
    assert printing(path) == [f"{path}:{line}" for line in lines]
