"""Photographs the page as a browser shows it: a match, in light and in dark; a ladder, a table; and entering a bot.

python scripts/_page_picture.py FOLDER [MATCHES]. Run by `picture`. The deal of the match is fixed and its bots are
deterministic, so every picture shows the same position. The matches of the other pictures differ from run to run.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from _chromium import chromium
from _picture import SEED, clean_environment, fudaba
from playwright.sync_api import Browser, Page

MATCH: Final = "spring-2"
WIDTH, HEIGHT = 1200, 720
POSITION_NUMBER: Final = 11
"""The number of the position in the log of the match."""
LADDER: Final = """\
name = "spring"
game = "naga"
options = { deals = 1 }
concurrency = 4
provisional_blocks = 5
narrow = 0

[[bots]]
name = "sensible"
builtin = "sensible"

[[bots]]
name = "random"
builtin = "random"

[[bots]]
name = "first"
builtin = "first"
"""
MIN_MATCHES: Final = 50
"""The minimum number of matches that each bot of the ladder has played."""
PLAYED: Final = """(least) => {
    const matches = [...document.querySelectorAll("main table tbody tr")].map((row) => row.cells[5]?.innerText);
    return matches.length === 3 && matches.every((one) => Number(one) >= least);
}"""
"""The condition that each of its bots has played that many matches."""
SETTLING_MS: Final = 500
"""The milliseconds after which everything on the page is at rest. A live page never finishes loading."""
TIMEOUT_MS: Final = 120_000
"""The timeout for something to be shown, in milliseconds."""
Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")


@dataclass(frozen=True)
class Up:
    """A `fudaba up`."""

    page: str
    environment: dict[str, str]
    """The environment in which the organiser's commands reach it."""

    def run(self, *words: str) -> str:
        """Runs a command of the organiser. Returns its output."""
        done = subprocess.run(fudaba(*words), env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()


def main() -> None:
    """Plays, photographs and writes page_*.png."""
    folder = Path(sys.argv[1])
    matches = int(sys.argv[2]) if len(sys.argv) > 2 else MIN_MATCHES
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fudaba-") as place, up(Path(place)) as running, chromium() as browser:
        play(running, Path(place))
        for theme in THEMES:
            show_match(opened(browser, running, theme), folder / f"page_{theme}.png")
        show_ladder(opened(browser, running), folder / "page_ladder.png", matches)
        running.run("ladder", "pause", "spring")  # what it plays on would keep a core busy that the others need
        show_play(opened(browser, running), folder / "page_play.png")
        show_enter(opened(browser, running), folder / "page_enter.png", running.run("account", "create", "ann"))


@contextmanager
def up(place: Path) -> Iterator[Up]:
    """Yields a service, an arena with a worker, and a gateway, in a folder."""
    listen = [word for part in ("", "arena-", "web-") for word in (f"--{part}listen", "127.0.0.1:0")]
    words = fudaba("up", "--data", str(place / "fudaba"), *listen)
    environment = clean_environment()
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            printed = {}
            for line in process.stdout or ():
                if line.startswith("In another terminal"):
                    break
                label, _, where = re.sub(r"  +", "\t", line.strip()).partition("\t")
                printed[label] = where
            if "for browsers" not in printed:
                raise SystemExit("fudaba up did not start")
            more = {
                "FUDABA_SERVER": printed["service"],
                "FUDABA_ARENA": printed["arena"],
                "FUDABA_TOKEN_FILE": printed["organiser's token"],
            }
            yield Up(printed["for browsers"], environment | more)
        finally:
            process.terminate()
            process.communicate()  # it says that it stops


def play(running: Up, place: Path) -> None:
    """Plays a match of two house bots to its end, and some blocks of a ladder."""
    seats = ("--seat", "house-sensible", "--seat", "house-sensible")
    running.run("match", "create", "naga", *seats, "--id", MATCH, "--seed", SEED, "--wait")
    definition = place / "spring.toml"
    definition.write_text(LADDER)
    running.run("ladder", "create", str(definition))


def opened(browser: Browser, running: Up, theme: Theme = "light") -> Page:
    """Returns a separate window of a visitor who is not signed in."""
    page = browser.new_page(
        base_url=running.page,
        locale="en",
        color_scheme=theme,
        viewport={"width": WIDTH, "height": HEIGHT},
        reduced_motion="reduce",
    )
    page.set_default_timeout(TIMEOUT_MS)
    return page


def show_match(page: Page, file: Path) -> None:
    """Shows a position of the match, as a seat sees it."""
    page.goto(f"/matches/{MATCH}?at={POSITION_NUMBER}&seat=0")
    page.locator("[data-piece^='hand:']").first.wait_for()
    taken(page, file)


def show_ladder(page: Page, file: Path, matches: int) -> None:
    """Shows the ladder, once each of its bots has played that many matches."""
    page.goto("/ladders/spring")
    page.wait_for_function(PLAYED, arg=matches)
    taken(page, file)


def show_play(page: Page, file: Path) -> None:
    """Shows a guest's first decision."""
    page.goto("/play?game=naga")
    page.get_by_role("button", name="Play as a guest").click()
    page.get_by_role("button", name="Begin").click()
    page.locator("button[data-piece][aria-pressed=false]").first.wait_for()
    taken(page, file)


def show_enter(page: Page, file: Path, token: str) -> None:
    """Shows the page where an author enters a bot."""
    page.goto("/enter")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label(re.compile("^A new bot called")).fill("nine-lines")
    page.get_by_role("button", name="Register nine-lines").click()
    page.get_by_label("What is new in it").wait_for()
    taken(page, file)


def taken(page: Page, file: Path) -> None:
    """Writes the picture."""
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(SETTLING_MS)
    page.screenshot(path=file)
    print(f"{file}: {file.stat().st_size / 1000:.0f} kB")  # noqa: T201 - what was done
    page.close()


if __name__ == "__main__":
    main()
