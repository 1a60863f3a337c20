"""Challenges in words and tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from fudaba.cli._sequential_words import Outcome, verdict_lines
from fudaba.cli.output import moment, table
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = ["challenges_table", "cut_short", "over", "policy", "sides_table", "state", "story"]


def state(found: arena_pb2.Challenge) -> str:
    """Returns the state in words: waiting, playing, finished, cancelled, expired or failed."""
    from fudaba.v1 import arena_pb2

    return arena_pb2.ChallengeState.Name(found.state).removeprefix("CHALLENGE_STATE_").lower()


def over(found: arena_pb2.Challenge) -> bool:
    """Returns whether nothing more of the challenge will be played."""
    return found.HasField("end_time")


def cut_short(found: arena_pb2.Challenge) -> bool:
    """Returns whether it ended before all of it was played."""
    return over(found) and state(found) != "finished"


def policy(found: arena_pb2.Entry) -> str:
    """Returns who may challenge an entry, in words."""
    from fudaba.v1 import arena_pb2

    word = arena_pb2.ChallengePolicy.Name(found.challenges).removeprefix("CHALLENGE_POLICY_").lower()
    return {"anyone": "everybody", "listed": ", ".join(found.challengers), "off": "nobody"}.get(word, "-")


def story(found: arena_pb2.Challenge) -> list[str]:
    """Returns who plays whom in which game, and the progress."""
    pairing = f"{_name(found.challenger)} against {_name(found.challenged)}"
    house = f", and {found.house_bot} in {counted(found.seats - 2, 'seat')}" if found.house_bot else ""
    matches = f"{found.matches_counted} of {counted(found.matches_planned, 'match')}"
    return [
        f"challenge {found.challenge_id}: {state(found)}{f': {found.message}' if found.message else ''}",
        f"{pairing}{house}; {found.game}, as in ladder {found.ladder}",
        f"{found.blocks_counted} of {counted(found.blocks, 'block')}, {matches}",
        *(_verdict(found) if found.HasField("sequential_test") else []),
        *([] if over(found) else [f"expires: {moment(found.expire_time)} UTC"]),
    ]


def _verdict(found: arena_pb2.Challenge) -> list[str]:
    """Returns the verdict of a sequential test, in words."""
    from fudaba.sequential import Verdict
    from fudaba.v1 import arena_pb2

    test = found.sequential_test
    word = arena_pb2.SequentialVerdict.Name(test.verdict).removeprefix("SEQUENTIAL_VERDICT_").lower()
    if word not in {*Verdict}:
        return []  # a verdict of a later release
    elo, half = None, None
    if test.HasField("normalised_elo"):
        elo = test.normalised_elo.value
        half = test.normalised_elo.high - elo if test.normalised_elo.HasField("high") else None
    return verdict_lines(
        Outcome(
            Verdict(word), test.bounds.low, test.bounds.high, test.error_rate, test.error_rate, test.blocks,
            test.matches, elo, half,
        ),
        _name(found.challenger),
        _name(found.challenged),
        "block",
    )  # fmt: skip


def sides_table(found: arena_pb2.Challenge) -> str:
    """Returns the results of the two sides; empty before a block counts."""
    if not found.blocks_counted:
        return ""
    confidence = f"{100 * found.confidence:g}%"
    head = ("bot", "wins", "draws", "losses", "share", confidence, "points a match", confidence)
    rows = [
        [
            _name(side),
            *(str(number) for number in (side.wins, side.draws, side.losses)),
            *_cells(side, "share", lambda value: f"{100 * value:.1f}%"),
            *_cells(side, "points", lambda value: f"{value:.2f}"),
        ]
        for side in (found.challenger, found.challenged)
    ]
    return table(head, rows, "lrrrrrrr")


def challenges_table(found: Iterable[arena_pb2.Challenge]) -> str:
    """Returns the output of `fudaba challenge list`."""
    rows = [
        [
            challenge.challenge_id,
            state(challenge),
            _name(challenge.challenger),
            _name(challenge.challenged),
            challenge.game,
            f"{challenge.blocks_counted} of {challenge.blocks}",
            *_cells(challenge.challenger, "share", lambda value: f"{100 * value:.1f}%"),
        ]
        for challenge in found
    ]
    head = ("challenge", "state", "challenger", "challenged", "game", "blocks", "share", "95%")
    return table(head, rows, "lllllrrr") or "no challenges"


def _name(side: arena_pb2.ChallengeSide) -> str:
    return f"{side.bot}@{side.version}"


def _cells(side: arena_pb2.ChallengeSide, name: Literal["share", "points"], text: Callable[[float], str]) -> list[str]:
    """Returns an estimate of a side and its interval."""
    if not side.HasField(name):
        return ["-", "-"]
    estimate = side.share if name == "share" else side.points
    return [text(estimate.value), f"{text(estimate.low)} to {text(estimate.high)}" if estimate.HasField("low") else "-"]
