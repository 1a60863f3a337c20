"""`fudaba arena export` and `fudaba arena verify`."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from fudaba.cli.output import print_json, say, say_text
from fudaba.cli.rated_blocks import RATED_ON
from fudaba_arena.api.export_lines import published_line, standings_lines
from fudaba_arena.audit.faults import Report
from fudaba_arena.audit.verify import BadExport, verify
from fudaba_arena.commands.reading import Reading
from fudaba_arena.errors import ArenaError
from fudaba_games.wording import counted

__all__ = ["verify_export", "write_export"]


async def write_export(reading: Reading, output: Path | None) -> int:
    """Writes a tournament's export to a file, or prints it. Raises `ArenaError`, `ServiceError`."""
    if output is None:
        async for line in reading.exported():
            say_text(line)
        return 0
    partial = output.with_name(f"{output.name}.part")
    first = last = ""
    with partial.open("w", encoding="utf-8", newline="\n") as written:
        async for line in reading.exported():
            written.write(line + "\n")
            first, last = first or line, line
    partial.replace(output)
    say(f"written: {output}; results digest {json.loads(last)['results_digest']}", err=True)
    if json.loads(first)["master"] is None:
        say("its deals are not open yet: export it again when the tournament is over", err=True)
    return 0


def verify_export(
    source: str,
    master: bytes | None,
    committed: bytes | None,
    records: Path | None,
    seeds: Path | None,
    *,
    as_json: bool,
) -> int:
    """Prints the faults of an export (`-`: standard input). Returns the exit code. `seeds` is the export of the season
    that a knockout's seeds were taken from. Raises `ArenaError`.
    """
    season = _season(seeds) if seeds is not None else None
    try:
        with nullcontext(sys.stdin) if source == "-" else Path(source).open(encoding="utf-8-sig") as lines:
            report = verify(
                lines,
                master=master,
                committed=committed,
                records=records,
                rate=standings_lines,
                rate_at=published_line,
                season=season,
            )
    except (BadExport, UnicodeDecodeError) as error:
        raise ArenaError(f"{source}: {error}") from error
    if as_json:
        print_json(asdict(report) | {"right": not report.faults})
    else:
        _tell(report, commitment_given=committed is not None)
    return 1 if report.faults else 0


def _season(seeds: Path) -> list[str]:
    """Returns the lines of a season's export that is right. Raises `ArenaError`."""
    try:
        with seeds.open(encoding="utf-8-sig") as text:
            lines = text.readlines()
        faults = verify(lines, rate=standings_lines).faults
    except (BadExport, UnicodeDecodeError) as error:
        raise ArenaError(f"{seeds}: {error}") from error
    if faults:
        more = f", and {counted(len(faults) - 1, 'more fault')}" if len(faults) > 1 else ""
        raise ArenaError(f"{seeds} is wrong, so it shows no seeds: {faults[0]}{more}")
    return lines


def _tell(report: Report, *, commitment_given: bool) -> None:
    say(*map(str, report.faults))
    looked = [
        counted(report.blocks, "block"),
        counted(report.deals, "deal"),
        counted(report.matches, "match"),
        *([counted(report.records, "record")] if report.records else []),
        *([counted(report.rated, "table of standings", "tables of standings")] if report.rated else []),
        *(
            [counted(report.published, "point with published ratings", "points with published ratings")]
            if report.published
            else []
        ),
    ]
    if report.faults:
        say(f"{report.tournament}: {counted(len(report.faults), 'fault')} in {', '.join(looked)}")
        return
    so_far = " as far as it can be checked" if report.unchecked else ""
    say(f"{report.tournament} is right{so_far}: {', '.join(looked)}")
    say(*(f"{ladder}: {RATED_ON[rated_on]}" for ladder, rated_on in report.rated_on.items()))
    say(*(f"not checked: {text}" for text in report.unchecked))
    compare = "" if commitment_given else "; compare it with the one that was public before the first match"
    say(f"commitment {report.commitment}{compare}", f"results digest {report.results_digest}")
