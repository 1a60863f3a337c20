"""Lines and fields that no export has are refused or found; those of other releases are passed over or named."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from fudaba_arena.audit.verify import BadExport, verify
from fudaba_arena.tournament.definition import APART
from tests.support.arena.audit.exports import first, lines_of, played, texts
from tests.support.arena.audit.verifying import codes, command
from tests.support.sizes import exhaustive


@pytest.mark.parametrize(
    ("kind", "field", "value", "why"),
    [
        ("deal", "deal", 0.5, "deal is 0.5, not a whole number"),
        ("deal", "block", True, "block is true, not a whole number"),
        ("block", "block", -1, "block is -1, not a whole number from 0"),
        ("block", "void_bots", "alice", 'void_bots is "alice", not a list'),
        ("match", "match_id", ["x"], 'match_id is ["x"], not a text'),
        ("match", "bots", ["alice", {}], "bots[1] is {}, not a text"),
        ("match", "counts", 1, "counts is 1, not true or false"),
        ("match", "result", {"scores": [1, -1]}, "result.forfeited_by is missing"),
        ("match", "digest", "xy", 'digest is "xy", not pairs of hexadecimal digits'),
        ("end", "blocks", None, "blocks is null, not a whole number"),
    ],
)
def test_a_field_of_another_type_is_named_with_its_line(kind: str, field: str, value: object, why: str) -> None:
    lines = lines_of(played())
    line = first(lines, kind)
    line[field] = value
    with pytest.raises(BadExport) as refused:
        codes(lines)
    assert str(refused.value).startswith(f"line {lines.index(line) + 1}, of kind {kind}: {why}")


def _values_of(value: object) -> Iterator[tuple[Any, Any]]:
    """Every place in a line, as what holds it and its name or number there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(inner):
        yield value, key
        yield from _values_of(child)


VALUES: tuple[Any, ...] = (None, -1, 10**30, "", "x", [], [[]], {}, True, 0.5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(len(VALUES)))
def test_no_value_of_any_field_is_more_than_found_or_refused(number: int) -> None:
    """A sample has two of the values in each field, and each value in one of five fields."""
    for kind in ("tournament", "block", "deal", "match", "end"):
        places = len(list(_values_of(first(lines_of(played()), kind))))
        for place in range(places) if exhaustive() else range(number % 5, places, 5):
            lines = lines_of(played())
            holder, key = list(_values_of(first(lines, kind)))[place]
            holder[key] = deepcopy(VALUES[number])
            with contextlib.suppress(BadExport):
                codes(lines)


@pytest.mark.parametrize("kind", ["block", "deal", "match"])
def test_a_line_that_is_there_twice_is_found(kind: str) -> None:
    lines = lines_of(played())
    lines.insert(1, dict(first(lines, kind)))
    assert codes(lines)


@pytest.mark.parametrize("kind", ["deal", "match", "end"])
def test_a_line_that_is_missing_is_found(kind: str) -> None:
    lines = lines_of(played())
    lines.remove(first(lines, kind))
    assert codes(lines) >= {"END"}


def test_a_definition_that_nobody_can_have_played_is_found_at_once() -> None:
    lines = lines_of(played())
    lines[0]["definition"]["games"][0]["blocks"] = 10**15
    assert codes(lines) == {"DEFINITION"}
    lines[0]["definition"]["games"][0]["blocks"] = 10**40
    with pytest.raises(BadExport, match=r"line 1, of kind tournament: definition\.games\[0\]\.blocks is 1000"):
        codes(lines)


def test_lines_and_fields_of_later_releases_are_passed_over() -> None:
    lines = [line | {"later": 1} for line in lines_of(played())]
    lines.insert(3, {"kind": "later"})
    assert codes(lines) == set()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there are no lines"),
        ("[" * 100_000 + "\n", "line 1 is not JSON"),
        ("{", "line 1 is not JSON"),
        ("[]\n", "line 1 is not a line of an export"),
        ('{"kind": "block"}\n', "line 1 begins no export of format 1"),
        ('{"kind": "tournament", "format": 2}\n', "line 1 begins no export of format 1"),
        ('{"kind": "tournament", "format": 1}\n', "line 1, of kind tournament: name is missing"),
    ],
)
def test_what_is_no_export_is_refused(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "it.jsonl"
    file.write_text(text, encoding="utf-8")
    done = command(str(file))
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: {file}: {why}")


def test_a_format_that_this_release_does_not_know_is_said_to_be_one() -> None:
    lines = lines_of(played())
    lines[0]["definition"]["format"] = "knockout"
    (fault,) = verify(texts(lines)).faults
    assert (fault.code, fault.text) == ("DEFINITION", "its format is knockout, which this release does not know")


def test_sittings_that_this_release_does_not_know_are_said_to_be_some() -> None:
    lines = lines_of(played())
    lines[0]["definition"]["sittings"] = "twice"
    (fault,) = verify(texts(lines)).faults
    assert (fault.code, fault.text) == ("DEFINITION", "its sittings are twice, which this release does not know")


def test_an_export_of_an_earlier_release_says_nothing_of_sittings() -> None:
    lines = lines_of(played())
    assert lines[0]["definition"].pop("sittings") == APART
    assert codes(lines) == set()


def test_an_export_of_an_earlier_release_names_no_challengers() -> None:
    lines = lines_of(played())
    del lines[0]["definition"]["challengers"]
    assert codes(lines) == set()
    lines[0]["definition"]["challengers"] = [1]
    with pytest.raises(BadExport, match=r"definition.challengers\[0\] is 1, not a text"):
        verify(texts(lines))
