"""A fair-play report as messages of the contract."""

from __future__ import annotations

from typing import Final

from fudaba.v1 import arena_pb2
from fudaba_arena.ladder.fairplay import Kind, Line, Report

__all__ = ["fair_play"]

_KINDS: Final = {
    Kind.PAIR: arena_pb2.FAIR_PLAY_KIND_PAIR,
    Kind.ACCOUNT: arena_pb2.FAIR_PLAY_KIND_ACCOUNT,
    Kind.GATHERED: arena_pb2.FAIR_PLAY_KIND_GATHERED,
    Kind.FORFEITS: arena_pb2.FAIR_PLAY_KIND_FORFEITS,
    Kind.VOIDS: arena_pb2.FAIR_PLAY_KIND_VOIDS,
    Kind.WORKER: arena_pb2.FAIR_PLAY_KIND_WORKER,
    Kind.DEALS: arena_pb2.FAIR_PLAY_KIND_DEALS,
}


def fair_play(season: int, report: Report) -> arena_pb2.GetFairPlayResponse:
    """Returns the message of a season's report."""
    return arena_pb2.GetFairPlayResponse(
        season=season, lines=map(_line, report.lines), comparisons=report.looks, blocks=report.blocks
    )


def _line(line: Line) -> arena_pb2.FairPlayLine:
    return arena_pb2.FairPlayLine(
        kind=_KINDS[line.kind],
        game=line.game,
        gaining=line.gaining,
        giving=line.giving,
        worker=line.worker,
        blocks=line.blocks,
        share=line.share,
        expected_share=line.expected,
        effect=line.effect,
        effect_error=line.effect_error,
        probability=line.probability,
        match_ids=line.matches,
        match_count=line.match_count,
    )
