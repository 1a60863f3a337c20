"""Finds bots that were lost together. When a network fails or the service restarts, many bots disappear at once.

A bot that is away in the middle of a block forfeits the rest of it. It does not if the loss was not its own fault: if
bots of several other accounts were lost with it, or all bots of a network that the organiser declared, or if the
service could not be reached.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final, final

from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.tournament.definition import owner_of

__all__ = ["Losses"]

_TOGETHER_WINDOW_SECONDS: Final = 10.0
_MIN_OTHER_OWNERS: Final = 3
_MIN_SHARE: Final = 1 / 5
"""The share of the connected bots that must be exceeded by the lost ones."""
_MIN_OF_NETWORK: Final = 2
"""The number of accounts of a network that must lose bots before the network is blamed. One account alone proves
nothing.
"""
_MAX_UNSEEN_SECONDS: Final = 120.0
"""If the loss of a bot was not observed, it happened at most this long before the bot's grace began."""
_MAX_LOSSES: Final = 1_000


@final
@dataclass(frozen=True, slots=True)
class _Loss:
    at: float
    """The time of the observation, by the monotonic clock."""
    gone: frozenset[str]
    before: frozenset[str]
    """The entrants that were present before."""
    after: frozenset[str]
    here_since: Mapping[str, float]
    """For each lost entrant, the time since which it was seen present."""


@final
class Losses:
    """The observed losses of one season's entrants."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began_at = clock()
        self._here: frozenset[str] = frozenset()
        self._here_since: dict[str, float] = {}
        """The time since which each entrant is present."""
        self._losses: deque[_Loss] = deque(maxlen=_MAX_LOSSES)

    def note(self, state: ScheduledTournament, here: frozenset[str]) -> None:
        """Notes which of the season's entrants are present."""
        now_here = here & state.entrants.keys()
        if gone := self._here - now_here:
            since = {name: self._here_since.pop(name) for name in gone}
            self._losses.append(_Loss(self._clock(), gone, self._here, now_here, since))
        for name in now_here - self._here:
            self._here_since[name] = self._clock()
        self._here = now_here

    def note_bots(self, state: ScheduledTournament, bots: Collection[str], here: frozenset[str]) -> None:
        """Notes which versions of some bots are present. All other entrants stay as they were."""
        others = {name for name in self._here & state.entrants.keys() if state.entrants[name].bot not in bots}
        self.note(state, here | others)

    def blameless(self, state: ScheduledTournament, entrant: str, found_at: float, faulted_at: float) -> bool:
        """Returns whether an absence was not the entrant's own fault.

        `found_at` is the time when the absence was found, and `faulted_at` the time of the service's last failure, by
        the monotonic clock. The preceding loss decides: later losses change nothing.
        """
        season = state.tournament.season
        absence = season.absence if season is not None else None
        patience = state.tournament.connect_seconds + (absence.grace_seconds if absence is not None else 0)
        if self._was_here(entrant, found_at):  # the bot was away for less time than passes between two looks
            return faulted_at >= found_at - patience - _TOGETHER_WINDOW_SECONDS
        seen = [
            loss.at for loss in self._losses if entrant in loss.gone and loss.at <= found_at + _TOGETHER_WINDOW_SECONDS
        ]
        if not seen:
            # A bot that was not seen here before may have been lost before this process began, which does not know of
            # faults at that time.
            began_at = -inf if any(since <= found_at for since, _ in self._spans(entrant)) else self._began_at
            return max(faulted_at, began_at) >= found_at - patience - _MAX_UNSEEN_SECONDS
        if faulted_at >= seen[-1] - _TOGETHER_WINDOW_SECONDS:
            return True
        near = [loss for loss in self._losses if abs(loss.at - seen[-1]) <= _TOGETHER_WINDOW_SECONDS]
        gone = frozenset[str]().union(*(loss.gone for loss in near))
        connected = frozenset[str]().union(*(loss.before for loss in near))
        owners = {name: state.entrants[name].owner for name in connected if name in state.entrants}
        others = {owners[name] for name in gone if name in owners} - {state.entrants[entrant].owner}
        if len(others) >= _MIN_OTHER_OWNERS and len(gone) > _MIN_SHARE * len(connected):
            return True
        network = {owner_of(account, "", "") for account in absence.network} if absence is not None else set()
        if state.entrants[entrant].owner not in network:
            return False
        lost = {owners[name] for name in gone if name in owners} & network
        left = [{owners.get(name, "") for name in loss.after} & network for loss in near]
        return len(lost) >= _MIN_OF_NETWORK and not all(left)

    def _was_here(self, entrant: str, at: float) -> bool:
        """Returns whether an entrant was seen present for some time before and after a moment."""
        spans = self._spans(entrant)
        return any(since + _TOGETHER_WINDOW_SECONDS <= at < left - _TOGETHER_WINDOW_SECONDS for since, left in spans)

    def _spans(self, entrant: str) -> list[tuple[float, float]]:
        """Returns the intervals in which an entrant was seen present."""
        spans = [(loss.here_since[entrant], loss.at) for loss in self._losses if entrant in loss.gone]
        spans.append((self._here_since.get(entrant, inf), inf))
        return spans
