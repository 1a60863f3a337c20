"""The rules of Niekhi (rules page `docs/rules/niekhi.md`; numbers such as NI4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, final

from fudaba_games.game import Chance, Decision, Game, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.kamikisen.dealing import deals_option, first_dealer, first_dealer_option, number_of_deals
from fudaba_games.niekhi.cards import SHIPS, VALUES
from fudaba_games.niekhi.judging import check_move
from fudaba_games.niekhi.melds import FORMS
from fudaba_games.niekhi.moves import (
    DECLINING,
    NAMES,
    PASSING,
    choices_of,
    has_sets,
    lays_on,
    leading_sets,
    leading_singles,
    takes_of,
)
from fudaba_games.niekhi.redealing import redealt
from fudaba_games.niekhi.runs import has_stairs, runs_of, stairs_of
from fudaba_games.niekhi.state import MAX_SEATS, NiekhiState
from fudaba_games.niekhi.supposing import supposed
from fudaba_games.niekhi.text import EVENT_KINDS, TEXT
from fudaba_games.niekhi.turns import Events, deal_cards, lay_meld, name_strengths, pass_by, take_cards, waive
from fudaba_games.niekhi.values import (
    MOVE_KINDS,
    PHASE_LAYING,
    PHASE_OVER,
    Lay,
    Name,
    NiekhiEvent,
    NiekhiMove,
    NiekhiView,
    Pass,
    Take,
)

_DECISIONS: Final[tuple[tuple[Decision, ...], ...]] = (*[(Decision(seat),) for seat in range(MAX_SEATS)], ())
"""The open decisions, by seat; the last one, for `NOBODY`, is empty."""
_LAYING_KINDS: Final = ("pass", *FORMS)
_GENERALS_KINDS: Final = ("decline", "name", "take")

Group = tuple[NiekhiMove, ...]


@final
class Niekhi(Game[NiekhiState, NiekhiMove, NiekhiView, NiekhiEvent]):
    """連友, two to six seats."""

    id = "niekhi"
    name = "Niekhi"
    japanese_name = "連友"
    rules_version = 1
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (deals_option(), first_dealer_option(MAX_SEATS))
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NiekhiState, list[Shown[NiekhiEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        deals = number_of_deals(int(options["deals"]), seats)
        state = NiekhiState(seed, seats, deals, first_dealer(int(options["first_dealer"]), seats))
        events: list[Shown[NiekhiEvent]] = []
        deal_cards(state, events)
        return state, events

    def decisions(self, state: NiekhiState) -> Sequence[Decision]:
        """Returns the decision of the seat to move, until the match is over."""
        return _DECISIONS[state.turn]

    def turn(self, state: NiekhiState) -> int:
        """Returns the seat to move."""
        return state.turn

    def legal_moves(self, state: NiekhiState, seat: int) -> Sequence[NiekhiMove]:
        """Returns pass, then singles, sets, runs and runs of sets; after generals declining, names, cards of the
        pile.
        """
        if state.phase == PHASE_LAYING:
            return _laying(state.hands[seat], state.size, state.length, state.strength)
        return (*DECLINING, *NAMES[state.generals], *takes_of(state.pile, state.generals))

    def legal_kinds(self, state: NiekhiState, seat: int) -> Sequence[tuple[str, int]]:
        """Returns the kinds of the legal moves, in their order, with the number of each."""
        kinds = _LAYING_KINDS if state.phase == PHASE_LAYING else _GENERALS_KINDS
        groups = _groups(state, seat)
        return [(kind, len(group)) for kind, group in zip(kinds, groups, strict=True) if group]

    def random_move(self, state: NiekhiState, seat: int, chance: Chance) -> NiekhiMove:
        """Draws a move as in every game, without listing the kinds that are not drawn."""
        if state.phase != PHASE_LAYING:
            kind = int(chance.random() * (3 if state.pile else 2))
            if kind == 2:
                choices = choices_of(state.pile, state.generals)
                return Take(choices[int(chance.random() * len(choices))])
            group = NAMES[state.generals] if kind else DECLINING
        elif state.size:
            groups = [group for group in _groups(state, seat) if group]
            group = groups[0] if len(groups) == 1 else groups[int(chance.random() * len(groups))]
        else:
            group = _drawn_lead(state.hands[seat], chance)
        return group[int(chance.random() * len(group))]

    def check(self, state: NiekhiState, seat: int, move: NiekhiMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: NiekhiState, seat: int, move: NiekhiMove) -> list[Shown[NiekhiEvent]]:
        """Plays a checked move."""
        events: list[Shown[NiekhiEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: NiekhiState, seat: int, move: NiekhiMove) -> None:
        """Plays a checked move without making its events."""
        _play(state, seat, move, None)

    def view(self, state: NiekhiState, seat: int | None) -> NiekhiView:
        """Returns what `seat` (None: a spectator) may know."""
        return NiekhiView(
            state.deal,
            state.dealer,
            state.turns,
            state.phase,
            state.turn,
            state.generals,
            state.table,
            0 if seat is None else state.hands[seat],
            tuple(state.sizes),
            state.pile,
            state.named,
            state.removed,
            state.known,
            state.scores,
        )

    def redeal(self, state: NiekhiState, seat: int | None, chance: Chance) -> NiekhiState:
        """Deals anew the cards that `seat` does not know. Every deal that fits the play so far is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self, view: NiekhiView, seat: int, seats: int, options: Mapping[str, OptionValue], chance: Chance
    ) -> NiekhiState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        deals = number_of_deals(int(options["deals"]), seats)
        return redealt(supposed(view, seat, seats, deals), seat, chance)

    def outcome(self, state: NiekhiState) -> Outcome | None:
        """Returns the scores of all deals, once they are played."""
        return Outcome(state.scores) if state.phase == PHASE_OVER else None

    def forfeit(self, state: NiekhiState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses the most that the deal in progress, and each that would have
        followed, could cost (NI9.5).
        """
        return paid_by(seat, 0 if state.phase == PHASE_OVER else state.deals - state.deal, state.scores)


def _groups(state: NiekhiState, seat: int) -> tuple[Group, ...]:
    """Returns the legal moves, a group for each kind that the phase has. The group of a kind without moves is empty."""
    if state.phase == PHASE_LAYING:
        passing = PASSING if state.size else ()
        return (passing, *lays_on(state.hands[seat], state.size, state.length, state.strength))
    return (DECLINING, NAMES[state.generals], takes_of(state.pile, state.generals))


@lru_cache(maxsize=1 << 11)
def _laying(hand: int, size: int, length: int, strength: int) -> Group:
    """Returns the moves of a hand on a meld, and with size 0 to lead, and caches them, since callers look at a position
    again.
    """
    singles, sets, runs, stairs = lays_on(hand, size, length, strength)
    return (*(PASSING if size else ()), *singles, *sets, *runs, *stairs)


def _drawn_lead(hand: int, chance: Chance) -> Group:
    """Returns the melds of a kind to lead with, the kind drawn from those that the hand has."""
    ships, values = hand & SHIPS, hand & VALUES
    sets, runs = has_sets(hand), runs_of(values, ships)
    kinds = 1 + sets + bool(runs)
    stairs = kinds > 1 and has_stairs(values, ships)
    kinds += stairs
    kind = int(chance.random() * kinds) if kinds > 1 else 0
    if not kind:
        return leading_singles(hand)
    if sets:
        kind -= 1
        if not kind:
            return leading_sets(hand)
    return runs if runs and kind == 1 else stairs_of(values, ships)


def _play(state: NiekhiState, seat: int, move: NiekhiMove, events: Events) -> None:
    if isinstance(move, Lay):
        lay_meld(state, seat, move, events)
    elif isinstance(move, Pass):
        pass_by(state, seat, events)
    elif isinstance(move, Name):
        name_strengths(state, seat, move.strengths, events)
    elif isinstance(move, Take):
        take_cards(state, seat, move.cards, events)
    else:
        waive(state, seat, events)


NIEKHI: Final = Niekhi()
"""The only instance."""
