"""A decision message for a seat in the tenth move of a match, built and serialised."""

from __future__ import annotations

import time

from fudaba.codec import codec
from fudaba.v1 import play_pb2
from fudaba_games.match import Match
from fudaba_games.registry import game


def view_seconds(name: str, seats: int, rounds: int) -> float:
    """Returns the CPU seconds for one view: computed by the rules, put into an update, serialised."""
    rules, coder = game(name), codec(name)
    match = Match(rules, seats, rules.resolve_options({}), bytes(32))
    for _ in range(9):
        decision = match.open_decisions()[0]
        match.play(decision.seat, decision.legal[0])
    seat = match.open_decisions()[0].seat
    began = time.process_time()
    for _ in range(rounds):
        message = play_pb2.PlayResponse()
        coder.view_to_proto(match.view(seat), message.update.decision.view)
        message.SerializeToString()
    return (time.process_time() - began) / rounds
