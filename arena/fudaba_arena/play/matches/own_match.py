"""Checks that a match on the service is the match that a block plans. An id alone proves nothing.

If an older backup of an arena is restored beside its service, the service has matches of other bots under the ids that
the arena will use.
"""

from __future__ import annotations

from typing import Final

from fudaba.codec import options_from_proto
from fudaba.v1 import record_pb2
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.tournament.definition import BotEntry
from fudaba_games.registry import GAMES
from fudaba_games.shuffle import commitment

__all__ = ["OTHER_MATCH", "is_planned", "record_is_planned"]

OTHER_MATCH: Final = "other_match"
"""The reason that makes a block void if the service has another match under one of its ids."""


def is_planned(header: record_pb2.MatchHeader, spec: BlockSpec, planned: PlannedMatch) -> bool:
    """Returns whether everything public about a match is as planned: id, label, game, options, and seats."""
    return (
        header.match_id == planned.match_id
        and header.label == spec.tournament
        and header.game == spec.game
        and options_from_proto(header.options) == GAMES[spec.game].resolve_options(spec.options)
        and len(header.players) == len(planned.bots)
        and all(map(_is_player, header.players, (spec.bots[name] for name in planned.bots)))
    )


def record_is_planned(record: record_pb2.MatchRecord, spec: BlockSpec, planned: PlannedMatch) -> bool:
    """Returns whether a record belongs to the planned match and was dealt from the block's own seed."""
    seed = spec.seed(planned)
    return (
        is_planned(record.header, spec, planned)
        and record.seed == seed
        and record.header.commitment == commitment(record.salt, seed, planned.match_id)
    )


def _is_player(player: record_pb2.Player, bot: BotEntry) -> bool:
    """Returns whether a seat belongs to a bot. For a house bot, the service chooses the version."""
    return player.bot == bot.bot and (bot.house or not bot.version or player.version == bot.version)
