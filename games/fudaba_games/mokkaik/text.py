"""Mokkaik's moves, events and views as text (rules page `docs/rules/mokkaik.md`, MO7)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.kamikisen.cards import STRENGTH_LETTERS, STRENGTH_NAMES
from fudaba_games.kamikisen.melds import FORM_NAMES, SINGLE, melds_of
from fudaba_games.kamikisen.text import parse_cards, parse_strength, text_by_colour, text_of
from fudaba_games.mokkaik.values import (
    MOVE_KINDS,
    DealEnded,
    Dealt,
    Discard,
    Discarded,
    Laid,
    Lay,
    MokkaikEvent,
    MokkaikMove,
    MokkaikView,
    Received,
    RoundWon,
    move_kind,
)
from fudaba_games.wording import counted

_FORMS: Final = {name: form for form, name in enumerate(FORM_NAMES) if form}
_HOW: Final = "write `single r7`, `set r3 b3`, `run r3 r4 r5` or `discard r1 b8`"


def parse_move(text: str) -> MokkaikMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_HOW}")
    kind, rest = words[0], words[1:]
    if kind not in MOVE_KINDS:
        raise MalformedMove(f"{kind[:20]!r} is not a move of Mokkaik; {_HOW}")
    strength = -1
    if kind != "discard" and len(rest) > 1 and rest[-2] == "as":
        strength = parse_strength(rest[-1])
        rest = rest[:-2]
    if not rest:
        raise MalformedMove(f"`{kind}` takes cards; {_HOW}")
    cards = parse_cards(rest)
    return Discard(cards) if kind == "discard" else meld_to_lay(cards, _FORMS[kind], strength)


def meld_to_lay(cards: int, form: int, strength: int) -> Lay:
    """Returns the move that lays some cards. With `form` 0 or `strength` -1 it finds what the cards are, if they can be
    only one meld.

    A lone ship without a strength is itself. Raises `MalformedMove` if the cards cannot be that in any state.
    """
    readings = melds_of(cards)
    if not readings:
        raise MalformedMove(no_meld(cards) if cards else f"a meld needs cards; {_HOW}")
    if form not in {0, readings[0].form}:
        raise MalformedMove(f"{text_of(cards)} is not a {FORM_NAMES[form]} but a {FORM_NAMES[readings[0].form]}")
    fitting = [reading for reading in readings if strength in {-1, reading.strength}]
    if len(fitting) == 1 or (fitting and fitting[0].form == SINGLE):
        return Lay(fitting[0].form, cards, fitting[0].strength)
    choices = [f"`as {STRENGTH_LETTERS[reading.strength]}`" for reading in readings]
    if fitting:
        raise MalformedMove(f"{text_of(cards)} can have two strengths; add {' or '.join(choices)}")
    raise MalformedMove(
        f"{text_of(cards)} cannot have strength {STRENGTH_LETTERS[strength]}; it can have {' or '.join(choices)}"
    )


def no_meld(cards: int) -> str:
    """Returns why cards that are not a meld cannot be laid."""
    return (
        f"{text_of(cards)} is not a meld; a meld is one card, two or more of one strength, or three or more of one "
        "colour with consecutive values 0-8; a ship stands for a card of its own colour, next to one that is not a ship"
    )


def format_move(move: MokkaikMove) -> str:
    """Returns the one text of a move: cards in deck order, and the strength if a ship leaves it open."""
    if isinstance(move, Discard):
        return f"discard {text_of(move.cards)}"
    return f"{move_kind(move)} {meld_text(move.cards, move.strength)}"


def meld_text(cards: int, strength: int) -> str:
    """Returns the cards of a meld, and its strength if a ship leaves it open: `rS r3 r4 as 5`. A lone `rS` is
    itself.
    """
    readings = melds_of(cards)
    if len(readings) < 2 or not strength:
        return text_of(cards)
    return f"{text_of(cards)} as {STRENGTH_LETTERS[strength]}"


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Laid: "laid",
    Discarded: "discarded",
    RoundWon: "round_won",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: MokkaikEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: MokkaikEvent) -> str:
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, Laid):
        return f"Seat {event.seat} lays the {FORM_NAMES[event.form]} {meld_text(event.cards, event.strength)}."
    if isinstance(event, Discarded):
        return f"Seat {event.seat} discards {counted(event.count, 'card')}."
    if isinstance(event, RoundWon):
        return f"Seat {event.winner} wins the round and keeps {text_of(event.cards)}."
    if isinstance(event, Received):
        return f"Seat {event.seat} draws {text_of(event.cards)}."
    if isinstance(event, Dealt):
        return (
            f"Deal {event.deal + 1}, seat {event.dealer} deals: payments of the dealer count {event.multiplier} times."
        )
    counts = " ".join(map(str, event.public_counts))
    scores = " ".join([f"{score:+d}" for score in event.scores])
    return f"Seat {event.winner} wins the deal. Public cards: {counts}. Scores: {scores}."


def render_view(view: MokkaikView) -> str:
    """Returns a view as a table of text for people. Deals and rounds are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals (×{view.multiplier}), {_due_text(view)}"]
    if view.size:
        lines.append(_wanted(view))
    lines.append("  seat  score  cards  discards  public cards")
    for seat, public in enumerate(view.public_cards):
        mark = ">" if seat == view.turn else " "
        row = f"{mark} {seat:>4}  {view.scores[seat]:>+5}  {view.hand_sizes[seat]:>5}  {view.discard_counts[seat]:>8}  "
        kept = f"{public.bit_count()}: {text_by_colour(public)}" if public else "0"
        laid = f"   laid {text_of(view.laid[view.laid_by.index(seat)])}" if seat in view.laid_by else ""
        lines.append(row + kept + laid)
    if view.beaten:
        lines.append(f"beaten: {text_by_colour(view.beaten)}")
    if view.discarded:
        lines.append(f"discarded: {text_by_colour(view.discarded)}")
    if view.hand:
        lines.append(f"hand: {text_by_colour(view.hand)}")
    return "\n".join(lines)


def _due_text(view: MokkaikView) -> str:
    if view.turn < 0:
        return "the match is over."
    return f"round {view.round + 1}: seat {view.turn} {'follows' if view.size else 'leads'}."


def _wanted(view: MokkaikView) -> str:
    """Returns a description of what must be laid in this round."""
    meld = FORM_NAMES[view.form] + ("" if view.form == SINGLE else f" of {view.size}")
    colours = [f"{count} {name}" for count, name in ((view.reds, "red"), (view.size - view.reds, "black")) if count]
    return (
        f"a {meld}, {' and '.join(colours)}, stronger than {STRENGTH_NAMES[view.strength]} of seat {view.laid_by[-1]}"
    )


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
