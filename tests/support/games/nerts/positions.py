"""Positions of Nerts, written with the texts of cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest

from fudaba_games.game import IllegalMove
from fudaba_games.nerts.cards import BITS, CARD_TEXTS, RANK_COUNT
from fudaba_games.nerts.layout import Layout
from fudaba_games.nerts.rules import NERTS
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.turns import accept_next
from fudaba_games.nerts.values import NertsEvent
from tests.support.conformance.dump import dump


class Cards(NamedTuple):
    """A seat's cards. A pile ends with its top, but a stock begins with it. Piles are separated by `|`."""

    nerts: str = "2C"
    works: str = "KC | KD | KH | KS"
    stock: str = ""
    waste: str = ""


def cards(text: str) -> bytes:
    """Returns some cards, for example `cards("AS TD")`."""
    return bytes([CARD_TEXTS.index(word) for word in text.replace("-", "").split()])


def dealt(seats: int = 2, seed: int = 0, **options: int | str) -> NertsState:
    """Returns a dealt match."""
    return NERTS.new_match(seats, NERTS.resolve_options(options), bytes([seed]) * 32)[0]


def holding(*seats: Cards, foundations: Sequence[str] = (), **options: int | str) -> NertsState:
    """Returns a position of a single deal. A foundation is its top card, for example `5S`; its cards are seat 0's."""
    given: dict[str, int | str] = {"target": 0, **options}
    state = NERTS.new_match(len(seats), NERTS.resolve_options(given), bytes(32))[0]
    state.layouts = []
    for seat_cards in seats:
        works = [cards(work) for work in seat_cards.works.split("|")]
        held = sum(BITS[card] for work in works for card in work)
        layout = Layout(cards(seat_cards.nerts), works, cards(seat_cards.stock), cards(seat_cards.waste), held)
        layout.survey()
        state.layouts.append(layout)
    for text in foundations:
        (top,) = cards(text)
        state.suits.append(top // RANK_COUNT)
        state.foundations.append(b"\1" * (top % RANK_COUNT + 1))
    accept_next(state)
    return state


def play(state: NertsState, seat: int, text: str) -> list[NertsEvent]:
    """Checks and makes one move. Returns the events of it."""
    move = NERTS.text.parse_move(text)
    NERTS.check(state, seat, move)
    return [shown.event for shown in NERTS.apply(state, seat, move)]


def tick(state: NertsState, *texts: str) -> list[NertsEvent]:
    """Plays one tick: a move of each seat, `wait` for those that are not named. Returns its events."""
    events: list[NertsEvent] = []
    for seat in range(state.seats):
        events += play(state, seat, texts[seat] if seat < len(texts) else "wait")
    return events


def legal(state: NertsState, seat: int = 0) -> list[str]:
    """Returns the legal moves as text."""
    return [NERTS.text.format_move(move) for move in NERTS.legal_moves(state, seat)]


def refused(state: NertsState, text: str, seat: int = 0) -> str:
    """Returns why a move is refused. It is not among the legal ones, and nothing has changed."""
    before = dump(state)
    with pytest.raises(IllegalMove) as error:
        NERTS.check(state, seat, NERTS.text.parse_move(text))
    assert text not in legal(state, seat)
    assert dump(state) == before
    return error.value.rule


def works(state: NertsState, seat: int = 0) -> str:
    """Returns a seat's work piles, as in `Cards.works`."""
    return " | ".join(" ".join(CARD_TEXTS[card] for card in work) or "-" for work in state.layouts[seat].work_piles)


def names(pile: bytes) -> str:
    """Returns the texts of a pile's cards."""
    return " ".join(CARD_TEXTS[card] for card in pile)
