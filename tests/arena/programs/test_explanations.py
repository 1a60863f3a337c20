"""What an author is told of a match that the bot got through, but not as it should."""

from __future__ import annotations

import pytest

from fudaba.v1 import record_pb2
from fudaba_arena.programs.building import OVER
from fudaba_arena.programs.explanations import describe_figures, describe_lapses, describe_place, hint, with_output
from fudaba_arena.sandbox.sandbox import Cause, Ending, Usage
from tests.support.kit.played_record import Playing, first


def test_time_that_ran_out_is_told_with_the_first_decision_and_its_position() -> None:
    playing = Playing("naga")
    late = playing.replay.match.open_decisions()[0]
    entry = record_pb2.LogEntry(seat=late.seat, decision_id=late.id)
    entry.spent.bot_us = 70_000_000
    playing.replay.codec.move_to_proto(late.legal[0], entry.timeout)
    playing.log(entry)
    record = playing.play(first)
    beginning = f"in seat {late.seat}, its time ran out in 1 decision, first in {late.id} after 70.0 s\n"
    text = describe_lapses(record, late.seat)
    assert text.startswith(f"{beginning}the position at decision {late.id}, as seat {late.seat} saw it:\n"), text
    assert not describe_lapses(record, 1 - late.seat)


def test_own_errors_are_told_with_the_first_decision_and_its_position_whatever_the_record_lacks() -> None:
    record = Playing("naga").play(first)
    seat = next(entry.seat for entry in record.log if entry.WhichOneof("what") == "move")
    ids = [entry.decision_id for entry in record.log if entry.seat == seat and entry.WhichOneof("what") == "move"][:2]
    text = describe_lapses(record, seat, ids)
    assert f"its own code failed at 2 decisions, and the default move was played, first at {ids[0]}\n" in text
    assert f"the position at decision {ids[0]}, as seat " in text
    assert "its own code failed at 1 decision," in describe_lapses(record, seat, ["none of these"])


def test_the_decision_at_which_it_failed_is_shown_though_the_default_move_is_played_by_then() -> None:
    record = Playing("naga").play(first)
    seat = next(entry.seat for entry in record.log if entry.WhichOneof("what") == "move")
    [failed, *_] = [entry.decision_id for entry in record.log if entry.seat == seat and entry.HasField("move")]
    assert f"the position at decision {failed}, as seat {seat} saw it:\n" in describe_place(record, seat, failed)
    assert "the position" not in describe_place(record, seat)


def test_answers_that_were_refused_are_told_with_the_first_reason() -> None:
    playing = Playing("naga")
    wrong = playing.replay.match.open_decisions()[0]
    for reason in ("MALFORMED_MOVE", "ILLEGAL_MOVE"):
        illegal_answer = record_pb2.IllegalAnswer(reason=reason, message="not so")
        playing.log(record_pb2.LogEntry(seat=wrong.seat, decision_id=wrong.id, illegal=illegal_answer))
    text = describe_lapses(playing.play(first), wrong.seat)
    assert f"2 answers refused, the first to decision {wrong.id}: MALFORMED_MOVE: not so\n" in text


def test_of_long_output_the_beginning_and_the_end_are_told_also_of_a_line() -> None:
    output = ["OpenBLAS: pthread_create failed", *["in between"] * 50, f"{'x' * 10_000} LAST WORDS"]
    lines = with_output("it ended", "\n".join(output).encode()).splitlines()
    assert lines[:2] == ["it ended", "| OpenBLAS: pthread_create failed"]
    assert "| [… 36 lines left out …]" in lines
    assert lines[-1].startswith("| xxx")
    assert lines[-1].endswith(" LAST WORDS")


@pytest.mark.parametrize(
    ("cause", "said", "words"),
    [
        (
            Cause.PROCESSES,
            b"",
            "start as many as it has cores: libraries take their number from variables such as",
        ),
        (Cause.SIGNAL, b"OpenBLAS blas_thread_init: pthread_create failed for thread 1 of 4", "more threads and proc"),
        (Cause.EXIT, b"RuntimeError: can't start new thread", "more threads and processes than `processes` allows"),
        (Cause.MEMORY, b"", "ask for more with ram_mb in bot.toml"),
        (Cause.CPU, b"", "of all its threads together"),
        (Cause.WALL, b"", "think less"),
        (Cause.OUTPUT, b"", "print less"),
        (Cause.TRAFFIC, b"", "wants_legal_moves = False"),
        (Cause.MESSAGES, b"", "send fewer messages"),
    ],
)
def test_a_limit_that_is_met_is_told_with_what_to_do(cause: Cause, said: bytes, words: str) -> None:
    assert words in hint(Ending(cause, None, None, Usage(), ""), said)
    assert cause not in OVER or words in hint(Ending(cause, None, None, Usage(), ""), b"")


@pytest.mark.parametrize(
    "said",
    [
        b"> Could not determine a usable local IP for this machine.",
        b"Downloading https://services.gradle.org/distributions/gradle-8.10-bin.zip",
    ],
    ids=["gradle", "its wrapper"],
)
def test_a_build_with_gradle_that_finds_no_network_is_told_to_build_the_jar_at_home(said: bytes) -> None:
    words = hint(Ending(Cause.EXIT, 1, None, Usage(), ""), said, build=True)
    assert words.endswith("build the jar on your machine, and pack it")


@pytest.mark.parametrize("cause", [Cause.MEMORY, Cause.PROCESSES, Cause.CPU, Cause.WALL, Cause.OUTPUT])
def test_of_a_build_no_limit_is_told_in_words_of_a_match(cause: Cause) -> None:
    words = hint(Ending(cause, None, None, Usage(), ""), b"", build=True)
    assert words
    assert not any(word in words for word in ("match", "decision", "ram_mb", "OMP_NUM_THREADS"))


def test_figures_are_those_of_a_seat_alone_and_name_its_slowest_decision() -> None:
    record = record_pb2.MatchRecord()
    record.header.create_time.FromMilliseconds(1_000)
    record.header.clock.MergeFrom(record_pb2.Clock(move_ms=2_000, bank_ms=60_000))
    assert "0.00 s for its slowest decision (it made none)" in describe_figures(record, 1, 0.0)
    record.log.add(seat=0, at_ms=9_000).ready.SetInParent()
    record.log.add(seat=1, at_ms=1_700).ready.SetInParent()
    for number, (seat, bot_us) in enumerate([(0, 9_000_000), (1, 10_000), (1, 2_500_000), (1, 20_000)]):
        spent = record_pb2.Spent(bot_us=bot_us, network_us=50_000_000, server_us=50_000_000)
        record.log.add(seat=seat, decision_id=f"{number}.a", spent=spent).move.SetInParent()
    record.log.add(seat=1, decision_id="4.a", spent=record_pb2.Spent(bot_us=2_000_000)).timeout.SetInParent()
    record.log.add(seat=1, decision_id="5.a").referee.SetInParent()
    assert describe_figures(record, 1, 1.25) == (
        "it started in 0.7 s, took 2.50 s for its slowest decision (2.a, of 4), and 1.25 s of CPU in a match;"
        " its time ran out in 1 decision, first in 4.a;"
        " the clock: 2 s for a move, 60 s more in all, 0 s back for each"
    )
