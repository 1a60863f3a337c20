"""The base of every game's codec."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar

from fudaba.v1 import game_pb2
from fudaba_games.game import BadOption, MalformedMove, OptionValue, Outcome

M = TypeVar("M")
V = TypeVar("V")
E = TypeVar("E")


def unset(field: str, wanted: str) -> MalformedMove:
    """Returns the error for a oneof without a field that this game knows."""
    return MalformedMove(f"{field} is not set, or to something unknown; set {wanted}")


class GameCodec(ABC, Generic[M, V, E]):
    """Converts one game's rule values to messages and back.

    The `..._to_proto` methods fill a message in place, which saves copying it into its parent. Moves come from outside
    and are checked here, once: `move_from_proto` raises `MalformedMove`. Views and events come from the service.
    """

    @abstractmethod
    def move_to_proto(self, move: M, into: game_pb2.Move) -> None:
        """Fills an empty message with a move."""

    @abstractmethod
    def move_from_proto(self, message: game_pb2.Move) -> M:
        """Returns the move of a message. Raises `MalformedMove`."""

    @abstractmethod
    def view_to_proto(self, view: V, into: game_pb2.View) -> None:
        """Fills an empty message with a view."""

    @abstractmethod
    def view_from_proto(self, message: game_pb2.View) -> V:
        """Returns the view of a message."""

    @abstractmethod
    def event_to_proto(self, event: E, into: game_pb2.Event) -> None:
        """Fills an empty message with an event."""

    @abstractmethod
    def event_from_proto(self, message: game_pb2.Event) -> E:
        """Returns the event of a message."""


def option_to_proto(value: OptionValue) -> game_pb2.OptionValue:
    """Returns the message of an option's value."""
    if isinstance(value, bool):
        return game_pb2.OptionValue(flag=value)
    if isinstance(value, int):
        return game_pb2.OptionValue(number=value)
    return game_pb2.OptionValue(choice=value)


def option_from_proto(name: str, message: game_pb2.OptionValue) -> OptionValue:
    """Returns the value of an option's message. Raises `BadOption` when none is set."""
    kind = message.WhichOneof("value")
    if kind is None:
        raise BadOption(f"option {name!r} has no value; set number, flag or choice")
    value: OptionValue = getattr(message, kind)
    return value


def options_from_proto(messages: Mapping[str, game_pb2.OptionValue]) -> dict[str, OptionValue]:
    """Returns the values of a map of options. Raises `BadOption`."""
    return {name: option_from_proto(name, message) for name, message in messages.items()}


def outcome_to_proto(outcome: Outcome, into: game_pb2.Outcome) -> None:
    """Fills an empty message with a result."""
    into.scores.extend(outcome.scores)
    into.placements.extend(outcome.placements)


def outcome_from_proto(message: game_pb2.Outcome) -> Outcome:
    """Returns the result of a message."""
    return Outcome(tuple(message.scores))
