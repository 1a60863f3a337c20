"""Houniek's moves, events and views as text (rules page `docs/rules/houniek.md`, HO9)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.houniek.circle import PLACE_LETTERS, PLACE_NAMES
from fudaba_games.houniek.melds import Meld, melds_of
from fudaba_games.houniek.values import (
    MOVE_KINDS,
    PASS,
    DealEnded,
    Dealt,
    HouniekEvent,
    HouniekMove,
    HouniekView,
    Laid,
    Lay,
    Pass,
    Passed,
    Received,
    RoundBegan,
    move_kind,
)
from fudaba_games.kamikisen.melds import FORM_NAMES, SINGLE
from fudaba_games.kamikisen.text import parse_cards, text_by_colour, text_of

_FORMS: Final = {name: form for form, name in enumerate(FORM_NAMES) if form}
_HOW: Final = "write `pass`, `single r7`, `run r8 bK rT` or `set r3 b3`"


def parse_move(text: str) -> HouniekMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_HOW}")
    kind, rest = words[0], words[1:]
    if kind not in MOVE_KINDS:
        raise MalformedMove(f"{kind[:20]!r} is not a move of Houniek; {_HOW}")
    if kind == "pass":
        if rest:
            raise MalformedMove("`pass` stands alone")
        return PASS
    foot = -1
    if len(rest) > 1 and rest[-2] == "foot":
        foot = parse_foot(rest[-1])
        rest = rest[:-2]
    if not rest:
        raise MalformedMove(f"`{kind}` takes cards; {_HOW}")
    return meld_to_lay(parse_cards(rest), _FORMS[kind], foot)


def parse_foot(text: str) -> int:
    """Returns the place (0-10) of a text such as `7`, `S` or `T`. Raises `MalformedMove`."""
    place = PLACE_LETTERS.find(text) if len(text) == 1 else -1
    if place < 0:
        raise MalformedMove(f"{text[:20]!r} is not a foot; write one of {' '.join(PLACE_LETTERS)}")
    return place


def meld_to_lay(cards: int, form: int, foot: int) -> Lay:
    """Returns the move that lays some cards. With `form` 0 or `foot` -1 it finds what the cards are, if they can be
    only one meld.

    Raises `MalformedMove` if the cards cannot be that in any state.
    """
    melds = melds_of(cards)
    if not melds:
        raise MalformedMove(no_meld(cards) if cards else f"a meld needs cards; {_HOW}")
    of_form = [meld for meld in melds if form in {0, meld.form}]
    if not of_form:
        names = " or a ".join(dict.fromkeys([FORM_NAMES[meld.form] for meld in melds]))
        raise MalformedMove(f"{text_of(cards)} is not a {FORM_NAMES[form]} but a {names}")
    fitting = [meld for meld in of_form if foot in {-1, meld.foot}]
    if len(fitting) == 1:
        return Lay(fitting[0].form, cards, fitting[0].foot)
    if not fitting:
        raise MalformedMove(wrong_foot(cards, of_form))
    ways = [f"a {FORM_NAMES[meld.form]} with foot {PLACE_LETTERS[meld.foot]}" for meld in fitting]
    raise MalformedMove(f"{text_of(cards)} can be {', '.join(ways[:-1])} or {ways[-1]}; say which")


def no_meld(cards: int) -> str:
    """Returns why cards that are not a meld cannot be laid."""
    return (
        f"{text_of(cards)} is not a meld; a meld is one card, two or more of one kind, or two or more kinds that "
        "follow each other on the circle 1 2 3 4 5 6 7 8 K T S 1, each once; a none stands for any kind, next to a "
        "card that is not a none"
    )


def wrong_foot(cards: int, melds: list[Meld]) -> str:
    """Returns the feet that some cards can have as a meld of one form."""
    feet = " or ".join([PLACE_LETTERS[meld.foot] for meld in melds])
    return f"{text_of(cards)}, as a {FORM_NAMES[melds[0].form]}, can only have the foot {feet}"


def format_move(move: HouniekMove) -> str:
    """Returns the one text of a move: cards in deck order, and the foot if the cards leave it open."""
    if isinstance(move, Pass):
        return "pass"
    return f"{move_kind(move)} {meld_text(move.cards, move.form, move.foot)}"


def meld_text(cards: int, form: int, foot: int) -> str:
    """Returns the cards of a meld, and its foot if they leave it open: `r0 r3 foot 2`."""
    if len([meld for meld in melds_of(cards) if meld.form == form]) < 2:
        return text_of(cards)
    return f"{text_of(cards)} foot {PLACE_LETTERS[foot]}"


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    RoundBegan: "round_began",
    Laid: "laid",
    Passed: "passed",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: HouniekEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: HouniekEvent) -> str:
    """Returns an event as one line for people. Deals and rounds are counted from 1."""
    if isinstance(event, Laid):
        return f"Seat {event.seat} lays the {_laid_text(event)}."
    if isinstance(event, Passed):
        return f"Seat {event.seat} passes."
    if isinstance(event, RoundBegan):
        return f"Round {event.round + 1}: seat {event.leader} draws {_cards(event.drawn)} and leads."
    if isinstance(event, Received):
        return f"Seat {event.seat} draws {text_of(event.cards)}."
    if isinstance(event, Dealt):
        return f"Deal {event.deal + 1}, seat {event.dealer} deals."
    scores = " ".join([f"{score:+d}" for score in event.scores])
    return f"Seat {event.winner} has no cards left and wins the deal. Scores: {scores}."


def _laid_text(laid: Laid) -> str:
    return f"{FORM_NAMES[laid.form]} {meld_text(laid.cards, laid.form, laid.foot)}"


def _cards(number: int) -> str:
    return f"{number or 'no'} card{'' if number == 1 else 's'}"


def render_view(view: HouniekView) -> str:
    """Returns a view as a table of text for people. Deals and rounds are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals, round {view.round + 1}: {_due_text(view)}"]
    if view.table and view.turn >= 0:
        lines.append(_wanted(view.table[-1]))
    lines.append("  seat  score  cards  laid")
    for seat, size in enumerate(view.hand_sizes):
        laid = ", ".join([_laid_text(laid_meld) for laid_meld in view.table if laid_meld.seat == seat])
        mark = ">" if seat == view.turn else " "
        lines.append(f"{mark} {seat:>4}  {view.scores[seat]:>+5}  {size:>5}  {laid}".rstrip())
    lines.append(f"stock: {_cards(view.stock)}")
    if view.cleared:
        lines.append(f"cleared: {text_by_colour(view.cleared)}")
    if view.hand:
        lines.append(f"hand: {text_by_colour(view.hand)}")
    return "\n".join(lines)


def _due_text(view: HouniekView) -> str:
    if view.turn < 0:
        return "the match is over."
    return f"seat {view.turn} {'follows' if view.table else 'leads'}."


def _wanted(newest: Laid) -> str:
    """Returns a description of what a seat may lay now."""
    wanted_meld = FORM_NAMES[newest.form] + ("" if newest.form == SINGLE else f" of {newest.cards.bit_count()}")
    foot = PLACE_NAMES[newest.foot]
    beaten_by = f"a {wanted_meld} with a stronger foot, or more from {foot} on"
    return f"to beat: {_laid_text(newest)} of seat {newest.seat}: {beaten_by}"


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
