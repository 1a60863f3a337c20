"""Checks the seeds of a knockout against the export of the season that they were taken from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fudaba_arena.audit.faults import ExportFault
from fudaba_arena.tournament.ladder_seeds import top_of

__all__ = ["seed_faults"]

Line = Mapping[str, Any]


def seed_faults(definition: Line, season: Sequence[Line]) -> Iterator[ExportFault]:
    """Checks that the seeds of a definition are the best of its table. `season` are the lines of an export that is
    right.
    """
    source, seeds = definition["seeded_from"], definition.get("seeds", [])
    if season[0]["id"] != source["id"]:
        yield ExportFault(
            "SEEDS", f"its seeds are of the season {source['id']}, and the export is of {season[0]['id']}"
        )
        return
    if season[0]["master"] is None:
        yield ExportFault("SEEDS", f"its seeds are of the season {source['id']}, which is not over in the export")
        return
    point = sum(line["kind"] in {"block", "annulment"} for line in season)
    if point != source["point"]:
        text = f"its seeds are of point {source['point']} of the season's sequence, and the export is of point {point}"
        yield ExportFault("SEEDS", text)
        return
    table = next((line for line in season if line["kind"] == "standings" and line["ladder"] == source["game"]), None)
    if table is None:
        yield ExportFault("SEEDS", f"the season has no table of {source['game']}")
        return
    best = top_of(((row["bot"], row["rank"]) for row in table["standings"]), len(seeds))
    versions = {bot["bot"]: bot["version"] for bot in definition["bots"]}
    if not seeds or best != [f"{bot}@{versions.get(bot, '')}" for bot in seeds]:
        yield ExportFault("SEEDS", f"its seeds are not the best of the season, which are {', '.join(best)}")
