"""A state of Nerts that looks like a view, for a search that knows no more than its seat."""

from __future__ import annotations

from fudaba_games.nerts.cards import BITS, CARDS, NO_CARD, RANK_COUNT
from fudaba_games.nerts.layout import Layout
from fudaba_games.nerts.state import NertsState
from fudaba_games.nerts.turns import accept_next, ask_everybody, clear_foundations
from fudaba_games.nerts.values import NertsView


def supposed(view: NertsView, seat: int, state: NertsState) -> NertsState:
    """Fills `state` so that `seat` has this view. The cards that the seat does not see lie in deck order, so redeal the
    state.
    """
    seats = state.seats
    state.deal = view.deal
    state.tick = view.tick
    state.stock_turns = view.stock_turns
    state.idle = view.idle
    state.scores = view.scores
    clear_foundations(state)
    founded = [0] * seats
    for suit, owners in view.foundations:
        state.suits.append(suit)
        state.foundations.append(bytes(owners))
        for rank, mask in enumerate(owners):
            for owner in range(seats):
                if mask >> owner & 1:
                    founded[owner] |= BITS[RANK_COUNT * suit + rank]
    accept_next(state)
    state.layouts = [
        _layout(view, index, view.waste if index == seat else (), founded[index]) for index in range(seats)
    ]
    ask_everybody(state)
    state.chosen[seat] = view.chosen
    return state


def _layout(view: NertsView, seat: int, waste: tuple[int, ...], founded: int) -> Layout:
    """Returns the layout of one seat. `founded` is the number of its cards on the foundations."""
    seen = view.seats[seat]
    works = [bytes(work) for work in seen.work_piles]
    held = sum([BITS[card] for work in works for card in work])
    known = held | founded | sum([BITS[card] for card in waste])
    for top in (seen.nerts_top, seen.waste_top):
        if top != NO_CARD:
            known |= BITS[top]
    hidden = bytes([card for card in range(CARDS) if not known >> card & 1])
    below = max(seen.nerts_size - 1, 0)
    nerts, stock = hidden[:below], hidden[below : below + seen.stock_size]
    if seen.nerts_size:
        nerts += bytes((seen.nerts_top,))
    rest = hidden[below + seen.stock_size :] + (bytes((seen.waste_top,)) if seen.waste_size else b"")
    layout = Layout(nerts, works, stock, bytes(waste) or rest, held, seen.founded)
    layout.survey()
    return layout
