"""The rules of Nerts (rules page `docs/rules/nerts.md`; numbers such as NE6.3 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import SEED_BYTES, Chance, Decision, Game, Option, OptionValue, Outcome, Shown, Timer, paid_by
from fudaba_games.nerts import moves, realtime, turns
from fudaba_games.nerts.cards import NO_CARD
from fudaba_games.nerts.judging import check_move
from fudaba_games.nerts.layout import FLIPPING, FOUNDING, RECYCLING, WAITING, Layout
from fudaba_games.nerts.redealing import redealt
from fudaba_games.nerts.scoring import match_scores, most_that_is_lost
from fudaba_games.nerts.state import MAX_SEATS, NertsState
from fudaba_games.nerts.supposing import supposed
from fudaba_games.nerts.text import EVENT_KINDS, TEXT
from fudaba_games.nerts.values import (
    FLIP,
    MOVE_KINDS,
    RECYCLE,
    WAIT,
    Foundation,
    NertsEvent,
    NertsMove,
    NertsView,
    SeatView,
    Wait,
)

_DECISIONS: Final = tuple(
    tuple([Decision(seat) for seat in range(MAX_SEATS) if due >> seat & 1]) for due in range(1 << MAX_SEATS)
)
"""The open decisions, by the mask of the seats that are asked."""
_TURNS: Final = tuple((due & -due).bit_length() - 1 for due in range(1 << MAX_SEATS))
"""The first of the seats that are asked, by the same mask; -1 for nobody."""


@final
class Nerts(Game[NertsState, NertsMove, NertsView, NertsEvent]):
    """ナーツ, two to four seats."""

    id = "nerts"
    name = "Nerts"
    japanese_name = "ナーツ"
    rules_version = 1
    min_seats = 2
    max_seats = MAX_SEATS
    options: tuple[Option, ...] = (
        Option("target", 100, "Deals are played until a total is over it; 0 for a single deal.", maximum=1000),
        Option("max_deals", 30, "The most deals that a match has.", minimum=1, maximum=99),
        Option("pace", "ticks", "Moves in simultaneous ticks, or at once as they come.", choices=("ticks", "realtime")),
        Option("hand_ms", 150, "In real time: the least time between two moves of a seat.", maximum=10_000),
        Option("stuck_ms", 5000, "In real time: nobody moves for so long: a turn.", minimum=100, maximum=60_000),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[NertsState, list[Shown[NertsEvent]]]:
        self.check_seats(seats)
        state = _begun(seed, seats, options)
        events: list[Shown[NertsEvent]] = []
        turns.deal(state, events)
        return state, events

    def decisions(self, state: NertsState) -> Sequence[Decision]:
        if state.realtime:
            return () if state.over else realtime.decisions(state)
        return _DECISIONS[state.due]

    def turn(self, state: NertsState) -> int:
        """Returns the first seat that is asked; -1 once the match is over."""
        return _TURNS[state.due]

    def legal_moves(self, state: NertsState, seat: int) -> Sequence[NertsMove]:
        return moves.legal_moves(state, seat)

    def legal_kinds(self, state: NertsState, seat: int) -> Sequence[tuple[str, int]]:
        return moves.legal_kinds(state, seat)

    def random_move(self, state: NertsState, seat: int, chance: Chance) -> NertsMove:
        """Draws a move as `Game.random_move` does. For builds and shifts it draws the card first, then the
        destination.
        """
        layout = state.layouts[seat]
        kinds = moves.KINDS[layout.kinds | FOUNDING if layout.reach & state.wanted else layout.kinds]
        if len(kinds) == 1:
            return WAIT
        kind = kinds[int(chance.random() * len(kinds))]
        if kind <= RECYCLING:
            return WAIT if kind == WAITING else FLIP if kind == FLIPPING else RECYCLE
        return moves.random_of_kind(state, seat, kind, chance.random())

    def check(self, state: NertsState, seat: int, move: NertsMove) -> None:
        check_move(state, seat, move)

    def apply(self, state: NertsState, seat: int, move: NertsMove) -> list[Shown[NertsEvent]]:
        """Plays a checked move. In ticks the move is hidden until all seats have moved (NE6.1)."""
        events: list[Shown[NertsEvent]] = []
        if state.realtime:
            realtime.move_now(state, seat, move, events)
            return events
        state.chosen[seat] = move
        state.due ^= 1 << seat
        if not state.due:
            turns.tick(state, events)
        return events

    def advance(self, state: NertsState, seat: int, move: NertsMove) -> None:
        if state.realtime:
            realtime.move_now(state, seat, move, None)
            return
        state.chosen[seat] = move
        state.due ^= 1 << seat
        if not state.due:
            turns.tick(state, None)

    def pause_ms(self, state: NertsState, move: NertsMove) -> int:
        return 0 if not state.realtime or isinstance(move, Wait) else state.hand_ms

    def timers(self, state: NertsState) -> Sequence[Timer]:
        return realtime.timers(state) if state.realtime else ()

    def fired(self, state: NertsState, name: str) -> list[Shown[NertsEvent]]:
        events: list[Shown[NertsEvent]] = []
        realtime.fired(state, name, events)
        return events

    def view(self, state: NertsState, seat: int | None) -> NertsView:
        return NertsView(
            state.deal,
            state.tick,
            state.stock_turns,
            state.idle,
            tuple([_seat_view(layout) for layout in state.layouts]),
            tuple(
                [Foundation(suit, tuple(owners)) for suit, owners in zip(state.suits, state.foundations, strict=True)]
            ),
            () if seat is None else tuple(state.layouts[seat].waste),
            None if seat is None else state.chosen[seat],
            state.scores,
        )

    def redeal(self, state: NertsState, seat: int | None, chance: Chance) -> NertsState:
        return redealt(state, seat, chance)

    def suppose(
        self,
        view: NertsView,
        seat: int,
        seats: int,  # noqa: ARG002 - the view has them all
        options: Mapping[str, OptionValue],
        chance: Chance,
    ) -> NertsState:
        state = supposed(view, seat, _begun(bytes(SEED_BYTES), len(view.seats), options))
        return redealt(state, seat, chance)

    def only_this_deal(self, view: NertsView, options: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
        return {**options, "max_deals": view.deal + 1}

    def outcome(self, state: NertsState) -> Outcome | None:
        return Outcome(match_scores(state.scores)) if state.over else None

    def forfeit(self, state: NertsState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses as much as it still could, to the others in equal parts (NE9.5)."""
        if state.over:
            return Outcome(match_scores(state.scores))
        deals_left = state.max_deals - state.deal if state.target else 1
        lost = most_that_is_lost(state.scores, seat, state.target, deals_left)
        return paid_by(seat, -(-lost // (state.seats - 1)), [0] * state.seats)


def _begun(seed: bytes, seats: int, options: Mapping[str, OptionValue]) -> NertsState:
    """Returns the state of a match before its first deal."""
    return NertsState(
        seed,
        seats,
        int(options["target"]),
        int(options["max_deals"]),
        realtime=options["pace"] == "realtime",
        hand_ms=int(options["hand_ms"]),
        stuck_ms=int(options["stuck_ms"]),
    )


def _seat_view(layout: Layout) -> SeatView:
    """Returns the part of a layout that everybody sees."""
    nerts, waste = layout.nerts, layout.waste
    return SeatView(
        len(nerts),
        nerts[-1] if nerts else NO_CARD,
        len(layout.stock),
        len(waste),
        waste[-1] if waste else NO_CARD,
        tuple([tuple(work) for work in layout.work_piles]),
        layout.founded,
    )


NERTS: Final = Nerts()
"""The only instance."""
