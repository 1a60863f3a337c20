"""Every registered game plays its golden records as it always has."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba_games.registry import GAMES, AnyGame
from tests.conformance.cases import Case
from tests.goldens.golden import FOLDER, drawn, golden_cases, replayed

RECORDS = [(game, case, path) for game in GAMES.values() for case, path in golden_cases(game)]


@pytest.mark.rule("G3.2")
@pytest.mark.parametrize(("game", "case", "path"), RECORDS, ids=[f"{game.id}-{path.stem}" for game, _, path in RECORDS])
def test_a_golden_record_replays_to_itself(game: AnyGame, case: Case, path: Path) -> None:
    assert path.exists(), f"{path.name} is missing: `python -m tests.goldens` writes it"
    golden = path.read_text(encoding="utf-8")
    assert replayed(game, case, golden) == golden


def test_no_record_is_left_over() -> None:
    assert {path for _, _, path in RECORDS} == set(FOLDER.glob("*/*.txt"))


@pytest.mark.parametrize("game", GAMES.values(), ids=lambda game: game.id)
def test_a_change_would_be_seen(game: AnyGame) -> None:
    case, path = next(golden_cases(game))
    other, _ = list(golden_cases(game))[1]
    assert drawn(game, other) != path.read_text(encoding="utf-8")
    assert f"rules version {game.rules_version}\n" in drawn(game, case)
