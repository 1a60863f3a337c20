"""Knockouts, really played: a service, bots, the arena's command line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.arena.commands.tournaments import PLAYER, RANDOM, STEADY, bot, exported, head
from tests.support.arena.running import Arena, Service, gated
from tests.support.patience import wait_until

FIRST = bot("first", 'builtin = "first"')
NEWER = bot("newer", 'builtin = "random"')


def cup(name: str, **more: object) -> str:
    return head(name, format='"single-elimination"', **more)


def test_a_knockout_that_is_killed_in_a_round_goes_on_with_the_same_bracket(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    clock = "[clock]\nmove_ms = 600000\n"  # no match ends by it before the bots are back
    waits = bot("waits", PLAYER, env=gated(gate, free=0))  # the best seed, with a bye in the first round
    arena = Arena(hosted, tmp_path, cup("cup", third_place="true") + clock + waits + STEADY + NEWER + RANDOM + FIRST)
    with arena.run() as running:
        log = tmp_path / "run-1.log"
        wait_until(lambda: log.exists() and "round 2 of 3 begins: 2 groups" in running.output, "the second round")
        running.process.kill()
        running.wait()
    wait_until(lambda: not hosted.bot_processes(), "the bots end with the arena")
    before = exported(arena, tmp_path, "round")
    assert [line["bracket_round"] for line in before][-1] == 1
    (first, *_), decided = arena.json("standings")["bracket"]["groups"], before[0]["blocks"][0]["groups"][0]
    assert {seat["bot"] for seat in first["seats"]} == set(decided) == {"random", "first"}
    assert first["decided_by"] in {"BRACKET_DECISION_POINTS", "BRACKET_DECISION_SEED"}

    gate.touch()
    again = arena.run_to_the_end()
    assert again.process.returncode == 0, again.output
    assert "round 2 of 3 begins" not in again.output
    rounds = exported(arena, tmp_path, "round")
    assert rounds[: len(before)] == before
    assert rounds[-1]["blocks"] == []
    check_bracket(arena, first)


def check_bracket(arena: Arena, first: dict[str, Any]) -> None:
    """All is decided, the first group as before, and the places are those of its last round."""
    bracket = arena.json("standings")["bracket"]
    assert bracket["groups"][0] == first
    assert (bracket["rounds"], bracket["rounds_begun"]) == (3, 3)
    final, third = bracket["groups"][-2:]
    assert (final["section"], third["section"]) == ("BRACKET_SECTION_FINAL", "BRACKET_SECTION_THIRD_PLACE")
    places = [min(seats, key=lambda seat: seat["place"])["bot"] for seats in (final["seats"], third["seats"])]
    assert [bracket["places"][rank]["bot"] for rank in (0, 2)] == places
    assert [place["rank"] for place in bracket["places"]] == [1, 2, 3, 4, 5]
    text = arena.command("standings").stdout
    assert text.startswith("naga, 3 of 3 rounds\n")
    assert f"├─ {places[0]}\n" in text
    assert "third place:" in text


def test_an_annulment_in_a_round_that_is_not_decided_has_its_block_played_again(
    hosted: Service, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    clock = "[clock]\nmove_ms = 600000\n"
    waits = bot("waits", PLAYER, env=gated(gate))
    arena = Arena(hosted, tmp_path, cup("annulled") + clock + waits + STEADY + NEWER + RANDOM)
    with arena.run() as running:
        running.wait_for("round 1 of 2 begins: 2 groups")
        counted = wait_until(lambda: exported(arena, tmp_path, "block"), "the pairing of the two that do not wait")
        number = counted[0]["block"]
        annulled = arena.command("annul", "--blocks", f"{number}", "--reason", "the network failed", "--yes")
        assert annulled.returncode == 0, annulled.stderr
        gate.touch()
        running.wait()
        assert "in round 1: blocks were annulled, or points are even" in running.output
    opening, further, *_ = exported(arena, tmp_path, "round")
    assert further["annulled"] == [counted[0]["slot"]]
    assert further["blocks"][0] in opening["blocks"]
    assert sorted(further["blocks"][0]["groups"][0]) == ["newer", "steady"]


def test_a_bot_that_is_out_of_the_bracket_is_not_readmitted(hosted: Service, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    clock = "[clock]\nmove_ms = 600000\n"
    waits, gone = bot("waits", PLAYER, env=gated(gate)), bot("gone", 'command = ["false"]')
    arena = Arena(hosted, tmp_path, cup("out", attempts=1) + clock + waits + gone + RANDOM)
    with arena.run() as running:
        wait_until(lambda: "round 2 of 2 begins: 1 group" in running.output, "the final")
        running.process.kill()
        running.wait()
    wait_until(lambda: not hosted.bot_processes(), "the bots end with the arena")
    refused = arena.run_to_the_end("--retry-parked")
    assert refused.process.returncode == 1
    assert (
        "gone is out of the bracket, and no decided round is played again; leave out --retry-parked" in refused.output
    )
    gate.touch()
    assert arena.run_to_the_end().process.returncode == 0


def test_a_double_elimination_is_played_to_its_end(hosted: Service, tmp_path: Path) -> None:
    arena = Arena(hosted, tmp_path, head("double", format='"double-elimination"') + STEADY + RANDOM + FIRST)
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    assert exported(arena, tmp_path, "round")[-1]["blocks"] == []
    bracket = arena.json("standings")["bracket"]
    lost = [seat["bot"] for group in bracket["groups"] for seat in group["seats"] if seat["place"] == 2]
    needless = bracket["groups"][-1]["decided_by"] == "BRACKET_DECISION_NOT_NEEDED"
    [winner, *others] = [place["bot"] for place in bracket["places"]]
    assert [lost.count(bot) for bot in others] == ([3, 2] if needless else [2, 2])
    assert lost.count(winner) == (0 if needless else 1)


def test_a_bot_that_does_not_come_loses_its_pairing_and_the_knockout_ends(hosted: Service, tmp_path: Path) -> None:
    gone = bot("gone", 'command = ["false"]')
    arena = Arena(hosted, tmp_path, cup("absent", attempts=1) + gone + STEADY + RANDOM + FIRST)
    running = arena.run_to_the_end()
    assert running.process.returncode == 0, running.output
    assert "the bracket is decided" in running.output
    bracket = arena.json("standings")["bracket"]
    assert [seat["bot"] for seat in bracket["groups"][0]["seats"]] == ["gone", "first"]
    assert bracket["groups"][0]["decided_by"] == "BRACKET_DECISION_ABSENCE"
    assert [place["rank"] for place in bracket["places"] if place["bot"] == "gone"] == [3]
    assert ["gone"] in [line["out"] for line in exported(arena, tmp_path, "round")]
