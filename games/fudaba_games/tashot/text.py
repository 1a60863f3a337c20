"""Tashot's moves, events and views as text (rules page `docs/rules/tashot.md`, TA9)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.kamikisen.cards import CARD_TEXTS, STRENGTH_LETTERS
from fudaba_games.kamikisen.melds import FORM_NAMES, SET, melds_of
from fudaba_games.kamikisen.text import parse_card, parse_cards, parse_strength, text_by_colour, text_of
from fudaba_games.tashot.shapes import CALL_SIZES, Points
from fudaba_games.tashot.values import (
    DECLINE,
    DISCARDS,
    MOVE_KINDS,
    NO_CARD,
    NOBODY,
    WIN,
    Call,
    DealEnded,
    Dealt,
    Discard,
    Discarded,
    Four,
    Opened,
    Phase,
    Received,
    TashotEvent,
    TashotMove,
    TashotView,
    TurnBegan,
    Won,
    move_kind,
)

_HOW: Final = "write `decline`, `discard r7`, `four r3 r3 b3 b3`, `win` or `call r3 r4 r5`"


def parse_move(text: str) -> TashotMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_HOW}")
    kind, rest = words[0], words[1:]
    if kind not in MOVE_KINDS:
        raise MalformedMove(f"{kind[:20]!r} is not a move of Tashot; {_HOW}")
    if kind in {"decline", "win"}:
        if rest:
            raise MalformedMove(f"`{kind}` stands alone; {_HOW}")
        return WIN if kind == "win" else DECLINE
    strength = -1
    if kind == "call" and len(rest) > 1 and rest[-2] == "as":
        strength = parse_strength(rest[-1])
        rest = rest[:-2]
    if not rest:
        raise MalformedMove(f"`{kind}` takes cards; {_HOW}")
    if kind == "discard":
        if len(rest) > 1:
            raise MalformedMove(f"discard one card, not {len(rest)}; {_HOW}")
        return DISCARDS[parse_card(rest[0])]
    cards = parse_cards(rest)
    return four_of(cards) if kind == "four" else call_of(cards, 0, strength)


def four_of(cards: int) -> Four:
    """Returns the move that lays a set of four open. Raises `MalformedMove` for cards that are not one in any state."""
    readings = melds_of(cards)
    if not readings or readings[0].form != SET or readings[0].size != 4:
        raise MalformedMove(no_four(cards) if cards else f"a set of four needs cards; {_HOW}")
    return Four(cards)


def call_of(cards: int, form: int, strength: int) -> Call:
    """Returns the call of a whole meld. With `form` 0 or `strength` -1 it finds what the cards are, if they can be only
    one meld.

    Raises `MalformedMove` if the cards cannot be that in any state.
    """
    readings = melds_of(cards)
    if not readings or readings[0].size not in CALL_SIZES.get(readings[0].form, ()):
        raise MalformedMove(no_call(cards) if cards else f"a call needs cards; {_HOW}")
    if form not in {0, readings[0].form}:
        raise MalformedMove(f"{text_of(cards)} is not a {FORM_NAMES[form]} but a {FORM_NAMES[readings[0].form]}")
    fitting = [reading for reading in readings if strength in {-1, reading.strength}]
    if len(fitting) == 1:
        return Call(cards, fitting[0].strength)
    choices = " or ".join([f"`as {STRENGTH_LETTERS[reading.strength]}`" for reading in readings])
    if fitting:
        raise MalformedMove(f"{text_of(cards)} can have two strengths; add {choices}")
    raise MalformedMove(f"{text_of(cards)} cannot have strength {STRENGTH_LETTERS[strength]}; it can have {choices}")


def no_four(cards: int) -> str:
    """Returns why cards cannot be laid as a set of four."""
    return f"{text_of(cards)} is not a set of four; that is four cards of one strength, a ship for any but not alone"


def no_call(cards: int) -> str:
    """Returns why a card cannot be called with some cards."""
    return (
        f"{text_of(cards)} is not a meld to call; that is a set of three, a run of three cards of one colour, or a set "
        "of four; a ship stands for a card of its own colour"
    )


def format_move(move: TashotMove) -> str:
    """Returns the one text of a move: cards in deck order, and the strength if a ship leaves it open."""
    if isinstance(move, Discard):
        return f"discard {CARD_TEXTS[move.card]}"
    if isinstance(move, Call):
        return f"call {meld_text(move.cards, move.strength)}"
    return f"four {text_of(move.cards)}" if isinstance(move, Four) else move_kind(move)


def meld_text(cards: int, strength: int) -> str:
    """Returns the cards of a meld, and its strength if a ship leaves it open: `rS r3 r4 as 5`."""
    if len(melds_of(cards)) < 2:
        return text_of(cards)
    return f"{text_of(cards)} as {STRENGTH_LETTERS[strength]}"


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    TurnBegan: "turn_began",
    Discarded: "discarded",
    Opened: "opened",
    Won: "won",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: TashotEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: TashotEvent) -> str:  # noqa: PLR0911 - one for each kind of event
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, TurnBegan):
        return f"Seat {event.seat} draws; {event.stock} in the stock."
    if isinstance(event, Discarded):
        return f"Seat {event.seat} discards {CARD_TEXTS[event.card]}."
    if isinstance(event, Received):
        return f"Seat {event.seat} has drawn {text_of(event.cards)}."
    if isinstance(event, Opened):
        meld = f"{FORM_NAMES[event.form]} {meld_text(event.cards, event.strength)}"
        if event.source == NOBODY:
            return f"Seat {event.seat} lays the {meld} open."
        return f"Seat {event.seat} calls the card of seat {event.source} and lays the {meld} open."
    if isinstance(event, Dealt):
        light = f", the light is {CARD_TEXTS[event.light]}" if event.light != NO_CARD else ""
        return (
            f"Deal {event.deal + 1}, seat {event.dealer} deals: its points for finishing count {event.multiplier} "
            f"times{light}."
        )
    if isinstance(event, Won):
        means = "by drawing" if event.source == NOBODY else f"on the card of seat {event.source}"
        light = f" The second light is {CARD_TEXTS[event.light]}." if event.light != NO_CARD else ""
        return f"Seat {event.seat} wins {means}: {text_of(event.cards)}.{light} {_worth(points_in(event))}."
    scores = " ".join([f"{score:+d}" for score in event.scores])
    winner_text = "Nobody" if event.winner == NOBODY else f"Seat {event.winner}"
    return f"{winner_text} has won the deal. Scores: {scores}."


def points_in(event: Won) -> Points:
    """Returns the points of a win, as text."""
    return Points(event.same_colour, event.six_in_row, event.first_round, event.four, event.kings, event.lit)


def reasons(points: Points) -> list[str]:
    """Returns the reasons why a win is worth more than finishing."""
    named = {
        "one colour": points.same_colour,
        "six in a row": points.six_in_row,
        "first round": points.first_round,
        "a set of four": points.four,
        "kings": points.kings,
        "lights": points.lit,
    }
    return [
        f"{name} {int(amount)}" if name in {"kings", "lights"} else name for name, amount in named.items() if amount
    ]


def _worth(points: Points) -> str:
    more = reasons(points)
    bonus = f" and {points.bonus}" if points.bonus else ""
    return f"It is worth {points.finish}{bonus}{' (' + ', '.join(more) + ')' if more else ''}"


def render_view(view: TashotView) -> str:
    """Returns a view as a table of text for people. Deals are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals (×{view.multiplier}), {_due_text(view)}"]
    lights = f", lights {' '.join([CARD_TEXTS[light] for light in view.lights])}" if view.lights else ""
    lines.append(f"stock {view.stock}{lights}{', first round' if view.unfinished else ''}")
    lines.append("  seat  score  cards  open            discards")
    melds = {meld.seat: meld for meld in view.melds}
    for seat, discards in enumerate(view.discards):
        mark = ">" if seat == view.turn else " "
        meld = melds.get(seat)
        laid = meld_text(meld.cards, meld.strength) if meld is not None else ""
        row = f"{mark} {seat:>4}  {view.scores[seat]:>+5}  {view.hand_sizes[seat]:>5}  {laid:<15} "
        lines.append((row + text_by_colour(discards)).rstrip())
    if any(view.paid):
        lines.append(f"paid in this deal: {' '.join([f'{paid:+d}' for paid in view.paid])}")
    if view.won_with:
        lines.append(f"won with: {text_by_colour(view.won_with)}")
    if view.hand:
        drawn = f"   drawn {CARD_TEXTS[view.drawn]}" if view.drawn != NO_CARD else ""
        lines.append(f"hand: {text_by_colour(view.hand)}{drawn}")
    return "\n".join(lines)


def _due_text(view: TashotView) -> str:
    if view.phase == Phase.OVER:
        winner_text = f"seat {view.winner} has won" if view.winner != NOBODY else "nobody has won"
        return f"the match is over: {winner_text} the last deal."
    if view.phase == Phase.WINDOW:
        return f"seat {view.turn} has discarded {CARD_TEXTS[view.offered]}."
    return f"seat {view.turn} {'has called' if view.phase == Phase.CALLED else 'has drawn'}."


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
