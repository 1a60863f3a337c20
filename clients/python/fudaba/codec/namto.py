"""Namto's moves, views and events as messages. For cards and strengths, see `fudaba.codec.kamikisen`.

The enum values of phases and ranks are their numbers in the rules.
"""

from __future__ import annotations

from typing import Any, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.kamikisen import cards_from_proto, cards_to_proto, hands_from_proto, hands_to_proto
from fudaba.v1 import game_pb2, namto_pb2
from fudaba_games.kamikisen.betting import mask_of_seats, seats_in
from fudaba_games.namto.text import bet_of
from fudaba_games.namto.values import (
    CALL,
    FOLD,
    Bet,
    BetMade,
    Called,
    DealEnded,
    DealerChanged,
    Dealt,
    Fold,
    Folded,
    NamtoEvent,
    NamtoMove,
    NamtoView,
    Opened,
    Received,
    Showdown,
    ShownHand,
)


@final
class NamtoCodec(GameCodec[NamtoMove, NamtoView, NamtoEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: NamtoMove, into: game_pb2.Move) -> None:
        if isinstance(move, Bet):
            into.namto.bet.points = move.points
        elif isinstance(move, Fold):
            into.namto.fold.SetInParent()
        else:
            into.namto.call.SetInParent()

    def move_from_proto(self, message: game_pb2.Move) -> NamtoMove:
        if message.WhichOneof("game") != "namto":
            raise unset("Move.game", "namto")
        kind = message.namto.WhichOneof("kind")
        if kind == "bet":
            return bet_of(message.namto.bet.points)
        if kind == "fold":
            return FOLD
        if kind == "call":
            return CALL
        raise unset("NamtoMove.kind", "fold, bet or call")

    def view_to_proto(self, view: NamtoView, into: game_pb2.View) -> None:
        message: Any = into.namto  # enum values are plain ints at run time
        message.deal = view.deal
        message.opener = view.opener
        message.dealer = view.dealer
        message.phase = view.phase
        if view.turn >= 0:
            message.turn = view.turn
        message.round = view.round
        message.rounds = view.rounds
        message.min_bet = view.min_bet
        message.max_bet = view.max_bet
        message.bets.extend(view.bets)
        message.paid.extend(view.paid)
        message.stacks.extend(view.stacks)
        message.playing.extend(seats_in(view.playing))
        message.staying.extend(seats_in(view.staying))
        message.shared.extend([card + 1 for card in view.shared])
        message.hand.extend(cards_to_proto(view.hand))
        hands_to_proto(view.shown, message.shown_by, message.shown)
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> NamtoView:
        view = message.namto
        return NamtoView(
            deal=view.deal,
            opener=view.opener,
            dealer=view.dealer,
            phase=view.phase,
            turn=view.turn if view.HasField("turn") else -1,
            round=view.round,
            rounds=view.rounds,
            min_bet=view.min_bet,
            max_bet=view.max_bet,
            bets=tuple(view.bets),
            paid=tuple(view.paid),
            stacks=tuple(view.stacks),
            playing=mask_of_seats(view.playing),
            staying=mask_of_seats(view.staying),
            shared=tuple([card - 1 for card in view.shared]),
            hand=cards_from_proto(view.hand),
            shown=hands_from_proto(view.shown_by, view.shown, len(view.scores)),
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: NamtoEvent, into: game_pb2.Event) -> None:
        message: Any = into.namto
        if isinstance(event, BetMade):
            message.bet_made.seat = event.seat
            message.bet_made.points = event.points
        elif isinstance(event, Called):
            message.called.seat = event.seat
            message.called.points = event.points
        elif isinstance(event, Folded):
            message.folded.SetInParent()
            message.folded.seat = event.seat
        elif isinstance(event, DealerChanged):
            message.dealer_changed.SetInParent()
            message.dealer_changed.dealer = event.dealer
        elif isinstance(event, Opened):
            message.opened.card = event.card + 1
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(cards_to_proto(event.cards))
        elif isinstance(event, Dealt):
            message.dealt.deal = event.deal
            message.dealt.dealer = event.dealer
            message.dealt.playing.extend(seats_in(event.playing))
            message.dealt.pot = event.pot
        elif isinstance(event, Showdown):
            for hand in event.hands:
                _shown_to_proto(hand, message.showdown.hands.add())
        else:
            message.deal_ended.winners.extend(event.winners)
            message.deal_ended.pot = event.pot
            message.deal_ended.scores.extend(event.scores)

    def event_from_proto(self, message: game_pb2.Event) -> NamtoEvent:
        return _event_of(message.namto)


def _shown_to_proto(hand: ShownHand, shown: Any) -> None:
    shown.seat = hand.seat
    shown.hand.extend(cards_to_proto(hand.hand))
    shown.rank = hand.rank
    shown.cards.extend(cards_to_proto(hand.cards))
    shown.strength = hand.strength + 1


def _event_of(event: namto_pb2.NamtoEvent) -> NamtoEvent:  # noqa: PLR0911 - one for each kind
    kind = event.WhichOneof("kind")
    if kind == "bet_made":
        return BetMade(event.bet_made.seat, event.bet_made.points)
    if kind == "called":
        return Called(event.called.seat, event.called.points)
    if kind == "folded":
        return Folded(event.folded.seat)
    if kind == "dealer_changed":
        return DealerChanged(event.dealer_changed.dealer)
    if kind == "opened":
        return Opened(event.opened.card - 1)
    if kind == "received":
        return Received(event.received.seat, cards_from_proto(event.received.cards))
    if kind == "dealt":
        dealt = event.dealt
        return Dealt(dealt.deal, dealt.dealer, mask_of_seats(dealt.playing), dealt.pot)
    if kind == "showdown":
        return Showdown(tuple([_shown_hand(hand) for hand in event.showdown.hands]))
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(tuple(ended.winners), ended.pot, tuple(ended.scores))
    raise unset("NamtoEvent.kind", "an event of this release")


def _shown_hand(hand: namto_pb2.NamtoShownHand) -> ShownHand:
    return ShownHand(hand.seat, cards_from_proto(hand.hand), hand.rank, cards_from_proto(hand.cards), hand.strength - 1)
