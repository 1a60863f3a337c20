"""Moves, events and views as text: one form for logs, command lines and every language."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from high_card.turns import DECK
from high_card.values import (
    Compared,
    DealEnded,
    Dealt,
    HighCardEvent,
    HighCardMove,
    HighCardView,
    Pass,
    Play,
    Received,
    move_kind,
)

_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Compared: "compared",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())
_CARDS: Final = {str(card): card for card in DECK}


def event_kind(event: HighCardEvent) -> str:
    """Returns one of `EVENT_KINDS`."""
    return _EVENT_KINDS[type(event)]


def parse_move(text: str) -> HighCardMove:
    """Returns the move of a text: `pass`, or `play 7`. Raises `MalformedMove`."""
    words = text.split()
    if words == ["pass"]:
        return Pass()
    if len(words) == 2 and words[0] == "play" and words[1] in _CARDS:
        return Play(_CARDS[words[1]])
    raise MalformedMove(f"{text[:60]!r} is not a move; write `pass`, or `play` and a card from 1 to 12")


def format_move(move: HighCardMove) -> str:
    """Returns the one text of a move."""
    return "pass" if isinstance(move, Pass) else f"play {move.card}"


def describe_event(event: HighCardEvent) -> str:
    """Returns an event as one line for people."""
    if isinstance(event, Dealt):
        return f"Deal {event.deal + 1}, seat {event.dealer} deals."
    if isinstance(event, Received):
        return f"Seat {event.seat} gets {' '.join(map(str, event.cards))}."
    if isinstance(event, Compared):
        first, second = map(card_text, event.cards)
        return f"Seat 0 plays {first}, seat 1 plays {second}."
    return f"The deal is over: {event.scores[0]:+d}, {event.scores[1]:+d}."


def card_text(card: int) -> str:
    """Returns the text of a played card, or of a pass."""
    return str(card) if card else "nothing"


def render_view(view: HighCardView) -> str:
    """Returns a view as lines of text for people."""
    pairs = zip(view.played[::2], view.played[1::2], strict=True)
    rounds = [f"{card_text(first)} : {card_text(other)}" for first, other in pairs]
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals.", f"rounds: {', '.join(rounds) or 'none yet'}"]
    lines += [f"seat {seat}: score {score:+d}" for seat, score in enumerate(view.scores)]
    if view.hand:
        chosen = f"   chosen {card_text(view.chosen)}" if view.chosen >= 0 else ""
        lines.append(f"hand: {' '.join(map(str, view.hand))}{chosen}")
    return "\n".join(lines)


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
