"""Positions of Tashot, written with the texts of cards."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from fudaba_games.game import IllegalMove, Shown
from fudaba_games.kamikisen.cards import DECK, cards_of, without
from fudaba_games.kamikisen.melds import melds_of
from fudaba_games.kamikisen.text import parse_card, parse_cards
from fudaba_games.tashot.rules import TASHOT
from fudaba_games.tashot.shapes import all_cards, mask_of_card
from fudaba_games.tashot.state import TashotState
from fudaba_games.tashot.values import NO_CARD, Call, OpenMeld, Phase, TashotEvent, TashotMove, TashotView
from tests.support.conformance.dump import dump


def cards(text: str) -> int:
    """Returns some cards, for example `cards("rS r1 r1 bK")`."""
    return parse_cards(text.split())


def card(text: str) -> int:
    """Returns one card."""
    return parse_card(text)


def open_meld(seat: int, text: str) -> OpenMeld | None:
    """Returns a meld of three or four that lies open, for example `open_meld(0, "rS r3 r4 as 5")`; None for no text."""
    if not text:
        return None
    move = TASHOT.text.parse_move(f"call {text}")
    assert isinstance(move, Call)
    return OpenMeld(seat, move.cards, melds_of(move.cards)[0].form, move.strength)


def dealt(seats: int = 3, seed: int = 0, **options: int) -> TashotState:
    """Returns a dealt match."""
    return TASHOT.new_match(seats, TASHOT.resolve_options(options), bytes([seed]) * 32)[0]


def holding(
    *hands: str,
    turn: int = 0,
    drawn: str = "",
    melds: Sequence[str] = (),
    stock: str | None = None,
    lights: str = "",
    unfinished: Sequence[int] = (),
    multiplier: int = 2,
    **options: int,
) -> TashotState:
    """Returns a turn in which hands, open melds and lights are as given.

    `stock` has the top first; without it the stock has all cards that are nowhere else, in deck order.
    """
    state = dealt(len(hands), **{"deals": 1, **options})
    state.hands = [cards(hand) for hand in hands]
    state.melds = [open_meld(seat, text) for seat, text in enumerate(melds)] or [None] * len(hands)
    state.turn, state.asked, state.phase = turn, 1 << turn, int(Phase.TURN)
    state.drawn = card(drawn) if drawn else NO_CARD
    state.turned = tuple([card(text) for text in lights.split()])
    state.unfinished = sum([1 << seat for seat in unfinished])
    state.multiplier = multiplier
    if stock is None:
        rest = DECK
        for hand, meld in zip(state.hands, state.melds, strict=True):
            rest = without(rest, all_cards(hand, meld))
        for light in state.turned:
            rest = without(rest, mask_of_card(light))
        state.stock = cards_of(rest)[::-1]
    else:
        state.stock = [card(text) for text in stock.split()][::-1]
    return state


def asked(state: TashotState) -> list[int]:
    """Returns the seats with an open decision."""
    return [due.seat for due in TASHOT.decisions(state)]


def _mover(state: TashotState, text: str) -> tuple[int, TashotMove]:
    """Returns whose move a text such as `discard r7` or, where several are asked, `2 decline` is, and which."""
    first, _, rest = text.partition(" ")
    if first.isdigit():
        return int(first), TASHOT.text.parse_move(rest)
    (seat,) = asked(state)
    return seat, TASHOT.text.parse_move(text)


def do(state: TashotState, *texts: str) -> list[TashotEvent]:
    """Checks and plays moves, and returns all events."""
    events: list[Shown[TashotEvent]] = []
    for text in texts:
        seat, move = _mover(state, text)
        assert seat in asked(state), f"seat {seat} is not asked"
        TASHOT.check(state, seat, move)
        events += TASHOT.apply(state, seat, move)
    return [shown.event for shown in events]


def refused(state: TashotState, wanted_move: str | TashotMove, seat: int | None = None) -> tuple[str, str]:
    """Returns why a move is refused: the rule's name, and the advice. The state stays as it was, to the byte."""
    mover, move = _mover(state, wanted_move) if isinstance(wanted_move, str) else (asked(state)[0], wanted_move)
    before = dump(state)
    with pytest.raises(IllegalMove) as error:
        TASHOT.check(state, mover if seat is None else seat, move)
    assert dump(state) == before
    return error.value.rule, str(error.value)


def legal(state: TashotState, seat: int | None = None) -> list[str]:
    """Returns the legal moves of a seat, of the only one that is asked if none is given."""
    if seat is None:
        (seat,) = asked(state)
    return [TASHOT.text.format_move(move) for move in TASHOT.legal_moves(state, seat)]


def view(state: TashotState, seat: int | None = None) -> TashotView:
    """Returns what a seat, or a spectator, knows."""
    return TASHOT.view(state, seat)
