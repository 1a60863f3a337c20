"""Photographs the page: a match of Naga, as the gateway shows it in a browser, in light and in dark.

python scripts/_page_picture.py FOLDER. Run by `picture`. The deal is fixed and the bot draws no lots: every picture
shows the same position.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from _chromium import chromium
from _picture import SEED, fudaba, serving

MATCH: Final = "spring-2"
WIDTH, HEIGHT = 1200, 720
POSITION: Final = 11
"""In the log of the match."""
THEMES: Final[tuple[Literal["light", "dark"], ...]] = ("light", "dark")


def main() -> None:
    """Plays, photographs and writes page_light.png and page_dark.png."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="fudaba-") as place, serving(Path(place)) as environment:
        play(environment)
        with gateway(environment) as address:
            photograph(f"{address}/matches/{MATCH}?at={POSITION}&seat=0", folder)


def play(environment: dict[str, str]) -> None:
    """A match of two house bots, to its end."""
    seats = ("--seat", "house-sensible", "--seat", "house-sensible")
    create = fudaba("match", "create", "naga", *seats, "--id", MATCH, "--seed", SEED, "--wait")
    subprocess.run(create, env=environment, stdout=subprocess.DEVNULL, check=True)


@contextmanager
def gateway(environment: dict[str, str]) -> Iterator[str]:
    """A gateway before the service; its address."""
    words = fudaba("web", "--listen", "127.0.0.1:0", "--server", environment["FUDABA_SERVER"])
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as web:
        try:
            said = next((one for one in web.stdout or () if "serves on " in one), "")
            if not said:
                raise SystemExit("the gateway did not start")
            yield said.partition("serves on ")[2].split()[0]
        finally:
            web.terminate()
            web.communicate()  # it says that it stops


def photograph(address: str, folder: Path) -> None:
    """Opens the address in Chromium, and writes what is seen."""
    with chromium() as browser:
        for theme in THEMES:
            page = browser.new_page(
                locale="en", color_scheme=theme, viewport={"width": WIDTH, "height": HEIGHT}, reduced_motion="reduce"
            )
            page.goto(address)
            page.locator("[data-piece^='hand:']").first.wait_for()
            page.wait_for_load_state("networkidle")
            file = folder / f"page_{theme}.png"
            page.screenshot(path=file)
            print(f"{file}: {file.stat().st_size / 1000:.0f} kB")  # noqa: T201 - what was done
            page.close()


if __name__ == "__main__":
    main()
