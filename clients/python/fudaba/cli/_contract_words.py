"""The contract's enums and ends of matches, in words."""

from __future__ import annotations

from statistics import median
from typing import Final

from fudaba.cli.clock import NO_NETWORK_CREDIT
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_games.wording import counted

__all__ = ["bot_at", "ending", "forfeit_cause", "header_lines", "network_credits", "state"]

_START_MS: Final = 60_000  # what the contract's `Clock.start_ms` of 0 means


def state(value: matches_pb2.MatchState.ValueType) -> str:
    """Returns the state of a match in words."""
    known = matches_pb2.MatchState.DESCRIPTOR.values_by_number.get(value)
    return known.name.removeprefix("MATCH_STATE_").lower() if known is not None else str(value)


def forfeit_cause(value: record_pb2.ForfeitCause.ValueType) -> str:
    """Returns the cause of a seat's forfeit in words."""
    words = {
        record_pb2.FORFEIT_CAUSE_RESIGNED: "it resigned",
        record_pb2.FORFEIT_CAUSE_TIMEOUTS: "its time ran out too often",
        record_pb2.FORFEIT_CAUSE_ILLEGAL: "too many of its answers were illegal",
    }
    return words.get(value, f"cause {value}")


def bot_at(header: record_pb2.MatchHeader, seat: int) -> str:
    """Returns a seat with its bot."""
    if seat >= len(header.players):
        return f"seat {seat}"
    player = header.players[seat]
    if not player.bot:
        return f"seat {seat} ({'name hidden' if header.names_hidden else 'nobody yet'})"
    return f"seat {seat} ({player.bot}{' ' + player.version if player.version else ''})"


def ending(header: record_pb2.MatchHeader, end: record_pb2.MatchEnd) -> list[str]:
    """Returns how a match ended, one sentence per line."""
    lines = []
    if end.abort_cause == record_pb2.ABORT_CAUSE_NO_SHOW:
        absent = ", ".join(bot_at(header, seat) for seat in end.absent_seats)
        lines.append(f"aborted: {absent} did not connect in time")
    elif end.abort_cause == record_pb2.ABORT_CAUSE_NOT_JOINED:
        seats = ", ".join(str(seat) for seat in end.absent_seats)
        lines.append(f"given up: nobody took seat {seats} in time")
    elif end.abort_cause == record_pb2.ABORT_CAUSE_CALLED_OFF:
        lines.append("called off by the bot that created it")
    elif end.abort_cause == record_pb2.ABORT_CAUSE_LOST:
        lines.append("aborted: the store lost it")
    elif end.abort_cause == record_pb2.ABORT_CAUSE_RULES_CHANGED:
        lines.append(
            f"aborted: it was played by version {header.rules_version} of the game's rules, "
            "and the service has another one now"
        )
    elif end.abort_cause:
        lines.append("aborted by an organiser")
    if end.HasField("forfeited_seat"):
        lines.append(f"{bot_at(header, end.forfeited_seat)} forfeited: {forfeit_cause(end.forfeit_cause)}")
    if end.HasField("outcome"):
        for seat, score in enumerate(end.outcome.scores):
            place = end.outcome.placements[seat] if seat < len(end.outcome.placements) else 0
            lines.append(f"{bot_at(header, seat)}: score {score:+d}, placement {place}")
    return lines or ["ended without a result"]


def _limit(number: int, noun: str) -> str:
    """Returns the number of faults after which a bot forfeits, in words."""
    return f"after {counted(number, noun)}" if number else f"never for {noun}s"


def header_lines(header: record_pb2.MatchHeader, *, seats: bool = True) -> list[str]:
    """Returns what was fixed when a match was created, and with `seats` also the players."""
    options = []
    for name, value in sorted(header.options.items()):
        kind = value.WhichOneof("value")
        options.append(f"{name}={str(getattr(value, kind)).lower() if kind else '?'}")
    clock = header.clock
    lines = [
        f"match {header.match_id}: {header.game}, rules {header.rules_version}"
        + (f", {', '.join(options)}" if options else ""),
        *(bot_at(header, seat) for seat in range(len(header.players) if seats else 0)),
        f"clock: {clock.move_ms} ms a move, bank {clock.bank_ms} ms, increment {clock.increment_ms} ms",
        f"start: every bot connected within {clock.start_ms or _START_MS} ms",
        f"forfeit: {_limit(clock.max_timeouts, 'timeout')}, {_limit(clock.max_illegal, 'illegal answer')}",
    ]
    if clock.no_network_credit:
        lines.append(NO_NETWORK_CREDIT)
    if header.label:
        lines.append(f"label: {header.label}")
    return lines


def network_credits(record: record_pb2.MatchRecord) -> list[str]:
    """Returns a line for each bot with network credit: the credit for a decision, and its variation.

    A steady credit suggests a slow network. A credit near the maximum may be a bot's that delays its pongs.
    """
    by_seat: dict[int, list[float]] = {}
    for entry in record.log:
        if entry.WhichOneof("what") in {"move", "timeout"}:
            by_seat.setdefault(entry.seat, []).append(entry.spent.network_us / 1000)
    return [
        f"network: {bot_at(record.header, seat)} was credited {median(of_seat):.0f} ms a decision at the median, "
        f"{min(of_seat):.0f} to {max(of_seat):.0f} ms"
        for seat, of_seat in sorted(by_seat.items())
        if any(of_seat)
    ]
