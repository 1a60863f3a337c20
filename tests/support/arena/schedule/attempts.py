"""Attempts at blocks, for tests of the order in which matches start."""

from __future__ import annotations

from dataclasses import replace

from fudaba_arena.play.matches.attempts import Attempt
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.schedule.state import ScheduledTournament


def submitted_attempt(tournament_state: ScheduledTournament, *names: str) -> Attempt:
    """Returns an attempt at the first block, of which these bots were submitted, the same every time."""
    spec = BlockSpec.from_block(tournament_state, next(iter(tournament_state.schedule)))
    bots = {name: replace(bot, submission="s" * (name in names)) for name, bot in spec.bots.items()}
    return Attempt.at(replace(spec, bots=bots))
