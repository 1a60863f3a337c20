"""Runs the parts of the nightly run, and writes docs/nightly.md. Run by `scripts/nightly`."""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "nightly.md"
LOGS: Final = ROOT / ".ci" / "log" / "nightly"
HIDDEN: Final = ("redis-server", "redis-cli", "bwrap", "nginx", "chromium", "chromium-headless-shell", "promtool")
"""The tools that a machine with only Python, git and Node lacks."""
MAX_FIGURES_CHARS: Final = 160
"""The number of characters of a part's last line that the page shows."""


@dataclass(frozen=True)
class Part:
    """A command, and what it shows."""

    name: str
    shows: str
    command: Sequence[str]
    hides_tools: bool = False
    """Whether nobody can run the tools of `HIDDEN`. Elsewhere a test whose tool is absent fails."""


PARTS: Final = (
    Part("check", "format, lint, types, contract, page", ["scripts/check"]),
    Part("tests", "every test at its full size; a minute of faults", ["scripts/test", "--all"]),
    Part("hidden", f"the tests without {', '.join(HIDDEN)}", ["scripts/test"], hides_tools=True),
    Part("oldest", "kit, codec and bridges with the oldest packages that may be", ["scripts/test", "--oldest"]),
    Part("newest", "the same with the newest", ["scripts/test", "--newest"]),
    Part(
        "compiled",
        "the same records, compiled and not; the compiled service",
        ["scripts/compiled", "--matches", "1000"],
    ),
    Part("entries", "a ladder never stands still", ["scripts/soak", "entries"]),
    Part("ladder", "faults under a ladder", ["scripts/soak", "ladder"]),
    Part(
        "hunt",
        "sealed sandboxes tell each other none of 640 bits by any object",
        ["scripts/test", "--all", "tests/arena/sandbox/test_hunting.py"],
    ),
    Part("sandboxes", "2,000 sandboxes killed at random moments", ["scripts/soak", "sandboxes"]),
    Part("struck", "the tests of tests/faults at length", ["scripts/soak", "struck"]),
    Part("floods", "what a client can take from the others", ["scripts/soak", "floods"]),
    Part("fuzz", "100,000 hostile messages to every method", ["scripts/soak", "fuzz"]),
)


@dataclass(frozen=True)
class Result:
    """The result of a part."""

    part: Part
    status: int
    wall: float
    """The wall time in seconds."""
    cpu: float
    """The processor time, in seconds, of all processes that were waited for."""
    figures: str
    """The last line of its output."""

    def row(self, commit: str) -> str:
        """Returns its line in the page's table."""
        day = datetime.now(UTC).date().isoformat()
        ended = "passed" if self.status == 0 else f"**failed**, status {self.status}"
        cells = (self.part.name, self.part.shows, ended, day, commit, _time(self.wall), _time(self.cpu), self.figures)
        return f"| {' | '.join(cells)} |"


def main() -> int:
    """Runs the parts that the command line names. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/nightly", add_help=False)
    parser.add_argument("parts", nargs="*", metavar="PART")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--no-page", action="store_true")
    arguments = parser.parse_args()
    known = {part.name: part for part in PARTS}
    if unknown := [name for name in arguments.parts if name not in known]:
        parser.error(f"there is no part {unknown[0]}; there are: {', '.join(known)}")
    if arguments.list:
        for part in PARTS:
            _say(f"{part.name:10} {' '.join(part.command):22} {part.shows}")
        return 0
    results = [run(known[name]) for name in arguments.parts or known]
    if not arguments.no_page:
        write_page(results)
    return int(any(result.status for result in results))


def run(part: Part) -> Result:
    """Runs a part to its end, with an empty build cache. Its output is shown and kept in a log."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / part.name
    _say(f"{part.name}: {' '.join(part.command)}, log in {log.relative_to(ROOT)}")
    began, used = time.monotonic(), _used()
    with tempfile.TemporaryDirectory() as place, log.open("wb") as file:
        env = os.environ | {
            "FUDABA_BUILD_CACHE": f"{place}/cache",
            "MYPY_CACHE_DIR": f"{place}/types",
            "CI": "" if part.hides_tools else "true",
        }
        command = _without_tools(part.command, Path(place)) if part.hides_tools else part.command
        status = subprocess.run(command, cwd=ROOT, env=env, stdout=file, stderr=file, check=False).returncode
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
    figures = lines[-1].strip("= ").replace("|", "\\|")[:MAX_FIGURES_CHARS] if lines else ""
    result = Result(part, status, time.monotonic() - began, _used() - used, figures)
    _say(f"{part.name}: {'passed' if status == 0 else 'FAILED'} in {_time(result.wall)}: {figures}")
    return result


def _without_tools(command: Sequence[str], place: Path) -> Sequence[str]:
    """Returns the command in a separate mount namespace, where nobody can run the hidden tools."""
    nothing = place / "nothing"
    nothing.touch(mode=0o644)
    mounts = [
        f'if found=$(command -v {tool}); then mount --bind {nothing} "$(readlink -f "$found")"; fi' for tool in HIDDEN
    ]
    own = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    return [*own, "bash", "-c", "\n".join(["set -e", *mounts, 'exec "$@"']), "bash", *command]


def write_page(results: Sequence[Result]) -> None:
    """Writes docs/nightly.md: new lines for the parts that were run, and the old ones for the others."""
    rows = dict.fromkeys(part.name for part in PARTS)
    if PAGE.exists():
        rows |= {found[1]: found[0] for found in re.finditer(r"^\| (\w+) \|.*\|$", PAGE.read_text(), re.MULTILINE)}
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    rows |= {result.part.name: result.row(commit.stdout.strip()) for result in results}
    table = "\n".join(
        rows[part.name] or f"| {part.name} | {part.shows} | not run yet |  |  |  |  |  |" for part in PARTS
    )
    PAGE.write_text(
        f"""# The nightly run

`scripts/nightly` writes this page; [docs/testing.md](testing.md) says what the tests are.
Each line is of the last run of a part, with nothing in the build cache. The machine of the latest one has
{os.cpu_count()} cores.

| part | what it shows | result | date | commit | wall | CPU | its last line |
| --- | --- | --- | --- | --- | --- | --- | --- |
{table}

## What only runs here

{moved()}
"""
    )


def moved() -> str:
    """Returns the tests that are marked `nightly`, and what guards the promise of each at the gate."""
    printed = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-qq", "-p", "tests.nightly_marks"],
        cwd=ROOT, env=os.environ | {"TEST_EXTENT": "all", "PYTEST_XDIST_AUTO_NUM_WORKERS": "1"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    rows = [line for line in printed.stdout.splitlines() if line.startswith("| ")]
    if not rows:
        return "Nothing: every test runs at the gate, some of them at a smaller size."
    return "\n".join(["| test | what guards its promise at the gate |", "| --- | --- |", *sorted(set(rows))])


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _used() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def _time(seconds: float) -> str:
    return f"{int(seconds) // 60} min {int(seconds) % 60:02d} s"


if __name__ == "__main__":
    sys.exit(main())
