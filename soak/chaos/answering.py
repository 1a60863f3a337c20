"""The choices of this search's bots. They depend on the decision alone, so a repeated answer is the same."""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from fudaba.v1 import play_pb2
from soak.chaos.journal import Decided, SeatJournal
from soak.chaos.plans import sleeps

__all__ = ["LATER", "Pace", "answer_to", "is_final"]

_QUICK_THINKING_SECONDS: Final = 0.005
_WAIT_INDEX: Final = 0
_SLEEPING_SHARE: Final = 0.1
"""The share of decisions in sleeping matches that take `_SLEEP_SECONDS`. An idle match sleeps after 20 s."""
_SLEEP_SECONDS: Final = 24.0

LATER: Final = frozenset(
    {"STORE_UNAVAILABLE", "STORE_FULL", "INTERNAL", "TOO_FAST", "ARCHIVE_UNAVAILABLE", "SHUTTING_DOWN", ""}
)
"""The refusals after which a bot sends the same answer again a little later."""


class Pace(NamedTuple):
    """The pace at which bots play."""

    least: float = _QUICK_THINKING_SECONDS
    most: float = 0.3
    drains: bool = False
    """Whether matches should end: bots think for `least`, and in real time they wait."""

    def seconds(self, journal: SeatJournal, decision_id: str) -> float:
        """Returns a bot's time for a decision."""
        if self.drains:
            return 0.2 if journal.real_time else self.least
        if journal.real_time:
            return 0.08
        chance = _chance("pace", journal, decision_id)
        if sleeps(journal.match_id) and chance.random() < _SLEEPING_SHARE:
            return _SLEEP_SECONDS
        return self.least + (self.most - self.least) * chance.random() ** 2


def answer_to(journal: SeatJournal, decision: play_pb2.Decision, entry: Decided, pace: Pace) -> play_pb2.Answer:
    """Returns the answer to a decision. It changes only after another seat's move has overtaken it."""
    answer = play_pb2.Answer(match_id=journal.match_id, decision_id=decision.decision_id)
    # The same decision in another history may be answered otherwise.
    chance = _chance(f"{len(journal.decided[entry.decision_id])}/{entry.overtaken}", journal, decision.decision_id)
    index = chance.randrange(decision.legal_count) if decision.legal_count else 0
    if journal.real_time and pace.drains:
        index = _WAIT_INDEX
    if index < len(decision.legal_moves):
        answer.move.CopyFrom(decision.legal_moves[index])
    elif index < len(decision.legal_texts):
        answer.text = decision.legal_texts[index]
    else:
        answer.index = index
    return answer


def is_final(reason: str) -> bool:
    """Returns whether an answer that was refused for this reason is not sent again."""
    return reason not in LATER


def _chance(purpose: str, journal: SeatJournal, decision_id: str) -> random.Random:
    return random.Random(f"{purpose}/{journal.match_id}/{journal.seat}/{decision_id}")
