"""The seat of a recorded match as a service would show it: what a stream receives, and how answers are judged."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final, final

from fudaba.refusals import Refused
from fudaba.rerun.recorded_decisions import Recorded, RecordedSeat
from fudaba.v1 import errors_pb2, play_pb2
from fudaba_games.game import IllegalMove, MalformedMove
from fudaba_games.wording import counted

__all__ = ["GivenAnswer", "RerunSeat", "SentUpdates"]

_MAX_LISTED_MOVES: Final = 2_000
_HISTORY_MASK: Final = 2**32 - 1
_MAX_REFUSED: Final = 10
"""The number of refused answers to a decision after which the rerun stops waiting."""


@final
@dataclass(slots=True)
class GivenAnswer:
    """The bot's answer to a decision."""

    move: Any = None
    """The move; None if it gave no legal answer."""
    resigned: bool = False
    took_ms: float = 0.0
    note: str = ""
    refused: list[str] = field(default_factory=list)
    """The reasons why answers were refused, in order."""


@final
@dataclass(slots=True)
class SentUpdates:
    """The messages that a stream has received."""

    delivery: play_pb2.Delivery
    begun: bool = False
    seen: int = 0
    turn: int = 0
    """The `RerunSeat.turn` that it has received."""


@final
class RerunSeat:
    """Puts one decision after another to the player of the seat."""

    def __init__(self, recorded: RecordedSeat) -> None:
        self._recorded = recorded
        self._codec = recorded.replay.codec
        self._game = recorded.replay.game
        self._events: Sequence[Any] = recorded.replay.match.shown(recorded.seat)
        self.match_id = recorded.record.header.match_id
        self.player = recorded.record.header.players[recorded.seat]
        """The player as whom the bot plays: the one that had the seat."""
        self.turn = 0
        """Counts what there is to tell: the decisions that were put, and the end."""
        self.changed = asyncio.Event()
        """Set, and replaced, with each turn."""
        self._put: Recorded | None = None
        self._legal: Sequence[Any] = ()
        self._before: Recorded | None = None
        self._rewound = False
        self._given = GivenAnswer()
        self._answer: asyncio.Future[GivenAnswer] = asyncio.get_running_loop().create_future()
        self._began = 0.0
        self._over = False

    def put(self, decision: Recorded, *, rewound: bool) -> asyncio.Future[GivenAnswer]:
        """Puts a decision. Returns its news. `rewound`: the answer to the one before differs from the played move."""
        self._before, self._put, self._rewound = self._put, decision, rewound
        self._legal = self._game.legal_moves(decision.state, self._recorded.seat)
        self._given = GivenAnswer()
        self._answer = asyncio.get_running_loop().create_future()
        self._began = time.perf_counter()
        self._next()
        return self._answer

    def end(self) -> None:
        """Notes that the match is over, if it was not."""
        if self._over:
            return
        answered = self._put if self._given.move is not None else None
        self._before, self._put, self._over, self._rewound = answered, None, True, False
        self._next()

    @property
    def over(self) -> bool:
        """Whether no further decision will be put."""
        return self._over

    @property
    def given(self) -> GivenAnswer:
        """The answer so far to the open decision."""
        return self._given

    def _next(self) -> None:
        self.turn += 1
        self.changed.set()
        self.changed = asyncio.Event()

    def news(self, stream_state: SentUpdates) -> play_pb2.PlayResponse | None:
        """Returns a stream's news; None if there is none."""
        if stream_state.turn == self.turn:
            return None
        response = play_pb2.PlayResponse()
        self._fill(stream_state, response.update)
        stream_state.begun, stream_state.turn, stream_state.seen = True, self.turn, response.update.seen
        return response

    def _fill(self, stream_state: SentUpdates, update: play_pb2.SeatUpdate) -> None:
        recorded, put = self._recorded, self._put
        update.match_id, update.seat = self.match_id, recorded.seat
        if not stream_state.begun:
            update.started.CopyFrom(recorded.record.header)
        seen = put.seen if put is not None else len(self._events)
        update.seen = seen
        update.history = put.history if put is not None else recorded.replay.history(recorded.seat) & _HISTORY_MASK
        if stream_state.delivery.events != play_pb2.EVENT_DELIVERY_NEVER:
            for event in self._events[stream_state.seen : seen]:
                self._codec.event_to_proto(event, update.events.add())
        if self._rewound:
            update.rewound = True
        elif self._before is not None:
            update.accepted.append(self._before.id)
        if put is not None:
            self._fill_decision(put, stream_state.delivery, update.decision)
            return
        update.over.CopyFrom(recorded.record.end)

    def _fill_decision(self, put: Recorded, delivery: play_pb2.Delivery, message: play_pb2.Decision) -> None:
        message.decision_id, message.required = put.id, put.required
        message.time_ms, message.bank_ms = put.time_ms, put.bank_ms
        self._codec.view_to_proto(self._game.view(put.state, self._recorded.seat), message.view)
        message.legal_count = len(self._legal)
        if delivery.legal_moves == play_pb2.LEGAL_MOVE_FORMAT_TEXT:
            message.legal_texts.extend(map(self._game.text.format_move, islice(self._legal, _MAX_LISTED_MOVES)))
        elif delivery.legal_moves != play_pb2.LEGAL_MOVE_FORMAT_COUNT:
            for move in islice(self._legal, _MAX_LISTED_MOVES):
                self._codec.move_to_proto(move, message.legal_moves.add())

    def take(self, answer: play_pb2.Answer) -> play_pb2.Refusal | None:
        """Judges an answer. Returns the refusal, if there is one. An answer to a closed decision changes nothing."""
        put = self._put
        if answer.match_id != self.match_id:
            why = f"there is only match {self.match_id} here"
            return Refused(errors_pb2.REASON_NOT_YOUR_MATCH, why).message(answer.match_id, answer.decision_id)
        if put is None or answer.decision_id != put.id or self._answer.done():
            return None
        try:
            move = self._move(answer)
            self._game.check(put.state, self._recorded.seat, move)
        except (MalformedMove, IllegalMove) as error:
            return self._refuse(answer, error)
        self._given.note = answer.note
        self._settle(move)
        return None

    def resign(self) -> None:
        """Notes that the bot resigns the match."""
        if not self._answer.done():
            self._given.resigned = True
            self._settle(None)

    def _settle(self, move: Any) -> None:
        self._given.move = move
        self._given.took_ms = (time.perf_counter() - self._began) * 1000
        self._answer.set_result(self._given)

    def _move(self, answer: play_pb2.Answer) -> Any:
        kind = answer.WhichOneof("choice")
        if kind == "index":
            if answer.index >= len(self._legal):
                legal = counted(len(self._legal), "legal move")
                raise MalformedMove(f"index {answer.index} is outside the list of {legal}")
            return self._legal[answer.index]
        if kind == "text":
            return self._game.text.parse_move(answer.text)
        if kind == "move":
            return self._codec.move_from_proto(answer.move)
        raise MalformedMove("the answer has no move; set index, text or move")

    def _refuse(self, answer: play_pb2.Answer, error: MalformedMove | IllegalMove) -> play_pb2.Refusal:
        rule = error.rule if isinstance(error, IllegalMove) else ""
        reason = errors_pb2.REASON_ILLEGAL_MOVE if isinstance(error, IllegalMove) else errors_pb2.REASON_MALFORMED_MOVE
        refused = Refused(reason, str(error), rule)
        self._given.refused.append(f"{refused.name}: {error}")
        last = len(self._given.refused) >= _MAX_REFUSED
        if last:
            self._settle(None)
        return refused.message(answer.match_id, answer.decision_id, still_open=not last)
