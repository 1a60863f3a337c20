"""Compares this checkout with another build, in one run: each part is measured in turn with one and the other.

The other build is a wheel, or a commit of this repository. It is put into a folder of its own in the build cache, and
runs with the packages that are installed here. The same bench measures both: a build that it does not fit fails.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any, Final, final

import click

from bench.rows import progress

__all__ = ["Comparison", "compared", "main", "unpacked"]

_ROOT: Final = Path(__file__).resolve().parents[1]
_SOURCES: Final = ("games", "clients/python", "serving", "service", "arena", "web")
"""The folders with packages, in a checkout."""
_WHERE: Final = "import fudaba, fudaba_games; print(fudaba.__file__); print(fudaba_games.__file__)"


@final
@dataclass(frozen=True)
class Comparison:
    """A row of a part, measured with both builds in turn; `ratios` has a ratio for each run."""

    subject: str
    now: float
    """The median with this checkout."""
    then: float
    """The median with the other build."""
    ratio: float
    """The median of the ratios: this checkout's number to the other's."""
    ratios: list[float]
    unit: str


def unpacked(build: str) -> Mapping[str, str]:
    """Puts a wheel or a commit into a folder of the build cache. Returns the environment in which Python imports it.

    Raises `click.UsageError` for what is neither.
    """
    path = Path(build)
    if path.suffix == ".whl":
        if not path.is_file():
            raise click.UsageError(f"there is no wheel {build}")
        folder = _cache() / sha256(path.read_bytes()).hexdigest()[:16]
        make = [[sys.executable, "-m", "zipfile", "-e", str(path.resolve()), "{}"]]
        sources: Sequence[str] = ("",)
    else:
        folder = _cache() / _commit(build)
        make = [["git", "archive", "-o", "{}/a.tar", folder.name], ["tar", "-xf", "{}/a.tar", "-C", "{}"]]
        sources = _SOURCES
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as place:
            made = Path(place) / folder.name
            made.mkdir()
            for command in make:
                subprocess.run([word.format(made) for word in command], cwd=_ROOT, check=True)
            made.rename(folder)  # now it is whole
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(str(folder / source) for source in sources)}
    found = subprocess.run([sys.executable, "-c", _WHERE], env=env, text=True, capture_output=True, check=True)
    if not all(Path(line).is_relative_to(folder) for line in found.stdout.splitlines()):
        raise RuntimeError(f"{build} is in {folder}, and Python imports something else: {found.stdout}")
    return env


def _cache() -> Path:
    given = os.environ.get("FUDABA_BUILD_CACHE") or Path.home() / ".cache" / "fudaba"
    return Path(given) / "against"


def _commit(name: str) -> str:
    """Returns the hash of a commit. Raises `click.UsageError`."""
    command = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"]
    found = subprocess.run(command, cwd=_ROOT, text=True, capture_output=True, check=False)
    if found.returncode:
        raise click.UsageError(f"{name} is neither a commit of this repository nor a wheel, FILE.whl")
    return found.stdout.strip()


def compared(part: str, other: Mapping[str, str], runs: int, seconds: float) -> list[Comparison]:
    """Measures a part with both builds in turn, and with each of them first in every second run."""
    builds = {"now": os.environ, "then": other}
    found: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    units: dict[str, str] = {}
    for run in range(runs):
        progress(f"{part} with both builds", run, runs)
        for name in sorted(builds, reverse=run % 2 == 1):
            for measured in _measured(part, builds[name], seconds):
                found[measured["subject"]][name].append(measured["ours"])
                units[measured["subject"]] = measured["unit"]
    comparisons = []
    for subject, values in found.items():
        if len(values["now"]) != len(values["then"]):
            click.echo(f"{subject}: measured with one of the builds only, so it is left out", err=True)
            continue
        if not all(values["then"]):
            raise click.ClickException(f"{subject} was 0 with the other build: give more --seconds")
        ratios = [now / then for now, then in zip(values["now"], values["then"], strict=True)]
        now, then = median(values["now"]), median(values["then"])
        comparisons.append(Comparison(subject, now, then, median(ratios), ratios, units[subject]))
    return comparisons


def _measured(part: str, env: Mapping[str, str], seconds: float) -> list[dict[str, Any]]:
    """Returns the rows of one run of a part. Raises `click.ClickException` if it fails."""
    command = [sys.executable, "-m", "bench", part, "--runs", "1", "--seconds", str(seconds), "--json"]
    done = subprocess.run(command, cwd=_ROOT, env=env, text=True, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise click.ClickException(f"{part} cannot be measured with both builds; the lines above say why")
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def _table(comparisons: Sequence[Comparison], build: str) -> str:
    lines = [f"| what | now | {build} | ratio | runs |", "| --- | --- | --- | --- | --- |"]
    for row in comparisons:
        spread = f"{min(row.ratios):.2f}-{max(row.ratios):.2f}"
        now, then = (f"{value:,.0f}" if value >= 100 else f"{value:.3g}" for value in (row.now, row.then))
        lines.append(f"| {row.subject} | {now} {row.unit} | {then} {row.unit} | {row.ratio:.2f} | {spread} |")
    return "\n".join(lines)


@click.command()
@click.argument("build", metavar="WHEEL|COMMIT")
@click.argument("parts", nargs=-1, required=True)
@click.option("--runs", type=click.IntRange(min=1), default=7, show_default=True,
              help="Runs with each build; the median of the ratios counts.")  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True), default=3.0, show_default=True, help="Length of one run."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def main(build: str, parts: tuple[str, ...], runs: int, seconds: float, *, as_json: bool) -> None:
    """Compare this checkout with another build of Fudaba, in turn in one run. PARTS are those of `scripts/bench`.

    \b
    Examples:
      scripts/bench --against HEAD~20 play arena
      scripts/bench --against dist/fudaba-0.1.0-py3-none-any.whl play --runs 11
    """
    other = unpacked(build)
    rows = [row for part in parts for row in compared(part, other, runs, seconds)]
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    if as_json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        print(_table(rows, build))
        print(f"\nMedian of {runs} runs of {seconds:g} s with each build, in turn.")


if __name__ == "__main__":
    main()
