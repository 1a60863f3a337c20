"""Starts sandboxes and kills them at random moments, and counts what is left. It needs root and bubblewrap."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from fudaba_arena.sandbox.bubblewrap import Bubblewrap
from tests.support.arena.sandbox.killing import end_many, groups, processes
from tests.support.arena.sandbox.sandboxes import python


def left(root: Path) -> dict[str, int]:
    """Returns the remains of this process's sandboxes, by kind."""
    own = f"fudaba-{os.getpid()}-"
    mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    return {
        "processes": len([pid for pid in processes() if own in _group(pid)]),
        "mounts": mounts.count(str(root)),
        "control groups": len([path for path in groups() if path.name.startswith(own)]),
        "files": len(list((root / "owners").rglob("*"))),
    }


def _group(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cgroup").read_text(encoding="utf-8")
    except OSError:
        return ""


async def run(root: Path, number: int) -> int:
    """Runs the trial. Returns the exit status."""
    sandbox = Bubblewrap.open(root)
    # The first sealed program has it write what all of them find in /proc.
    await sandbox.start(replace(python("pass"), sealed=True)).wait()
    before, began = left(root), time.monotonic()
    await end_many(sandbox, number)
    seconds, after = time.monotonic() - began, left(root)
    await sandbox.close()
    over = {kind: after[kind] - before[kind] for kind in after}
    leftovers = ", ".join(f"{count} {kind}" for kind, count in over.items())
    print(f"{number:,} sandboxes started and killed in {seconds:.0f} s, 20 at once; left: {leftovers}")  # noqa: T201
    return 1 if any(over.values()) else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="scripts/soak sandboxes", description=__doc__)
    parser.add_argument("--number", type=int, default=2_000, help="number of sandboxes (default: 2,000)")
    with tempfile.TemporaryDirectory(prefix="fudaba-soak-") as place:
        Path(place).chmod(0o711)
        sys.exit(asyncio.run(run(Path(place), parser.parse_args().number)))
