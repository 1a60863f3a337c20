"""The limits on a sandboxed program: one table, with defaults and bounds.

A tournament's or ladder's file sets them in its table `[limits]`, with the memory that a bot may request.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Final, Self, final

from fudaba.toml_reading import TableReader, suggestion
from fudaba_arena.limits import MEGABYTE, BadLimit, Limit, LimitTable, limits_of
from fudaba_arena.limits import limit as _limit

__all__ = [
    "CORES_PER_SEAT",
    "LIMITS",
    "MOST_MEMORY",
    "PONDER",
    "BotLimits",
    "Limits",
    "read_limits",
    "read_some_limits",
    "unit_of",
]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(LimitTable):
    """The limits of one run. Raises `BadLimit`."""

    memory: int = _limit(512 * MEGABYTE, "memory of all its processes together, its files in /tmp included", "bytes",
                         16 * MEGABYTE, 1_000_000 * MEGABYTE)  # fmt: skip
    processes: int = _limit(64, "processes and threads at once", "processes", 1, 100_000)
    cpu: float = _limit(600.0, "processor time of all its processes together", "s", 0.1, 1_000_000.0)
    cores: float = _limit(1.0, "processor time in each second", "cores", 0.05, 1_024.0)
    wall: float = _limit(3_600.0, "time from its start to its end", "s", 0.1, 1_000_000.0)
    file_size: int = _limit(64 * MEGABYTE, "size of one file", "bytes", 4_096, 1_000_000 * MEGABYTE)
    open_files: int = _limit(256, "files and sockets that one process has open", "files", 16, 1_000_000)
    disk: int = _limit(64 * MEGABYTE, "files in /tmp, and as much again in /dev/shm", "bytes", 65_536,
                       1_000_000 * MEGABYTE)  # fmt: skip
    kept: int = _limit(64 * MEGABYTE, "size of the folder that a version keeps from match to match, each file counted "
                       "in blocks of 4,096 bytes", "bytes", 65_536, 1_000_000 * MEGABYTE)  # fmt: skip
    kept_files: int = _limit(1_000, "files and folders in that", "files", 1, 1_000_000)
    output: int = _limit(100 * MEGABYTE, "what it writes to standard output and error together", "bytes", 0,
                         1_000_000 * MEGABYTE)  # fmt: skip
    output_kept: int = _limit(MEGABYTE, "size of what is kept of each of the two: beginning and end", "bytes", 0,
                              1_000 * MEGABYTE)  # fmt: skip
    connections: int = _limit(8, "connections to the service at once", "connections", 1, 1_000)
    traffic: int = _limit(256 * MEGABYTE, "bytes to and from the service together", "bytes", 1_000,
                          1_000_000 * MEGABYTE)  # fmt: skip
    messages: int = _limit(200_000, "messages to the service: frames with headers or data, of HTTP/2", "messages", 10,
                           1_000_000_000)  # fmt: skip


LIMITS: Final[Mapping[str, Limit]] = limits_of(Limits)
"""All limits by name, in the order of the table."""
MOST_MEMORY: Final = "most_memory"
_BOT_MEMORY_LIMIT: Final = Limit("memory for a bot that asks for more with ram_mb", "bytes", 16 * MEGABYTE,
                     1_000_000 * MEGABYTE)  # fmt: skip


CORES_PER_SEAT: Final = "cores_per_seat"
PONDER: Final = "ponder"
_OF_FOLDERS: Final = frozenset({"kept", "kept_files"})
_PER_SEAT: Final = Limit("cores that a worker has for each seat; 0: seats share what there is", "cores", 0.0, 1_024.0)


@final
@dataclass(frozen=True, slots=True)
class BotLimits:
    """The limits of each submitted bot in a match."""

    usual: Limits = Limits()  # it is frozen
    """The limits of a bot without requests."""
    most_memory: int = 2_000 * MEGABYTE
    """The most memory, in bytes, that a bot can request."""
    cores_per_seat: float = 0.0
    """The number of cores that a worker has for each seat of a submitted bot during its match; 0: seats share them."""
    ponder: bool = True
    """Whether it may compute while it owes its match no decision; if not, it is frozen."""

    def for_ram(self, ram_mb: int) -> Limits:
        """Returns the limits of a bot that requests this many megabytes of memory; 0 for no request."""
        return replace(self.usual, memory=min(ram_mb * MEGABYTE, self.most_memory)) if ram_mb else self.usual

    def too_much(self, ram_mb: int) -> str:
        """Returns why a bot cannot have this many megabytes; empty if it can."""
        if ram_mb * MEGABYTE <= self.most_memory:
            return ""
        return f"it wants {ram_mb:,} MB of memory; a bot here gets {self.most_memory // MEGABYTE:,} at most"

    def rules(self, *, keeps: bool) -> tuple[str, ...]:
        """Returns the names of all limits for submitted bots. `keeps` says whether they may keep a folder."""
        limits = [name for name in LIMITS if keeps or name not in _OF_FOLDERS]
        return (*limits, *([CORES_PER_SEAT] if self.cores_per_seat else []), *([] if self.ponder else [PONDER]))

    def values(self) -> dict[str, Any]:
        """Converts it to JSON values, by the names of a file's keys."""
        more = {MOST_MEMORY: self.most_memory, CORES_PER_SEAT: self.cores_per_seat, PONDER: self.ponder}
        return asdict(self.usual) | more

    @classmethod
    def stored(cls, values: Mapping[str, Any] | None, *, strangers: bool = False) -> Self:
        """Reads stored limits. Limits unknown to an earlier release have their defaults, also if `strangers` enter."""
        known = values or {MOST_MEMORY: cls().most_memory}
        usual = Limits.parse({name: known[name] for name in LIMITS if name in known})
        per_seat = known.get(CORES_PER_SEAT, _cores_per_seat(usual, strangers=strangers))
        return cls(usual, known[MOST_MEMORY], per_seat, known.get(PONDER, not strangers))


def unit_of(name: str) -> str:
    """Returns the unit of a limit in `BotLimits.values`, such as `bytes`; empty for a yes-or-no value."""
    return "" if name == PONDER else {**LIMITS, MOST_MEMORY: _BOT_MEMORY_LIMIT, CORES_PER_SEAT: _PER_SEAT}[name].unit


def _cores_per_seat(usual: Limits, *, strangers: bool) -> float:
    """Returns the default number of cores for a seat: all that a bot may use if strangers enter."""
    return usual.cores if strangers else 0.0


def read_limits(table: TableReader, *, seats: bool = True, strangers: bool = False) -> BotLimits:
    """Returns the table `[limits]` of a file, and notes every mistake.

    `seats` says whether the bots play matches with others; `strangers` says whether anybody may enter.
    """
    ponder = table.flag(PONDER, default=not strangers) if seats else True
    known = {**LIMITS, MOST_MEMORY: _BOT_MEMORY_LIMIT} | ({CORES_PER_SEAT: _PER_SEAT} if seats else {})
    given = read_some_limits(table, known, {PONDER} if seats else ())
    per_seat = given.pop(CORES_PER_SEAT, None)
    most = int(given.pop(MOST_MEMORY, 0))
    usual = Limits.parse(given)
    if most and most < usual.memory:
        table.wrong(
            MOST_MEMORY, f"{MOST_MEMORY} is less than memory, which every bot gets; write {usual.memory:_} or more"
        )
    if per_seat is None:
        per_seat = _cores_per_seat(usual, strangers=strangers)
    return BotLimits(usual, most or max(BotLimits().most_memory, usual.memory), per_seat, ponder)


def read_some_limits(table: TableReader, known: Mapping[str, Limit], others: Collection[str] = ()) -> dict[str, float]:
    """Reads some of these limits from a table of a file, which may also have `others`. Notes every mistake."""
    given: dict[str, float] = {}
    for name, (value, wrong) in table.items().items():
        if name in others:
            continue
        if name not in known:
            wrong(f"{table.name} has no {name!r}; {suggestion(name, [*known, *others])}")
            continue
        try:
            given[name] = known[name].checked(name, value)
        except BadLimit as error:
            wrong(str(error))
    return given
