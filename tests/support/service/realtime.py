"""Matches in which both may act at once."""

from __future__ import annotations

from typing import Final

from fudaba.codec import option_to_proto
from fudaba.v1 import play_pb2, record_pb2
from fudaba_games.nerts.rules import NERTS
from tests.support.service.bots import bearer
from tests.support.service.organiser import Entrant, Organiser

CLOCK: Final = record_pb2.Clock(move_ms=20_000, max_timeouts=3, max_illegal=3)
TEXTS: Final = play_pb2.Delivery(legal_moves=play_pb2.LEGAL_MOVE_FORMAT_TEXT, acknowledge=True)


def both_have_an_ace() -> bytes:
    """Returns the seed of a match in which both seats can start a foundation at once."""
    for number in range(1000):
        seed = bytes([number % 256, number // 256]) * 16
        state, _ = NERTS.new_match(2, NERTS.resolve_options({}), seed)
        if all(layout.reach & state.wanted for layout in state.layouts):
            return seed
    raise AssertionError("no such deal")


async def begun(organiser: Organiser, *entrants: Entrant, seed: bytes = b"", **given: object) -> str:
    """Returns a match of one deal in real time; its id."""
    options = {"target": 0, "pace": "realtime", "hand_ms": 0, "stuck_ms": 60_000, **given}
    resolved = NERTS.resolve_options(options)
    sent = {name: option_to_proto(value) for name, value in resolved.items()}
    return await organiser.match(*entrants, clock=CLOCK, game="nerts", options=sent, seed=seed)


async def submit(organiser: Organiser, entrant: Entrant, match_id: str, decision_id: str, text: str) -> object:
    answer = play_pb2.Answer(match_id=match_id, decision_id=decision_id, text=text)
    return await organiser.play.SubmitMove(play_pb2.SubmitMoveRequest(answer=answer), metadata=bearer(entrant.token))
