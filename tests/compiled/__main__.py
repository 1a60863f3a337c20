"""Plays seeded matches of every game and prints a line for each.

`scripts/compiled` runs it with the files of the checkout and with a compiled wheel, and compares the lines.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

import click

from fudaba_games.registry import GAMES
from tests.support.compiled.seeded import GATE_MATCHES, check_files, lines

_MATCHES_PER_PART: Final = 50
"""Matches of a game that a process plays at once, so that all cores have work until the end."""


@click.command()
@click.argument("games", nargs=-1, type=click.Choice(list(GAMES)))
@click.option("--matches", default=GATE_MATCHES, show_default=True, help="Of each game.")
@click.option("--compiled/--interpreted", default=False, help="Fail if the rules and the service are not so.")
def main(games: tuple[str, ...], matches: int, *, compiled: bool) -> None:
    """Play on all cores, and print a line a match: its game, its number and its digest."""
    check_files(compiled=compiled)
    parts = [
        (name, range(first, min(first + _MATCHES_PER_PART, matches)))
        for name in games or GAMES
        for first in range(0, matches, _MATCHES_PER_PART)
    ]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        for part in [pool.submit(lines, name, numbers, compiled=compiled) for name, numbers in parts]:
            click.echo("\n".join(part.result()))


if __name__ == "__main__":
    main()
