"""Kills, freezes and cuts everything repeatedly under 50 matches: the tests of tests/faults at full length.

Arguments go to pytest: `scripts/soak struck -k replica`.
"""

from __future__ import annotations

import os
import subprocess
import sys


def main() -> int:
    """Runs the tests. Returns the exit status."""
    if "--help" in sys.argv[1:]:
        sys.stdout.write(__doc__ or "")
        return 0
    # One test at a time: each brings its own load, and its clocks are meant for that.
    command = [sys.executable, "-m", "pytest", "tests/faults", "-v", "-n0", "-o", "timeout=900", "--durations=0"]
    return subprocess.run([*command, *sys.argv[1:]], env=os.environ | {"FUDABA_SOAK": "1"}, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
