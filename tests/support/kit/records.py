"""A record as a file."""

from __future__ import annotations

from fudaba.v1 import record_pb2
from fudaba_games.registry import game
from fudaba_games.shuffle import commitment


def a_record(match_id: str = "m-1") -> record_pb2.MatchRecord:
    """Returns a whole match by default moves, as a service would record it."""
    from fudaba.replay import Replay

    record = record_pb2.MatchRecord(seed=bytes(32), salt=bytes(16))
    header = record.header
    header.match_id, header.game, header.rules_version = match_id, "naga", game("naga").rules_version
    header.players.add(bot="alpha", version="1")
    header.players.add(bot="beta", version="2")
    header.clock.move_ms = 10_000
    header.options["deals"].number = 1
    header.options["first_dealer"].number = 0
    header.commitment = commitment(record.salt, record.seed, match_id)
    replay = Replay(header, record.seed)

    def log(entry: record_pb2.LogEntry) -> None:
        entry.at_ms = 1_700_000_000_000 + len(record.log)
        replay.apply(entry)
        record.log.append(entry)

    for seat in range(2):
        log(record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready()))
    while (decision := next(iter(replay.match.open_decisions()), None)) is not None:
        entry = record_pb2.LogEntry(seat=decision.seat, decision_id=decision.id)
        replay.codec.move_to_proto(decision.legal[0], entry.move)
        log(entry)
    record.end.CopyFrom(replay.end())
    return record
