"""The evidence of a search about a match, and the faults that it may find."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from soak.chaos.journal import SeatJournal

__all__ = ["Charge", "Count", "Evidence", "Finding"]


class Count(Enum):
    """The count to which a finding adds."""

    LOST = "lost"
    DOUBLED = "doubled"
    STUCK = "stuck"
    CHARGED = "charged"
    ALLOWED = "lost as a failover, or a Redis that dies, was allowed to"


class Finding(NamedTuple):
    """A fault that the search found."""

    counts_as: Count
    match_id: str
    game: str
    seat: int
    """The seat; -1 for none."""
    bot: str
    decision_id: str
    text: str
    recorded: str
    """The decision according to the record."""
    since: float
    """The beginning of the time in question, by the client's monotonic clock."""
    until: float


@dataclass
class Evidence:
    """Everything that the search knows about a match."""

    match_id: str
    game: str
    house: frozenset[int]
    journals: list[SeatJournal]
    records: dict[str, bytes | str]
    """The record from each replica and from the archive, or the reason why there is none."""
    lossy: list[float]
    """The times of faults that may lose acknowledged moves."""
    ended: float
    """The time of the search's end, by the client's monotonic clock."""
    spare: dict[tuple[int, str], float] = field(default_factory=dict)
    """For each seat and decision, the client's own seconds beyond its measurement: its lag and its link."""
    refused: str = ""
    """The reason why it was not created, or why a bot could not join."""
    stood_still: float = 0.0
    """The seconds for which it stood still while others went on, if there are too many."""
    acknowledged: bool = True
    """Whether the organiser and the bots learned that all seats are taken."""
    seats: int = 0
    """The number of its seats with bots of this search."""
    joining: float = 0.0
    """The time at which the bot in its last seat began to join; 0 if the match was full from the start."""
    created: float = 0.0
    """The time at which the organiser and the joining bots knew that all seats were taken; 0 before."""
    outages: list[tuple[int, int]] = field(default_factory=list)
    """The spans in which no replica was alive, as the service noted them, in ms of its time."""


class Charge(NamedTuple):
    """The time by which a decision cost more than its client measured, or by which the service's time jumped."""

    seconds: float
    match_id: str
    recorded: str
    """The record's and the client's times of the decision, or the entries around the jump."""
    since: float = 0.0
    """The time at which the decision was received, or the jump may have begun, by the client's monotonic clock."""
    until: float = 0.0
