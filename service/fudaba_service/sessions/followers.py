"""Followers of a match: seats get what is theirs, spectators what is public."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Final, Protocol, final

from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_games.match import OpenDecision
from fudaba_service.refusals import Refused
from fudaba_service.sessions.hidden_matches import hide_names
from fudaba_service.sessions.watches import WatchMessage

__all__ = ["Delivery", "Known", "SeatFollower", "Spectator", "end_of"]

MAX_LISTED_MOVES: Final = 2_000
"""The number of legal moves in a message. With more, it could exceed the clients' limits. The contract states it."""

_TYPED: Final = play_pb2.LEGAL_MOVE_FORMAT_TYPED
_TEXT: Final = play_pb2.LEGAL_MOVE_FORMAT_TEXT
_AT_ONCE: Final = play_pb2.EVENT_DELIVERY_AT_ONCE
_NEVER: Final = play_pb2.EVENT_DELIVERY_NEVER


Known = tuple[int, int, bool]
"""The state and the number of events that a spectator has received, and whether fewer events are still valid."""


class WatchedMatch(Protocol):
    """A match as spectators need it; a `MatchCopy` is one."""

    @property
    def replay(self) -> Replay:
        """The match as replayed from its log."""

    def fill_match(self, into: matches_pb2.Match) -> None:
        """Fills an empty message with the present match."""


class FollowedMatch(WatchedMatch, Protocol):
    """A match as this process knows it and seats need it; a `MatchCopy` is one."""

    match_id: str

    def time_left_ms(self, seat: int) -> int:
        """Returns how much of its time a seat has left for its open decision."""


def end_of(match_id: str, seat: int, end: record_pb2.MatchEnd) -> bytes:
    """Returns how a match ended for one of its seats: a SeatUpdate with nothing else."""
    return play_pb2.SeatUpdate(match_id=match_id, seat=seat, over=end).SerializeToString(deterministic=True)


@final
class Delivery:
    """How a follower wants its messages: the contract's message with its defaults filled in."""

    __slots__ = ("acknowledge", "events", "legal_moves", "views")

    def __init__(self, message: play_pb2.Delivery) -> None:
        if message.legal_moves not in play_pb2.LegalMoveFormat.values():
            raise Refused.malformed(f"legal_moves is {message.legal_moves}; see the enum LegalMoveFormat")
        if message.events not in play_pb2.EventDelivery.values():
            raise Refused.malformed(f"events is {message.events}; see the enum EventDelivery")
        self.legal_moves = message.legal_moves or _TYPED
        self.events = message.events or play_pb2.EVENT_DELIVERY_WITH_DECISION
        self.acknowledge = message.acknowledge
        self.views = message.views


@final
class SeatFollower:
    """A stream that follows one seat of one match.

    `new` makes an empty message and returns it with the SeatUpdate inside it. `deliver` takes the filled message, the
    id of its decision (or an empty text), and whether it contains the match's end. `seen` and `history` are what the
    seat received on an earlier stream. A follower with `wake` is woken when there is news, and then asks for it.
    """

    __slots__ = (
        "_accepted", "_asked", "_begun", "_deliver", "_delivery", "_history", "_new", "_over", "_rewound", "_seen",
        "_timed_out", "_wake", "anywhere", "network", "seat", "waits",
    )  # fmt: skip

    def __init__(
        self,
        seat: int,
        delivery: Delivery,
        seen: int,
        new: Callable[[], tuple[object, play_pb2.SeatUpdate]],
        deliver: Callable[[object, str, bool], None],
        network: Callable[[], float],
        history: int = 0,
        *,
        anywhere: bool = False,
        wake: Callable[[], None] | None = None,
    ) -> None:
        self.seat = seat
        self.anywhere = anywhere
        """Whether the seat's answers come another way than its messages go, and so perhaps by another replica."""
        self.network = network
        self.waits = False
        """Whether the log is being checked, since the seat has seen more than this copy: it gets nothing yet."""
        self._delivery = delivery
        self._seen = seen
        self._history = history
        self._new = new
        self._deliver = deliver
        self._wake = wake
        self._begun = False
        self._over = False
        self._asked = ""
        self._accepted: list[str] = []
        self._timed_out: list[str] = []
        self._rewound = False

    def ahead(self, replay: Replay) -> bool:
        """Returns whether the seat saw something on an earlier stream that is not in this copy of its match."""
        return not replay.in_history(self.seat, self._seen, self._history)

    def accepted(self, decision_id: str) -> None:
        """Notes that the seat's answer to a decision is stored."""
        if decision_id not in self._accepted:
            self._accepted.append(decision_id)

    def timed_out(self, decision_id: str) -> None:
        """Notes that a decision of the seat was closed with the default move."""
        self._timed_out.append(decision_id)

    def ask_again(self) -> None:
        """Repeats the open decision, if there is one, with the next news."""
        self._asked = ""

    def rewind(self, common: int, *, same: bool = True) -> None:
        """Notes that the match was put back: of the shown events, only the first `common` are still valid.

        If it is not even the `same` match, but a new one with its id, the seat receives it from the start.
        """
        if self.waits:
            return  # it has been told nothing yet: what it saw before will be compared
        self._rewound = True
        self._seen = min(self._seen, common)
        if self._over or not same:
            # Who was told the end may have forgotten the match.
            self._over = self._begun = False
            self._seen = 0
        self._asked = ""
        self._accepted.clear()
        self._timed_out.clear()

    def announce(self, copy: FollowedMatch) -> None:
        """Sends the seat its news, if it wants any of it now."""
        if self._wake is None:
            self.tell(copy)
        elif self._wants(copy.replay, self._newly_asked(copy.replay)):
            self._wake()

    def _wants(self, replay: Replay, asked: OpenDecision[object] | None) -> bool:
        """Returns whether the seat wants any news now. `asked` is its open decision if it was not yet sent."""
        begins = replay.started or replay.over or not self._begun
        # A match that was put back to before its beginning shows nothing any more.
        if self.waits or self._over or not (begins or self._rewound):
            return False
        if asked is not None or replay.over or not self._begun or self._rewound:
            return True
        if self._delivery.acknowledge and (self._accepted or self._timed_out):
            return True
        return self._delivery.events == _AT_ONCE and self._seen < len(replay.match.shown(self.seat))

    def _newly_asked(self, replay: Replay) -> OpenDecision[object] | None:
        """Returns the seat's open decision if it was not yet sent."""
        decision = replay.match.open(self.seat) if replay.started and replay.playable else None
        return decision if decision is not None and decision.id != self._asked else None

    def tell(self, copy: FollowedMatch) -> None:
        """Sends the news at once, also to followers with `wake`."""
        replay = copy.replay
        decision = self._newly_asked(replay)
        if not self._wants(replay, decision):
            return
        if not self._begun and replay.playable:
            self._compare(replay)
        message, update = self._new()
        update.match_id = copy.match_id
        update.seat = self.seat
        if not self._begun:
            update.started.CopyFrom(replay.header)
            hide_names(update.started, (self.seat,))
        seen = self._fill_events(replay, update)
        if self._accepted:
            update.accepted.extend(self._accepted)
        if self._timed_out:
            update.timed_out.extend(self._timed_out)
        if self._rewound:
            update.rewound = True
        if decision is not None:
            self._fill_decision(copy, replay, decision, update.decision)
        elif self._delivery.views and replay.shows:
            replay.codec.view_to_proto(replay.match.view(self.seat), update.view)
        if replay.over:
            update.over.CopyFrom(replay.end())
        # Only now: had anything gone wrong, all of it would have to be told another time.
        self._begun, self._over, self._rewound, self._seen = True, replay.over, False, seen
        self._accepted.clear()
        self._timed_out.clear()
        asked = decision.id if decision is not None else ""
        self._asked = asked or self._asked
        self._deliver(message, asked, replay.over)

    def _compare(self, replay: Replay) -> None:
        """Starts over if what the seat saw on an earlier stream is no longer part of the match."""
        if self.ahead(replay):
            self._rewound = True
            self._seen = 0
        self._history = 0

    def _fill_events(self, replay: Replay, update: play_pb2.SeatUpdate) -> int:
        """Adds the new events. Returns how many events the seat will have seen."""
        if not replay.playable:  # what the seat was told stands, and there is no more to tell
            update.seen, update.history = self._seen, self._history
            return self._seen
        # Before the match has started nothing is shown: the deal is fixed, but its cards are not out.
        shown = replay.match.shown(self.seat) if replay.started else []
        if self._delivery.events != _NEVER:
            codec = replay.codec
            for event in shown[self._seen :]:
                codec.event_to_proto(event, update.events.add())
        update.seen = len(shown)
        update.history = replay.history(self.seat)
        return len(shown)

    def _fill_decision(
        self, copy: FollowedMatch, replay: Replay, decision: OpenDecision[object], message: play_pb2.Decision
    ) -> None:
        message.decision_id = decision.id
        message.required = decision.required
        replay.codec.view_to_proto(replay.match.view(self.seat), message.view)
        message.legal_count = len(decision.legal)
        if self._delivery.legal_moves == _TYPED:
            for move in islice(decision.legal, MAX_LISTED_MOVES):
                replay.codec.move_to_proto(move, message.legal_moves.add())
        elif self._delivery.legal_moves == _TEXT:
            message.legal_texts.extend(map(replay.game.text.format_move, islice(decision.legal, MAX_LISTED_MOVES)))
        message.time_ms = copy.time_left_ms(self.seat)
        message.bank_ms = replay.bank_us[self.seat] // 1000


@final
class Spectator:
    """A stream that follows a match in public. `wake` is called when there is news."""

    def __init__(self, seen: int, wake: Callable[[], None]) -> None:
        self._seen = seen
        self._state = matches_pb2.MATCH_STATE_UNSPECIFIED
        self._wake = wake
        self.waits = False
        """Whether the log is being checked, since more was seen than the copy here knows: nothing is sent yet."""
        self._rewound = False

    def ahead(self, replay: Replay) -> bool:
        """Returns whether it has seen more than this copy of the match contains."""
        return self._seen > (len(replay.match.shown(None)) if replay.started else 0)

    def rewind(self, common: int) -> None:
        """Notes that the match was put back: of the shown events, only the first `common` are still valid."""
        if self.waits:
            return
        self._rewound = True
        self._seen = min(self._seen, common)

    def announce(self, copy: WatchedMatch) -> None:
        """Wakes the stream if it was not told of something that has become public."""
        if self._wants(copy.replay):
            self._wake()

    def tell(self, copy: WatchedMatch, made: dict[Known, WatchMessage]) -> WatchMessage | None:
        """Collects what has become public. `made` has the messages that other followers with the same knowledge got
        since the last change.
        """
        replay = copy.replay
        if not self._wants(replay):
            return None
        shown = self._shown(replay)
        known = self._state, self._seen, self._rewound
        message = made.get(known)
        if message is None:
            message = made[known] = self._message(copy, shown)
        self._state, self._seen, self._rewound = replay.state, len(shown), False
        return message

    def _wants(self, replay: Replay) -> bool:
        if self.waits:
            return False
        shown = self._shown(replay)
        # After a rewind fewer events may be public than were told.
        self._seen = min(self._seen, len(shown))
        return self._state != replay.state or self._seen != len(shown) or self._rewound

    def _shown(self, replay: Replay) -> Sequence[object]:
        return replay.match.shown(None) if replay.shows else []

    def _message(self, copy: WatchedMatch, shown: Sequence[object]) -> WatchMessage:
        replay = copy.replay
        last = replay.over and self._state != replay.state
        message = matches_pb2.WatchMatchResponse(seen=len(shown))
        if self._state != replay.state:
            copy.fill_match(message.match)
        for event in shown[self._seen :]:
            replay.codec.event_to_proto(event, message.events.add())
        if replay.shows:
            replay.codec.view_to_proto(replay.match.view(None), message.view)
        return WatchMessage(message.SerializeToString(), last=last)
