"""`fudaba record`: a record that is shown, verified, or cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

from fudaba import records
from fudaba.v1 import record_pb2
from fudaba_games.shuffle import commitment
from tests.support.kit.commands import ok, refused, run
from tests.support.kit.records import a_record


def test_a_record_is_a_readable_game(tmp_path: Path) -> None:
    path = tmp_path / "m-1.fudaba"
    path.write_bytes(records.pack(a_record()))
    text = ok("record", "show", str(path))
    for part in (
        "match m-1: naga",
        "seat 0 (alpha 1)",
        "seat 1 (beta 2)",
        "is ready",
        "designate ",
        "commit ",
        "score",
    ):
        assert part in text
    assert "sees:" in ok("record", "show", str(path), "--table")
    assert json.loads(ok("record", "show", str(path), "--json"))["header"]["match_id"] == "m-1"
    assert ok("record", "verify", str(path)).endswith("valid: commitment, every move, result\n")
    assert ok("record", "verify", str(path), "-q") == ""


def test_a_record_is_compared_with_the_commitment_that_was_kept(tmp_path: Path) -> None:
    record, path = a_record(), tmp_path / "m-1.fudaba"
    path.write_bytes(records.pack(record))
    kept_commitment = record.header.commitment.hex()
    right = ok("record", "verify", str(path), "--commitment", kept_commitment.upper())
    assert right.endswith("valid: commitment, the one given, every move, result\n")
    # Other deals with a commitment of their own: only who kept the first one can tell.
    record.salt = bytes([7] * 16)
    record.header.commitment = commitment(record.salt, record.seed, record.header.match_id)
    path.write_bytes(records.pack(record))
    assert ok("record", "verify", str(path), "-q") == ""
    result = run("record", "verify", str(path), "--commitment", kept_commitment)
    assert result.exit_code == 1
    assert f"the record has the commitment {record.header.commitment.hex()}, and not {kept_commitment}" in result.stdout
    assert "not the deals that were promised" in result.stdout
    assert "64 hexadecimal digits" in refused(
        "record", "verify", str(path), "--commitment", kept_commitment[:-2], code=2
    )
    assert "name one FILE" in refused("record", "verify", str(path), str(path), "--commitment", kept_commitment, code=2)


def test_what_never_costs_the_match_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "m-1.fudaba"
    path.write_bytes(records.pack(a_record()))
    assert "forfeit: never for timeouts, never for illegal answers" in ok("record", "show", str(path))


def test_a_record_that_is_wrong_is_told_with_its_faults(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.fudaba", tmp_path / "wrong.fudaba"
    right.write_bytes(records.pack(a_record()))
    record = a_record()
    record.salt = bytes([1] * 16)
    del record.log[-1]
    wrong.write_bytes(records.pack(record))
    result = run("record", "verify", str(right), str(wrong))
    assert result.exit_code == 1
    assert "commitment" in result.stdout
    assert "1 of 2 records is invalid" in result.stderr
    found = json.loads(run("record", "verify", "--json", str(right), str(wrong)).stdout)
    assert found["unread"] == {}
    assert found["faults"][str(right)] == []
    assert len(found["faults"][str(wrong)]) == 2


def test_a_record_of_other_rules_is_not_judged_by_todays(tmp_path: Path) -> None:
    """Its options, moves and result may be none that today's rules know."""
    record = a_record()
    today, version = record.header.rules_version, record.header.rules_version + 1
    record.header.rules_version = version
    record.header.options["unheard_of"].number = 1
    del record.log[4:6]
    [fault] = records.verify(record)
    assert f"played by version {version} of the rules of naga, and this release has version {today}: " in fault
    assert f"its moves are not judged here; a release with version {version} verifies it" in fault
    path = tmp_path / "m-1.fudaba"
    path.write_bytes(records.pack(record))
    shown = ok("record", "show", str(path), "--table")
    assert f"the moves only: it was played by version {version} of the rules of naga" in shown
    assert "designate " in shown
    assert "sees:" not in shown
    assert "seat 0 (alpha 1): score" in shown
    abort = record_pb2.Abort(cause=record_pb2.ABORT_CAUSE_RULES_CHANGED, message="a release with it verifies it")
    record.log.add(abort=abort, at_ms=record.log[-1].at_ms)
    record.end.Clear()
    record.end.abort_cause = abort.cause
    path.write_bytes(records.pack(record))
    shown = ok("record", "show", str(path))
    assert "aborted: a release with it verifies it" in shown
    assert f"aborted: it was played by version {version} of the game's rules, and the service has another one" in shown
    record.salt = bytes([1] * 16)
    assert len(records.verify(record)) == 2, "whether the deals were fixed can be said by any release"


def test_a_record_of_other_rules_may_have_seats_that_todays_do_not_allow(tmp_path: Path) -> None:
    record = a_record()
    record.header.players.add(bot="gamma", version="3")
    assert records.verify(record) == ["the header cannot be played: naga is played by 2 seats, not 3"]
    record.header.rules_version = version = record.header.rules_version + 1
    for players in (3, 9, 1, 0):
        del record.header.players[players:]
        while len(record.header.players) < players:
            record.header.players.add(bot="another")
        [fault] = records.verify(record)
        assert f"a release with version {version} verifies it" in fault
    record.header.players.extend([record_pb2.Player(bot=bot) for bot in ("alpha", "beta", "gamma")])
    path = tmp_path / "m-1.fudaba"
    path.write_bytes(records.pack(record))
    shown = ok("record", "show", str(path), "--table")
    assert f"the moves only: it was played by version {version} of the rules of naga" in shown
    assert "gamma" in shown
    assert "sees:" not in shown


def test_a_file_that_cannot_be_read_is_not_called_a_wrong_record(tmp_path: Path) -> None:
    right, wrong, absent = tmp_path / "right.fudaba", tmp_path / "wrong.fudaba", tmp_path / "absent.fudaba"
    right.write_bytes(records.pack(a_record()))
    wrong.write_bytes(b"hello")
    result = run("record", "verify", str(right), str(absent))
    assert result.exit_code == 2
    assert f"{absent}: cannot be read: No such file or directory\n" in result.stdout
    assert result.stderr == "error: 1 file could not be read\n"
    both = run("record", "verify", str(wrong), str(absent))
    assert both.exit_code == 1
    assert both.stderr == "error: 1 of 1 record is invalid; 1 file could not be read\n"
    report = json.loads(run("record", "verify", "--json", str(right), str(absent)).stdout)
    assert report == {"faults": {str(right): []}, "unread": {str(absent): "No such file or directory"}}


def test_a_file_that_is_no_record_is_told(tmp_path: Path) -> None:
    whole = records.pack(a_record())
    for name, content in {"cut": whole[:-20], "text": b"hello", "empty": b""}.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert "not a record file" in refused("record", "show", str(path))
        assert run("record", "verify", str(path)).exit_code == 1
    assert "No such file" in refused("record", "show", str(tmp_path / "nothere"))


def test_a_record_that_cannot_be_played_says_so(tmp_path: Path) -> None:
    record = a_record()
    record.header.game = "chess"
    path = tmp_path / "m.fudaba"
    path.write_bytes(records.pack(record))
    result = run("record", "show", str(path))
    assert result.exit_code == 1
    assert "there is no game 'chess'" in result.stderr


def test_what_was_credited_to_each_bot_for_the_network_is_shown(tmp_path: Path) -> None:
    record, path = a_record(), tmp_path / "m-1.fudaba"
    own = [entry for entry in record.log if entry.seat == 0 and entry.HasField("move")]
    assert len(own) > 2
    for number, entry in enumerate(own):
        entry.spent.network_us = 300_000 if number else 12_000
    path.write_bytes(records.pack(record))
    lines = [line for line in ok("record", "show", str(path)).splitlines() if line.startswith("network: ")]
    assert lines == ["network: seat 0 (alpha 1) was credited 300 ms a decision at the median, 12 to 300 ms"]
