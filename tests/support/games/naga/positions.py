"""Positions of Naga, written with the cards' texts."""

from __future__ import annotations

from typing import Any, Final

from fudaba_games.game import Shown
from fudaba_games.naga.cards import CARD_TEXTS, PLACES, TRUMPS, card, parse_cards
from fudaba_games.naga.rules import NAGA
from fudaba_games.naga.state import NagaState
from fudaba_games.naga.values import Commit, Designate, NagaEvent

SINGLE_PLACES: Final = (1, 2, 3, 5, 6, 7)


def cards(text: str) -> int:
    """Returns the mask of some cards, for example `cards("D7 A1")`."""
    return parse_cards(text.split())


def dealt(seed: int = 0, **options: int) -> NagaState:
    """Returns a dealt match."""
    return NAGA.new_match(2, NAGA.resolve_options(options), bytes([seed]) * 32)[0]


def designate(state: NagaState, place: int) -> list[Shown[NagaEvent]]:
    """Designates a place by whoever has to."""
    (due,) = NAGA.decisions(state)
    move = Designate(place)
    NAGA.check(state, due.seat, move)
    return NAGA.apply(state, due.seat, move)


def fight(state: NagaState, first: str, second: str) -> list[Shown[NagaEvent]]:
    """Lets both seats commit, seat 0 first; the hands are given the cards if they have not got them."""
    for seat, text in enumerate((first, second)):
        mask = cards(text)
        give(state, seat, mask)
        NAGA.check(state, seat, Commit(mask))
    assert NAGA.apply(state, 0, Commit(cards(first))) == []
    return NAGA.apply(state, 1, Commit(cards(second)))


def give(state: NagaState, seat: int, mask: int) -> None:
    """Puts cards into a hand in the place of others, wherever they are now."""
    missing = mask & ~state.hands[seat]
    while missing:
        low = missing & -missing
        spare = state.hands[seat] & ~mask
        swap(state, low, spare & -spare)
        missing ^= low


def swap(state: NagaState, first: int, other: int) -> None:
    """Lets two cards (masks) change places everywhere in the state."""

    def swapped(value: Any) -> Any:
        if isinstance(value, tuple):
            return tuple(swapped(part) for part in value)
        both = first | other
        return value ^ both if value & both and value & both != both else value

    for name in ("layout", "hands", "committed", "won", "discarded", "draws"):
        setattr(state, name, swapped(getattr(state, name)))


def lay(state: NagaState, place: int, text: str) -> None:
    """Puts cards onto a place of the table."""
    mask = cards(text)
    missing = mask & ~state.layout[place]
    while missing:
        low = missing & -missing
        spare = state.layout[place] & ~mask
        swap(state, low, spare & -spare)
        missing ^= low


def default_battles(state: NagaState, count: int) -> list[Shown[NagaEvent]]:
    """Fights this many battles by default moves, and says what happened."""
    events: list[Shown[NagaEvent]] = []
    while count:
        for due in NAGA.decisions(state):
            move = NAGA.legal_moves(state, due.seat)[0]
            count -= isinstance(move, Commit) and len(NAGA.decisions(state)) == 1
            events += NAGA.apply(state, due.seat, move)
    return events


def all_cards(state: NagaState) -> list[int]:
    """Masks of everything that a state says where a card is; in a sound state they are the deck, each card once."""
    table = [state.layout[place] for place in PLACES if state.places >> place & 1]
    to_come = state.draws[2 * state.battle :]
    return [*table, *state.hands, *state.won, state.discarded, *to_come]


def win_singles(state: NagaState, winners: str) -> None:
    """Fights the battles for the single cards so that they end as said: `0`, `1`, or `=` for a tie.

    The same few cards do it every time, taken from wherever they are.
    """
    for place, wanted in zip(SINGLE_PLACES, winners, strict=False):
        designate(state, place)
        # Where nobody has anything, the place's own trump 7 is the strongest card of both hands.
        lay(state, place, "E1" if wanted in "01" else CARD_TEXTS[card(TRUMPS[place], 7)])
        commits = {"0": ("MI MC F2", "F1 W3 A6"), "1": ("F1 W3 A6", "MI MC F2"), "=": ("F1 W3 A5", "W1 F3 T5")}
        fight(state, *commits[wanted])
