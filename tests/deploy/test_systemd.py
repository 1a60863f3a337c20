"""The units in deploy/systemd: systemd takes them, and they run commands that Fudaba has."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Callable
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.support.deploy.deployment import DEPLOY, parsed
from tests.support.service.processes import FUDABA

UNITS = sorted((DEPLOY / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]
INSTALLED = re.compile("/opt/fudaba(-%i)?/bin/fudaba")
MAX_EXPOSURE = 3.0
"""Out of ten, as `systemd-analyze security` counts."""


def section(unit: Path, name: str) -> dict[str, str]:
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # the names of systemd have capitals
    parser.read(unit)
    return dict(parser[name])


@pytest.fixture
def here(tmp_path: Path) -> list[Path]:
    """Returns the units with the command and a user of this machine."""
    found = []
    for unit in UNITS:
        text = INSTALLED.sub(str(FUDABA), unit.read_text()).replace("User=fudaba", "User=daemon")
        found.append(tmp_path / unit.name)
        found[-1].write_text(text)
    return found


def test_systemd_takes_the_units(need_tool: Callable[[str], Path], here: list[Path]) -> None:
    done = subprocess.run([need_tool("systemd-analyze"), "verify", *here], capture_output=True, text=True, check=False)
    named = [line for line in done.stderr.splitlines() if any(unit.name in line for unit in here)]
    assert (done.returncode, named) == (0, [])


def test_the_units_leave_a_command_little_that_it_could_harm(
    need_tool: Callable[[str], Path], here: list[Path]
) -> None:
    for unit in here:
        if unit.suffix == ".service":
            done = subprocess.run(
                [need_tool("systemd-analyze"), "security", "--offline=true", unit],
                capture_output=True, text=True, check=False,
            )  # fmt: skip
            found = re.search(r"Overall exposure level for \S+: (\d+\.\d)", done.stdout)
            assert found is not None, done.stdout + done.stderr
            assert float(found[1]) <= MAX_EXPOSURE, unit.name


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_unit_runs_a_command_that_fudaba_takes(unit: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUDABA_DATA", "/data")
    program, *words = shlex.split(section(unit, "Service")["ExecStart"])
    assert INSTALLED.fullmatch(program)
    parsed(words)


def test_backups_and_restore_tests_have_a_timer_and_use_the_same_folder() -> None:
    words = {
        unit.stem: shlex.split(section(unit, "Service")["ExecStart"])[1:]
        for unit in SERVICES
        if unit.with_suffix(".timer").is_file()
    }
    assert {name: command[0] for name, command in words.items()} == {
        "fudaba-backup": "backup",
        "fudaba-restore-test": "restore",
    }
    assert len({command[1] for command in words.values()}) == 1
    for name, command in words.items():
        unit = section(DEPLOY / "systemd" / f"{name}.service", "Service")
        assert unit["ReadWritePaths"] == command[1]
        assert unit["Nice"] == "10"
