"""Namto's moves, events and views as text (rules page `docs/rules/namto.md`, NT8)."""

from __future__ import annotations

import re
from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.kamikisen.betting import seats_in
from fudaba_games.kamikisen.cards import CARD_TEXTS, STRENGTH_LETTERS
from fudaba_games.kamikisen.melds import melds_of
from fudaba_games.kamikisen.text import text_by_colour, text_of
from fudaba_games.namto.melds import RANK_NAMES, Rank
from fudaba_games.namto.values import (
    BETS,
    CALL,
    FOLD,
    HIGHEST_BET,
    Bet,
    BetMade,
    Called,
    DealEnded,
    DealerChanged,
    Dealt,
    Folded,
    NamtoEvent,
    NamtoMove,
    NamtoView,
    Opened,
    Phase,
    Received,
    Showdown,
    ShownHand,
    move_kind,
)

_HOW: Final = "write `fold`, `bet 5` or `call`"
_POINTS: Final = re.compile(r"[1-9][0-9]{0,3}")


def parse_move(text: str) -> NamtoMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_HOW}")
    kind, rest = words[0], words[1:]
    if kind in {"fold", "call"}:
        if rest:
            raise MalformedMove(f"`{kind}` stands alone; {_HOW}")
        return FOLD if kind == "fold" else CALL
    if kind != "bet":
        raise MalformedMove(f"{kind[:20]!r} is not a move of Namto; {_HOW}")
    points = int(rest[0]) if len(rest) == 1 and _POINTS.fullmatch(rest[0]) else 0
    return bet_of(points)


def bet_of(points: int) -> Bet:
    """Returns the move that bets this many points. Raises `MalformedMove` for a bet that no state allows."""
    if not 1 <= points <= HIGHEST_BET:
        raise MalformedMove(f"`bet` takes points from 1 to {HIGHEST_BET}; {_HOW}")
    return BETS[points]


def format_move(move: NamtoMove) -> str:
    """Returns the one text of a move."""
    return f"bet {move.points}" if isinstance(move, Bet) else move_kind(move)


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    BetMade: "bet_made",
    Called: "called",
    Folded: "folded",
    DealerChanged: "dealer_changed",
    Opened: "opened",
    Showdown: "showdown",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: NamtoEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: NamtoEvent) -> str:  # noqa: PLR0911 - one for each kind of event
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, BetMade):
        return f"Seat {event.seat} bets {event.points}."
    if isinstance(event, Called):
        return f"Seat {event.seat} calls with {event.points}."
    if isinstance(event, Folded):
        return f"Seat {event.seat} folds."
    if isinstance(event, DealerChanged):
        return f"Seat {event.dealer} becomes the dealer."
    if isinstance(event, Opened):
        return f"{CARD_TEXTS[event.card]} is opened."
    if isinstance(event, Showdown):
        shown = [f"Seat {hand.seat} shows {text_of(hand.hand)}: {shown_text(hand)}" for hand in event.hands]
        return f"{'; '.join(shown)}."
    if isinstance(event, Received):
        return f"Seat {event.seat} is dealt {text_of(event.cards)}."
    if isinstance(event, Dealt):
        seats = " ".join([str(seat) for seat in seats_in(event.playing)])
        return f"Deal {event.deal + 1}, seat {event.dealer} deals. Seats {seats} play; the pot is {event.pot}."
    winners = " and ".join([str(seat) for seat in event.winners])
    verb = f"Seat {winners} wins" if len(event.winners) == 1 else f"Seats {winners} share"
    return f"{verb} the pot of {event.pot}. Scores: {' '.join([f'{score:+d}' for score in event.scores])}."


def shown_text(hand: ShownHand) -> str:
    """Returns the best meld of a hand that is shown, for example `earth heart r6 b7 r8` or `run rS r3 r4 as 5`."""
    text = f"{RANK_NAMES[hand.rank]} {text_of(hand.cards)}"
    open_strength = hand.rank in {Rank.SINGLE, Rank.RUN} and len(melds_of(hand.cards)) > 1
    return f"{text} as {STRENGTH_LETTERS[hand.strength]}" if open_strength else text


def render_view(view: NamtoView) -> str:
    """Returns a view as a table of text for people. Deals and rounds are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} is the dealer, {_due_text(view)}"]
    lines.append(f"shared cards: {' '.join([CARD_TEXTS[card] for card in view.shared]) or 'none'}")
    lines.append(f"pot {view.pot}")
    lines.append("           score  stack  paid  bet")
    for seat, score in enumerate(view.scores):
        mark = ">" if seat == view.turn else " "
        row = f"{mark} seat {seat}  {score:>+6}  {view.stacks[seat]:>5}  {view.paid[seat]:>4}  {view.bets[seat]:>3}"
        state = "sits out" if not view.playing >> seat & 1 else "" if view.staying >> seat & 1 else "folded"
        lines.append(f"{row}  {state or text_of(view.shown[seat])}".rstrip())
    if view.hand:
        lines.append(f"hand: {text_by_colour(view.hand)}")
    return "\n".join(lines)


def _due_text(view: NamtoView) -> str:
    if view.phase == Phase.OVER:
        return "the match is over."
    where = f"round {view.round + 1} of {view.rounds}: seat {view.turn}"
    if view.phase == Phase.CALLING:
        return f"{where} calls the bet of {view.min_bet}, or folds."
    return f"{where} bets {view.min_bet} to {view.max_bet}, or folds."


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
