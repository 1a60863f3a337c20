"""Runs tests again and again, each time in another order, beside CPU hogs and with processes stopped now and then.

It is `scripts/test --hunt`. What passes on a quiet machine and fails here is a race, of the test or of what it tests.
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from fudaba import tether
from fudaba_games.wording import counted
from tests.hunting.order import FAILED, SEED, failed_in
from tests.hunting.pauses import pause_one

_HOG: Final = "while True: pass"
_PAUSE_EVERY_SECONDS: Final = 1.0
_POLL_SECONDS: Final = 0.02
_TESTS_RAN: Final = frozenset({0, 1})
"""How pytest ends when it ran tests, passed or failed."""
_INTERRUPTED_STATUS: Final = 130
_END_SECONDS: Final = 60.0
_ENDING: Final = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class _Run:
    """A run that is over."""

    seed: int
    status: int
    failed: Sequence[str]
    """The ids of the tests that failed."""
    log: Path


class _CutOff(Exception):
    """A run was cut off, and with it the hunt. Its argument is the run, as far as it came."""


@contextmanager
def _hogs(number: int) -> Iterator[None]:
    """Yields that many processes that each keep a core busy. The kernel ends them with this one, however it ends."""
    hogs = [tether.start([sys.executable, "-c", _HOG], end_with=signal.SIGKILL) for _ in range(number)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def _run(seed: int, folder: Path, tests: Sequence[str]) -> _Run:
    """Runs the tests once, in the order of a seed."""
    log, failed = folder / f"{seed}.log", folder / f"{seed}.failed"
    command = [sys.executable, "-m", "pytest", "-p", "tests.hunting.order", "-n", "auto", "--dist", "worksteal", *tests]
    with log.open("wb") as output:
        run = tether.start(
            command,
            end_with=signal.SIGKILL,
            env=os.environ | {SEED: str(seed), FAILED: str(failed)},
            output=output,
        )
        try:
            _pause_until_over(run, random.Random(seed))
        except KeyboardInterrupt as interrupt:
            _end(run)
            raise _CutOff(_Run(seed, run.returncode, failed_in(failed), log)) from interrupt
    return _Run(seed, run.returncode, failed_in(failed), log)


def _end(run: subprocess.Popen[bytes]) -> None:
    """Makes a run end what its tests have started, and then itself; kills it if that takes long."""
    run.send_signal(signal.SIGINT)
    try:
        run.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        run.kill()
        run.wait()


def _pause_until_over(run: subprocess.Popen[bytes], drawn: random.Random) -> None:
    """Returns when a run has ended; until then a process of it is stopped now and then."""
    pausing: list[int] = []
    due = time.monotonic()
    while run.poll() is None:
        time.sleep(_POLL_SECONDS)
        pausing = [pid for pid in pausing if os.waitpid(pid, os.WNOHANG) == (0, 0)]
        if time.monotonic() >= due:
            due = time.monotonic() + drawn.expovariate(1 / _PAUSE_EVERY_SECONDS)
            started = pause_one(run.pid, drawn)
            pausing += [started] if started is not None else []
    for pid in pausing:
        os.waitpid(pid, 0)


def _interrupt(number: int, frame: object) -> None:
    """Ends the hunt, once: who asks again, as `timeout` does, would have it end without its report."""
    for ending in _ENDING:
        signal.signal(ending, signal.SIG_IGN)
    raise KeyboardInterrupt


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _report(runs: Sequence[_Run], again: str) -> None:
    """Says which tests failed, how often, and where to read of it."""
    of_test: dict[str, list[_Run]] = {}
    for run in runs:
        for test in run.failed:
            of_test.setdefault(test, []).append(run)
    for test, failed in sorted(of_test.items(), key=lambda entry: (-len(entry[1]), entry[0])):
        _say(f"{test} failed {len(failed)} of {counted(len(runs), 'time')}")
        for run in failed:
            _say(f"  seed {run.seed}: {run.log}")
    for run in runs:
        if run.status and not run.failed:
            _say(f"the run of seed {run.seed} ended with {tether.how_ended(run.status)}: {run.log}")
    worst = next((run for run in runs if run.status), None)
    if worst is None:
        _say(f"nothing failed in {counted(len(runs), 'run')}")
    else:
        _say(f"in the same order again: scripts/test --hunt --seed {worst.seed} --times 1 {again}".rstrip())


def _arguments(words: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser("scripts/test --hunt", description=__doc__, allow_abbrev=False)
    parser.add_argument("--times", type=_positive, default=10, metavar="N", help="so many runs (default: 10)")
    parser.add_argument("--load", type=int, default=8, metavar="L", help="beside so many CPU hogs (default: 8)")
    parser.add_argument("--seed", type=int, metavar="S", help="of the first order; later ones count on from it")
    parser.epilog = "All other arguments go to pytest."
    return parser.parse_known_args(words)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def main(words: Sequence[str]) -> int:
    """Hunts; its exit status is 1 where anything failed."""
    options, selection = _arguments(words)
    for number in _ENDING:
        signal.signal(number, _interrupt)
    first = secrets.randbelow(1_000_000) if options.seed is None else options.seed
    folder = Path(tempfile.mkdtemp(prefix="fudaba-hunt-"))
    runs: list[_Run] = []
    status = 0
    with _hogs(options.load):
        try:
            for seed in range(first, first + options.times):
                _say(f"run {len(runs) + 1} of {options.times}, seed {seed}")
                run = _run(seed, folder, selection)
                runs.append(run)
                if run.status == 0:
                    run.log.unlink()
                elif run.status not in _TESTS_RAN:
                    _say(run.log.read_text(errors="replace")[-2000:])
                    break  # nothing was found to run, or nothing can be run
        except (KeyboardInterrupt, _CutOff) as cut:  # between two runs, or in one
            status = _INTERRUPTED_STATUS
            runs += [run for run in cut.args if run.failed]
    if not any(folder.iterdir()):
        folder.rmdir()
    _report(runs, " ".join([f"--load {options.load}", *selection]))
    return 1 if any(run.status for run in runs) else status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
