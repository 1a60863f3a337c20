"""Match records: reads, writes and verifies them (docs/rules/README.md, G2 and G3)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import zstandard
from google.protobuf.message import DecodeError

from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_games.game import SALT_BYTES, SEED_BYTES, GameError
from fudaba_games.shuffle import commitment

__all__ = ["SUFFIX", "BadRecord", "notes_file", "pack", "read", "replay", "unpack", "verify"]

SUFFIX: Final = ".fudaba"
# A record of a long match is tens of kilobytes; this bounds what a hostile file can make a reader allocate.
_MAX_RECORD_BYTES: Final = 64 * 1024 * 1024
_MAX_TIMESTAMP_MS: Final = 253_402_300_800_000  # the year 10000, where timestamps end


class BadRecord(Exception):
    """A file or message is not a match record."""


def pack(record: record_pb2.MatchRecord) -> bytes:
    """Returns the content of a record file. Equal records give equal bytes."""
    return zstandard.ZstdCompressor(level=9).compress(record.SerializeToString(deterministic=True))


def unpack(content: bytes, name: str = "record") -> record_pb2.MatchRecord:
    """Parses a record file's content. Raises `BadRecord` with `name` as its name."""
    try:
        if zstandard.frame_content_size(content) > _MAX_RECORD_BYTES:
            raise BadRecord(f"{name} is not a record file: it says that it holds more than {_MAX_RECORD_BYTES} bytes")
        plain = zstandard.ZstdDecompressor().decompress(content, max_output_size=_MAX_RECORD_BYTES)
    except zstandard.ZstdError as error:
        raise BadRecord(f"{name} is not a record file: it is not zstd data, or was cut short ({error})") from error
    try:
        record = record_pb2.MatchRecord.FromString(plain)
    except DecodeError as error:
        raise BadRecord(f"{name} is not a record file: it holds no MatchRecord ({error})") from error
    if not record.header.match_id:
        raise BadRecord(f"{name} is not a record file: it names no match")
    return record


def notes_file(record_file: Path) -> Path:
    """Returns the path of the notes of a match, beside its record."""
    return record_file.with_name(f"{record_file.name}.notes.json")


def read(path: Path) -> record_pb2.MatchRecord:
    """Reads a record file. Raises `BadRecord`, or `OSError` if the file cannot be read."""
    return unpack(path.read_bytes(), str(path))


def replay(record: record_pb2.MatchRecord) -> Replay:
    """Returns a match at its beginning, ready for the record's log. Raises `BadRecord`."""
    if len(record.seed) != SEED_BYTES:
        raise BadRecord(f"the seed has {len(record.seed)} bytes, not {SEED_BYTES}")
    try:
        record.header.create_time.ToMilliseconds()
    except ValueError as error:
        raise BadRecord(f"create_time is not a time: {error}") from error
    try:
        return Replay(record.header, record.seed)
    except GameError as error:
        raise BadRecord(f"the header cannot be played: {error}") from error


def verify(
    record: record_pb2.MatchRecord, between: Callable[[], None] = lambda: None, commitment_told: bytes | None = None
) -> list[str]:
    """Returns all faults of a record, one sentence each: in the commitment, in a move, in the result.

    `commitment_told` is the commitment that a player got before the first card, `MatchHeader.commitment` in `started`.
    Without it the record is only compared with itself: a forger who invents a seed can compute its commitment.

    A record of another version of the game's rules is not judged by this release's rules: the sentence names the
    version that judges it.

    `between` is called before each entry of the log, for callers that have other work to do.
    """
    faults: list[str] = []
    header = record.header
    if len(record.salt) != SALT_BYTES:
        faults.append(f"the salt has {len(record.salt)} bytes, not {SALT_BYTES}")
    if commitment_told is not None and commitment_told != header.commitment:
        faults.append(
            f"the record has the commitment {header.commitment.hex() or '(none)'}, and not {commitment_told.hex()}, "
            "which was told before the first card: these are not the deals that were promised then"
        )
    if commitment(record.salt, record.seed, header.match_id) != header.commitment:
        faults.append("the commitment is not that of this salt, seed and match id: the deals were not fixed in advance")
    try:
        match = replay(record)
    except BadRecord as error:
        return [*faults, f"{error}"]
    if not match.playable:
        version = header.rules_version
        faults.append(
            f"it was played by version {version} of the rules of {header.game}, and this release has version "
            f"{match.game.rules_version}: its moves are not judged here; a release with version {version} verifies it"
        )
        return faults
    for number, entry in enumerate(record.log):
        between()
        fault = _entry_fault(match, entry)
        if fault is not None:
            return [*faults, f"entry {number}: {fault}"]
        match.apply(entry)
    if not match.over:
        faults.append("the log stops before the match is over")
    elif match.end() != record.end:
        faults.append("the end is not what the log leads to")
    return faults


def _entry_fault(match: Replay, entry: record_pb2.LogEntry) -> str | None:
    """Returns the fault of an entry at this point of the match, if there is one."""
    entry_kind = entry.WhichOneof("what")
    fault = None
    if entry_kind is None:
        fault = "it says nothing that this release knows"
    elif match.over:
        fault = "it comes after the end of the match"
    elif entry.seat >= match.seats:
        fault = f"there is no seat {entry.seat}"
    elif not 0 < entry.at_ms < _MAX_TIMESTAMP_MS:
        fault = f"it has no time: at_ms is {entry.at_ms}"
    elif entry_kind == "forfeit":
        fault = _forfeit_fault(match, entry)
    elif entry_kind == "referee":
        fault = _referee_fault(match, entry)
    elif entry_kind in {"move", "timeout", "illegal"}:
        fault = _decision_fault(match, entry, entry_kind)
    return fault


def _referee_fault(match: Replay, entry: record_pb2.LogEntry) -> str | None:
    """Returns the fault of a referee's move, if there is one."""
    name = entry.referee.timer
    ends = [since + timer.ms for timer, since in match.timers.items() if timer.name == name]
    if not ends:
        return f"no timer {name!r} runs"
    return None if entry.at_ms >= min(ends) else f"the timer {name!r} fires before its time"


def _decision_fault(match: Replay, entry: record_pb2.LogEntry, entry_kind: str) -> str | None:
    """Returns the fault of an entry about a decision, if there is one."""
    if not match.started:
        return "it comes before the match began"
    try:
        decision = match.match.decision(entry.seat, _todays_id(match, entry))
        if entry_kind == "illegal":
            return None
        move = match.codec.move_from_proto(entry.move if entry_kind == "move" else entry.timeout)
        match.game.check(match.match.state, entry.seat, move)
    except GameError as error:
        return str(error)
    in_time = entry.spent.bot_us <= match.budget_us(entry.seat)
    if entry_kind == "move":
        if in_time and _too_soon(match, entry, move):
            return "the move came while the seat's hand was busy with the one before"
        return None if in_time else "the move came after the seat's time had run out"
    early = entry.spent.bot_us < match.budget_us(entry.seat)
    if move != decision.legal[0]:
        fault = "the move played when time had run out is not the default move"
    else:
        fault = "the default move was played before the seat's time had run out" if early else ""
    return fault or None


def _too_soon(match: Replay, entry: record_pb2.LogEntry, move: Any) -> bool:
    """Returns whether a seat's hand was still busy with its earlier move."""
    return entry.at_ms < match.busy_until_ms[entry.seat] and match.game.pause_ms(match.match.state, move) > 0


def _todays_id(match: Replay, entry: record_pb2.LogEntry) -> str:
    """Returns the id of an entry's decision. Early releases wrote ids without the time at which the decision was
    opened.
    """
    decision = match.match.open(entry.seat)
    if decision is not None and entry.decision_id.count(".") == 1:
        seat_and_number = ".".join(decision.id.split(".")[:2])
        return decision.id if entry.decision_id == seat_and_number else entry.decision_id
    return entry.decision_id


def _forfeit_fault(match: Replay, entry: record_pb2.LogEntry) -> str | None:
    """Returns the fault of a forfeit, if there is one: the counts must justify it."""
    clock, seat = match.header.clock, entry.seat
    if entry.forfeit.cause == record_pb2.FORFEIT_CAUSE_TIMEOUTS and (
        not clock.max_timeouts or match.timeouts[seat] < clock.max_timeouts
    ):
        return f"seat {seat} forfeits for timeouts after {match.timeouts[seat]} of them"
    if entry.forfeit.cause == record_pb2.FORFEIT_CAUSE_ILLEGAL and (
        not clock.max_illegal or match.illegal[seat] < clock.max_illegal
    ):
        return f"seat {seat} forfeits for illegal answers after {match.illegal[seat]} of them"
    return None
