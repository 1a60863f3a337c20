"""Measures the page with Lighthouse: speed and accessibility of its main paths. See scripts/bench lighthouse.

`fudaba up` runs with a ladder in play, and `npx` fetches Lighthouse, which by default assumes a phone on a slow
network.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

import click

from bench.up import create_ladder, run_fudaba, up

__all__ = ["main", "scores"]

_LIGHTHOUSE: Final = "lighthouse@13.5.0"
_PATHS: Final = ("/", "/ladders", "/ladders/open", "/matches", "/games/naga", "/play", "/enter")
_KINDS: Final = ("performance", "accessibility")


def scores(url: str, chromium: str) -> dict[str, float]:
    """Returns the scores of loading a page, from 0 to 100."""
    flags = "--headless=new --no-sandbox" if os.geteuid() == 0 else "--headless=new"
    command = ["npx", "--yes", _LIGHTHOUSE, url, "--output=json", "--quiet", f"--chrome-flags={flags}"]
    command.append(f"--only-categories={','.join(_KINDS)}")
    environment = os.environ | {"CHROME_PATH": chromium}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    categories = json.loads(done.stdout)["categories"]
    return {kind: 100 * categories[kind]["score"] for kind in _KINDS}


@click.command()
@click.option("--runs", type=click.IntRange(min=1), default=3, show_default=True, help="Runs; the median counts.")
@click.option("--playing", type=float, default=20.0, show_default=True, help="Seconds for which a ladder plays first.")
def main(runs: int, playing: float) -> None:
    """Measure the page's speed and accessibility with Lighthouse."""
    chromium = shutil.which("chromium")
    if chromium is None or shutil.which("npx") is None:
        raise click.ClickException("chromium or npx is not on PATH")
    print("| path | speed | accessibility |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory() as place, up(Path(place) / "data") as (url, environment):
        create_ladder(Path(place), environment, "open", 8)
        time.sleep(playing)
        run_fudaba(environment, "ladder", "pause", "open")
        for path in _PATHS:
            found = [scores(url + path, chromium) for _ in range(runs)]
            cells = []
            for kind in _KINDS:
                value = statistics.median(score[kind] for score in found)
                cells.append(f"{value:.0f}" if value >= 95 else f"{value:.0f} **missed**")
            print(f"| `{path}` | {' | '.join(cells)} |", flush=True)
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"\nMedian of {runs} runs; the goal is 95. Load of the machine at the end: {load}.")


if __name__ == "__main__":
    main()
