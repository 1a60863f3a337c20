"""The rules of Napoleon (rules page `docs/rules/napoleon.md`; numbers such as P4.1 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.cards import mask_of
from fudaba_games.game import Chance, Decision, Game, Option, OptionValue, Outcome, Shown, paid_by
from fudaba_games.napoleon import text
from fudaba_games.napoleon.cards import (
    APPROVE,
    CARDS,
    DECK,
    HIGHEST_CALL,
    SEATS,
    SUIT_MASKS,
    SUIT_OF,
    call_of,
    number_of,
)
from fudaba_games.napoleon.dealing import deal_at_random
from fudaba_games.napoleon.judging import check_move, must_bid
from fudaba_games.napoleon.moves import CALLS, HIGHER_BIDS, NAMES, Burials, plays_of
from fudaba_games.napoleon.scoring import SWEEP_CHOICES
from fudaba_games.napoleon.state import NapoleonState
from fudaba_games.napoleon.supposing import supposed
from fudaba_games.napoleon.tricks import playable
from fudaba_games.napoleon.turns import Events, bury_cards, deal_cards, holder, name_card, play_card, speak
from fudaba_games.napoleon.values import (
    APPROVAL,
    PLAYS,
    Approve,
    Bid,
    Bury,
    NapoleonEvent,
    NapoleonMove,
    NapoleonView,
    Phase,
    Play,
)
from fudaba_games.shuffle import random_seed

TRICKS: Final = 10

# Phases as plain numbers, which compare faster.
_AUCTION: Final = int(Phase.AUCTION)
_NAMING: Final = int(Phase.NAMING)
_TRICKS: Final = int(Phase.TRICKS)
_OVER: Final = int(Phase.OVER)

_WIDOW: Final = SEATS
"""Where the cards that nobody holds stand among the hands of a redeal."""

# What is made all the time is few and immutable: made once, and shared by all matches.
_DECISIONS: Final[tuple[tuple[Decision, ...], ...]] = (*[(Decision(seat),) for seat in range(SEATS)], ())
"""By `NapoleonState.turn`; the last one is that of nobody."""
_PLAY_KINDS: Final = tuple((("play", count),) for count in range(TRICKS + 1))
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
    min_seats = SEATS
    max_seats = SEATS
    options: tuple[Option, ...] = (
        Option("deals", 5, "How many deals a match has.", minimum=1, maximum=99),
        Option("first_dealer", 0, "The seat that deals first.", minimum=0, maximum=SEATS - 1),
        Option(
            "sweep",
            "honours",
            "What Napoleon's side must not take unless it bid 20: all honours, all special cards, or nothing (off).",
            choices=SWEEP_CHOICES,
        ),
    )
    move_kinds: tuple[str, ...] = ("approve", "bid", "bury", "name", "play")
    event_kinds: tuple[str, ...] = text.EVENT_KINDS

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NapoleonState, list[Shown[NapoleonEvent]]]:
        """The state after the first deal, and its events."""
        self.check_seats(seats)
        state = NapoleonState(seed, int(options["deals"]), int(options["first_dealer"]), str(options["sweep"]))
        events: list[Shown[NapoleonEvent]] = []
        deal_cards(state, events)
        return state, events

    def decisions(self, state: NapoleonState) -> Sequence[Decision]:
        """One seat's, until the match is over."""
        return _DECISIONS[state.turn]

    def turn(self, state: NapoleonState) -> int:
        """The seat to move."""
        return state.turn

    def legal_moves(self, state: NapoleonState, seat: int) -> Sequence[NapoleonMove]:
        """Approve, then bids from the lowest on; pairs or cards in deck order."""
        phase = state.phase
        if phase == _TRICKS:
            return plays_of(state.legal)
        if phase == _AUCTION:
            return HIGHER_BIDS[APPROVE] if must_bid(state) else CALLS[state.call]
        return NAMES if phase == _NAMING else Burials(state.hands[seat])

    def legal_kinds(self, state: NapoleonState, seat: int) -> Sequence[tuple[str, int]]:  # noqa: ARG002 - one seat moves
        """Approving and bidding in the auction, else one kind: what is due."""
        phase = state.phase
        if phase == _TRICKS:
            return _PLAY_KINDS[state.legal.bit_count()]
        if phase == _AUCTION:
            return _FORCED_KINDS if must_bid(state) else _CALL_KINDS[state.call]
        return _NAME_KINDS if phase == _NAMING else _BURY_KINDS

    def check(self, state: NapoleonState, seat: int, move: NapoleonMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def random_move(self, state: NapoleonState, seat: int, chance: Chance) -> NapoleonMove:
        """As `Game.random_move` draws it, each move of a kind as likely as the others."""
        phase = state.phase
        if phase == _TRICKS:
            legal = state.legal
            for _ in range(int(chance.random() * legal.bit_count())):
                legal &= legal - 1
            return PLAYS[(legal & -legal).bit_length() - 1]
        if phase == _AUCTION:
            bids = HIGHER_BIDS[state.call]
            if not must_bid(state) and (not bids or chance.random() < 0.5):
                return APPROVAL
            return bids[int(chance.random() * len(bids))]
        moves = NAMES if phase == _NAMING else Burials(state.hands[seat])
        return moves[int(chance.random() * len(moves))]

    def apply(self, state: NapoleonState, seat: int, move: NapoleonMove) -> list[Shown[NapoleonEvent]]:
        """Plays a checked move."""
        events: list[Shown[NapoleonEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: NapoleonState, seat: int, move: NapoleonMove) -> None:
        """Plays a checked move, and makes no events."""
        _play(state, seat, move, None)

    def view(self, state: NapoleonState, seat: int | None) -> NapoleonView:
        """What `seat` (None: a spectator) may know."""
        over = state.phase == _OVER
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
        """Deals the cards that `seat` does not know anew, every deal that the play so far allows equally likely.

        The play shows which suits a seat has no more. Who holds the named card is as open as where that card is.
        """
        other = state.clone()
        other.seed = random_seed(chance)
        if state.phase == _OVER:
            return other
        known = mask_of(state.tricks) | mask_of(state.trick)
        sizes = [hand.bit_count() for hand in state.hands]
        aside = state.widow
        if seat is not None:
            known |= state.hands[seat]
            sizes[seat] = 0
        if seat == state.napoleon:
            known |= state.buried
        else:
            aside |= state.buried
        dealt = deal_at_random(DECK & ~known, [*sizes, aside.bit_count()], [*_out_of(state), 0], chance)
        other.hands = [state.hands[one] if one == seat else dealt[one] for one in range(SEATS)]
        if state.widow:
            other.widow = dealt[_WIDOW]
        elif seat != state.napoleon:
            other.buried = dealt[_WIDOW]
        if state.named >= 0 and not state.revealed:
            other.adjutant = holder(other)
        if state.phase == _TRICKS:
            led = SUIT_OF[other.trick[0]] if other.trick else -1
            other.legal = playable(other.hands[other.turn], led)
        return other

    def suppose(
        self,
        view: NapoleonView,
        seat: int,
        seats: int,  # noqa: ARG002 - there are five
        options: Mapping[str, OptionValue],
        chance: Chance,
    ) -> NapoleonState:
        """A full state with this view, drawn as `redeal` draws it."""
        state = supposed(view, seat, int(options["deals"]), str(options["sweep"]))
        return self.redeal(state, seat, chance)

    def only_this_deal(self, view: NapoleonView, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        """`options` with which the match ends with the deal of `view`."""
        return {**options, "deals": view.deal + 1}

    def outcome(self, state: NapoleonState) -> Outcome | None:
        """The scores of all deals, once they are played."""
        return Outcome(state.scores) if state.phase == _OVER else None

    def forfeit(self, state: NapoleonState, seat: int) -> Outcome:
        """`seat` loses the most that the deal in progress, and each that would have followed, could cost (P10.4)."""
        # The most that a deal can cost is 1 to every other seat.
        return paid_by(seat, 0 if state.phase == _OVER else state.deals - state.deal, state.scores)

    def kind(self, move: NapoleonMove) -> str:
        """One of `move_kinds`."""
        return text.move_kind(move)

    def event_kind(self, event: NapoleonEvent) -> str:
        """One of `event_kinds`."""
        return text.event_kind(event)

    def parse_move(self, text_: str) -> NapoleonMove:
        """The move of a text such as `bid 14S` or `play QH`. Raises `MalformedMove`."""
        return text.parse_move(text_)

    def format_move(self, move: NapoleonMove) -> str:
        """The one text of a move: cards in deck order."""
        return text.format_move(move)

    def describe_event(self, event: NapoleonEvent) -> str:
        """An event as one line for people."""
        return text.describe_event(event)

    def render_view(self, view: NapoleonView) -> str:
        """A view as a table of text for people."""
        return text.render_view(view)


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


def _out_of(state: NapoleonState) -> list[int]:
    """By seat: the suits, as masks, that it has shown to have no more cards of, by not following."""
    bars = [0] * SEATS
    leaders = (state.napoleon, *state.winners)
    for number in range(0, len(state.tricks), SEATS):
        _add_bars(bars, leaders[number // SEATS], state.tricks[number : number + SEATS])
    if state.trick:
        _add_bars(bars, state.leader, tuple(state.trick))
    return bars


def _add_bars(bars: list[int], leader: int, cards: tuple[int, ...]) -> None:
    suit = SUIT_MASKS[SUIT_OF[cards[0]]]
    for index, card in enumerate(cards):
        if not suit >> card & 1:
            bars[(leader + index) % SEATS] |= suit


NAPOLEON: Final = Napoleon()
"""The one instance."""
