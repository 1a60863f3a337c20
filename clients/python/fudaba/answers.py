"""Interprets the answers and errors of bots, in the same way on a service and in process."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final, final

from google.protobuf.descriptor import EnumDescriptor

from fudaba.bot import Answer, Bot, Choice, Decision, DecisionSource, MatchInfo, Player, Refusal, Result
from fudaba.codec import GameCodec, codec, options_from_proto
from fudaba.errors import FudabaError
from fudaba.notes import sendable_note
from fudaba.v1 import game_pb2, play_pb2, record_pb2
from fudaba_games.registry import GAMES

__all__ = [
    "MAX_ATTEMPTS",
    "CannotSend",
    "MessageSource",
    "OnError",
    "fill_answer",
    "game_codec",
    "malformed",
    "match_info",
    "result_of",
]

MAX_ATTEMPTS: Final = 3
"""The number of times that a bot is asked for one decision before the default move is played."""


class OnError(StrEnum):
    """What happens with a decision when `choose` raises an exception."""

    TIMEOUT = "timeout"
    """No answer is sent: the time runs out, the default move is played, and it counts as a timeout."""
    DEFAULT = "default"
    """The default move is played at once."""
    RESIGN = "resign"
    """The match is resigned."""


@final
class CannotSend(FudabaError):
    """The return value of `choose` cannot be sent as an answer."""


def game_codec(game: str) -> GameCodec[Any, Any, Any]:
    """Returns the codec of a game. Raises `FudabaError` for a game that this release does not know."""
    if game not in GAMES:
        raise FudabaError(f"this release of fudaba does not know the game {game!r}; install a newer one")
    return codec(game)


@final
class MessageSource(DecisionSource):
    """The content of a decision, from the contract's messages."""

    __slots__ = ("_codec", "_events", "_message", "_wants")

    def __init__(self, game: str, message: play_pb2.Decision, events: Sequence[game_pb2.Event], bot: Bot) -> None:
        self._codec = game_codec(game)
        self._message = message
        self._events = events
        self._wants = type(bot)

    def view(self) -> Any:
        """Returns the view in the message."""
        return self._codec.view_from_proto(self._message.view)

    def legal_moves(self) -> Sequence[Any]:
        """Returns the listed legal moves. Raises `FudabaError` for a bot that does not want them."""
        if not self._wants.wants_legal_moves:
            raise FudabaError(
                f"{self._wants.__name__} has wants_legal_moves = False, so it does not receive legal moves"
            )
        return [self._codec.move_from_proto(move) for move in self._message.legal_moves]

    def events(self) -> Sequence[Any]:
        """Returns the events. Raises `FudabaError` for a bot that does not want them."""
        if not self._wants.wants_events:
            raise FudabaError(f"{self._wants.__name__} has wants_events = False, so it does not receive events")
        return [self._codec.event_from_proto(event) for event in self._events]


def match_info(header: record_pb2.MatchHeader, seat: int) -> MatchInfo:
    """Returns a match as the bot in `seat` sees it."""
    return MatchInfo(
        id=header.match_id,
        game=header.game,
        seat=seat,
        players=tuple(Player(player.bot, player.version) for player in header.players),
        options=options_from_proto(header.options),
        rules_version=header.rules_version,
        label=header.label,
        commitment=header.commitment,
    )


def result_of(end: record_pb2.MatchEnd) -> Result:
    """Returns how a match ended, from its message."""
    scored = end.HasField("outcome")
    return Result(
        scores=tuple(end.outcome.scores) if scored else None,
        placements=tuple(end.outcome.placements) if scored else None,
        forfeited_seat=end.forfeited_seat if end.HasField("forfeited_seat") else None,
        forfeit_cause=_cause(record_pb2.ForfeitCause.DESCRIPTOR, "FORFEIT_CAUSE_", end.forfeit_cause),
        abort_cause=_cause(record_pb2.AbortCause.DESCRIPTOR, "ABORT_CAUSE_", end.abort_cause),
    )


def _cause(names: EnumDescriptor, prefix: str, number: int) -> str:
    """Returns the name of a cause without its enum's prefix, or the number of an unknown one."""
    if not number:
        return ""
    value = names.values_by_number.get(number)
    return value.name.removeprefix(prefix) if value is not None else str(number)


def fill_answer(answer: play_pb2.Answer, decision: Decision, choice: Choice) -> str:
    """Fills an answer with a bot's choice. Returns what is wrong with the note, or an empty text.

    Raises `CannotSend`, with what to return instead, if the choice cannot be an answer. A bad note is not a reason for
    that.
    """
    fault = ""
    if isinstance(choice, Answer):
        answer.note, fault = sendable_note(choice.note)
        choice = choice.choice
    if isinstance(choice, str):
        try:
            answer.text = choice
        except ValueError:  # half a surrogate pair
            raise CannotSend(f"{choice!r} is not text that can be sent") from None
    elif isinstance(choice, int) and not isinstance(choice, bool):
        if not 0 <= choice < decision.legal_count:
            raise CannotSend(f"index {choice} is outside the list of legal moves: 0 to {decision.legal_count - 1}")
        answer.index = choice
    else:
        try:
            game_codec(decision.game).move_to_proto(choice, answer.move)
        except (AttributeError, TypeError, ValueError, OverflowError):
            raise CannotSend(
                f"choose returned {choice!r}; return a move of {decision.game} (one of decision.legal_moves), "
                "its text, or an index"
            ) from None
    return fault


def malformed(error: CannotSend) -> Refusal:
    """Returns the refusal of a choice that could not even be sent."""
    return Refusal("MALFORMED_MOVE", str(error))
