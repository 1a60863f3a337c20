"""Enters, pauses, resumes, deletes and annuls at random in a ladder, and measures how long the ladder stands still at
most.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.support.arena.api.changing import changing_ladder
from tests.support.arena.running import service
from tests.support.arena.standing import standing

_MAX_IDLE_SECONDS: Final = 5.0


def run(changes: int, bots: int, seed: int, idle_seconds: float) -> int:
    """Runs the trial. Returns the exit status."""
    with (
        tempfile.TemporaryDirectory(prefix="fudaba-soak-") as place,
        service() as hosted,
        standing(hosted) as arena,
        changing_ladder(hosted, arena, Path(place), "soak", bots, seed) as ladder,
    ):
        looked = 0
        for _ in range(changes):
            ladder.change()
            if ladder.plays:
                ladder.wait_for_block()
                looked += 1
        longest = ladder.longest_idle
        print(  # noqa: T201
            f"{changes} changes by seed {seed}, after {looked} of them two connected bots were entered: nothing was"
            f" played for {longest:.1f} s at most; {idle_seconds:g} s are allowed"
        )
        if longest > idle_seconds:
            print("\n".join(ladder.done))  # noqa: T201
        return 1 if longest > idle_seconds else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/soak entries", description=__doc__)
    parser.add_argument("--changes", type=int, default=300, help="number of changes (default: 300)")
    parser.add_argument("--bots", type=int, default=6, help="number of bots that run and may be entered (default: 6)")
    parser.add_argument("--seed", type=int, default=1, help="seed from which the changes are drawn (default: 1)")
    parser.add_argument(
        "--idle", type=float, default=_MAX_IDLE_SECONDS, help="seconds for which nothing may be played (default: 5)"
    )
    given = parser.parse_args()
    sys.exit(run(given.changes, given.bots, given.seed, given.idle))
