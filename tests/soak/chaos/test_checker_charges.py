"""The checker counts as charged what a bot did not spend itself, and nothing else."""

from __future__ import annotations

from fudaba.v1 import record_pb2
from soak.chaos.checker import check, largest_charge
from soak.chaos.evidence import Count
from soak.chaos.invented import invented, record_in
from tests.support.faults.changed_evidence import a_decided, counts, entry_of, put_back


def test_more_time_than_the_client_measured_is_charged() -> None:
    evidence, record = invented(), record_in(invented())
    entry_of(record, a_decided(evidence)).spent.bot_us += 250_000
    put_back(evidence, record)
    [finding] = check(evidence)
    assert finding.counts_as is Count.CHARGED
    assert (finding.seat, finding.bot) == (0, "p0")


def test_what_the_client_lost_itself_is_not_charged() -> None:
    evidence, record = invented(), record_in(invented())
    decided = a_decided(evidence)
    entry_of(record, decided).spent.bot_us += 250_000
    put_back(evidence, record)
    evidence.spare = {(0, decided.decision_id): 0.1}
    assert check(evidence) == []


def test_200_ms_more_are_not_charged() -> None:
    evidence, record = invented(), record_in(invented())
    entry_of(record, a_decided(evidence)).spent.bot_us += 150_000
    put_back(evidence, record)
    assert check(evidence) == []


def test_a_time_that_ran_out_is_charged_also_if_the_decision_never_came() -> None:
    evidence, record = invented(), record_in(invented())
    decided = a_decided(evidence)
    entry = entry_of(record, decided)
    entry.timeout.CopyFrom(entry.move)
    entry.spent.bot_us = 5_000_001
    del evidence.journals[0].decided[decided.decision_id]
    put_back(evidence, record)
    # The record is no longer one of these rules, which is told too; what was charged is found by itself.
    found = check(evidence)
    assert any("its time ran out" in finding.text for finding in found if finding.counts_as is Count.CHARGED)
    assert largest_charge(evidence).seconds == 5.000_001


def test_a_forfeit_is_charged() -> None:
    evidence, record = invented(), record_in(invented())
    record.end.forfeited_seat = 1
    record.end.forfeit_cause = record_pb2.FORFEIT_CAUSE_TIMEOUTS
    put_back(evidence, record)
    assert counts(evidence)[Count.CHARGED] == 1


def test_a_jump_of_the_services_time_is_charged() -> None:
    evidence, record = invented(), record_in(invented())
    for entry in record.log[len(record.log) // 2 :]:
        entry.at_ms += 500
    put_back(evidence, record)
    assert any("time jumped by 0.4" in finding.text for finding in check(evidence))
    assert largest_charge(invented()).seconds < 0.01
    assert largest_charge(evidence).seconds > 0.4
    assert "time jumped by 0.4" in largest_charge(evidence).recorded


def test_a_jump_of_the_services_time_is_charged_unless_an_outage_of_all_covers_it() -> None:
    evidence, record = invented(), record_in(invented())
    middle = len(record.log) // 2
    for entry in record.log[middle:]:
        entry.at_ms += 100_000
    put_back(evidence, record)
    before, after = record.log[middle - 1].at_ms, record.log[middle].at_ms
    for outage in [(before - 60_000, before - 50_000), (after + 10_000, after + 20_000)]:
        evidence.outages = [outage]
        assert any("time jumped by 99." in finding.text for finding in check(evidence))
    evidence.outages = [(before - 60_000, before - 50_000), (before, after)]
    assert not any("time jumped" in finding.text for finding in check(evidence))
    assert largest_charge(evidence).seconds < 0.01
    for entry in record.log[middle + 4 :]:
        entry.at_ms += 500
    put_back(evidence, record)
    assert any("time jumped by 0.4" in finding.text for finding in check(evidence))


def test_a_move_that_was_stored_again_after_a_loss_tells_nothing_of_the_services_time() -> None:
    evidence = invented()
    decided = a_decided(evidence)
    decided.accepted -= 5.0
    assert any("time jumped" in finding.text for finding in check(evidence))
    evidence.lossy = [decided.accepted + 0.5]
    assert not any("time jumped" in finding.text for finding in check(evidence))
