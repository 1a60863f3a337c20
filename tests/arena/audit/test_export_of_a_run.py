"""The export of a tournament that was really played: a real service, real bots, and who knows the page alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path

import pytest

from fudaba import records
from fudaba_arena.audit.digests import match_digest, results_digest
from tests.support.arena.audit.exports import DOCTORS, Lines, doctored, first
from tests.support.arena.audit.verifying import by_node, codes, saved
from tests.support.arena.running import Arena, Service
from tests.support.sizes import exhaustive

TOURNAMENT = """\
name = "open"
[[games]]
game = "naga"
[[games]]
game = "napoleon"
options = { deals = 1 }
[[bots]]
name = "remembers"
command = ["python", "player.py"]
[[bots]]
name = "remembers-too"
command = ["python", "player.py"]
env = { KEY = "a secret" }
"""
HOUSE = "".join(
    f'[[bots]]\nname = "b-{n}"\nbuiltin = "random"\n{games}'
    for n, games in enumerate(("", 'games = ["napoleon"]\n', 'games = ["napoleon"]\n'))
)
"""The fewest that Napoleon needs; one of them is enough for Naga."""


@pytest.mark.exhaustive
def test_a_tournament_is_exported_and_checked(
    hosted: Service, tmp_path: Path, need_tool: Callable[[str], Path]
) -> None:
    arena = Arena(hosted, tmp_path, TOURNAMENT + HOUSE)
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    file = tmp_path / "open.jsonl"
    done = arena.command("export", str(arena.file), "--output", str(file))
    assert done.returncode == 0, done.stderr
    assert "secret" not in file.read_text(encoding="utf-8")
    assert arena.command("export").stdout == file.read_text(encoding="utf-8")

    lines = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    about = arena.json("standings")
    assert (lines[0]["commitment"], lines[0]["master"]) == (about["commitment"], about["master"])
    check_matches(arena, hosted, lines)
    shown = arena.command("standings").stdout.splitlines()
    assert shown.index("overall") < shown.index("naga") < shown.index("napoleon")

    folder = tmp_path / "records"
    folder.mkdir()
    for line in lines:
        if line["kind"] == "match":
            record = hosted.record(line["match_id"], stranger=True)
            (folder / f"{line['match_id']}{records.SUFFIX}").write_bytes(records.pack(record))
    committed = ["--commitment", about["commitment"]]
    done = arena.command("verify", str(file), "--records", str(folder), *committed)
    assert (done.returncode, done.stderr) == (0, "")
    number = len(list(folder.iterdir()))
    assert done.stdout.startswith(f"{about['id']} is right: ")
    assert f"{number} matches, {number} records" in done.stdout

    another_definition(lines, folder, tmp_path, arena)

    node = need_tool("node")
    assert by_node(node, "export", file) == (0, "")
    for doctor in (
        DOCTORS if exhaustive() else DOCTORS[:2]
    ):  # test_verify.py has all of them in an export that is made up
        changed, expected = doctored(lines, doctor)
        assert codes(changed) == expected, doctor
        code, report = by_node(node, "export", saved(changed, tmp_path))
        assert (code, bool(report)) == (1, True), doctor

    forge_a_result(lines, folder, tmp_path, arena)


def check_matches(arena: Arena, hosted: Service, lines: Lines) -> None:
    """What is exported is what was played."""
    matches = {line["match_id"]: line for line in lines if line["kind"] == "match"}
    seeds = {(line["block"], line["deal"]): line["seed"] for line in lines if line["kind"] == "deal"}
    assert matches.keys() == hosted.matches("open").keys()
    for match in arena.json("matches"):
        line = matches[match["match_id"]]
        assert line["result"]["scores"] == match["scores"]
        record = hosted.record(match["match_id"], stranger=True)
        assert record.seed.hex() == seeds[line["block"], line["deal"]]
        assert [player.bot for player in record.header.players] == line["bots"]


def another_definition(lines: Lines, folder: Path, tmp_path: Path, arena: Arena) -> None:
    """Matches that were not played as the definition says are found by their records."""
    changed = without_standings(deepcopy(lines))
    definition = changed[0]["definition"]
    next(game for game in definition["games"] if game["game"] == "napoleon")["options"]["deals"] = 2
    definition["clock"]["move_ms"] += 1
    definition["bots"][0]["version"] = "another"
    assert codes(changed) == set()
    done = arena.command("verify", str(saved(changed, tmp_path)), "--records", str(folder), "--json")
    assert done.returncode == 1
    faults = json.loads(done.stdout)["faults"]
    assert {fault["code"] for fault in faults} == {"RECORD"}
    texts = {fault["text"] for fault in faults}
    move_ms, bot = definition["clock"]["move_ms"], definition["bots"][0]["bot"]
    assert texts == {
        "its record has the option deals 1, not 2",
        f"its record has the clock move_ms {move_ms - 1}, not {move_ms}",
        f"its record has version 1 of {bot}, not another",
    }
    matches = sum(line["kind"] == "match" for line in lines)
    assert sum("clock" in fault["text"] for fault in faults) == matches


def without_standings(lines: Lines) -> Lines:
    return [line for line in lines if line["kind"] != "standings"]


def forge_a_result(lines: Lines, folder: Path, tmp_path: Path, arena: Arena) -> None:
    """A result that was changed together with every digest is found by the standings, and by the match's record."""
    line = first(lines, "match", counts=True)
    line["result"]["scores"] = [0] * len(line["bots"]) if any(line["result"]["scores"]) else [1, -1]
    seed = first(lines, "deal", block=line["block"], deal=line["deal"])["seed"]
    result = line["result"]
    digest = match_digest(
        line["match_id"], bytes.fromhex(seed), line["bots"], result["scores"], ended_ms=result["ended_ms"]
    )
    line["digest"] = digest.hex()
    digests = [bytes.fromhex(match_line["digest"]) for match_line in lines if match_line["kind"] == "match"]
    lines[-1]["results_digest"] = results_digest(digests).hex()
    assert codes(lines) == set()
    done = arena.command("verify", str(saved(lines, tmp_path)))
    assert (done.returncode, "the results lead to" in done.stdout) == (1, True)
    forged = saved(without_standings(lines), tmp_path)
    done = arena.command("verify", str(forged), "--records", str(folder), "--json")
    assert done.returncode == 1
    assert [fault["code"] for fault in json.loads(done.stdout)["faults"]] == ["RECORD"]
