"""Compares golden records and writes those that are missing, see `golden.py`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from fudaba_games.registry import GAMES, AnyGame
from tests.goldens.golden import (
    NoLongerPlayed,
    difference,
    digests_file,
    digests_of,
    drawn,
    golden_cases,
    read_digests,
    readable,
    record_file,
    replayed,
    text_of,
    write_digests,
)


def main() -> None:
    """Writes what is missing, or with `--rewrite` everything, and says what is different. Fails if anything is."""
    parser = argparse.ArgumentParser(prog="python -m tests.goldens", description=__doc__)
    parser.add_argument("games", nargs="*", metavar="GAME", help="the games' ids; all games if left out")
    parser.add_argument("--rewrite", action="store_true", help="write all anew, after an intended change of the rules")
    chosen = parser.parse_args()
    if unknown := [name for name in chosen.games if name not in GAMES]:
        parser.error(f"there is no game {unknown[0]}; there are {', '.join(GAMES)}")
    rewrite = bool(chosen.rewrite)
    wrong = 0
    for game in [GAMES[name] for name in chosen.games] or GAMES.values():
        write(game, rewrite)
        for case in [] if rewrite else golden_cases(game):
            found = difference(game, case)
            if found:
                wrong += 1
                sys.stdout.write(f"{game.id}, {case.label}: {found}\n")
    sys.exit(bool(wrong))


def write(game: AnyGame, rewrite: bool) -> None:
    """Writes a game's records."""
    for case in readable(game):
        path = record_file(game, case)
        if not path.exists():
            save(path, text_of(drawn(game, case)))
        elif rewrite:
            try:
                steps = replayed(game, case, path.read_text(encoding="utf-8"))
            except NoLongerPlayed:  # its moves are of other rules: new ones are drawn
                steps = drawn(game, case)
            save(path, text_of(steps))
    path = digests_file(game)
    known = read_digests(path.read_text(encoding="utf-8")) if path.exists() and not rewrite else {}
    others = [case for case in golden_cases(game) if case not in readable(game)]
    found = {case.label: known.get(case.label) or digests_of(drawn(game, case)) for case in others}
    if found != known:
        save(path, write_digests(game, found))


def save(path: Path, text: str) -> None:
    """Writes a file, and says so."""
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
