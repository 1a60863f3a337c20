"""The state of a session."""

from __future__ import annotations

from typing import Any

from fudaba.replay import Replay
from fudaba.v1 import game_pb2


def known(replay: Replay) -> list[Any]:
    """Returns all that can be asked of a match, as plain values."""
    match = replay.match
    facts: list[Any] = []
    for seat in (None, *range(replay.seats)):
        view = game_pb2.View()
        replay.codec.view_to_proto(match.view(seat), view)
        facts.append((view.SerializeToString(deterministic=True), match.shown(seat)))
    for seat in range(replay.seats):
        decision = match.open(seat)
        facts.append((replay.history(seat), replay.budget_us(seat), replay.opened_ms[seat], replay.busy_until_ms[seat]))
        facts.append(decision and (decision.id, list(decision.legal), decision.required, decision.standing))
    end = replay.end() if replay.over else None
    return [*facts, replay.length, replay.state, replay.timers, replay.timed_out, replay.illegal, end]
