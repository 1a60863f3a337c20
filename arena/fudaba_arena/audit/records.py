"""Compares match records with an export: each result must follow from the match's moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

from fudaba import records
from fudaba.codec import options_from_proto
from fudaba.v1 import record_pb2
from fudaba_arena.audit.faults import ExportFault
from fudaba_arena.audit.rebuilt import LADDER
from fudaba_arena.store.blocks.closed_block import ABSENT

__all__ = ["Planned", "record_faults"]

_CLOCK: Final = ("move_ms", "increment_ms", "bank_ms", "max_timeouts", "max_illegal")


@final
@dataclass(frozen=True, slots=True)
class Planned:
    """A match as the schedule has it."""

    seed: bytes
    """The seed of its deal; empty while it is not public."""
    game: str
    """The game of its block."""
    definition: Mapping[str, Any]
    """The tournament's definition."""


def record_faults(
    matches: Iterable[Mapping[str, Any]], planned: Mapping[str, Planned], folder: Path
) -> Iterator[list[ExportFault]]:
    """Checks the record of each match that a folder has as `MATCH_ID.fudaba`.

    `planned` has the planned matches by id. Records of other matches are skipped.
    """
    for line in matches:
        path = folder / f"{line['match_id']}{records.SUFFIX}"
        if line["match_id"] in planned and path.is_file():
            where = {"block": line["block"], "deal": line["deal"], "match_id": line["match_id"]}
            texts = _texts(line, planned[line["match_id"]], path)
            yield [ExportFault("RECORD", text, **where) for text in texts]


def _texts(line: Mapping[str, Any], planned: Planned, path: Path) -> Iterator[str]:
    try:
        record = records.read(path)
    except records.BadRecord as error:
        yield str(error)
        return
    yield from (f"its record is wrong: {text}" for text in records.verify(record))
    if record.header.match_id != line["match_id"]:
        yield f"its record is that of match {record.header.match_id}"
    if planned.seed and record.seed != planned.seed:
        yield "its record has another seed"
    yield from _header_texts(record.header, planned)
    bots = [_name(player, planned) for player in record.header.players]
    if bots != line["bots"]:
        yield f"its record has {', '.join(bots)} in this order"
    if line["result"] is not None and line["result"]["forfeit_cause"] == ABSENT:
        if record.end.abort_cause == record_pb2.ABORT_CAUSE_UNSPECIFIED:
            yield "its record is of a match that was played, and it was forfeited since bots were away"
    elif line["result"] is not None:
        yield from _result_texts(line["result"], record, bots)


def _header_texts(header: record_pb2.MatchHeader, planned: Planned) -> Iterator[str]:
    """Compares a match's header with the tournament's definition."""
    definition = planned.definition
    game = next((played for played in definition["games"] if played["game"] == planned.game), None)
    if header.game != planned.game:
        yield f"its record is of {header.game}, not of {planned.game}"
    elif game is not None:
        options = options_from_proto(header.options)
        yield from _differences("option", options, game["options"])
    clock = {name: getattr(header.clock, name) for name in (*_CLOCK, "start_ms")}
    clock["network_credit"] = not header.clock.no_network_credit
    start_ms = definition["connect_seconds"] * 1000
    yield from _differences("clock", clock, {"network_credit": True} | definition["clock"] | {"start_ms": start_ms})
    versions = {bot["bot"]: bot["version"] for bot in definition["bots"]}
    for player in header.players:
        name = _name(player, planned)
        if player.version != versions.get(name, player.version):
            yield f"its record has version {player.version} of {name}, not {versions[name]}"


def _name(player: record_pb2.Player, planned: Planned) -> str:
    """Returns a player's name in the export: in a ladder, versions are rated."""
    ladder = planned.definition["format"] == LADDER
    return f"{player.bot}@{player.version}" if ladder else player.bot


def _differences(kind: str, there: Mapping[str, Any], planned: Mapping[str, Any]) -> Iterator[str]:
    for name in sorted(there.keys() | planned.keys()):
        if there.get(name) != planned.get(name):
            yield f"its record has the {kind} {name} {there.get(name)}, not {planned.get(name)}"


def _result_texts(result: Mapping[str, Any], record: record_pb2.MatchRecord, bots: list[str]) -> Iterator[str]:
    scores = list(record.end.outcome.scores)
    if scores != result["scores"]:
        yield f"its record leads to the scores {scores}, not {result['scores']}"
    forfeited = bots[record.end.forfeited_seat] if record.end.HasField("forfeited_seat") else ""
    if forfeited != result["forfeited_by"]:
        yield f"in its record {forfeited or 'nobody'} forfeits, not {result['forfeited_by'] or 'nobody'}"
