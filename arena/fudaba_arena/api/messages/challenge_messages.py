"""Challenges as messages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from fudaba.intervals import CONFIDENCE_LEVEL, MeanEstimate
from fudaba.sequential import SequentialRun
from fudaba.v1 import arena_pb2
from fudaba_arena.ladder.comparison import compared
from fudaba_arena.play.challenges.challenge_play import OpenChallenge
from fudaba_arena.play.challenges.challenge_scheduler import (
    BOT_ABSENT,
    MAINTENANCE,
    NO_ROOM,
    OBSTACLE,
    ChallengeScheduler,
)
from fudaba_arena.schedule.sequential_blocks import SequentialBlocks
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.challenges.challenge_store import ChallengeEnd, ChallengePolicy
from fudaba_arena.tournament.challenge_definition import Challenge
from fudaba_arena.tournament.season import ANYONE, LISTED, OFF, Season

__all__ = ["POLICIES", "challenge", "policy_of"]

POLICIES: Final[Mapping[str, arena_pb2.ChallengePolicy.ValueType]] = {
    ANYONE: arena_pb2.CHALLENGE_POLICY_ANYONE,
    LISTED: arena_pb2.CHALLENGE_POLICY_LISTED,
    OFF: arena_pb2.CHALLENGE_POLICY_OFF,
}
_ENDS: Final[Mapping[str, arena_pb2.ChallengeState.ValueType]] = {
    "finished": arena_pb2.CHALLENGE_STATE_FINISHED,
    "cancelled": arena_pb2.CHALLENGE_STATE_CANCELLED,
    "expired": arena_pb2.CHALLENGE_STATE_EXPIRED,
    "failed": arena_pb2.CHALLENGE_STATE_FAILED,
}
_WAITS: Final[Mapping[str, str]] = {
    BOT_ABSENT: "it waits for {}",
    NO_ROOM: "it waits for room beside rated blocks and other challenges",
    MAINTENANCE: "it waits until the service's maintenance is over",
    OBSTACLE: "something stops it that the organiser can see; it is tried again",
}


def policy_of(season: Season, said: ChallengePolicy | None) -> ChallengePolicy:
    """Returns who may challenge an entry of a season, whether or not its author has chosen a policy."""
    return said or ChallengePolicy(season.challenges, season.challengers)


def challenge(
    stored_challenge: Challenge,
    state: ScheduledTournament,
    ended: ChallengeEnd | None,
    challenges: ChallengeScheduler,
    *,
    organiser: bool,
) -> arena_pb2.Challenge:
    """Returns a challenge as it is now. It shows the results of blocks that are over."""
    [game], stored = state.tournament.games, state.stored
    house = [bot.bot for bot in state.tournament.bots if bot.house]
    challenge_message = arena_pb2.Challenge(
        challenge_id=stored_challenge.challenge_id,
        ladder=stored_challenge.ladder,
        game=game.game,
        seats=game.seats,
        house_bot=house[0] if house else "",
        challenger=_side(stored_challenge.challenger, stored_challenge.challenged, state),
        challenged=_side(stored_challenge.challenged, stored_challenge.challenger, state),
        blocks=len(state.schedule),
        blocks_counted=stored.blocks.counted,
        matches_counted=state.matches_counted,
        matches_planned=state.schedule.matches,
        confidence=CONFIDENCE_LEVEL,
        label=stored_challenge.name,
        commitment=bytes.fromhex(state.commitment),
    )
    if (test := stored_challenge.test) is not None:
        sequential = SequentialBlocks(test, state, stored_challenge.challenger, stored_challenge.challenged)
        sequential.look()
        challenge_message.sequential_test.CopyFrom(_sequential_test(sequential.run))
    challenge_message.create_time.FromMilliseconds(stored_challenge.created_ms)
    challenge_message.expire_time.FromMilliseconds(stored_challenge.expires_ms)
    if ended is not None:
        challenge_message.state, challenge_message.cause, challenge_message.message = (
            _ENDS[ended.state],
            _cause(ended.cause),
            ended.message,
        )
        challenge_message.end_time.FromMilliseconds(ended.at_ms)
        challenge_message.master = stored.master
    else:
        known = challenges.find(stored_challenge.challenge_id)
        if stored.created or (known is not None and known.playing):  # here, or by another arena on the same store
            challenge_message.state = arena_pb2.CHALLENGE_STATE_PLAYING
        else:
            _say_why(challenge_message, known, challenges, organiser=organiser)
    return challenge_message


def _say_why(
    challenge_message: arena_pb2.Challenge,
    known: OpenChallenge | None,
    challenges: ChallengeScheduler,
    *,
    organiser: bool,
) -> None:
    """Says why an open challenge is not being played."""
    challenge_message.state = arena_pb2.CHALLENGE_STATE_WAITING
    if known is None:
        return  # the challenge was created a moment ago
    cause, obstacle = challenges.waits(known)
    challenge_message.cause = _cause(cause)
    challenge_message.waits_for.extend(sorted(known.absent))
    challenge_message.message = _WAITS.get(cause, "").format(" and ".join(challenge_message.waits_for))
    if obstacle and organiser:
        challenge_message.message = obstacle


def _sequential_test(run: SequentialRun) -> arena_pb2.SequentialTest:
    elo = None if run.elo is None else MeanEstimate(run.elo, run.elo_half)
    return arena_pb2.SequentialTest(
        bounds=arena_pb2.SequentialBounds(low=run.test.low, high=run.test.high),
        error_rate=run.test.alpha,
        verdict=arena_pb2.SequentialVerdict.Value(f"SEQUENTIAL_VERDICT_{run.verdict.upper()}"),
        blocks=run.blocks,
        matches=run.blocks * run.matches_per_block,
        log_likelihood_ratio=run.ratio,
        normalised_elo=_estimate(elo),
    )


def _side(name: str, other: str, state: ScheduledTournament) -> arena_pb2.ChallengeSide:
    [game] = state.tournament.games
    done = compared(state.stored.blocks.blocks(), name, other, game.win_margin)
    bot, _, version = name.partition("@")
    return arena_pb2.ChallengeSide(
        bot=bot,
        version=version,
        wins=done.wins,
        draws=done.draws,
        losses=done.losses,
        share=_estimate(done.share, 0.0, 1.0),
        points=_estimate(done.points),
    )


def _estimate(
    estimate: MeanEstimate | None, least: float = float("-inf"), most: float = float("inf")
) -> arena_pb2.Estimate | None:
    if estimate is None:
        return None
    if estimate.half is None:
        return arena_pb2.Estimate(value=estimate.value)
    return arena_pb2.Estimate(
        value=estimate.value,
        low=max(least, estimate.value - estimate.half),
        high=min(most, estimate.value + estimate.half),
    )


def _cause(cause: str) -> arena_pb2.ChallengeCause.ValueType:
    return arena_pb2.ChallengeCause.Value(f"CHALLENGE_CAUSE_{cause.upper() or 'UNSPECIFIED'}")
