"""A knockout that a ladder seeds: from its season's last standings to an export that shows they were the right ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fudaba.v1 import arena_pb2
from tests.support.arena.api.ladders import CALM, OPEN, WAITING, call, create, get, rows, until
from tests.support.arena.standing import Arena

CLOSED = arena_pb2.TOURNAMENT_STATE_CLOSED
CUP = """\
name = "{name}"
format = "single-elimination"
game = "naga"
options = {{ deals = 1 }}
"""
SECOND = '\n[[bots]]\nname = "second"\nbuiltin = "random"\n'


def over(arena: Arena, ladder: str) -> None:
    """Plays a season of three bots until all have ranks, and ends it."""
    create(arena, OPEN.format(name=ladder, narrow=0) + SECOND)
    until(arena, lambda: all(row.rank for row in rows(arena, ladder).values()), "all are ranked")
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder=ladder))
    until(arena, lambda: get(arena, ladder).state == arena_pb2.LADDER_STATE_CLOSED, "its season is over")


def exported(arena: Arena, folder: Path, name: str) -> Path:
    file = folder / f"{name}.jsonl"
    done = arena.command("arena", "export", "--tournament", name, "--output", str(file))
    assert done.returncode == 0, done.stderr
    return file


def test_the_best_of_a_season_play_a_cup_by_their_ranks_and_its_export_shows_it(arena: Arena, tmp_path: Path) -> None:
    over(arena, "open")
    ranked = [row.bot.partition("@")[0] for row in sorted(rows(arena, "open").values(), key=lambda row: row.rank)]
    file = tmp_path / "cup.toml"
    file.write_text(CUP.format(name="cup"), encoding="utf-8")
    asked = ("tournament", "create", str(file), "--from-ladder", "open", "--top", "2")
    planned = arena.json(*asked, "--check")["definition"]
    assert planned["seeds"] == ranked[:2]
    assert (planned["seeded_from"]["ladder"], planned["seeded_from"]["season"]) == ("open", 1)
    assert f"{ranked[0]} (1)" in arena.command(*asked, "--dry-run").stdout
    for _ in range(2):  # the same command again changes nothing
        done = arena.command(*asked)
        assert (done.returncode, done.stdout) == (0, "cup\n"), done.stderr
    arena.wait_for("cup", CLOSED)
    assert list(arena.get("cup").definition.seeds) == ranked[:2]
    shown = arena.command("tournament", "show", "cup").stdout
    assert "seeds: the ranks of open in naga at the end of season 1\n" in shown

    cup, season = exported(arena, tmp_path, "cup"), exported(arena, tmp_path, "open.1")
    unknown = arena.command("arena", "verify", str(cup))
    assert (unknown.returncode, "give its export with --seeds" in unknown.stdout) == (0, True), unknown.stdout
    right = arena.command("arena", "verify", str(cup), "--seeds", str(season))
    assert (right.returncode, "not checked" in right.stdout) == (0, False), right.stdout + right.stderr
    check_faults(arena, cup, season)

    annul_a_block(season, arena)
    later = arena.command(*asked)
    assert (later.returncode, later.stdout) == (0, "cup\n"), later.stderr
    file.write_text(CUP.format(name="late"), encoding="utf-8")
    assert arena.json(*asked, "--check")["definition"]["seeded_from"]["point"] != planned["seeded_from"]["point"]


def annul_a_block(season: Path, arena: Arena) -> None:
    """Moves the season's point by an annulment."""
    lines = map(json.loads, season.read_text(encoding="utf-8").splitlines())
    number = next(line["block"] for line in lines if line["kind"] == "block" and line["state"] == "counted")
    request = arena_pb2.AnnulBlocksRequest(tournament="open.1", blocks=[number], reason="its worker was broken")
    call(arena, "AnnulBlocks", request)


def check_faults(arena: Arena, cup: Path, season: Path) -> None:
    """Other seeds, another point and another export are found."""
    first, *rest = cup.read_text(encoding="utf-8").splitlines()
    for change in ({"seeds": list(reversed(json.loads(first)["definition"]["seeds"]))}, {"seeded_from": {"point": 1}}):
        head = json.loads(first)
        for key, value in change.items():
            head["definition"][key] = head["definition"][key] | value if isinstance(value, dict) else value
        wrong = cup.with_name("wrong.jsonl")
        wrong.write_text("\n".join([json.dumps(head), *rest]), encoding="utf-8")
        report = arena.command("arena", "verify", str(wrong), "--seeds", str(season), "--json")
        assert report.returncode == 1
        assert "SEEDS" in {fault["code"] for fault in json.loads(report.stdout)["faults"]}
    other = arena.command("arena", "verify", str(cup), "--seeds", str(cup))
    assert (other.returncode, "the export is of cup-" in other.stdout) == (1, True), other.stdout
    needless = arena.command("arena", "verify", str(season), "--seeds", str(season))
    assert (needless.returncode, "its seeds are of no ladder" in needless.stderr) == (1, True), needless.stderr


@pytest.mark.parametrize(
    ("table", "line", "why"),
    [
        ('ladder = "nobody"\ntop = 2', 7, "there is no ladder nobody"),
        ('ladder = "early"\ntop = 2', 7, "no season of early is over"),
        ('ladder = "early"\ntop = 2\nseason = 1', 9, "season 1 of early is not over"),
        ('ladder = "early"\ntop = 2\nseason = 5', 9, "early has no season 5"),
        ('ladder = "early"\ntop = 1', 8, "write a whole number from 2"),
    ],
)
def test_what_a_ladder_cannot_send_is_refused_at_its_line(arena: Arena, table: str, line: int, why: str) -> None:
    create(arena, WAITING.format(name="early", narrow=0))
    wanted = CUP.format(name="refused") + f"\n[from_ladder]\n{table}\n"
    error = arena.refusal("CreateTournament", arena_pb2.CreateTournamentRequest(definition=wanted))
    assert error.reason == "BAD_TOURNAMENT"
    [(field, text)] = error.violations
    assert (field, why in text) == (f"definition:{line}", True), text


def test_a_season_without_as_many_ranks_says_how_many_it_has(arena: Arena) -> None:
    create(arena, CALM.format(name="few", narrow=0).replace("[season]", "[season]\nfinal_wait_seconds = 0", 1))
    call(arena, "CloseSeason", arena_pb2.CloseSeasonRequest(ladder="few"))
    until(arena, lambda: get(arena, "few").state == arena_pb2.LADDER_STATE_CLOSED, "its season is over")
    ranks = sum(bool(row.rank) for row in rows(arena, "few").values())
    wanted = CUP.format(name="many") + '\n[from_ladder]\nladder = "few"\ntop = 9\n'
    error = arena.refusal("CreateTournament", arena_pb2.CreateTournamentRequest(definition=wanted))
    assert f"season 1 of few ranks {ranks} bot" in error.violations[0][1]


@pytest.mark.parametrize(("options", "why"), [(["--top", "2"], "--from-ladder"), (["--from-ladder", "open"], "--top")])
def test_a_command_that_asks_by_halves_is_refused(arena: Arena, tmp_path: Path, options: list[str], why: str) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP.format(name="half"), encoding="utf-8")
    done = arena.command("tournament", "create", str(file), *options)
    assert (done.returncode, why in done.stderr) == (2, True), done.stderr


def test_a_command_and_a_file_that_both_name_a_ladder_are_refused(arena: Arena, tmp_path: Path) -> None:
    file = tmp_path / "cup.toml"
    file.write_text(CUP.format(name="twice") + '\n[from_ladder]\nladder = "open"\ntop = 2\n', encoding="utf-8")
    done = arena.command("tournament", "create", str(file), "--from-ladder", "open", "--top", "2")
    assert (done.returncode, "has [from_ladder] already" in done.stderr) == (2, True), done.stderr


def test_the_export_of_an_unknown_tournament_is_refused_in_words(arena: Arena) -> None:
    done = arena.command("arena", "export", "--arena", arena.address, "--tournament", "nobody")
    assert (done.returncode, done.stdout) == (1, "")
    assert "there is no tournament or ladder 'nobody'" in done.stderr
