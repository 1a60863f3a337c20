"""`fudaba arena export` and `fudaba arena verify`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path

from fudaba.cli.output import print_json, print_json_line, say
from fudaba_arena.audit.export import export
from fudaba_arena.audit.report import Report
from fudaba_arena.audit.verify import BadExport, verify
from fudaba_arena.commands.stored import stored_state
from fudaba_arena.errors import ArenaError
from fudaba_games.wording import counted

__all__ = ["verify_export", "write_export"]


async def write_export(data: Path, redis: str | None, file: Path | None, name: str | None, output: Path | None) -> int:
    """Writes a tournament's export to a file, or prints it. Raises `ArenaError`."""
    async with stored_state(data, redis, file, name, entries=True) as state:
        if state.tournament.season is not None:
            raise ArenaError(
                f"{state.tournament.name} is a season of a ladder: its blocks do not follow from its definition, and an"
                " export has no place for them yet; read it with --json from `fudaba arena standings` and `blocks`"
            )
        if output is None:
            for line in export(state):
                print_json_line(line)
            return 0
        partial = output.with_name(f"{output.name}.part")
        with partial.open("w", encoding="utf-8", newline="\n") as written:
            for line in export(state):
                written.write(json.dumps(line, ensure_ascii=False) + "\n")
        partial.replace(output)
        say(f"written: {output}; results digest {line['results_digest']}", err=True)
        if not state.stored.closed:
            say("its deals are not open yet: export it again when the tournament is over", err=True)
    return 0


def verify_export(
    source: str, master: bytes | None, committed: bytes | None, records: Path | None, *, as_json: bool
) -> int:
    """Prints what is wrong with an export, `-` for standard input; the exit code. Raises `ArenaError`."""
    try:
        if source == "-":
            report = verify(sys.stdin, master=master, committed=committed, records=records)
        else:
            with Path(source).open(encoding="utf-8") as lines:
                report = verify(lines, master=master, committed=committed, records=records)
    except (BadExport, UnicodeDecodeError) as error:
        raise ArenaError(f"{source}: {error}") from error
    if as_json:
        print_json(asdict(report) | {"right": not report.faults})
    else:
        _tell(report, told=committed is not None)
    return 1 if report.faults else 0


def _tell(report: Report, *, told: bool) -> None:
    say(*map(str, report.faults))
    looked = [
        counted(report.blocks, "block"),
        counted(report.deals, "deal"),
        counted(report.matches, "match"),
        *([counted(report.records, "record")] if report.records else []),
    ]
    if report.faults:
        say(f"{report.tournament}: {counted(len(report.faults), 'fault')} in {', '.join(looked)}")
        return
    say(f"{report.tournament} is right: {', '.join(looked)}")
    compare = "" if told else "; compare it with the one that was public before the first match"
    say(f"commitment {report.commitment}{compare}", f"results digest {report.results_digest}")
