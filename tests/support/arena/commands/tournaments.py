"""Tournaments of Naga for tests of whole runs: files, bots, and what has become of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from fudaba.v1 import matches_pb2
from fudaba_arena.schedule.planning import schedule_of
from fudaba_arena.schedule.schedule import Schedule
from fudaba_arena.tournament.file import read_tournament
from tests.support.arena.running import Arena, Service


def bot(name: str, kind: str, **more: str) -> str:
    return "\n".join(["[[bots]]", f'name = "{name}"', kind, *(f"{key} = {value}" for key, value in more.items()), ""])


PLAYER = 'command = ["python", "player.py"]'
RANDOM = bot("random", 'builtin = "random"')
SENSIBLE = bot("sensible", 'builtin = "sensible"')
STEADY = bot("steady", 'builtin = "random"')
"""An opponent that decides at once; a sensible one takes as much CPU as all else of a match."""
PATIENT_CLOCK: Final = "{ move_ms = 3_600_000 }"
"""The clock of a tournament with a gated bot: no match ends by its clock before the gate opens, however slow the
machine is."""


def head(name: str, **more: object) -> str:
    lines = [f'name = "{name}"', 'game = "naga"', *(f"{key} = {value}" for key, value in more.items())]
    return "\n".join([*lines, ""])


def played_schedule(arena: Arena) -> Schedule:
    return schedule_of(read_tournament(arena.file), arena.json("standings")["id"])


def planned_ids(arena: Arena) -> set[str]:
    return {match.match_id for block in played_schedule(arena) for match in block.matches}


def counted_ids(arena: Arena) -> list[str]:
    return sorted(match["match_id"] for match in arena.json("matches") if match["counts"] == "yes")


def finished(hosted: Service, tournament: str) -> int:
    states = [match.state for match in hosted.matches(tournament).values()]
    return states.count(matches_pb2.MATCH_STATE_FINISHED)


def exported(arena: Arena, folder: Path, kind: str) -> list[dict[str, Any]]:
    """Returns the lines of a kind of an export, which is right unless its deals are not open yet."""
    file = folder / "export.jsonl"
    done = arena.command("export", str(arena.file), "--output", str(file))
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    if lines[0]["master"]:
        checked = arena.command("verify", str(file), "--commitment", lines[0]["commitment"])
        assert checked.returncode == 0, checked.stdout + checked.stderr
    return [line for line in lines if line["kind"] == kind]
