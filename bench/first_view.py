"""How soon a browser shows a ladder of many entries, beside an empty one. See scripts/bench first-view.

`fudaba up` runs with a ladder of so many built-in bots, which play for a while, and with one that has none. A browser
that has never been there opens either in turn. A page is there when its last change is drawn and its script is idle.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

import click
from playwright.sync_api import Browser, sync_playwright

from bench.processes import free_port

__all__ = ["Times", "main", "measured"]

_QUIET = """
window.quiet = { last: 0 };
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) quiet.last = Math.max(quiet.last, task.startTime + task.duration);
}).observe({ type: "longtask", buffered: true });
new MutationObserver(() => requestAnimationFrame(() => { quiet.last = performance.now(); }))
  .observe(document, { subtree: true, childList: true, characterData: true });
"""
"""Notes when something was last drawn, or a task of over 50 ms ended, in ms since the page was asked for."""
_IS_QUIET = "() => document.querySelector('main h1') && quiet.last > 0 && performance.now() > quiet.last + 1000"


@dataclass
class Times:
    """Milliseconds until the page is there, of each run."""

    many: list[float] = field(default_factory=list)
    empty: list[float] = field(default_factory=list)


@contextmanager
def _up(folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """`fudaba up`: the gateway's address, and the environment of an organiser's commands."""
    service, arena, web = (f"127.0.0.1:{free_port()}" for _ in range(3))
    command = [sys.executable, "-m", "fudaba", "up", "--data", str(folder), "--listen", service]
    command += ["--arena-listen", arena, "--web-listen", web]
    environment = os.environ | {"FUDABA_SERVER": service, "FUDABA_ARENA": arena}
    with (folder.parent / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        try:
            _until_served(f"http://{web}/", process)
            token = (folder / "organiser.token").read_text(encoding="utf-8").strip()
            yield f"http://{web}", environment | {"FUDABA_TOKEN": token}
        finally:
            process.terminate()
            process.wait()


def _until_served(url: str, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            with urlopen(url, timeout=10):
                return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("fudaba up has ended")


def _ladder(folder: Path, environment: dict[str, str], name: str, entries: int) -> None:
    text = f'name = "{name}"\ngame = "naga"\noptions = {{ deals = 1 }}\nprovisional_blocks = 1\n'
    for number in range(entries):
        text += f'[[bots]]\nname = "{name}-{number}"\nbuiltin = "{("random", "first")[number % 2]}"\n'
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    _fudaba(environment, "ladder", "create", str(file))


def _fudaba(environment: dict[str, str], *words: str) -> None:
    subprocess.run([sys.executable, "-m", "fudaba", *words], env=environment, check=True, capture_output=True)


def _shown(browser: Browser, url: str) -> float:
    """Milliseconds until the page is there, for somebody who comes for the first time."""
    context = browser.new_context(locale="en")
    context.add_init_script(_QUIET)
    page = context.new_page()
    page.goto(url, wait_until="commit")
    page.wait_for_function(_IS_QUIET, timeout=120_000)
    taken = page.evaluate("quiet.last")
    context.close()
    return float(taken)


def measured(entries: int, playing: float, runs: int) -> Times:
    """Each run opens both ladders in turn."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise click.ClickException("chromium is not on PATH")
    times = Times()
    with tempfile.TemporaryDirectory() as place, _up(Path(place) / "data") as (url, environment):
        _ladder(Path(place), environment, "empty", 0)
        _ladder(Path(place), environment, "many", entries)
        time.sleep(playing)
        for name in ("empty", "many"):
            _fudaba(environment, "ladder", "pause", name)
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
@click.option("--playing", type=float, default=60.0, show_default=True, help="Seconds for which they play first.")
@click.option("--runs", type=click.IntRange(min=1), default=9, show_default=True, help="The median counts.")
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
