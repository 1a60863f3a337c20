"""What is wrong with an export is found and named, by this release and by who knows the page alone."""

from __future__ import annotations

import contextlib
import hmac
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from fudaba_arena.audit.export import export
from fudaba_arena.audit.verify import BadExport, verify
from fudaba_arena.commands.cli import arena
from fudaba_arena.schedule.state import TournamentState
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.tournament.definition import APART, FRESH
from fudaba_arena.tournament.formats import Format
from tests.support.arena.audit.exports import (
    DOCTORS,
    MASTER,
    VOID_DOCTORS,
    Doctor,
    Lines,
    a_block_left_out,
    a_second_end,
    a_swapped_seat,
    a_void_block_put_down_to_a_stranger,
    count,
    doctored,
    first,
    lines_of,
    make_void,
    played,
    texts,
)
from tests.support.arena.audit.verifying import by_node, codes, saved
from tests.support.sizes import exhaustive

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "docs" / "deal_vectors.json"

NeedTool = Callable[[str], Path]


def command(*arguments: str) -> Result:
    return CliRunner().invoke(arena, ["verify", *arguments])


def test_the_page_shows_the_vectors() -> None:
    page = (ROOT / "docs" / "contract.md").read_text(encoding="utf-8")
    assert f"```json\n{VECTORS.read_text(encoding='utf-8')}```" in page


def test_the_vectors_are_those_of_who_knows_the_page_alone(need_tool: NeedTool) -> None:
    assert by_node(need_tool("node"), "vectors", VECTORS) == (0, "")


def test_the_vectors_are_those_of_the_standard_library() -> None:
    vectors = json.loads(VECTORS.read_text(encoding="utf-8"))
    master = bytes.fromhex(vectors["master"])
    assert sha256(b"fudaba-master-v1" + master).hexdigest() == vectors["commitment"]
    for entry in vectors["block_seeds"]:
        seed = hmac.new(master, b"fudaba-block-v1" + entry["block"].to_bytes(8, "big"), sha256).hexdigest()
        assert seed == entry["seed"]


def test_an_export_is_right_and_says_what_it_has(tmp_path: Path, need_tool: NeedTool) -> None:
    state = played()
    lines = lines_of(state)
    report = verify(texts(lines))
    assert report.faults == []
    kinds = [sum(line["kind"] == kind for line in lines) for kind in ("block", "deal", "match")]
    assert [report.blocks, report.deals, report.matches] == kinds
    assert report.blocks == len(state.schedule) + 1
    assert by_node(need_tool("node"), "export", saved(lines, tmp_path)) == (0, "")


@pytest.mark.parametrize("doctor", [*DOCTORS, *VOID_DOCTORS])
def test_what_was_changed_is_found(doctor: Doctor, tmp_path: Path, need_tool: NeedTool) -> None:
    lines, expected = doctored(lines_of(played()), doctor)
    assert codes(lines) == expected
    file = saved(lines, tmp_path)
    code, report = by_node(need_tool("node"), "export", file)
    assert (code, bool(report)) == (1, True)
    done = command(str(file))
    assert done.exit_code == 1
    assert "is right" not in done.stdout


def test_a_fault_names_block_deal_and_match(tmp_path: Path) -> None:
    lines = lines_of(played())
    line = first(lines, "match", counts=True)
    line["bots"].reverse()
    done = command(str(saved(lines, tmp_path)), "--json")
    assert done.exit_code == 1
    report = json.loads(done.stdout)
    assert not report["right"]
    seats, digest = report["faults"]
    assert (seats["code"], digest["code"]) == ("SEATS", "DIGEST")
    assert (seats["block"], seats["deal"], seats["match_id"]) == (line["block"], line["deal"], line["match_id"])
    printed = command(str(saved(lines, tmp_path))).stdout.splitlines()
    assert printed[0].startswith(f"block {line['block']}, deal {line['deal']}, match {line['match_id']}: ")


def test_an_export_that_is_all_made_up_anew_is_found_by_the_commitment(tmp_path: Path) -> None:
    """Whoever changes all of it in accord changes the commitment, which was public before."""
    state = played()
    state.stored.master = bytes(32)
    forged = lines_of(TournamentState(state.tournament, state.stored))
    right = lines_of(played())[0]["commitment"]
    assert codes(forged) <= {"MATCH_MISSING", "MATCH", "RESULT", "SEATS", "DIGEST"}
    assert "COMMITMENT" in codes(forged, committed=bytes.fromhex(right))
    assert command(str(saved(lines_of(played()), tmp_path)), "--commitment", right).exit_code == 0


def test_a_master_that_was_not_committed_to_is_found() -> None:
    lines = lines_of(played())
    lines[0]["master"] = bytes(32).hex()
    assert "MASTER" in codes(lines)
    assert codes(lines_of(played()), master=bytes(32)) >= {"MASTER", "BLOCK_SEED", "DEAL_SEED", "DIGEST"}


def test_before_the_master_is_open_nothing_is_told_that_gives_deals_away() -> None:
    state = played(closed=False)
    lines = lines_of(state)
    assert {line["seed"] for line in lines if line["kind"] in {"block", "deal"}} == {None}
    assert MASTER.hex() not in "".join(texts(lines))
    report = verify(texts(lines))
    assert (report.faults, "its master is not open yet" in report.unchecked[0]) == ([], True)
    assert codes(lines, master=MASTER) == set()
    first(lines, "block")["seed"] = MASTER.hex()
    assert codes(lines) == {"BLOCK_SEED"}


def test_what_was_changed_is_found_without_the_master_too(tmp_path: Path) -> None:
    for doctor in (a_block_left_out, a_swapped_seat, a_second_end, a_void_block_put_down_to_a_stranger):
        lines, expected = doctored(lines_of(played(closed=False)), doctor)
        # What is not there may be still to be played.
        assert codes(lines) >= expected - {"BLOCK_MISSING", "DIGEST"}, doctor
    done = command(str(saved(lines_of(played(closed=False)), tmp_path)))
    assert (done.exit_code, "is right as far as it can be checked" in done.stdout) == (0, True)


def test_how_bots_are_started_is_not_told() -> None:
    assert "secret" not in "".join(texts(lines_of(played())))


def test_blocks_that_are_still_to_be_played_are_not_in_it() -> None:
    state = played(closed=False, left_out=[0])
    lines = lines_of(state)
    assert all(line.get("block") != 0 for line in lines)
    assert codes(lines, master=MASTER) == set()


def test_a_slot_may_be_empty_only_if_it_is_parked() -> None:
    state = played(left_out=[2])
    for attempt in range(3):
        make_void(state, 2 + attempt * len(state.schedule))
    lines = lines_of(state)
    assert lines[0]["parked"] == [2 + 3 * len(state.schedule)]
    assert codes(lines) == set()
    lines[0]["parked"] = []
    assert codes(lines) == {"BLOCK_MISSING"}


def test_a_match_may_be_left_out_of_a_block_only_if_a_bot_of_it_is_withdrawn() -> None:
    state = played(left_out=[0])
    assert any("alice" in match.bots for match in state.schedule.block(0).matches)
    count(state, 0, without="alice")
    state.stored.withdrawn["alice"] = "it did not connect"
    lines = lines_of(state)
    assert codes(lines) == set()
    lines[0]["withdrawn"] = []
    assert codes(lines) == {"RESULT"}


def test_annulled_blocks_stay_listed_with_the_reason_and_do_not_count(tmp_path: Path, need_tool: NeedTool) -> None:
    state = played()
    annulled = Annulment((0, 2), "the network failed", 1_767_225_900_000)
    state.stored.blocks.hold([annulled])
    lines = lines_of(state)
    block_lines = {line["block"]: line for line in lines if line["kind"] == "block"}
    assert {number for number, line in block_lines.items() if line["state"] == "annulled"} == {0, 2}
    assert block_lines[0]["annulled"] == {"reason": "the network failed", "at_ms": 1_767_225_900_000, "bots": []}
    of_block = [line for line in lines if line["kind"] == "match" and line["block"] == 0]
    assert all(line["result"] and not line["counts"] for line in of_block)
    assert codes(lines) == set()
    assert by_node(need_tool("node"), "export", saved(lines, tmp_path)) == (0, "")
    of_block[0]["counts"] = True
    assert codes(lines) == {"RESULT"}


def test_a_void_block_that_is_said_to_count_is_found() -> None:
    lines = lines_of(played())
    first(lines, "block", state="void")["state"] = "counted"
    assert codes(lines) >= {"RESULT", "BLOCK"}


def test_a_void_block_that_is_left_out_is_found() -> None:
    lines = lines_of(played())
    number = first(lines, "block", state="void")["block"]
    assert "BLOCK_MISSING" in codes([line for line in lines if line.get("block") != number])


@pytest.mark.parametrize(
    ("kind", "field", "value", "why"),
    [
        ("deal", "deal", 0.5, "deal is 0.5, not a whole number"),
        ("deal", "block", True, "block is true, not a whole number"),
        ("block", "block", -1, "block is -1, not a whole number from 0"),
        ("block", "void_bots", "alice", 'void_bots is "alice", not a list'),
        ("match", "match_id", ["x"], 'match_id is ["x"], not a text'),
        ("match", "bots", ["alice", {}], "bots[1] is {}, not a text"),
        ("match", "counts", 1, "counts is 1, not true or false"),
        ("match", "result", {"scores": [1, -1]}, "result.forfeited_by is missing"),
        ("match", "digest", "xy", 'digest is "xy", not pairs of hexadecimal digits'),
        ("end", "blocks", None, "blocks is null, not a whole number"),
    ],
)
def test_a_field_of_another_type_is_named_with_its_line(kind: str, field: str, value: object, why: str) -> None:
    lines = lines_of(played())
    line = first(lines, kind)
    line[field] = value
    with pytest.raises(BadExport) as refused:
        codes(lines)
    assert str(refused.value).startswith(f"line {lines.index(line) + 1}, of kind {kind}: {why}")


def test_a_record_is_looked_at_whatever_the_line_says_of_its_match(tmp_path: Path) -> None:
    lines = lines_of(played())
    line = first(lines, "match")
    (tmp_path / f"{line['match_id']}.fudaba").write_bytes(b"no record")
    line["deal"] = -1
    assert {fault.code for fault in verify(texts(lines), records=tmp_path).faults} == {"MATCH", "RECORD"}
    line["match_id"] = "../outside"
    assert "RECORD" not in {fault.code for fault in verify(texts(lines), records=tmp_path / "empty").faults}


def _values_of(value: object) -> Iterator[tuple[Any, Any]]:
    """Every place in a line, as what holds it and its name or number there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in list(inner):
        yield value, key
        yield from _values_of(child)


VALUES: tuple[Any, ...] = (None, -1, 10**30, "", "x", [], [[]], {}, True, 0.5)


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(len(VALUES)))
def test_no_value_of_any_field_is_more_than_found_or_refused(number: int) -> None:
    """A sample has two of the values in each field, and each value in one of five fields."""
    for kind in ("tournament", "block", "deal", "match", "end"):
        places = len(list(_values_of(first(lines_of(played()), kind))))
        for place in range(places) if exhaustive() else range(number % 5, places, 5):
            lines = lines_of(played())
            holder, key = list(_values_of(first(lines, kind)))[place]
            holder[key] = deepcopy(VALUES[number])
            with contextlib.suppress(BadExport):
                codes(lines)


@pytest.mark.parametrize("kind", ["block", "deal", "match"])
def test_a_line_that_is_there_twice_is_found(kind: str) -> None:
    lines = lines_of(played())
    lines.insert(1, dict(first(lines, kind)))
    assert codes(lines)


@pytest.mark.parametrize("kind", ["deal", "match", "end"])
def test_a_line_that_is_missing_is_found(kind: str) -> None:
    lines = lines_of(played())
    lines.remove(first(lines, kind))
    assert codes(lines) >= {"END"}


def test_a_definition_that_nobody_can_have_played_is_found_at_once() -> None:
    lines = lines_of(played())
    lines[0]["definition"]["games"][0]["blocks"] = 10**15
    assert codes(lines) == {"DEFINITION"}
    lines[0]["definition"]["games"][0]["blocks"] = 10**40
    with pytest.raises(BadExport, match=r"line 1, of kind tournament: definition\.games\[0\]\.blocks is 1000"):
        codes(lines)


def test_lines_and_fields_of_later_releases_are_passed_over() -> None:
    lines = [line | {"later": 1} for line in lines_of(played())]
    lines.insert(3, {"kind": "later"})
    assert codes(lines) == set()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there are no lines"),
        ("[" * 100_000 + "\n", "line 1 is not JSON"),
        ("{", "line 1 is not JSON"),
        ("[]\n", "line 1 is not a line of an export"),
        ('{"kind": "block"}\n', "line 1 begins no export of format 1"),
        ('{"kind": "tournament", "format": 2}\n', "line 1 begins no export of format 1"),
        ('{"kind": "tournament", "format": 1}\n', "line 1, of kind tournament: name is missing"),
    ],
)
def test_what_is_no_export_is_refused(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "it.jsonl"
    file.write_text(text, encoding="utf-8")
    done = command(str(file))
    assert done.exit_code == 1
    assert done.stderr.startswith(f"error: {file}: {why}")


@pytest.mark.parametrize("value", ["xyz", "00"])
def test_what_is_no_master_is_refused(value: str, tmp_path: Path) -> None:
    assert command(str(saved(lines_of(played()), tmp_path)), "--master", value).exit_code == 2


def test_an_export_can_come_from_a_pipe() -> None:
    text = "".join(texts(lines_of(played())))
    done = CliRunner().invoke(arena, ["verify", "-", "--commitment", lines_of(played())[0]["commitment"]], input=text)
    assert done.exit_code == 0, done.output
    assert "is right" in done.stdout


def test_equal_states_have_equal_exports() -> None:
    assert [*export(played())] == [*export(played())]


def test_an_export_of_a_gauntlet_is_right_and_another_challenger_is_found() -> None:
    lines = lines_of(played(form=Format("gauntlet", ("alice", "random"))))
    assert codes(lines) == set()
    assert {tuple(sorted(line["bots"])) for line in lines if line["kind"] == "match"} == {
        ("alice", "bob"),
        ("alice", "first"),
        ("bob", "random"),
        ("first", "random"),
    }
    lines[0]["definition"]["challengers"] = ["alice", "bob"]
    assert {"SEATS"} <= codes(lines)


def test_a_format_that_this_release_does_not_know_is_said_to_be_one() -> None:
    lines = lines_of(played())
    lines[0]["definition"]["format"] = "knockout"
    (fault,) = verify(texts(lines)).faults
    assert (fault.code, fault.text) == ("DEFINITION", "its format is knockout, which this release does not know")


@pytest.mark.parametrize("form", [None, Format("gauntlet", ("first",)), Format("swiss", rounds=2)])
def test_an_export_whose_deals_are_fresh_is_right_and_is_not_one_whose_deals_are_played_again(
    form: Format | None,
) -> None:
    lines = lines_of(played(sittings=FRESH, form=form))
    assert codes(lines) == set()
    matches = [(line["block"], line["deal"]) for line in lines if line["kind"] == "match"]
    assert len(set(matches)) == len(matches)
    lines[0]["definition"]["sittings"] = APART
    assert codes(lines) & {"DEFINITION", "MATCH", "BLOCK"}


def test_who_knows_the_page_alone_takes_an_export_whose_deals_are_fresh(tmp_path: Path, need_tool: NeedTool) -> None:
    assert by_node(need_tool("node"), "export", saved(lines_of(played(sittings=FRESH)), tmp_path)) == (0, "")


def test_sittings_that_this_release_does_not_know_are_said_to_be_some() -> None:
    lines = lines_of(played())
    lines[0]["definition"]["sittings"] = "twice"
    (fault,) = verify(texts(lines)).faults
    assert (fault.code, fault.text) == ("DEFINITION", "its sittings are twice, which this release does not know")


def test_an_export_of_an_earlier_release_says_nothing_of_sittings() -> None:
    lines = lines_of(played())
    assert lines[0]["definition"].pop("sittings") == APART
    assert codes(lines) == set()


def test_an_export_of_an_earlier_release_names_no_challengers() -> None:
    lines = lines_of(played())
    del lines[0]["definition"]["challengers"]
    assert codes(lines) == set()
    lines[0]["definition"]["challengers"] = [1]
    with pytest.raises(BadExport, match=r"definition.challengers\[0\] is 1, not a text"):
        verify(texts(lines))


def swiss_lines() -> Lines:
    return lines_of(played(form=Format("swiss", rounds=3)))


def test_an_export_of_a_swiss_is_right_and_has_its_rounds() -> None:
    lines = swiss_lines()
    assert codes(lines) == set()
    assert [line["round"] for line in lines if line["kind"] == "round"] == [0, 1, 2]
    assert {line["attempt"] for line in lines if line["kind"] == "block"} == {0, 1}


@pytest.mark.parametrize("doctor", [*DOCTORS, *VOID_DOCTORS])
def test_what_is_wrong_with_a_swiss_is_found(doctor: Doctor) -> None:
    lines, expected = doctored(swiss_lines(), doctor)
    assert expected <= codes(lines) | {"ORDER"}


def test_a_round_that_results_do_not_lead_to_is_found() -> None:
    lines = swiss_lines()
    last = first(lines, "round", round=2)
    group, other = groups_of(last)
    group[0], other[0] = other[0], group[0]
    (fault, *_) = verify(texts(lines)).faults
    assert (fault.code, fault.text) == (
        "ROUND",
        "round 2: it has other groups or byes than the results before it lead to",
    )


def test_other_results_than_those_that_a_round_was_drawn_from_are_found() -> None:
    lines = swiss_lines()
    opening, second = (groups_of(first(lines, "round", round=number)) for number in (0, 1))
    entrant = opening[0][0]
    met_next = next(set(group) - {entrant} for group in second if entrant in group)
    winners = {entrant, *(set(opening[1]) - met_next)}  # these would meet instead
    for line in lines:
        if line["kind"] == "match" and line["counts"] and first(lines, "block", block=line["block"])["round"] == 0:
            line["result"]["scores"] = [2 if bot in winners else -2 for bot in line["bots"]]
    assert {"DIGEST", "ROUND", "SEATS"} <= codes(lines)


def groups_of(line: dict[str, Any]) -> list[list[str]]:
    """The groups of a round."""
    return [group for block in line["blocks"] for group in block["groups"]]


@pytest.mark.parametrize("change", ["one more", "one less", "another number", "no such bot", "in a round robin"])
def test_rounds_that_cannot_be_are_found(change: str) -> None:
    lines = swiss_lines()
    last = first(lines, "round", round=2)
    if change == "one more":
        lines.insert(4, deepcopy(last) | {"round": 3})
    elif change == "one less":
        lines.remove(last)
    elif change == "another number":
        last["round"] = 7
    elif change == "no such bot":
        last["out"] = ["alice", "bob", "first"]
    else:
        lines[0]["definition"]["format"] = "round-robin"
    assert codes(lines) & {"ROUND", "DEFINITION"}


def test_an_annulled_block_stays_what_a_round_was_drawn_from() -> None:
    state = played(form=Format("swiss", rounds=3))
    number = next(closed.block for closed in state.stored.blocks.blocks() if closed.void is None)
    state.stored.blocks.hold([Annulment((number,), "the network failed", 1)])
    lines = lines_of(state)
    assert not any(line["counts"] for line in lines if line["kind"] == "match" and line["block"] == number)
    assert codes(lines) == set()
