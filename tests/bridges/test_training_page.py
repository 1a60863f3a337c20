"""The examples of docs/training.md run, and the page says what there is."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from fudaba.bridges.features import layout_of
from fudaba.bridges.words import END_ACTION, WAIT_ACTION, words_of
from fudaba_games.registry import GAMES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def example(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.exhaustive
def test_the_training_example_learns_to_beat_chance() -> None:
    means = example("train_pettingzoo").train(120)
    assert np.mean(means[2:]) > 1


def test_the_search_example_plays() -> None:
    scores = example("search_openspiel").play(2, 4)
    assert len(scores) == 2
    assert set(scores) <= {-1.0, 0.0, 1.0}


@pytest.mark.exhaustive
def test_the_search_example_comes_out_the_same_every_time() -> None:
    search = example("search_openspiel")
    first = search.play(4, 3)
    assert first == search.play(4, 3)
    assert any(search.play(4, 3, seed) != first for seed in range(2, 12))


def test_both_examples_are_on_the_page() -> None:
    page = (DOCS / "training.md").read_text(encoding="utf-8")
    examples = [file.name for file in (DOCS / "examples").glob("*_*.py") if "fudaba.bridges" in file.read_text()]
    assert len(examples) == 2
    assert all(f"(examples/{name})" in page for name in examples)


@pytest.mark.parametrize("game_id", GAMES)
def test_the_first_actions_are_those_of_the_page(game_id: str) -> None:
    texts = words_of(game_id).texts
    assert (texts[END_ACTION], texts[WAIT_ACTION], texts[2], texts[17]) == ("(end)", "(wait)", "(hex 0)", "(hex f)")


def test_the_numbers_of_actions_are_those_of_the_page() -> None:
    found = [len(words_of(game_id).texts) for game_id in ("nerts", "namto", "numbers_crush")]
    assert found == numbers(r"Nerts has ([\d,]+) actions, Namto ([\d,]+), Numbers Crush ([\d,]+)\.")


def test_the_lengths_of_rows_are_those_of_the_page() -> None:
    found = [layout_of(game_id, seats).size for game_id, seats in (("namto", 2), ("nerts", 4))]
    page = numbers(r"about ([\d,]+) for Namto with two, about ([\d,]+) for Nerts with four")
    assert found == pytest.approx(page, rel=0.1)


def numbers(pattern: str) -> list[int]:
    """Returns the numbers in a sentence of the page."""
    found = re.search(pattern, " ".join((DOCS / "training.md").read_text(encoding="utf-8").split()))
    assert found is not None
    return [int(number.replace(",", "")) for number in found.groups()]
