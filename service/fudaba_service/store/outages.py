"""Outages of the service, and how long they are remembered.

An outage is a span of the shared time in which a replica could not serve its bots: it was dead or frozen, could not
reach the store, or did not hear the others. The clocks of seats that may have waited for it stand still meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from fudaba_service.store import keys
from fudaba_service.store.scripts import FREES, IN_SAME_STORE

__all__ = ["KEPT_MS", "MAX_OUTAGES", "Outage", "noting", "remembered"]

KEPT_MS: Final = 24 * 3_600_000
"""The time for which an outage is remembered after its end: longer than any decision is open, its bank included."""
MAX_OUTAGES: Final = 1_000
"""The number of remembered outages: those that ended last."""
_NOTE: Final = (
    FREES
    + IN_SAME_STORE
    + """
local function unpacked(packed)
  local from, to, replica = string.match(packed, '^(%d+)-(%d+)-?(.*)$')
  return {from = tonumber(from), to = tonumber(to), replica = replica}
end
local all, last, kept = {}, {}, {}
for _, packed in ipairs(redis.call('LRANGE', KEYS[1], 0, -1)) do table.insert(all, unpacked(packed)) end
for number = 4, #ARGV do table.insert(all, unpacked(ARGV[number])) end
table.sort(all, function(a, b) return a.from < b.from end)
for _, outage in ipairs(all) do
  local before = last[outage.replica]
  if before and outage.from <= before.to then
    before.to = math.max(before.to, outage.to)
  else
    last[outage.replica] = outage
    table.insert(kept, outage)
  end
end
table.sort(kept, function(a, b) return a.to < b.to end)
redis.call('DEL', KEYS[1])
for number = math.max(1, #kept - ARGV[3] + 1), #kept do
  local outage = kept[number]
  if outage.to >= tonumber(ARGV[2]) then
    redis.call('RPUSH', KEYS[1], string.format('%.0f-%.0f-%s', outage.from, outage.to, outage.replica))
  end
end
"""
)
"""Merges new outages into the stored list, as `remembered` does.

KEYS: the list, the store's id. ARGV: the id that was read, the time before which an ended outage is forgotten, how many
are kept, new outages...
"""


class Outage(NamedTuple):
    """A span of the shared time, in ms."""

    start: int
    end: int
    replica: str = ""
    """The replica that had the outage; empty when no replica was alive."""

    @classmethod
    def unpack(cls, raw: bytes) -> Outage:
        """Reads its stored form."""
        start, end, *replica = raw.decode().split("-", 2)
        return cls(int(start), int(end), *replica)

    def pack(self) -> str:
        """Returns its stored form."""
        return f"{self.start}-{self.end}-{self.replica}"


def remembered(outages: Iterable[Outage], now_ms: int) -> list[Outage]:
    """Merges outages by their ends. Overlapping or touching outages of one replica become one."""
    last: dict[str, Outage] = {}
    kept: list[Outage] = []
    for outage in sorted(outages):
        before = last.get(outage.replica)
        if before is None:
            last[outage.replica] = outage
        elif outage.start <= before.end:
            last[outage.replica] = before._replace(end=max(before.end, outage.end))
        else:
            kept.append(before)
            last[outage.replica] = outage
    since = now_ms - KEPT_MS
    kept = [outage for outage in (*kept, *last.values()) if outage.end >= since]
    return sorted(kept, key=lambda outage: outage.end)[-MAX_OUTAGES:]


def noting(outages: Sequence[Outage], now_ms: int, store_id: str) -> list[str | int]:
    """Returns the command that adds outages to those of the store with that id.

    Repeating it changes nothing.
    """
    packed = [outage.pack() for outage in outages]
    since_ms = now_ms - KEPT_MS
    return ["EVAL", _NOTE, 2, keys.OUTAGES, keys.SERVICE, store_id, since_ms, MAX_OUTAGES, *packed]
