"""Network credits as messages: see `NetworkCredit` in arena.proto."""

from __future__ import annotations

from collections.abc import Mapping

from fudaba.v1 import arena_pb2
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.usage.seat_credit import percentile_ms

__all__ = ["network_credits"]


def network_credits(state: ScheduledTournament) -> list[arena_pb2.NetworkCredit]:
    """Returns the messages about network credits, by bot, in the matches that counted when their blocks were closed."""

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
