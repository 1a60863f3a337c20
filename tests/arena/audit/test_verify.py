"""What is wrong with an export is found and named, by this release and by who knows the page alone."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba_arena.audit.export import export
from fudaba_arena.audit.verify import verify
from fudaba_arena.commands.cli import arena
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.blocks.annulments import Annulment
from fudaba_arena.tournament.definition import APART, FRESH
from fudaba_arena.tournament.formats import Format
from tests.support.arena.audit.exports import (
    DOCTORS,
    MASTER,
    VOID_DOCTORS,
    Doctor,
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
from tests.support.arena.audit.verifying import by_node, codes, command, saved

ROOT = Path(__file__).resolve().parents[3]
VECTORS = ROOT / "docs" / "deal_vectors.json"

NeedTool = Callable[[str], Path]


def test_the_page_shows_the_vectors() -> None:
    page = (ROOT / "docs" / "verifying.md").read_text(encoding="utf-8")
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
    forged = lines_of(ScheduledTournament(state.tournament, state.stored))
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


def test_a_record_is_looked_at_whatever_the_line_says_of_its_match(tmp_path: Path) -> None:
    lines = lines_of(played())
    line = first(lines, "match")
    (tmp_path / f"{line['match_id']}.fudaba").write_bytes(b"no record")
    line["deal"] = -1
    assert {fault.code for fault in verify(texts(lines), records=tmp_path).faults} == {"MATCH", "RECORD"}
    line["match_id"] = "../outside"
    assert "RECORD" not in {fault.code for fault in verify(texts(lines), records=tmp_path / "empty").faults}


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
