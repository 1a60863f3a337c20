"""The effect of disqualifying or reinstating an entry, as a message of the contract."""

from __future__ import annotations

from math import isfinite
from typing import Final

from fudaba.v1 import arena_pb2
from fudaba_arena.api.messages.annulment_messages import effect
from fudaba_arena.ladder.ladders import Ladders
from fudaba_arena.ladder.standings import Standing
from fudaba_arena.play.tournaments.disqualifications import Judgement

__all__ = ["disqualification_effect"]

_RATING_DIGITS: Final = 2


def disqualification_effect(judgement: Judgement, before: Ladders, after: Ladders) -> arena_pb2.DisqualificationEffect:
    """Returns the message about what changes for whom, given the ladders before and after it."""
    message = arena_pb2.DisqualificationEffect(results=effect(judgement.effect), open_blocks=judgement.open_blocks)
    rows_after = {row.bot: row for row in after.overall.rows}
    for row in before.overall.rows:
        row_after = rows_after[row.bot]
        changed = arena_pb2.StandingEffect(
            bot=row.bot,
            rank_before=row.rank,
            rank_after=row_after.rank,
            rating_before=_rating(row),
            rating_after=_rating(row_after),
        )
        if (row.rank, _rating(row)) != (row_after.rank, _rating(row_after)):
            message.standings.append(changed)
    return message


def _rating(row: Standing) -> float | None:
    """Returns a version's rating; None if nothing that counts compares it with another."""
    return round(row.rating, _RATING_DIGITS) if isfinite(row.half) else None
