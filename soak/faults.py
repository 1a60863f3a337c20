"""Searches for faults: real processes run under hundreds of them, and a checker presumes nothing.

Replicas of the service share a Redis and an archive. Bots play matches of every game on them, over streams and by
single calls. A proxy stands in every link. Faults strike several at once, by a schedule that the seed alone decides. At
the end the search compares the records with what the clients saw: each acknowledged move is there once, as it was sent;
no client saw another history; every match ended, the same everywhere, and every bot learned of it; and no seat was
charged for more time than its client measured, plus 250 ms.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from soak.chaos import report
from soak.chaos.clocks import compile_shim
from soak.chaos.disks import own_mounts
from soak.chaos.schedule import DEPLOYMENTS, KINDS, chosen
from soak.chaos.searching import Outcome, Terms, search

_MAX_FINDINGS_SHOWN: Final = 6
"""The number of findings of each count that are printed. The report has all of them."""

_EXAMPLES: Final = """
examples:
  scripts/soak faults                                        five minutes, a new seed
  scripts/soak faults --seconds 600 --seed 7                 ten minutes, the same faults every time
  scripts/soak faults --deployment always --only 'reset*'    one kind of fault, to look at a defect alone
  scripts/soak faults --only clock,redis-clock --seconds 60
  scripts/soak faults --seconds 1500 --matches 200 --processes 2 --per-minute 45
  scripts/soak faults --without 'bot-*' --keep /tmp/kept     keeps the logs, also when all is well
  scripts/soak faults --list                                 the kinds of faults

The last line is `F faults, L lost, D doubled, S stuck, C charged over 250 ms (the largest: N ms)`; those before it say
which decision that was, and what was struck then. Exit status 1 if one of the last four is not 0, if a
process ended by itself, or if a service logged a fault, or an ERROR that is none; then all logs are kept, in a folder
that is named. Needs
gcc for the clocks, and the right to mount (root) for full disks: without them these faults are left out,
and the output says so. The tests of tests/faults at full length are `scripts/soak struck`.
"""


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/soak faults",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=300,
        help="seconds for which faults strike, in all deployments together (default: 300)",
    )
    parser.add_argument("--seed", help="seed of the schedule, the matches and the bots; a new one by default")
    parser.add_argument(
        "--deployment",
        action="append",
        choices=DEPLOYMENTS,
        help="strike only this deployment; repeatable (default: all)",
    )
    parser.add_argument(
        "--only",
        default="",
        metavar="KIND,…",
        help="strike only with these kinds of faults, see --list; * is a wildcard",
    )
    parser.add_argument("--without", default="", metavar="KIND,…", help="strike with all kinds but these")
    parser.add_argument("--per-minute", type=float, default=90, help="average faults per minute (default: 90)")
    parser.add_argument("--replicas", type=int, default=2, help="replicas of the service (default: 2)")
    parser.add_argument("--processes", type=int, default=1, help="processes of each replica (default: 1)")
    parser.add_argument("--matches", type=int, default=32, help="matches played at once (default: 32)")
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the logs in this folder, even after a run without findings"
    )
    parser.add_argument("--all-findings", action="store_true", help="print every finding, not the first of each count")
    parser.add_argument("--list", action="store_true", help="list the kinds of faults, and exit")
    given = parser.parse_args(arguments)
    try:
        only, without = ([word for word in text.split(",") if word] for text in (given.only, given.without))
        given.kinds = chosen(only, without)
        if given.processes == 1:
            given.kinds -= chosen(["child-*"], [])
    except ValueError as error:
        parser.error(str(error))
    if given.seconds <= 0 or given.per_minute <= 0 or min(given.replicas, given.matches, given.processes) < 1:
        parser.error("--seconds, --per-minute, --replicas, --processes and --matches are more than 0")
    return given


def say(line: str) -> None:
    """Prints the progress or the outcome."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def prepared(given: argparse.Namespace, seed: str, deployments: Sequence[str], folder: Path) -> Terms:
    """Returns the terms of each search, and prints what cannot be done here."""
    mounts = own_mounts()
    for deployment in deployments:
        (folder / deployment).mkdir(parents=True)
    library = compile_shim(folder)
    if library is None:
        say("left out: jumps of clocks, since there is no compiler")
    if not mounts:
        say("left out: full disks, since no file system may be mounted")
    seconds = given.seconds / len(deployments)
    return Terms(
        seed, seconds, given.per_minute, given.replicas, given.matches, given.kinds, library, mounts, given.processes
    )


def main() -> int:
    """Runs the searches. Returns the exit status."""
    given = options()
    if given.list:
        for name, kind in KINDS.items():
            where = "" if kind.deployments == DEPLOYMENTS else f" (only {', '.join(kind.deployments)})"
            say(f"{name:15} {kind.text}{where}")
        return 0
    # However this is told to end, what it has started ends too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    seed = given.seed if given.seed is not None else str(random.SystemRandom().getrandbits(32))
    deployments = given.deployment or DEPLOYMENTS
    folder = given.keep or Path(tempfile.mkdtemp(prefix="fudaba-soak-"))
    if given.keep is not None and given.keep.exists() and any(given.keep.iterdir()):
        say(f"{given.keep} is not empty: name another folder with --keep")
        return 2
    say(f"seed {seed}, {given.seconds:g} s of faults, {', '.join(deployments)}; logs in {folder}")
    terms = prepared(given, seed, deployments, folder)
    outcomes: list[Outcome] = []
    for deployment in deployments:
        outcomes.append(asyncio.run(search(deployment, terms, folder / deployment, say)))
        (folder / deployment / "report.txt").write_text("\n".join(report.text_of(outcomes[-1], None)) + "\n")
    return concluded(outcomes, given, seed, folder)


def concluded(outcomes: Sequence[Outcome], given: argparse.Namespace, seed: str, folder: Path) -> int:
    """Prints the findings. Returns the exit status."""
    for outcome in outcomes:
        for line in report.text_of(outcome, None if given.all_findings else _MAX_FINDINGS_SHOWN):
            say(line)
    bad = report.failed(outcomes)
    if bad or given.keep is not None:
        again = " ".join(["scripts/soak faults", *sys.argv[1:], *([] if given.seed is not None else ["--seed", seed])])
        say(f"logs, schedules and whole reports are in {folder}; again: {again}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    for line in report.summary(outcomes):
        say(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
