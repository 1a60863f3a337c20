"""Naga's moves, events and views as text (rules page `docs/rules/naga.md`, N11)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.naga.cards import ATTRIBUTE_NAMES, PLACE_NAMES, PLACES, TRUMPS, parse_cards, text_of
from fudaba_games.naga.values import (
    Battled,
    Commit,
    DealEnded,
    Dealt,
    Designate,
    Designated,
    NagaEvent,
    NagaMove,
    NagaView,
    Received,
    move_kind,
)

_PLACE_BY_TEXT: Final = {str(place): place for place in PLACES}
_FORMS: Final = "write `designate` and a place 1-7, or `commit` and cards, for example `commit D7 A1 T3`"


def parse_move(text: str) -> NagaMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_FORMS}")
    kind, rest = words[0], words[1:]
    if kind == "designate":
        place = _PLACE_BY_TEXT.get(rest[0]) if len(rest) == 1 else None
        if place is None:
            raise MalformedMove("`designate` takes one place, 1 to 7, for example `designate 3`")
        return Designate(place)
    if kind == "commit":
        if not rest:
            raise MalformedMove("`commit` takes cards, for example `commit D7 A1 T3`")
        return Commit(parse_cards(rest))
    raise MalformedMove(f"{kind[:20]!r} is not a move of Naga; {_FORMS}")


def format_move(move: NagaMove) -> str:
    """Returns the one text of a move: cards in deck order."""
    if isinstance(move, Designate):
        return f"designate {move.place}"
    return f"commit {text_of(move.cards)}"


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Designated: "designated",
    Battled: "battled",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: NagaEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: NagaEvent) -> str:
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, Dealt):
        table = ", ".join(f"{PLACE_NAMES[place]} {text_of(event.table[place])}" for place in PLACES)
        return f"Deal {event.deal + 1}, seat {event.dealer} deals. {table}."
    if isinstance(event, Received):
        return f"Seat {event.seat} draws {text_of(event.cards)}."
    if isinstance(event, Designated):
        return f"Seat {event.seat} designates {PLACE_NAMES[event.place]}."
    if isinstance(event, Battled):
        prize = text_of(event.prize)
        result = f"nobody takes {prize}" if event.winner is None else f"seat {event.winner} takes {prize}"
        played = " against ".join(text_of(cards) for cards in event.played)
        return f"Battle for {PLACE_NAMES[event.place]}: {played}; {result}."
    first, second = event.won_counts
    result = "is drawn" if event.scores[0] == 0 else f"goes to seat {0 if event.scores[0] > 0 else 1}"
    return f"The deal {result}, {first} table cards to {second}."


def render_view(view: NagaView) -> str:
    """Returns a view as a table of text for people. Deals and battles are counted from 1."""
    if view.place and not view.table[view.place]:
        stage = "the match is over"  # else the next battle would have begun
    elif view.place:
        stage = f"the battle is for {PLACE_NAMES[view.place]}"
    else:
        stage = f"seat {view.to_designate} designates a place"
    lines = [
        f"Deal {view.deal + 1}, battle {view.battle + 1}: {stage}. Seat {view.dealer} deals, {view.stock} in stock.",
        "  place      trump  cards",
    ]
    for place in PLACES:
        mark = ">" if place == view.place else " "
        cards = text_of(view.table[place]) or "-"
        lines.append(f"{mark} {place} {PLACE_NAMES[place]:<8} {ATTRIBUTE_NAMES[TRUMPS[place]]:<6} {cards}")
    for seat in (0, 1):
        won = view.won[seat]
        lines.append(f"seat {seat}: score {view.scores[seat]:+d}, won {won.bit_count()}: {text_of(won) or '-'}")
    if view.discarded:
        lines.append(f"out: {text_of(view.discarded)}")
    if view.hand:
        committed = f", committed {text_of(view.committed)}" if view.committed else ""
        lines.append(f"hand: {text_of(view.hand)}{committed}")
    return "\n".join(lines)


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
