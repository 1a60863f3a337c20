"""`fudaba ladder results`: a season's results in the form that an organiser hands in."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli._ladder_words import entry_state
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.output import moment, print_json, say, say_text, table
from fudaba.cli.paging import every_page
from fudaba.cli.roster import read_roster
from fudaba.roster import Roster, RosterRow
from fudaba.spreadsheets import safe_cell

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2

__all__ = ["results"]

_TIMEOUT_SECONDS: Final = 60.0
_TABLE: Final = frozenset(
    {"rank", "bot", "version", "author", "rating", "low", "high", "blocks", "matches", "forfeits", "void_blocks"}
)
"""The columns that fit on a terminal. The other forms have all columns."""
_OF_STANDINGS: Final = ("bot", "version", "rating", "blocks", "matches", "wins", "draws", "losses", "void_blocks")
_OPTIONAL: Final = ("rank", "low", "high", "points", "share", "expected_share")
"""The columns that a standing may lack."""
_COLUMNS: Final = (
    *("rank", "bot", "version", "author", "state", "submitted", "rating", "low", "high", "blocks", "matches"),
    *("wins", "draws", "losses", "points", "share", "expected_share", "forfeits", "void_blocks"),
)
_BEFORE_OWN: Final = _COLUMNS.index("author") + 1
"""The columns before those of a roster."""
_NUMBERS: Final = frozenset({"rank", *_COLUMNS[_COLUMNS.index("rating") :]})
_ALIGNED: Final = dict.fromkeys(_NUMBERS, " class=n")
_UNPLAYED: Final = dict.fromkeys(("blocks", "matches", "wins", "draws", "losses", "forfeits", "void_blocks"), 0)
_RATING_DIGITS: Final = 4
_PAGE: Final = """<!doctype html>
<meta charset=utf-8>
<meta name=viewport content="width=device-width">
<title>{title}</title>
<style>
body {{ font-family: sans-serif; margin: 1rem }}
table {{ border-collapse: collapse }}
th, td {{ border-bottom: 1px solid #999; padding: .2rem .5rem; text-align: left }}
.n {{ font-variant-numeric: tabular-nums; text-align: right }}
@media print {{ thead {{ display: table-header-group }} tr {{ break-inside: avoid }} }}
</style>
<h1>{title}</h1>
<table>
<thead><tr>{head}</tr></thead>
<tbody>
{body}
</tbody>
</table>
"""

Cell = str | int | float | None
Row = dict[str, Cell]


@click.command()
@click.argument("name")
@click.option("--game", default="", metavar="GAME", help="Show only this game's standings.  [default: overall]")
@click.option("--roster", type=click.Path(path_type=Path), metavar="FILE",
              help="Add this roster's columns to each author's rows, and a row for each author on it who has "
              "none.")  # fmt: skip
@arena_options
@click.option("--csv", "form", flag_value="csv", help="Print CSV, for a spreadsheet.")
@click.option("--html", "form", flag_value="html", help="Print an HTML page, for paper or for a site.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
def results(name: str, game: str, roster: Path | None, connection: Connection, form: str | None) -> None:
    """Print the results of a ladder: the newest season, or another one by its name, as open.1.

    A row has a bot's rank, version, author, and rating with its interval; what it played; and its faults, the matches
    that it forfeited and the blocks that are void because of it. `submitted` is the time of the version's upload, in
    UTC, which only the organiser and its author see. A roster's authors are matched by their accounts' display names;
    standard error names those without a bot. Only the newest season lists its entries.

    \b
    Examples:
      fudaba ladder results open
      fudaba ladder results course.2 --roster roster.csv --csv > grades.csv
      fudaba ladder results open --html > results.html
    """
    listed = None if roster is None else read_roster(roster)
    with connection.client() as client:
        season, rows = _rows(client, name, game, signed_in=bool(connection.token))
    own = [] if listed is None else _own_columns(listed)
    if listed is not None:
        rows = _joined(rows, listed, own)
    added = [] if listed is None else ["account", *own]
    columns = [*_COLUMNS[:_BEFORE_OWN], *added, *_COLUMNS[_BEFORE_OWN:]]
    if form == "json":
        chosen = [{column: row.get(column) for column in columns} for row in rows]
        print_json({"season": season, "game": game or "overall", "rows": chosen})
    elif form == "csv":
        say_text(_as_csv(columns, rows))
    elif form == "html":
        say_text(_as_html(season, columns, rows))
    else:
        shown = [column for column in columns if column in _TABLE or column in added]
        cells = [[_text(row.get(column)) or "-" for column in shown] for row in rows]
        right = "".join("r" if column in _NUMBERS else "l" for column in shown)
        say_text(table([column.replace("_", " ") for column in shown], cells, right) or "nobody is entered")


def _rows(client: Client, name: str, game: str, *, signed_in: bool) -> tuple[str, list[Row]]:
    """Returns the season's name, and a row for each version that has played and each entry that has not."""
    from fudaba.v1 import arena_pb2

    request = arena_pb2.GetStandingsRequest(tournament=name, game=game)
    answer = client.arena.GetStandings(request, timeout=_TIMEOUT_SECONDS)
    season = answer.tournament.name
    authors = {entrant.bot: entrant.author for entrant in answer.tournament.definition.entrants}
    entries = _entries_of(client, season)
    forfeits = Counter[str]()
    for count in answer.forfeits:
        forfeits[count.bot] += count.matches
    rows: list[Row] = []
    for standing in answer.standings[0].rows if answer.standings else ():
        bot = standing.bot.partition("@")[0]  # a season calls a version BOT@VERSION
        row = _standing_row(standing) | {"bot": bot, "author": authors.get(standing.bot)}
        rows.append(row | {"forfeits": forfeits[standing.bot], **_entry_row(entries.get(bot), standing.version)})
    ranked = {(row["bot"], row["version"]) for row in rows}
    for bot, entry in entries.items():
        if (bot, entry.version) not in ranked:
            rows.append({"bot": bot, "version": entry.version, **_UNPLAYED, **_entry_row(entry, entry.version)})
    submitted = _submitted(client) if signed_in else {}
    return season, [row | {"submitted": submitted.get((str(row["bot"]), str(row["version"])))} for row in rows]


def _entries_of(client: Client, season: str) -> dict[str, arena_pb2.Entry]:
    """Returns the present entries, by bot; none for an earlier season, whose entries the ladder does not list."""
    from fudaba.v1 import arena_pb2

    ladder = client.arena.GetLadder(
        arena_pb2.GetLadderRequest(ladder=season.partition(".")[0]), timeout=_TIMEOUT_SECONDS
    ).ladder
    if ladder.tournament.name != season:
        return {}
    request = arena_pb2.ListEntriesRequest(ladder=ladder.name, page_size=1000)
    return {entry.bot: entry for page in every_page(client.arena.ListEntries, request) for entry in page.entries}


def _submitted(client: Client) -> dict[tuple[str, str], str]:
    """Returns the upload time in UTC of each version, as far as the caller may see it."""
    from fudaba.v1 import submissions_pb2

    request = submissions_pb2.ListSubmissionsRequest(page_size=1000)
    pages = every_page(client.arena.ListSubmissions, request)
    accepted = submissions_pb2.SUBMISSION_STATE_ACCEPTED
    return {
        (submission.bot, submission.version): moment(submission.create_time)
        for page in pages
        for submission in page.submissions
        if submission.state == accepted
    }


def _standing_row(standing: arena_pb2.Standing) -> Row:
    row: Row = {column: getattr(standing, column) for column in _OF_STANDINGS}
    row |= {column: getattr(standing, column) for column in _OPTIONAL if standing.HasField(column)}
    return {column: round(cell, _RATING_DIGITS) if isinstance(cell, float) else cell for column, cell in row.items()}


def _entry_row(entry: arena_pb2.Entry | None, version: str) -> Row:
    """Returns the columns of a version from its entry."""
    if entry is None:
        return {}
    return {"author": entry.author, "state": entry_state(entry) if version == entry.version else "replaced"}


def _own_columns(roster: Roster) -> list[str]:
    """Returns the roster's own columns, under names that no other column has."""
    return [f"roster {column}" if column in {*_COLUMNS, "account"} else column for column in roster.own_columns]


def _joined(rows: Sequence[Row], roster: Roster, own: Sequence[str]) -> list[Row]:
    """Returns the rows with the roster's columns about their authors, and a row for everybody without a bot."""
    by_author = {row.display_name or row.name: row for row in roster.rows}

    def roster_row(row: RosterRow) -> Row:
        return {"account": row.name, **dict(zip(own, row.own.values(), strict=True))}

    joined, found = [], set()
    for row in rows:
        listed = by_author.get(str(row.get("author", "")))
        joined.append(row if listed is None else row | roster_row(listed))
        if listed is not None:
            found.add(listed.name)
    absent = [row for row in roster.rows if row.name not in found]
    if absent:
        names = ", ".join(row.name for row in absent)
        say(f"{len(absent)} of the roster have no bot, or are shown by another name: {names}", err=True)
    return [*joined, *({"author": row.display_name or row.name, **roster_row(row)} for row in absent)]


def _text(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _as_csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([safe_cell(column) for column in columns])
    for row in rows:
        cells = (row.get(column) for column in columns)
        writer.writerow([safe_cell(cell) if isinstance(cell, str) else cell for cell in cells])
    return text.getvalue()


def _as_html(season: str, columns: Sequence[str], rows: Iterable[Row]) -> str:
    """Returns a self-contained page."""
    head = "".join(f"<th scope=col>{escape(column.replace('_', ' '))}</th>" for column in columns)
    body = "\n".join(_html_row(columns, row) for row in rows)
    title = f"Results of {escape(season)}"
    return _PAGE.format(title=title, head=head, body=body)


def _html_row(columns: Sequence[str], row: Row) -> str:
    cells = (f"<td{_ALIGNED.get(column, '')}>{escape(_text(row.get(column)))}</td>" for column in columns)
    return f"<tr>{''.join(cells)}</tr>"
