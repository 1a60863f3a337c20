"""Standings as rows, JSON and CSV."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from fudaba_arena.commands.display import ladder_rows
from fudaba_arena.ladder.ladders import Ladder, Ladders
from fudaba_arena.ladder.ratings import BlockResult, RatedMatch, Results, fit
from fudaba_arena.ladder.standings import as_csv, as_json, ends_of, shares_of, standings

RESULTS = [
    BlockResult(0, (RatedMatch("m0", 0, ("ann", "ben"), (1, -1)), RatedMatch("m1", 0, ("ben", "ann"), (-1, 1)))),
    BlockResult(1, (RatedMatch("m2", 0, ("ann", "cho"), (0, 0)), RatedMatch("m3", 0, ("cho", "ann"), (1, -1)))),
    BlockResult(2, (RatedMatch("m4", 0, ("cho", "ben"), (1, -1)), RatedMatch("m5", 0, ("ben", "cho"), (0, 0)))),
]


def test_rows_are_ranked_and_count_every_match() -> None:
    rows = standings(fit(RESULTS), ends_of(Results.from_blocks(RESULTS)), voids={"ben": 2}, versions={"ann": "3"})
    assert [(row.rank, row.bot, row.version, row.voids) for row in rows] == [
        (1, "cho", "", 0),
        (2, "ann", "3", 0),
        (3, "ben", "", 2),
    ]
    counts = {row.bot: (row.points, row.matches, row.wins, row.draws, row.losses, row.blocks) for row in rows}
    assert counts == {"ann": (1, 4, 2, 1, 1, 2), "ben": (-3, 4, 0, 1, 3, 2), "cho": (2, 4, 2, 2, 0, 2)}
    for row in rows:
        assert row.high - row.rating == pytest.approx(row.half)
        assert row.rating - row.low == pytest.approx(row.half)


def test_equal_ratings_share_a_rank() -> None:
    drawn = [BlockResult(0, (RatedMatch("m0", 0, ("a", "b"), (0, 0)), RatedMatch("m1", 0, ("b", "a"), (0, 0))))]
    assert [(row.rank, row.bot) for row in standings(fit(drawn), ends_of(Results.from_blocks(drawn)))] == [
        (1, "a"),
        (1, "b"),
    ]


def test_bots_that_have_not_played_come_last_and_have_no_rank() -> None:
    rated = fit(RESULTS, bots=["aaa", "new"])
    rows = standings(rated, ends_of(Results.from_blocks(RESULTS)))
    assert rated["aaa"].rating > rated["ben"].rating
    assert [(row.rank, row.bot) for row in rows] == [(1, "cho"), (2, "ann"), (3, "ben"), (None, "aaa"), (None, "new")]
    only = Ladder(rated, rows)
    shown = ladder_rows(Ladders(only, {"naga": only}), "naga")
    assert [cells[:4] for cells in shown][3:] == [["-", "aaa", "", "-"], ["-", "new", "", "-"]]


def test_a_shared_best_score_is_a_draw_for_who_shares_it_and_a_loss_for_the_others() -> None:
    results = [BlockResult(0, (RatedMatch("m", 0, ("a", "b", "c"), (1, 1, -2)),))]
    rows = {
        row.bot: (row.wins, row.draws, row.losses)
        for row in standings(fit(results), ends_of(Results.from_blocks(results)))
    }
    assert rows == {"a": (0, 1, 0), "b": (0, 1, 0), "c": (0, 0, 1)}


def test_the_share_is_of_what_there_was_to_take_from_each_other_seat() -> None:
    assert shares_of(Results.from_blocks(RESULTS), 2.0) == {"ann": 0.5 + 1 / 8, "ben": 0.5 - 3 / 8, "cho": 0.5 + 2 / 8}
    assert shares_of(Results.from_blocks(RESULTS), 1.0) == shares_of(Results.from_blocks(RESULTS), 2.0)
    five = [BlockResult(0, (RatedMatch("m", 0, ("a", "b", "c"), (4, 0, -4)),))]
    assert shares_of(Results.from_blocks(five), 8.0) == {"a": 0.875, "b": 0.5, "c": 0.125}
    assert shares_of(Results.from_blocks(five), 4.0) == {"a": 1.0, "b": 0.5, "c": 0.0}
    shares = shares_of(Results.from_blocks(RESULTS), 2.0)
    rows = standings(fit(RESULTS, bots=["new"]), ends_of(Results.from_blocks(RESULTS)), shares=shares)
    assert {row.bot: row.share for row in rows} == {**shares, "new": None}


def test_json_is_plain_and_has_null_where_nothing_is_known() -> None:
    found = fit(RESULTS, bots=["new"])
    text = json.dumps(as_json(found, standings(found, ends_of(Results.from_blocks(RESULTS)))), allow_nan=False)
    document = json.loads(text)
    assert document["confidence"] == 0.95
    assert [seat["seat"] for seat in document["seats"]] == [0, 1]
    (new,) = [row for row in document["standings"] if row["bot"] == "new"]
    assert new["rank"] is None
    assert (new["rating"], new["half"], new["low"], new["high"]) == (1500, None, None, None)
    (ann,) = [row for row in document["standings"] if row["bot"] == "ann"]
    assert ann["rating"] == round(found["ann"].rating, 2)


def test_csv_has_a_header_and_a_row_for_each_bot() -> None:
    found = fit(RESULTS, bots=["new"])
    rows = standings(found, ends_of(Results.from_blocks(RESULTS)))
    text = as_csv({"naga": rows, "other": rows[:1]})
    *read, last = csv.DictReader(StringIO(text))
    assert [row["bot"] for row in read] == [row.bot for row in rows]
    assert {row["ladder"] for row in read} == {"naga"}
    assert (last["ladder"], last["bot"]) == ("other", rows[0].bot)
    assert text.splitlines()[0] == (
        "ladder,rank,bot,version,rating,half,low,high,points,matches,wins,draws,losses,share,blocks,voids,component,"
        "provisional,looks_like,idle,last_played_ms,entered_versions,changes,expected_share,"
        "expected_low,expected_high,disqualified_ms,panel"
    )
    assert [(row["rank"], row["half"]) for row in read if row["bot"] == "new"] == [("", "")]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "＝1"])
def test_csv_has_no_cell_that_a_spreadsheet_carries_out(cell: str) -> None:
    rows = standings(fit(RESULTS), ends_of(Results.from_blocks(RESULTS)))
    below = replace(rows[0], version=cell, rating=-3.0)
    [read] = csv.DictReader(StringIO(as_csv({cell: [below]}), newline=""))
    assert (read["ladder"], read["version"], read["rating"]) == (f"'{cell}", f"'{cell}", "-3.0")
