"""A roster is read as spreadsheets save it, or refused with all its mistakes."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba.roster import MAX_ROSTER_ROWS, Roster, RosterMistakes, parse_roster

CLASS = "name,display_name,mail,team\nann,Ann A.,ann@example.org,red\nben,,ben@example.org,blue\n"


def mistakes(raw: bytes | str) -> list[tuple[int, str]]:
    with pytest.raises(RosterMistakes) as info:
        parse_roster(raw.encode() if isinstance(raw, str) else raw)
    return list(info.value.mistakes)


def test_names_are_the_accounts_and_other_columns_are_kept() -> None:
    roster = parse_roster(CLASS.encode())
    assert [(row.line, row.name, row.display_name) for row in roster.rows] == [(2, "ann", "Ann A."), (3, "ben", "")]
    assert roster.own_columns == ["mail", "team"]
    assert roster.rows[1].own == {"mail": "ben@example.org", "team": "blue"}


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("mark", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_it_is_read_as_spreadsheets_of_all_languages_save_it(delimiter: str, mark: bytes, line_end: str) -> None:
    written = CLASS.replace(",", delimiter).replace("\n", line_end)
    assert parse_roster(mark + written.encode()) == parse_roster(CLASS.encode())


def test_a_column_alone_is_enough_in_capitals_too_and_empty_lines_are_none() -> None:
    assert [row.name for row in parse_roster(b"Name\n\nann\n , \nben\n".replace(b" , ", b"  ")).rows] == ["ann", "ben"]


def test_a_quoted_cell_may_have_commas_and_lines() -> None:
    [row] = parse_roster(b'name,note\nann,"red, and\nlate"\n').rows
    assert row.own == {"note": "red, and\nlate"}


@pytest.mark.parametrize(
    ("raw", "line", "words"),
    [
        ("", 1, "the file is empty"),
        ("account,mail\nann,a@b\n", 1, "there is no column 'name'"),
        ("name,mail,mail\nann,1,2\n", 1, "two columns are called 'mail'"),
        ("name,,mail\nann,1,2\n", 1, "column 2 has no name"),
        ("name\n", 1, "nobody is in it"),
        ("name,mail\nann\n", 2, "there are 1 cells, and 2 columns"),
        ("name\nAnn B.\n", 2, "did you mean 'ann-b'?"),
        ("name\n=SUM(A1)\n", 2, "is no account's name"),
        ('name,display_name\nann,"=HYPERLINK(""http://a"")"\n', 2, "begins as a spreadsheet's formula does"),
        ('name,display_name\nann,"two\nlines"\n', 3, "has a control character"),
        (f"name,display_name\nann,{'x' * 101}\n", 2, "has 101 characters; at most 100"),
        ("name\nann\nben\nann\n", 4, "the name 'ann' is that of line 2, too"),
        ("name,display_name\na,Kim\nb,ＫＩＭ\n", 3, "is that of line 2, too"),
        ('name\n"ann\n', 2, "is a quotation mark left open?"),
    ],
)
def test_a_mistake_is_told_with_its_line(raw: str, line: int, words: str) -> None:
    [(found, text)] = mistakes(raw)
    assert (found, words in text) == (line, True), text


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_other_encodings_are_refused_with_what_to_do(encoding: str) -> None:
    [(_, text)] = mistakes("name,display_name\nann,Änne\n".encode(encoding))
    assert "save the file as UTF-8" in text


def test_all_mistakes_are_told_in_the_order_of_their_lines() -> None:
    assert [line for line, _ in mistakes("name,display_name\nAnn,\nben,=1\nben,\n")] == [2, 3, 4]


def test_a_roster_has_a_bound() -> None:
    lines = [f"a{number}" for number in range(MAX_ROSTER_ROWS)]
    assert len(parse_roster("\n".join(["name", *lines]).encode()).rows) == MAX_ROSTER_ROWS
    [(line, text)] = mistakes("\n".join(["name", *lines, "z"]))
    assert (line, "split the file" in text) == (MAX_ROSTER_ROWS + 2, True)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_roster_or_refused(raw: bytes) -> None:
    try:
        found: Roster | RosterMistakes = parse_roster(raw)
    except RosterMistakes as error:
        found = error
    assert isinstance(found, Roster) or found.mistakes
