"""The rules of Napoleon (rules page `docs/rules/napoleon.md`; numbers such as P4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Decision, Game, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.napoleon.cards import (
    APPROVE,
    CARDS,
    HIGHEST_CALL,
    SEAT_COUNT,
    call_of,
    number_of,
)
from fudaba_games.napoleon.judging import check_move, must_bid
from fudaba_games.napoleon.moves import CALLS, HIGHER_BIDS, NAMES, Burials, plays_of
from fudaba_games.napoleon.redealing import redealt
from fudaba_games.napoleon.scoring import SWEEP_CHOICES
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.supposing import supposed
from fudaba_games.napoleon.text import EVENT_KINDS, TEXT
from fudaba_games.napoleon.turns import Events, bury_cards, deal_cards, name_card, play_card, speak
from fudaba_games.napoleon.values import (
    APPROVAL,
    MOVE_KINDS,
    PHASE_AUCTION,
    PHASE_NAMING,
    PHASE_OVER,
    PHASE_TRICKS,
    PLAYS,
    Approve,
    Bid,
    Bury,
    NapoleonEvent,
    NapoleonMove,
    NapoleonView,
    Play,
)

TRICKS_PER_DEAL: Final = 10

# What is made all the time is few and immutable: made once, and shared by all matches.
_DECISIONS: Final[tuple[tuple[Decision, ...], ...]] = (*[(Decision(seat),) for seat in range(SEAT_COUNT)], ())
"""The open decisions, by `NapoleonState.turn`; the last one, for nobody, is empty."""
_PLAY_KINDS: Final = tuple((("play", count),) for count in range(TRICKS_PER_DEAL + 1))
_CALL_KINDS: Final[tuple[tuple[tuple[str, int], ...], ...]] = (
    *[(("approve", 1), ("bid", len(bids))) for bids in HIGHER_BIDS[:-1]],
    (("approve", 1),),
)
_FORCED_KINDS: Final = (("bid", HIGHEST_CALL),)
_BURY_KINDS: Final = (("bury", 66),)
_NAME_KINDS: Final = (("name", CARDS),)


@final
class Napoleon(Game[NapoleonState, NapoleonMove, NapoleonView, NapoleonEvent]):
    """ナポレオン, five seats."""

    id = "napoleon"
    name = "Napoleon"
    japanese_name = "ナポレオン"
    rules_version = 1
    min_seats = SEAT_COUNT
    max_seats = SEAT_COUNT
    options: tuple[Option, ...] = (
        Option("deals", 5, "How many deals a match has.", minimum=1, maximum=99),
        Option("first_dealer", 0, "The seat that deals first.", minimum=0, maximum=SEAT_COUNT - 1),
        Option(
            "sweep",
            "honours",
            "What Napoleon's side must not take unless it bid 20: all honours, all special cards, or nothing (off).",
            choices=SWEEP_CHOICES,
        ),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NapoleonState, list[Shown[NapoleonEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        state = NapoleonState(seed, int(options["deals"]), int(options["first_dealer"]), str(options["sweep"]))
        events: list[Shown[NapoleonEvent]] = []
        deal_cards(state, events)
        return state, events

    def decisions(self, state: NapoleonState) -> Sequence[Decision]:
        """Returns the decision of the seat to move, until the match is over."""
        return _DECISIONS[state.turn]

    def turn(self, state: NapoleonState) -> int:
        """Returns the seat to move."""
        return state.turn

    def legal_moves(self, state: NapoleonState, seat: int) -> Sequence[NapoleonMove]:
        """Returns approving, then bids from the lowest on; pairs or cards in deck order."""
        phase = state.phase
        if phase == PHASE_TRICKS:
            return plays_of(state.legal)
        if phase == PHASE_AUCTION:
            return HIGHER_BIDS[APPROVE] if must_bid(state) else CALLS[state.call]
        return NAMES if phase == PHASE_NAMING else Burials(state.hands[seat])

    def legal_kinds(self, state: NapoleonState, seat: int) -> Sequence[tuple[str, int]]:  # noqa: ARG002 - one seat moves
        """Returns approving and bidding in the auction, otherwise the one kind that is due."""
        phase = state.phase
        if phase == PHASE_TRICKS:
            return _PLAY_KINDS[state.legal.bit_count()]
        if phase == PHASE_AUCTION:
            return _FORCED_KINDS if must_bid(state) else _CALL_KINDS[state.call]
        return _NAME_KINDS if phase == PHASE_NAMING else _BURY_KINDS

    def check(self, state: NapoleonState, seat: int, move: NapoleonMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def random_move(self, state: NapoleonState, seat: int, chance: Chance) -> NapoleonMove:
        """Draws a move as `Game.random_move` does. Each move of a kind is equally likely."""
        phase = state.phase
        if phase == PHASE_TRICKS:
            legal = state.legal
            for _ in range(int(chance.random() * legal.bit_count())):
                legal &= legal - 1
            return PLAYS[(legal & -legal).bit_length() - 1]
        if phase == PHASE_AUCTION:
            bids = HIGHER_BIDS[state.call]
            if not must_bid(state) and (not bids or chance.random() < 0.5):
                return APPROVAL
            return bids[int(chance.random() * len(bids))]
        moves = NAMES if phase == PHASE_NAMING else Burials(state.hands[seat])
        return moves[int(chance.random() * len(moves))]

    def apply(self, state: NapoleonState, seat: int, move: NapoleonMove) -> list[Shown[NapoleonEvent]]:
        """Plays a checked move."""
        events: list[Shown[NapoleonEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: NapoleonState, seat: int, move: NapoleonMove) -> None:
        """Plays a checked move without making its events."""
        _play(state, seat, move, None)

    def view(self, state: NapoleonState, seat: int | None) -> NapoleonView:
        """Returns what `seat` (None: a spectator) may know."""
        over = state.phase == PHASE_OVER
        taken = state.taken
        return NapoleonView(
            state.deal,
            state.dealer,
            state.thrown_in,
            state.phase,
            -1 if over else state.turn,
            state.calls,
            number_of(state.call),
            state.trump,
            state.napoleon,
            state.named,
            state.adjutant if over or state.revealed else -1,
            0 if seat is None else state.hands[seat],
            state.buried if over or seat == state.napoleon else 0,
            state.leader,
            tuple(state.trick),
            state.tricks,
            state.winners,
            tuple([honours.bit_count() for honours in taken]),
            state.scores,
        )

    def redeal(self, state: NapoleonState, seat: int | None, chance: Chance) -> NapoleonState:
        """Deals anew the cards that `seat` does not know. Every deal that fits the play so far is equally likely."""
        return redealt(state, seat, chance)

    def suppose(
        self,
        view: NapoleonView,
        seat: int,
        seats: int,  # noqa: ARG002 - there are five
        options: Mapping[str, OptionValue],
        chance: Chance,
    ) -> NapoleonState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        state = supposed(view, seat, int(options["deals"]), str(options["sweep"]))
        return redealt(state, seat, chance)

    def outcome(self, state: NapoleonState) -> Outcome | None:
        """Returns the scores of all deals, once they are played."""
        return Outcome(state.scores) if state.phase == PHASE_OVER else None

    def forfeit(self, state: NapoleonState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses the most that the deal in progress, and each that would have
        followed, could cost (P10.4).
        """
        # The most that a deal can cost is 1 to every other seat.
        return paid_by(seat, 0 if state.phase == PHASE_OVER else state.deals - state.deal, state.scores)


def _play(state: NapoleonState, seat: int, move: NapoleonMove, events: Events) -> None:
    if isinstance(move, Play):
        play_card(state, seat, move.card, events)
    elif isinstance(move, Approve):
        speak(state, seat, APPROVE, events)
    elif isinstance(move, Bid):
        speak(state, seat, call_of(move.number, move.suit), events)
    elif isinstance(move, Bury):
        bury_cards(state, seat, move.cards, events)
    else:
        name_card(state, seat, move.card, events)


NAPOLEON: Final = Napoleon()
"""The only instance."""
