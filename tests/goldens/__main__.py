"""Writes golden records: `python -m tests.goldens [--rewrite]`, see `tests/goldens/golden.py`."""

from __future__ import annotations

import sys

from fudaba_games.registry import GAMES
from tests.goldens.golden import drawn, golden_cases, replayed


def main() -> None:
    """Writes what is missing, or everything; leaves records of matches that are no longer played alone."""
    rewrite = "--rewrite" in sys.argv[1:]
    for game in GAMES.values():
        for case, path in golden_cases(game):
            if path.exists() and not rewrite:
                continue
            text = replayed(game, case, path.read_text(encoding="utf-8")) if path.exists() else drawn(game, case)
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
