"""The followers of a match in this process: the streams of its seats, spectators, and callers that wait for its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import final

from fudaba.replay import Replay
from fudaba.v1 import record_pb2
from fudaba_service.refusals import Refused
from fudaba_service.sessions.absences import Wait
from fudaba_service.sessions.changes import Proposal, Propose, Reply
from fudaba_service.sessions.followers import Known, SeatFollower, Spectator
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.sessions.watches import WatchMessage

__all__ = ["Audience"]


@final
class Audience:
    """All followers of one match."""

    __slots__ = ("_copy", "_guard", "_made", "_over_callbacks", "_submit", "followers", "silent", "spectators")

    def __init__(
        self,
        copy: MatchCopy,
        followers: list[SeatFollower],
        submit: Callable[[Propose, Reply], None],
        guard: Callable[[Callable[[], None]], None],
    ) -> None:
        """`followers` is the list that the clocks of `copy` use.

        `submit` is the session's. `guard` runs a step in which a fault belongs to the match, not to its followers.
        """
        self._copy = copy
        self._submit = submit
        self._guard = guard
        self.silent = False
        """Whether the copy cannot be trusted now: no follower gets anything before all do."""
        self.followers = followers
        self.spectators: list[Spectator] = []
        self._made: dict[Known, WatchMessage] = {}
        """The messages that spectators have got since the last change of the match."""
        self._over_callbacks: list[Callable[[], None]] = []

    def follow(self, follower: SeatFollower, waits: Sequence[Wait] = ()) -> None:
        """Sends a seat's stream its news from now on, beginning with what it has not seen. `waits` are its earlier
        waits.
        """
        self._copy.clocks.arrived(follower.seat, waits, first=not self.follows(follower.seat))
        self.followers.append(follower)
        self._begin(follower)

    def follows(self, seat: int) -> bool:
        """Returns whether a stream of a seat is here."""
        return any(follower.seat == seat for follower in self.followers)

    def unfollow(self, follower: SeatFollower) -> None:
        """Stops sending to a seat's stream."""
        if follower in self.followers:
            self.followers.remove(follower)
            if not self.follows(follower.seat):
                self._copy.clocks.left(follower.seat, anywhere=follower.anywhere)

    def watch(self, spectator: Spectator) -> None:
        """Sends a spectator the news from now on, beginning with what it has not seen."""
        self.spectators.append(spectator)
        self._begin(spectator)

    def unwatch(self, spectator: Spectator) -> None:
        """Stops sending to a spectator."""
        self.spectators.remove(spectator)

    def when_over(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Calls back once when the match is over, or at once if it is. Returns a function that cancels this."""
        if self._copy.is_over:
            callback()
            return lambda: None
        self._over_callbacks.append(callback)
        return lambda: self._over_callbacks.remove(callback) if callback in self._over_callbacks else None

    def _begin(self, follower: SeatFollower | Spectator) -> None:
        """Begins to send to a follower, unless nothing may be sent now."""
        if not self.silent:
            self._guard(partial(self._begin_now, follower))

    def _begin_now(self, follower: SeatFollower | Spectator) -> None:
        """Begins to send to a follower. One that has seen more than this copy gets nothing before the log is read."""
        if not follower.ahead(self._copy.replay):
            follower.announce(self._copy)
            return

        def propose(copy: MatchCopy) -> Proposal:
            return Proposal(unsure=follower.ahead(copy.replay))

        def begin(_: Refused | None) -> None:
            follower.waits = False
            if not self.silent:
                follower.announce(self._copy)

        follower.waits = True
        self._submit(propose, begin)

    def tell_seat(self, follower: SeatFollower) -> None:
        """Sends the news to a seat whose stream was woken for it."""
        if not self.silent:
            self._guard(lambda: follower.tell(self._copy))

    def tell_spectator(self, spectator: Spectator) -> WatchMessage | None:
        """Makes the news for a spectator whose stream was woken for it; None if there is nothing after all."""
        news: WatchMessage | None = None

        def tell() -> None:
            nonlocal news
            news = spectator.tell(self._copy, self._made)

        if not self.silent:
            self._guard(tell)
        return news

    # --- what the session has them told

    def accepted(self, seat: int, decision_id: str) -> None:
        """Notes that a seat's answer is stored."""
        for follower in self.followers:
            if follower.seat == seat:
                follower.accepted(decision_id)

    def accepted_before(self, seat: int, decision_id: str) -> None:
        """Reports to a seat again, at once, that its answer is stored."""
        for follower in self.followers:
            if follower.seat == seat:
                follower.accepted(decision_id)
                follower.announce(self._copy)

    def applied(self, entry: record_pb2.LogEntry) -> None:
        """Notes that an entry was added to the log."""
        entry_kind = entry.WhichOneof("what")
        if entry_kind == "move":
            self.accepted(entry.seat, entry.decision_id)
        elif entry_kind == "timeout":
            for follower in self.followers:
                if follower.seat == entry.seat:
                    follower.timed_out(entry.decision_id)

    def ask_again(self) -> None:
        """Repeats open decisions to seats that answer by another way, after news may have been missed.

        Another replica may have stored and reported such an answer, which the store then lost. Nobody here knows that,
        and the seat believes that it has answered.
        """
        for follower in self.followers:
            if follower.anywhere:
                follower.ask_again()

    @property
    def anywhere(self) -> bool:
        """Whether seats that are followed here may answer by another way."""
        return any(follower.anywhere for follower in self.followers)

    @property
    def seats(self) -> set[int]:
        """The seats with streams here."""
        return {follower.seat for follower in self.followers}

    def rewound(self, before: Replay, *, same: bool) -> None:
        """Notes that the match was put back. Nothing of it is shown until it begins.

        If it is not the `same` match, the store lost the match altogether, and it was created again with other cards.
        """
        now = self._copy.replay
        self._made.clear()
        if not before.started and same:
            return

        def common(seat: int | None) -> int:
            return _common(before.match.shown(seat), now.match.shown(seat)) if now.started and same else 0

        for follower in self.followers:
            follower.rewind(common(follower.seat), same=same)
        for spectator in self.spectators:
            spectator.rewind(common(None))

    def announce(self) -> None:
        """Sends the news to everybody."""
        for follower in self.followers:
            follower.announce(self._copy)
        self._made.clear()
        for spectator in self.spectators:
            spectator.announce(self._copy)

    def over(self) -> None:
        """Calls back those who wait for the end of the match."""
        callbacks, self._over_callbacks = self._over_callbacks, []
        for callback in callbacks:
            callback()


def _common(before: Sequence[object], after: Sequence[object]) -> int:
    """Returns the number of equal events at the beginning of two histories."""
    for number, (earlier, other) in enumerate(zip(before, after, strict=False)):
        if earlier != other:
            return number
    return min(len(before), len(after))
