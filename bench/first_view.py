"""Measures how soon a browser shows a ladder of many entries, beside an empty one. See scripts/bench first-view.

`fudaba up` runs with a ladder of many built-in bots, which play for a while, and with an empty ladder. A new browser
opens each in turn. A page counts as shown when its last change is drawn and its script is idle.
"""

from __future__ import annotations

import os
import shutil
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import click
from playwright.sync_api import Browser, sync_playwright

from bench.up import create_ladder, run_fudaba, up

__all__ = ["Times", "main", "measured"]

_QUIET = """
window.quiet = { last: 0 };
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) quiet.last = Math.max(quiet.last, task.startTime + task.duration);
}).observe({ type: "longtask", buffered: true });
new MutationObserver(() => requestAnimationFrame(() => { quiet.last = performance.now(); }))
  .observe(document, { subtree: true, childList: true, characterData: true });
"""
"""The time when something was last drawn, or a task of over 50 ms ended, in ms since the request for the page."""
_IS_QUIET = "() => document.querySelector('main h1') && quiet.last > 0 && performance.now() > quiet.last + 1000"


@dataclass
class Times:
    """The milliseconds of each run until the page is shown."""

    many: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)


def _shown(browser: Browser, url: str) -> float:
    """Returns the milliseconds until the page is shown to a first-time visitor."""
    context = browser.new_context(locale="en")
    context.add_init_script(_QUIET)
    page = context.new_page()
    page.goto(url, wait_until="commit")
    page.wait_for_function(_IS_QUIET, timeout=120_000)
    taken = page.evaluate("quiet.last")
    context.close()
    return float(taken)


def measured(entries: int, playing: float, runs: int) -> Times:
    """Opens both ladders in turn in each run."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise click.ClickException("chromium is not on PATH")
    times = Times()
    with tempfile.TemporaryDirectory() as place, up(Path(place) / "data") as (url, environment):
        create_ladder(Path(place), environment, "empty", 0)
        create_ladder(Path(place), environment, "many", entries)
        time.sleep(playing)
        for name in ("empty", "many"):
            run_fudaba(environment, "ladder", "pause", name)
        with sync_playwright() as playwright:
            words = ["--no-sandbox"] if os.geteuid() == 0 else []
            with playwright.chromium.launch(executable_path=chromium, args=words) as browser:
                _shown(browser, url)  # the gateway has read its files, and the arena the standings
                for _ in range(runs):
                    times.empty.append(_shown(browser, f"{url}/ladders/empty"))
                    times.many.append(_shown(browser, f"{url}/ladders/many"))
    return times


@click.command()
@click.option("--entries", type=click.IntRange(min=1), default=1_000, show_default=True)
@click.option("--playing", type=float, default=60.0, show_default=True, help="Seconds for which the bots play first.")
@click.option("--runs", type=click.IntRange(min=1), default=9, show_default=True, help="Runs; the median counts.")
def main(entries: int, playing: float, runs: int) -> None:
    """Measure how soon a browser shows a ladder of many entries, beside an empty one."""
    times = measured(entries, playing, runs)
    ratios = [many / empty for many, empty in zip(times.many, times.empty, strict=True)]
    ratio = statistics.median(ratios)
    mark = "" if ratio <= 1.5 else " **missed**"
    print("| the ladder's page | goal | ratio | ms | ms of an empty one |\n| --- | --- | --- | --- | --- |")
    print(
        f"| {entries:,} entries | ≤ 1.5 | {ratio:.2f}{mark} ({min(ratios):.2f}-{max(ratios):.2f}) "
        f"| {statistics.median(times.many):.0f} | {statistics.median(times.empty):.0f} |"
    )
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"\nMedian of {runs} runs. Load of the machine at the end: {load}.")


if __name__ == "__main__":
    main()
