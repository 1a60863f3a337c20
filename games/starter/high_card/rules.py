"""The rules of High Card (rules page `high_card.md`; numbers such as HC3.2 are of that page)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

from fudaba_games.game import Chance, Decision, Game, Option, OptionValue, Outcome, Shown, paid_by
from high_card.judging import check_move
from high_card.redealing import redealt
from high_card.state import HighCardState
from high_card.supposing import supposed
from high_card.text import EVENT_KINDS, TEXT
from high_card.turns import ROUNDS_PER_DEAL, Events, choose, deal_cards
from high_card.values import MOVE_KINDS, HighCardEvent, HighCardMove, HighCardView, Pass, Play


@final
class HighCard(Game[HighCardState, HighCardMove, HighCardView, HighCardEvent]):
    """ハイカード, two seats."""

    id = "high_card"
    name = "High Card"
    japanese_name = "ハイカード"
    rules_version = 1
    min_seats = 2
    max_seats = 2
    options: tuple[Option, ...] = (
        Option("deals", 1, "How many deals a match has.", minimum=1, maximum=99),
        Option("first_dealer", 0, "The seat that deals first.", maximum=1),
    )
    move_kinds: tuple[str, ...] = MOVE_KINDS
    event_kinds: tuple[str, ...] = EVENT_KINDS
    text = TEXT

    def new_match(
        self, seats: int, options: Mapping[str, OptionValue], seed: bytes
    ) -> tuple[HighCardState, list[Shown[HighCardEvent]]]:
        """Returns the state after the first deal, and its events."""
        self.check_seats(seats)
        state = HighCardState(seed, int(options["deals"]), int(options["first_dealer"]))
        events: list[Shown[HighCardEvent]] = []
        deal_cards(state, events)
        return state, events

    def decisions(self, state: HighCardState) -> Sequence[Decision]:
        """Returns the decisions of the seats that have not chosen."""
        return [] if state.over else [Decision(seat) for seat in (0, 1) if state.chosen[seat] < 0]

    def legal_moves(self, state: HighCardState, seat: int) -> Sequence[HighCardMove]:
        """Returns passing, then every card of the hand, in ascending order."""
        return [Pass(), *[Play(card) for card in state.hands[seat]]]

    def check(self, state: HighCardState, seat: int, move: HighCardMove) -> None:
        """Raises `IllegalMove` unless `move` is legal for `seat`, which has an open decision."""
        check_move(state, seat, move)

    def apply(self, state: HighCardState, seat: int, move: HighCardMove) -> list[Shown[HighCardEvent]]:
        """Plays a checked move."""
        events: list[Shown[HighCardEvent]] = []
        _play(state, seat, move, events)
        return events

    def advance(self, state: HighCardState, seat: int, move: HighCardMove) -> None:
        """Plays a checked move without making its events."""
        _play(state, seat, move, None)

    def view(self, state: HighCardState, seat: int | None) -> HighCardView:
        """Returns what `seat` (None: a spectator) may know, from what is public or private to it and nothing else."""
        return HighCardView(
            state.deal,
            state.dealer,
            () if seat is None else tuple(state.hands[seat]),
            -1 if seat is None else state.chosen[seat],
            state.played,
            state.scores,
        )

    def redeal(self, state: HighCardState, seat: int | None, chance: Chance) -> HighCardState:
        """Returns another state with the same view for `seat`."""
        return redealt(state, seat, chance)

    def suppose(
        self,
        view: HighCardView,
        seat: int,
        seats: int,  # noqa: ARG002 - there are two
        options: Mapping[str, OptionValue],
        chance: Chance,
    ) -> HighCardState:
        """Returns a full state with this view, drawn as `redeal` draws it."""
        return redealt(supposed(view, seat, int(options["deals"])), seat, chance)

    def outcome(self, state: HighCardState) -> Outcome | None:
        """Returns the scores, once all deals are played."""
        return Outcome(state.scores) if state.over else None

    def forfeit(self, state: HighCardState, seat: int) -> Outcome:
        """Returns the result in which `seat` loses every round that is left (HC4.3)."""
        left = 0 if state.over else ROUNDS_PER_DEAL * (state.deals - state.deal) - len(state.played) // 2
        return paid_by(seat, left, state.scores)


def _play(state: HighCardState, seat: int, move: HighCardMove, events: Events) -> None:
    choose(state, seat, move.card if isinstance(move, Play) else 0, events)


HIGH_CARD: Final = HighCard()
"""The only instance."""
