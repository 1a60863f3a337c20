"""Standings as messages, with the void blocks, forfeited matches and network credits beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from math import isfinite
from typing import Final

from fudaba.v1 import arena_pb2, record_pb2
from fudaba_arena.api.messages.block_messages import FORFEITS, VOIDS
from fudaba_arena.ladder.finals import FINAL_BLOCKS, MIXED_BLOCKS, SEASON_BLOCKS
from fudaba_arena.ladder.ladders import Ladder, Ladders
from fudaba_arena.ladder.lookalikes import lookalikes
from fudaba_arena.ladder.standings import Standing
from fudaba_arena.schedule.fault_counts import forfeit_counts, void_cause_counts
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.usage.seat_credit import percentile_ms

__all__ = ["RATED_ON", "forfeits", "network_credits", "standings", "swiss", "voids"]

RATED_ON: Final[Mapping[str, arena_pb2.RatedBlocks.ValueType]] = {
    "": arena_pb2.RATED_BLOCKS_UNSPECIFIED,
    SEASON_BLOCKS: arena_pb2.RATED_BLOCKS_SEASON,
    FINAL_BLOCKS: arena_pb2.RATED_BLOCKS_FINAL,
    MIXED_BLOCKS: arena_pb2.RATED_BLOCKS_MIXED,
}


def standings(ladders: Ladders) -> list[arena_pb2.Standings]:
    """Returns the standings: overall first, where there are several games."""
    return [_standings(name, ladder, ladders.point) for name, ladder in ladders.named().items()]


def _standings(name: str, ladder: Ladder, point: int) -> arena_pb2.Standings:
    fit = ladder.fit
    standings_message = arena_pb2.Standings(
        game=name,
        rows=[_standing(row) for row in ladder.rows],
        confidence=fit.confidence,
        spread=fit.spread,
        deal_luck=fit.deal_luck,
        rated_on=RATED_ON[ladder.rated_on],
        point=point,
    )
    for seat in fit.seats:
        bounds = {"low": seat.low, "high": seat.high} if isfinite(seat.low) and isfinite(seat.high) else {}
        standings_message.seat_advantages.add(seat=seat.seat, advantage=seat.advantage, **bounds)
    return standings_message


def _standing(row: Standing) -> arena_pb2.Standing:
    standing = arena_pb2.Standing(
        rank=row.rank,
        bot=row.bot,
        version=row.version,
        rating=row.rating,
        low=row.low if isfinite(row.half) else None,
        high=row.high if isfinite(row.half) else None,
        points=row.points,
        matches=row.matches,
        wins=row.wins,
        draws=row.draws,
        losses=row.losses,
        share=row.share,
        blocks=row.blocks,
        void_blocks=row.voids,
        component=row.component,
        provisional=row.provisional,
        looks_like=row.looks_like,
        idle=row.idle,
        entered_versions=row.entered_versions,
        changes_with_time=row.changes,
        expected_share=row.expected_share,
        expected_low=row.expected_low,
        expected_high=row.expected_high,
        panel=row.panel,
    )
    if row.last_played_ms:
        standing.last_played_time.FromMilliseconds(row.last_played_ms)
    if row.disqualified_ms:
        standing.disqualify_time.FromMilliseconds(row.disqualified_ms)
    return standing


def swiss(state: ScheduledTournament) -> list[arena_pb2.SwissStandings]:
    """Returns the standings of the bots in each game of a Swiss; empty for other formats."""
    games = state.swiss()
    swiss_standings, found = [], lookalikes(state.tournament.bots) if games else {}
    for game, rows in games.items():
        often = Counter(row.rank for row in rows)
        swiss_standings.append(
            arena_pb2.SwissStandings(
                game=game,
                rounds_begun=len(state.stored.rounds),
                rounds=state.tournament.format.rounds,
                rows=[
                    arena_pb2.SwissStanding(
                        rank=row.rank,
                        tied=often[row.rank] > 1,
                        bot=row.bot,
                        victory_points=float(row.victory_points),
                        rounds_played=row.rounds,
                        byes=row.byes,
                        looks_like=found.get(state.entrants[row.bot].bot, ""),
                    )
                    for row in rows
                ],
            )
        )
    return swiss_standings


def forfeits(state: ScheduledTournament) -> list[arena_pb2.ForfeitCount]:
    """Returns how many counting matches each bot forfeited."""
    return [
        arena_pb2.ForfeitCount(bot=bot, cause=FORFEITS.get(cause, record_pb2.FORFEIT_CAUSE_UNSPECIFIED), matches=number)
        for bot, causes in sorted(forfeit_counts(state).items())
        for cause, number in sorted(causes.items())
    ]


def voids(state: ScheduledTournament, *, named: bool = False) -> list[arena_pb2.VoidCount]:
    """Counts the void blocks of each bot, by cause. `named` is as for `void_counts`."""
    return [
        arena_pb2.VoidCount(bot=bot, cause=VOIDS.get(cause, arena_pb2.VOID_CAUSE_UNSPECIFIED), blocks=number)
        for bot, causes in sorted(void_cause_counts(state, named=named).items())
        for cause, number in sorted(causes.items())
    ]


def network_credits(state: ScheduledTournament) -> list[arena_pb2.NetworkCredit]:
    """Returns the messages about network credits, by bot, in the matches that counted when their blocks were closed.

    See `NetworkCredit` in arena.proto.
    """

    def us(decisions: Mapping[int, int], percent: int) -> int:
        return 1000 * percentile_ms(decisions, percent)

    return [
        arena_pb2.NetworkCredit(
            bot=bot,
            decisions=sum(of_bot.values()),
            median_us=us(of_bot, 50),
            low_us=us(of_bot, 5),
            high_us=us(of_bot, 95),
        )
        for bot, of_bot in sorted(state.stored.blocks.credited.items())
    ]
