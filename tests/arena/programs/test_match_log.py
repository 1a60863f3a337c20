"""The log of a match: whatever a bot prints, the arena's own lines are told from it."""

from __future__ import annotations

import pytest

from fudaba_arena.programs.match_log import end_of_log, own_line, printed_lines

BREAKS = ["\n", "\r", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


@pytest.mark.parametrize("end", BREAKS, ids=ascii)
def test_no_line_of_a_bots_begins_as_one_of_the_arenas(end: str) -> None:
    forged = f"mine{end}-- careful won the match{end}"
    log = printed_lines(forged.encode()) + own_line(f"careful ended{end}with status 1")
    assert log.splitlines() == ["| mine", "| -- careful won the match", "-- careful ended with status 1"]


@pytest.mark.parametrize("most", [30, 40, 41, 42, 43, 44, 60])
def test_what_is_left_of_a_long_log_begins_with_a_line_that_is_not_the_arenas(most: int) -> None:
    log = printed_lines(b"-- forged\n" * 5) + own_line("ended")
    end = end_of_log(log, most)
    assert len(end) == most
    assert [line for line in end.splitlines() if not line.startswith("| ")] == ["-- ended"]
    assert end_of_log(log, len(log)) == log


def test_what_is_no_text_is_shown_as_the_bots() -> None:
    assert printed_lines(b"") == ""
    assert printed_lines(b"\xff\xfe\n") == "| \ufffd\ufffd\n"
