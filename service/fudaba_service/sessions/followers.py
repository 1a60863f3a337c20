"""Those who are told what happens in a match: seats by what is theirs, spectators by what is public."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import islice
from typing import Final, Protocol, final

from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, play_pb2
from fudaba_games.match import OpenDecision
from fudaba_service.refusals import Refused

__all__ = ["SeatFollower", "Spectator"]

MOST_LISTED: Final = 2_000
"""How many legal moves are sent: with more, a message could be larger than clients take. The contract names it."""

_TYPED: Final = play_pb2.LEGAL_MOVES_TYPED
_TEXT: Final = play_pb2.LEGAL_MOVES_TEXT
_AT_ONCE: Final = play_pb2.EVENT_DELIVERY_AT_ONCE
_NEVER: Final = play_pb2.EVENT_DELIVERY_NEVER


class Told(Protocol):
    """What followers need of a session."""

    match_id: str
    replay: Replay

    def time_left_ms(self, seat: int) -> int:
        """How much of its time a seat has left for its open decision."""

    def fill_match(self, into: matches_pb2.Match) -> None:
        """Fills an empty message with the match as it is now."""


@final
class Delivery:
    """How a follower wants to be told things; the contract's message, with its defaults filled in."""

    __slots__ = ("acknowledge", "events", "legal_moves", "views")

    def __init__(self, message: play_pb2.Delivery) -> None:
        if message.legal_moves not in play_pb2.LegalMoves.values():
            raise Refused.malformed(f"legal_moves is {message.legal_moves}; see the enum LegalMoves")
        if message.events not in play_pb2.EventDelivery.values():
            raise Refused.malformed(f"events is {message.events}; see the enum EventDelivery")
        self.legal_moves = message.legal_moves or _TYPED
        self.events = message.events or play_pb2.EVENT_DELIVERY_WITH_DECISION
        self.acknowledge = message.acknowledge
        self.views = message.views


@final
class SeatFollower:
    """A stream that follows one seat of one match.

    `new` makes an empty message and gives it with the SeatUpdate inside it; `deliver` takes the filled message, the id
    of the decision that it puts (or an empty text), and whether it tells the end of the match. `seen` and `history` say
    what the seat was told on an earlier stream.
    """

    __slots__ = (
        "_accepted", "_asked", "_begun", "_deliver", "_delivery", "_history", "_new", "_over", "_rewound", "_seen",
        "_timed_out", "network", "seat",
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
    ) -> None:
        self.seat = seat
        self.network = network
        self._delivery = delivery
        self._seen = seen
        self._history = history
        self._new = new
        self._deliver = deliver
        self._begun = False
        self._over = False
        self._asked = ""
        self._accepted: list[str] = []
        self._timed_out: list[str] = []
        self._rewound = False

    def accepted(self, decision_id: str) -> None:
        """The seat's answer to a decision is stored."""
        if decision_id not in self._accepted:
            self._accepted.append(decision_id)

    def timed_out(self, decision_id: str) -> None:
        """A decision of the seat was closed with the default move."""
        self._timed_out.append(decision_id)

    def rewind(self, common: int) -> None:
        """The match was put back: of the events that were shown only the first `common` still hold."""
        self._rewound = True
        self._seen = min(self._seen, common)
        if self._over:
            # Who was told the end may have forgotten the match.
            self._over = self._begun = False
            self._seen = 0
        self._asked = ""
        self._accepted.clear()
        self._timed_out.clear()

    def announce(self, session: Told) -> None:
        """Tells the seat what it has not been told, if there is anything that it wants to be told now."""
        replay, match = session.replay, session.replay.match
        if self._over or not (replay.started or replay.over or not self._begun):
            return
        if not self._begun:
            self._compare(replay)
        decision = match.open(self.seat) if replay.started else None
        ask = decision is not None and decision.id != self._asked
        news = self._delivery.events == _AT_ONCE and self._seen < len(match.shown(self.seat))
        told = self._delivery.acknowledge and (self._accepted or self._timed_out)
        if not (ask or news or told or replay.over or not self._begun or self._rewound):
            return
        message, update = self._new()
        update.match_id = session.match_id
        update.seat = self.seat
        if not self._begun:
            self._begun = True
            update.started.CopyFrom(replay.header)
        self._fill_events(session, update)
        if self._accepted:
            update.accepted.extend(self._accepted)
            self._accepted.clear()
        if self._timed_out:
            update.timed_out.extend(self._timed_out)
            self._timed_out.clear()
        if self._rewound:
            update.rewound = True
            self._rewound = False
        self._fill_position(session, update, decision if ask else None)
        if replay.over:
            self._over = True
            update.over.CopyFrom(replay.end())
        self._deliver(message, self._asked if ask else "", replay.over)

    def _compare(self, replay: Replay) -> None:
        """Begins again if what the seat saw on an earlier stream is no part of the match any more."""
        shown = len(replay.match.shown(self.seat)) if replay.started else 0
        if self._seen > shown or (self._history and replay.history(self.seat, self._seen) != self._history):
            self._rewound = True
            self._seen = 0
        self._history = 0

    def _fill_events(self, session: Told, update: play_pb2.SeatUpdate) -> None:
        # Before the match has started nothing is shown: the deal is fixed, but its cards are not out.
        shown = session.replay.match.shown(self.seat) if session.replay.started else []
        self._seen = min(self._seen, len(shown))
        if self._delivery.events != _NEVER:
            codec = session.replay.codec
            for event in shown[self._seen :]:
                codec.event_to_proto(event, update.events.add())
        self._seen = len(shown)
        update.seen = self._seen
        update.history = session.replay.history(self.seat, self._seen)

    def _fill_position(self, session: Told, update: play_pb2.SeatUpdate, decision: OpenDecision[object] | None) -> None:
        """Puts a decision that is new; without one the view, if it is wanted."""
        replay = session.replay
        if decision is not None:
            self._asked = decision.id
            self._fill_decision(session, update.decision)
        elif self._delivery.views and replay.started:
            replay.codec.view_to_proto(replay.match.view(self.seat), update.view)

    def _fill_decision(self, session: Told, message: play_pb2.Decision) -> None:
        replay = session.replay
        decision = replay.match.open(self.seat)
        if decision is None:
            return
        message.decision_id = decision.id
        message.required = decision.required
        replay.codec.view_to_proto(replay.match.view(self.seat), message.view)
        message.legal_count = len(decision.legal)
        if self._delivery.legal_moves == _TYPED:
            for move in islice(decision.legal, MOST_LISTED):
                replay.codec.move_to_proto(move, message.legal_moves.add())
        elif self._delivery.legal_moves == _TEXT:
            message.legal_texts.extend(replay.game.format_move(move) for move in islice(decision.legal, MOST_LISTED))
        message.time_ms = session.time_left_ms(self.seat)
        message.bank_ms = replay.bank_us[self.seat] // 1000


@final
class Spectator:
    """A stream that follows a match in public."""

    def __init__(self, seen: int) -> None:
        self._seen = seen
        self._state = matches_pb2.MATCH_STATE_UNSPECIFIED
        self.queue: asyncio.Queue[matches_pb2.WatchMatchResponse] = asyncio.Queue(maxsize=1000)
        self.lagging = False
        """Whether it has not read for so long that it was cut off."""
        self._rewound = False

    def rewind(self, common: int) -> None:
        """The match was put back: of the events that were shown only the first `common` still hold."""
        self._rewound = True
        self._seen = min(self._seen, common)

    def announce(self, session: Told) -> None:
        """Tells what has become public."""
        replay = session.replay
        shown = replay.match.shown(None) if replay.started else []
        # After a rewind fewer events may be public than were told.
        self._seen = min(self._seen, len(shown))
        if self._state == replay.state and self._seen == len(shown) and not self._rewound:
            return
        self._rewound = False
        message = matches_pb2.WatchMatchResponse(seen=len(shown))
        if self._state != replay.state:
            self._state = replay.state
            session.fill_match(message.match)
        for event in shown[self._seen :]:
            replay.codec.event_to_proto(event, message.events.add())
        self._seen = len(shown)
        if replay.started:
            replay.codec.view_to_proto(replay.match.view(None), message.view)
        try:
            self.queue.put_nowait(message)
        except asyncio.QueueFull:
            self.lagging = True
