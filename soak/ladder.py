"""Strikes a ladder in play: real processes under hundreds of faults, and a checker that presumes nothing.

A service, an arena and its workers run on two Redis, with a proxy in every link. Built-in bots, commands, and bots in
Python, Node and Go that their authors run play a ladder of all games. Faults strike several at once, by a schedule that
the seed alone decides. At the end the season is closed, and the checker compares the store with the service's records,
with the messages to a follower, and with the committed master. Each block is there once and whole; the sequence only
ever grew; no block waited long for a worker that had room; standings are the same when they are computed anew; and
nobody is charged for what was done to the machines, which includes any time-out, forfeit or absence that is not a bot's
fault.
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

from soak.chaos.schedule import chosen
from soak.season import report
from soak.season.catalogue import KINDS
from soak.season.machines import Size
from soak.season.remote_bots import NotBuilt, build, submittable, tools_missing
from soak.season.searching import Outcome, Terms, search
from soak.season.trial import trial

_MAX_FINDINGS_SHOWN: Final = 8
"""The number of findings of each count that are printed. The report has all of them."""

_EXAMPLES: Final = """
examples:
  scripts/soak ladder                                        five minutes of faults, a new seed
  scripts/soak ladder --seconds 600 --seed 7                 ten minutes, the same faults every time
  scripts/soak ladder --only 'worker-*,queue-kill'           some kinds of faults, to look at a defect alone
  scripts/soak ladder --keep /tmp/kept                       keeps the logs, also when all is well
  scripts/soak ladder --list                                 the kinds of faults
  nice -n 19 scripts/soak ladder --trial 60                  an hour alone: workers are killed now and then, a second
                                                             machine joins, a version enters in the middle, and bots
                                                             are submitted in every language that has a kit
  scripts/soak ladder --submitted python,node                faults, also under bots that run in sandboxes

The last line is `F faults, T stored twice, L lost, C charged, S stuck, W wrong`. Exit status 1 if one of the last five
is not 0, if a process ended by itself, or if a log has a fault; then all logs are kept, in a folder that is named.
Needs Node with npm, and Go; the bots are built once, which wants the registries of npm and Go. Those that
are submitted want bubblewrap, root, and what their language is built with.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="scripts/soak ladder",
        description=__doc__,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seconds", type=float, default=300, help="seconds for which faults strike (default: 300)")
    parser.add_argument("--seed", help="seed of the schedule; a new one by default")
    parser.add_argument(
        "--only",
        default="",
        metavar="KIND,…",
        help="strike only with these kinds of faults, see --list; * is a wildcard",
    )
    parser.add_argument("--without", default="", metavar="KIND,…", help="strike with all kinds but these")
    parser.add_argument("--per-minute", type=float, default=30, help="average faults per minute (default: 30)")
    parser.add_argument("--workers", type=int, default=2, help="workers of the arena (default: 2)")
    parser.add_argument("--matches", type=int, default=6, help="matches played at once (default: 6)")
    parser.add_argument(
        "--move-ms",
        type=int,
        default=20_000,
        help="milliseconds for each decision; fewer need a faster machine (default: 20000)",
    )
    parser.add_argument(
        "--keep", type=Path, metavar="DIR", help="keep the logs in this folder, even after a run without findings"
    )
    parser.add_argument(
        "--built",
        type=Path,
        metavar="DIR",
        default=Path(tempfile.gettempdir()) / "fudaba-soak-bots",
        help="folder with the built bots in Node and Go; they are built there if absent (default: %(default)s)",
    )
    parser.add_argument(
        "--trial", type=float, metavar="MINUTES", help="leave the ladder to itself for this long; see above"
    )
    parser.add_argument(
        "--submitted",
        metavar="LANGUAGE,…",
        help=f"the languages in which bots are submitted, of {', '.join(submittable())} (default: all of them in a "
        "trial, otherwise none)",
    )
    parser.add_argument("--list", action="store_true", help="list the kinds of faults, and exit")
    return parser


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Reads the command line."""
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        only, without = ([word for word in text.split(",") if word] for text in (given.only, given.without))
        given.kinds = chosen(only, without, KINDS)
    except ValueError as error:
        parser.error(str(error))
    if given.submitted is None:
        given.submitted = submittable() if given.trial is not None else []
    else:
        given.submitted = [word for word in given.submitted.split(",") if word]
        if unknown := set(given.submitted) - set(submittable()):
            parser.error(f"--submitted: no bot is written in {', '.join(sorted(unknown))}")
    if given.trial is not None:
        given.seconds = given.trial * 60
    if min(given.seconds, given.per_minute, given.workers, given.matches, given.move_ms) <= 0:
        parser.error("--seconds, --per-minute, --workers, --matches and --move-ms are more than 0")
    return given


def say(line: str) -> None:
    """Prints the progress or the outcome."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Runs the search. Returns the exit status."""
    given = options()
    if given.list:
        for name, kind in KINDS.items():
            say(f"{name:15} {kind.text}")
        return 0
    missing = tools_missing(given.submitted)
    if missing:
        say(f"install what is missing: {', '.join(missing)}")
        return 2
    # However this is told to end, what it has started ends too.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    folder = given.keep or Path(tempfile.mkdtemp(prefix="fudaba-soak-"))
    if folder.exists() and any(folder.iterdir()):
        say(f"{folder} is not empty: name another folder with --keep")
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    seed = given.seed if given.seed is not None else str(random.SystemRandom().getrandbits(32))
    say(f"seed {seed}, {given.seconds:g} s of faults; logs in {folder}; bots in {given.built}")
    try:
        built = build(given.built, given.submitted)
    except NotBuilt as error:
        say(str(error))
        return 2
    terms = Terms(seed, given.seconds, given.per_minute, given.kinds, Size(given.workers), given.matches, given.move_ms)
    showed: list[str] = []
    if given.trial is None:
        outcome = asyncio.run(search(terms, built, folder, say))
    else:
        outcome, showed = asyncio.run(trial(terms, built, folder, say))
    return summarise(outcome, showed, given, seed, folder)


def summarise(outcome: Outcome, showed: Sequence[str], given: argparse.Namespace, seed: str, folder: Path) -> int:
    """Prints the findings. Returns the exit status."""
    (folder / "report.txt").write_text("\n".join([*report.text_of(outcome), *showed, *report.summary(outcome)]) + "\n")
    for line in report.text_of(outcome, _MAX_FINDINGS_SHOWN):
        say(line)
    bad = report.failed(outcome)
    if bad or given.keep is not None:
        again = " ".join(["scripts/soak ladder", *sys.argv[1:], *([] if given.seed is not None else ["--seed", seed])])
        say(f"logs, schedule and whole report are in {folder}; again: {again}")
    else:
        shutil.rmtree(folder, ignore_errors=True)
    for line in (*showed, *report.summary(outcome)):
        say(line)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
