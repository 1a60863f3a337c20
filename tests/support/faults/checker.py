"""Checks the promises that hold after any fault, from the archive's records and the bots' notes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from fudaba import records
from fudaba.v1 import play_pb2, record_pb2
from tests.support.faults.fleet import Fleet
from tests.support.patience import until
from tests.support.service.journal import Journal
from tests.support.service.organiser import kinds
from tests.support.service.players import shown


async def check_nothing_lost(fleet: Fleet, archive: Path, *, put_back: Collection[str] = ()) -> None:
    """Plays on to the end and checks every match, see `check_record`.

    Only the matches in `put_back` may have been put back: the store did lose a tail of them.
    """
    await fleet.finish()
    archived = await archived_records(archive, fleet.matches)
    for match_id, record in archived.items():
        journals = fleet.of_match(match_id)
        assert [journal.seat for journal in journals] == list(range(len(record.header.players)))
        assert await fleet.organiser.record(match_id) == record
        check_record(record, journals)
        for journal in journals:
            assert journal.rewinds == 0 or match_id in put_back, f"{match_id} was put back without need"


async def archived_records(archive: Path, matches: Collection[str]) -> Mapping[str, record_pb2.MatchRecord]:
    """Returns the records of these matches, once all are in the archive; there are no others."""

    def files() -> list[Path]:
        return list(archive.glob(f"*/[!.]*{records.SUFFIX}"))

    await until(lambda: len(files()) >= len(matches), "the records of all matches")
    found = [records.read(file) for file in files()]
    assert sorted(record.header.match_id for record in found) == sorted(matches)
    return {record.header.match_id: record for record in found}


def check_record(record: record_pb2.MatchRecord, journals: Sequence[Journal]) -> None:
    """Checks that the record replays; the match is finished; every acknowledged move is in it once, as it was sent.

    Nobody was charged for a fault of ours: no time ran out, nobody forfeited. Every seat knows all that it may know.
    """
    match_id, seats = record.header.match_id, len(record.header.players)
    assert records.verify(record) == [], match_id
    assert record.end.HasField("outcome"), f"{match_id}: {record.end}"
    unwanted = [entry for entry in record.log if not entry.HasField("ready") and not entry.HasField("move")]
    assert not unwanted, f"{match_id}: {unwanted}, after {record.log[-len(unwanted) - 5 :]}"
    assert not record.end.HasField("forfeited_seat"), f"{match_id}: {record.end}"
    assert [kinds(record, seat).count("ready") for seat in range(seats)] == [1] * seats
    moves = stored_moves(record)
    for journal in journals:
        check_journal(record, moves[journal.seat], journal)


def check_journal(
    record: record_pb2.MatchRecord, moves: Mapping[str, Collection[bytes]], journal: Journal, *, whole: bool = True
) -> None:
    """Checks a seat's journal against the record; `whole` if the seat was there until the end."""
    where = f"{journal.match_id}, seat {journal.seat}"
    lost = set(journal.accepted) - set(moves)
    assert not lost, f"{where}: acknowledged, but not stored: {lost}"
    for decision_id, answers in journal.sent.items():
        if decision_id in journal.accepted:
            assert any(chosen(answer) in moves[decision_id] for answer in answers), f"{where}: {decision_id} is another"
    assert journal.timed_out == []
    expected = shown(record, journal.seat)
    assert journal.events == expected[: len(journal.events)], f"{where}: was told another history"
    if whole:
        assert journal.events == expected, f"{where}: was not told all"
        assert journal.over == record.end
        assert journal.header == record.header
        # Each of its moves was its own: nobody else answers for a seat.
        assert set(moves) <= set(journal.sent), f"{where}: {set(moves) - set(journal.sent)} was never sent"


def stored_moves(record: record_pb2.MatchRecord) -> list[dict[str, set[bytes]]]:
    """Returns, for each seat and each of its decisions, the answers that choose the stored move. Each decision has one
    move."""
    replay = records.replay(record)
    found: list[dict[str, set[bytes]]] = [{} for _ in record.header.players]
    for entry in record.log:
        if entry.HasField("move"):
            assert entry.decision_id not in found[entry.seat], f"{record.header.match_id}: {entry.decision_id} twice"
            legal = replay.match.decision(entry.seat, entry.decision_id).legal
            move = replay.codec.move_from_proto(entry.move)
            index = play_pb2.Answer(index=list(legal).index(move))
            text = play_pb2.Answer(text=replay.game.text.format_move(move))
            typed = play_pb2.Answer(move=entry.move)
            found[entry.seat][entry.decision_id] = {chosen(answer) for answer in (index, text, typed)}
        replay.apply(entry)
    return found


def chosen(answer: play_pb2.Answer) -> bytes:
    """Returns what an answer chooses, whatever decision it is for."""
    bare = play_pb2.Answer()
    bare.CopyFrom(answer)
    bare.match_id = bare.decision_id = ""
    return bare.SerializeToString(deterministic=True)
