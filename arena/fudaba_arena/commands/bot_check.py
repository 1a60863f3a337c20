"""`fudaba bot check`."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Final

import click

from fudaba.cli.output import print_json, say

__all__ = ["check"]

_NOT_CHECKED: Final = (
    "whether it builds, starts, connects and plays: nothing of it was run",
    "limits that the arena's operator has set: here the defaults count",
)


@click.command(epilog="Exit codes: 0 nothing is wrong, 1 it would be refused.", short_help="Check what you submit.")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(path: Path, as_json: bool) -> None:
    """Check a folder, an archive or a source file as an arena does, without sending it.

    It says what it could not check. Nothing of it is run.

    \b
    Examples:
      fudaba bot check .
      fudaba bot check mybot.tar.gz
    """
    from fudaba_arena.commands.submission_files import check_here, given, say_stage
    from fudaba_arena.submissions.limits import SubmissionLimits

    with given(path) as one:
        outcome, manifest = check_here(one, SubmissionLimits())
    if as_json:
        told = asdict(manifest) if manifest is not None else None
        print_json({"stages": [asdict(outcome)], "manifest": told, "not_checked": list(_NOT_CHECKED)})
    else:
        say_stage(outcome.stage, outcome.took_ms, outcome.output, passed=outcome.passed)
        say(*(f"not checked: {what}" for what in _NOT_CHECKED))
    sys.exit(0 if outcome.passed else 1)
