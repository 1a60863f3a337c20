"""Modules of one package differ by more than an ending; see `scripts/_module_names.py`."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "_module_names.py"
SPEC = importlib.util.spec_from_file_location("_module_names", SCRIPT)
assert SPEC is not None
assert SPEC.loader is not None
MODULE = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(MODULE)


@pytest.mark.parametrize("pair", [("check", "checking"), ("worker", "workers"), ("run", "runner"), ("_seat", "seats")])
def test_names_that_differ_by_an_ending_are_found(pair: tuple[str, str]) -> None:
    assert list(MODULE.twins([*pair, "schedule"])) == [tuple(sorted(pair))]


@pytest.mark.parametrize("pair", [("check_leases", "check_run"), ("plan", "play"), ("own_reach", "owner")])
def test_names_of_different_parts_are_not(pair: tuple[str, str]) -> None:
    assert list(MODULE.twins(pair)) == []


def test_there_are_none_in_the_checkout() -> None:
    done = subprocess.run([sys.executable, SCRIPT], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)
