"""Explains to an author what went wrong in a match: where, which answer caused it, and what an ending means."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from fudaba.excerpts import short_line, short_lines
from fudaba.pace_words import clock_given, pace_taken
from fudaba.rerun.recorded_decisions import CannotRerun, How, Recorded, RecordedSeat, recorded_seat
from fudaba.safe_text import safe_output
from fudaba.v1 import record_pb2
from fudaba_arena.sandbox.sandbox import Cause, Ending
from fudaba_games.wording import counted

__all__ = ["describe_figures", "describe_forfeit", "describe_lapses", "describe_place", "hint", "with_output"]

_FIRST_LINES: Final = 4
_LAST_LINES: Final = 12
_MAX_LINE_BYTES: Final = 300
_POSITION_LINES: Final = 40


def describe_forfeit(record: record_pb2.MatchRecord, seat: int) -> str:
    """Returns where and how a seat forfeited its match."""
    causes = {
        record_pb2.FORFEIT_CAUSE_RESIGNED: "it resigned",
        record_pb2.FORFEIT_CAUSE_TIMEOUTS: "its time ran out",
        record_pb2.FORFEIT_CAUSE_ILLEGAL: "too many of its answers were refused",
    }
    text = f"in seat {seat} it forfeited after {_moves(record)}: {causes.get(record.end.forfeit_cause, 'it lost')}"
    refused = [entry for entry in record.log if entry.seat == seat and entry.WhichOneof("what") == "illegal"]
    if refused:
        text += f"\nto decision {refused[-1].decision_id}: {refused[-1].illegal.reason}: {refused[-1].illegal.message}"
    return text + _describe_position(record, seat)


def describe_place(record: record_pb2.MatchRecord, seat: int, decision_id: str = "") -> str:
    """Returns where in a match a seat ended or failed at a decision. That decision may since have been played by the
    default move.
    """
    return f", after {_moves(record)}{_describe_position(record, seat, decision_id)}"


def _moves(record: record_pb2.MatchRecord) -> str:
    return counted(sum(entry.WhichOneof("what") in {"move", "timeout", "referee"} for entry in record.log), "move")


def _describe_position(record: record_pb2.MatchRecord, seat: int, decision_id: str = "") -> str:
    """Returns the position of a decision as the seat saw it, or of its failed decision; empty if there is none."""
    try:
        found = recorded_seat(record, seat)
    except CannotRerun:
        return ""
    named = [decision for decision in found.decisions if decision.id == decision_id]
    if named:
        return _shown(found, named[0])
    last = found.decisions[-1]
    return _shown(found, last) if last.how in {How.FORFEITED, How.UNANSWERED, How.TIMED_OUT} else ""


def _shown(found: RecordedSeat, decision: Recorded) -> str:
    game = found.replay.game
    lines = game.text.render_view(game.view(decision.state, found.seat)).splitlines()
    left_out = [f"and {len(lines) - _POSITION_LINES} lines more"] if len(lines) > _POSITION_LINES else []
    shown = [f"  {line}" for line in [*lines[:_POSITION_LINES], *left_out]]
    return "\n".join(["", f"the position at decision {decision.id}, as seat {found.seat} saw it:", *shown])


def describe_lapses(record: record_pb2.MatchRecord, seat: int, own_errors: Sequence[str] = ()) -> str:
    """Returns where a seat ran out of time, answered illegally or failed in its own code, in a match that it did not
    forfeit; empty if it did none of these.

    `own_errors` are the ids of the decisions for which its kit reported an error.
    """
    own = f"its own code failed at {counted(len(own_errors), 'decision')}, and the default move was played"
    try:
        found = recorded_seat(record, seat)
    except CannotRerun:
        return f"in seat {seat}, {own}" if own_errors else ""
    late = [decision for decision in found.decisions if decision.required and decision.how is How.TIMED_OUT]
    wrong = [decision for decision in found.decisions if decision.refused]
    failed = [decision for decision in found.decisions if decision.id in own_errors]
    lapses = [f"{own}, first at {own_errors[0]}"] if own_errors else []
    if late:
        first = late[0]
        often = counted(len(late), "decision")
        lapses.append(f"its time ran out in {often}, first in {first.id} after {first.took_ms / 1000:.1f} s")
    if wrong:
        first = wrong[0]
        often = counted(sum(len(decision.refused) for decision in wrong), "answer")
        lapses.append(f"{often} refused, the first to decision {first.id}: {first.refused[0]}")
    if not lapses:
        return ""
    text = "\n".join(lapses)
    where = min(late + wrong + failed, key=lambda faulty_decision: faulty_decision.number, default=None)
    return f"in seat {seat}, {text}{_shown(found, where) if where is not None else ''}"


def describe_figures(record: record_pb2.MatchRecord, seat: int, cpu: float) -> str:
    """Returns how fast a seat was in a match, and how often its time ran out, against the match's clock. `cpu` is in
    seconds.
    """
    own = [entry for entry in record.log if entry.seat == seat]
    decided = [entry for entry in own if entry.WhichOneof("what") in {"move", "timeout"}]
    late = [entry.decision_id for entry in decided if entry.WhichOneof("what") == "timeout"]
    slowest = max(decided, key=lambda entry: entry.spent.bot_us, default=record_pb2.LogEntry())
    place = f" ({slowest.decision_id}, of {len(decided)})" if decided else " (it made none)"
    ready_ms = next((entry.at_ms for entry in own if entry.WhichOneof("what") == "ready"), 0)
    start_ms = max(0, ready_ms - record.header.create_time.ToMilliseconds())
    took = pace_taken(start_ms / 1000, slowest.spent.bot_us / 1e6, cpu, place)
    ran_out = f"; its time ran out in {counted(len(late), 'decision')}, first in {late[0]}" if late else ""
    return f"{took}{ran_out}; the clock: {clock_given(record.header.clock)}"


def with_output(text: str, output: bytes) -> str:
    """Returns the text with the first and the last output of the bot: a stranger's words, made safe to show."""
    lines = short_lines(output.decode(errors="replace").strip().splitlines(), _FIRST_LINES, _LAST_LINES)
    return "\n".join([text, *(f"| {safe_output(short_line(line, _MAX_LINE_BYTES))}" for line in lines)])


_GRADLE: Final = (
    "Gradle wants a network, and its wrapper a download, and there is none in a build; "
    "build the jar on your machine, and pack it"
)
_HINTS: Final[Sequence[tuple[str, str]]] = (
    ("No such file or directory", "a program, or the loader that it was linked for, is not there; see docs/authors.md"),
    ("ModuleNotFoundError", "a Python package is neither in the archive nor in the runtime; pack it"),
    ("Cannot find module", "a package of Node's is not in the archive; run npm ci, and pack node_modules"),
    ("Cannot find package", "a package of Node's is not in the archive; run npm ci, and pack node_modules"),
    ("vendor/modules.txt", "vendor is not what go.mod says; run go mod vendor, and pack what it writes"),
    ("failed to read root of directory source", "vendor is not in the archive; run cargo vendor, and pack it"),
    ("Could not determine a usable local IP", _GRADLE),
    ("services.gradle.org", _GRADLE),
    ("Unable to access jarfile", "the program is not in the archive; run mvn package, and pack it"),
)
_FEWER_THREADS: Final = (
    "it starts more threads and processes than `processes` allows; start as many as it has cores: libraries take their "
    "number from variables such as OMP_NUM_THREADS, which are set to that here, so do not raise them"
)
_THREADS: Final[Sequence[tuple[str, str]]] = (
    ("pthread_create failed", _FEWER_THREADS),
    ("can't start new thread", _FEWER_THREADS),
    ("Resource temporarily unavailable", _FEWER_THREADS),
)
"""Messages of programs that reach the limit on processes. NumPy then ends by a signal."""
_OVER: Final[Mapping[Cause, str]] = {
    Cause.MEMORY: "use less, or ask for more with ram_mb in bot.toml, as far as the ladder gives it",
    Cause.PROCESSES: _FEWER_THREADS,
    Cause.CPU: "think less in each decision: the limit is of a whole match, and of all its threads together",
    Cause.WALL: "end when the match is over, and think less in each decision",
    Cause.OUTPUT: "print less",
    Cause.TRAFFIC: "ask the service for less, as with wants_legal_moves = False and wants_events = False",
    Cause.MESSAGES: "send fewer messages: an answer for each decision, and nothing again and again",
}
"""Advice about each limit of a match."""
_BUILD_OVER: Final[Mapping[Cause, str]] = {
    Cause.MEMORY: "run fewer compilers side by side, as with make -j1",
    Cause.PROCESSES: "run fewer compilers side by side, as with make -j1",
    Cause.CPU: "the limit is of the whole build, and of all its processes; compile less, or pack what is built",
    Cause.WALL: "the limit is of the whole build; compile less, or pack what is built",
    Cause.OUTPUT: "print less",
}
"""Advice about each limit of a build, which has no network."""
_TOO_NEW: Final = re.compile(r"version `(GLIBC|GLIBCXX|CXXABI)_([0-9.]+)' not found")
_LIBRARIES: Final = {"GLIBC": "glibc", "GLIBCXX": "the C++ library", "CXXABI": "the C++ library's interface"}


def hint(ending: Ending, output: bytes, *, build: bool = False) -> str:
    """Explains a common ending of a program in a match, or of a build."""
    said = ending.why + output.decode(errors="replace")
    limits = _BUILD_OVER if build else _OVER
    if ending.cause in limits:
        return f": {limits[ending.cause]}"
    if ending.cause in {Cause.EXIT, Cause.SIGNAL}:
        explanation = next((f": {words}" for sign, words in _THREADS if sign in said), "")
        if explanation:
            return explanation
    if ending.cause not in {Cause.FAILED, Cause.EXIT}:
        return ""
    needed = [(found[1], tuple(map(int, found[2].split(".")))) for found in _TOO_NEW.finditer(said)]
    if needed:
        library, version = max(needed, key=lambda requirement: (requirement[0] == "GLIBC", requirement[1]))
        number = ".".join(map(str, version))
        todo = "build it on an older system, link it statically, or let the arena build it"
        return f": it was linked with {_LIBRARIES[library]} {number}, and the arena's is older; {todo}"
    return next((f": {words}" for sign, words in _HINTS if sign in said), "")
