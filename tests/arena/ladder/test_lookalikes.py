"""Names of a tournament's bots that people take for each other."""

from __future__ import annotations

import csv
from io import StringIO

import pytest

from fudaba_arena.api import export_lines
from fudaba_arena.api.messages import standing_messages
from fudaba_arena.commands.display import ladder_tables, swiss_table
from fudaba_arena.commands.tournament_reports import from_state, ladders_from
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.ladder.standings import as_csv
from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.tournament.formats import Format
from tests.support.arena.audit.exports import played


@pytest.mark.parametrize(
    ("owners", "found"),
    [
        ({"bob": "ben", "b0b": "ann", "carol": "ann"}, {"bob": "b0b", "b0b": "bob"}),
        ({"bob": "ann", "b0b": "ann", "bo-b": "ben"}, {}),
        ({"bob": "ann", "b0b": "ann", "8ob": "", "bOb": "ben"}, {"bob": "bOb", "b0b": "bOb", "bOb": "bob"}),
        ({"bob": "", "b0b": ""}, {"bob": "b0b", "b0b": "bob"}),
    ],
)
def test_names_that_look_alike_are_found_unless_they_are_of_one_owner(
    owners: dict[str, str], found: dict[str, str]
) -> None:
    bots = [BotEntry(f"{name}@{version}", account=owner) for name, owner in owners.items() for version in (1, 2)]
    assert lookalikes(bots) == found


def test_rows_of_standings_are_marked_and_others_are_not() -> None:
    state = played(second_name="al1ce")
    ladders = from_state(state).ladders
    marks = {row.bot: row.looks_like for row in ladders.overall.rows}
    assert marks == {"alice": "al1ce", "al1ce": "alice", "random": "", "first": ""}
    read_back = ladders_from(standing_messages.standings(ladders))
    assert {row.bot: row.looks_like for row in read_back.overall.rows} == marks
    for shown in (ladders, read_back):
        lines = {cells[1]: cells for cells in map(str.split, ladder_tables(shown).splitlines())}
        assert (lines["al1ce"][3], lines["alice"][3]) == ("alice", "al1ce")
        rows = csv.DictReader(StringIO(as_csv({"naga": shown.overall.rows})))
        assert {row["bot"]: row["looks_like"] for row in rows} == marks


def test_tables_without_such_names_have_no_column_for_them() -> None:
    assert "looks like" in ladder_tables(from_state(played(second_name="al1ce")).ladders)
    assert "looks like" not in ladder_tables(from_state(played()).ladders)


def test_the_standings_of_a_swiss_are_marked() -> None:
    swiss = Format(kind="swiss", rounds=2)
    [standings] = standing_messages.swiss(played(form=swiss, second_name="al1ce"))
    marks = {row.bot: row.looks_like for row in standings.rows}
    assert marks == {"alice": "al1ce", "al1ce": "alice", "random": "", "first": ""}
    assert swiss_table(standings).count("al1ce") == 2
    [standings] = standing_messages.swiss(played(form=swiss))
    assert "looks like" not in swiss_table(standings)


def test_an_export_tells_nothing_of_names_since_who_checks_it_does_not_know_their_owners() -> None:
    for line in export_lines.standings_lines(played(second_name="al1ce")):
        assert all("looks_like" not in row for row in line["standings"])
