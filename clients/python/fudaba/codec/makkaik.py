"""Makkaik's moves, views and events as messages. For cards and melds, see `fudaba.codec.kamikisen`.

The enum values of phases and exchanges are their numbers in the rules.
"""

from __future__ import annotations

from typing import Any, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.kamikisen import (
    card_from_proto,
    cards_from_proto,
    cards_to_proto,
    hands_from_proto,
    hands_to_proto,
    meld_to_proto,
)
from fudaba.v1 import game_pb2, makkaik_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.kamikisen.betting import mask_of_seats, seats_in
from fudaba_games.kamikisen.cards import BIT_OF, CARD_OF_BIT
from fudaba_games.makkaik.values import (
    DRAW,
    FOLD,
    HIGHEST_BASE,
    KEEPS,
    STAYS,
    SWAPS,
    BaseNamed,
    BettingBegan,
    DealEnded,
    DealerChanged,
    Dealt,
    Draw,
    Drew,
    Folded,
    Keep,
    Kept,
    MakkaikEvent,
    MakkaikMove,
    MakkaikView,
    Received,
    Saw,
    Showdown,
    ShownHand,
    Stay,
    Stayed,
    Swap,
    Swapped,
)


@final
class MakkaikCodec(GameCodec[MakkaikMove, MakkaikView, MakkaikEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: MakkaikMove, into: game_pb2.Move) -> None:
        message: Any = into.makkaik  # enum values are plain ints at run time
        if isinstance(move, Stay):
            message.stay.SetInParent()
            message.stay.base = move.base
        elif isinstance(move, Swap):
            message.swap.given = move.given + 1
            message.swap.taken = move.taken + 1
        elif isinstance(move, Keep):
            message.keep.kept = move.kept + 1
            message.keep.given = move.given + 1
        elif isinstance(move, Draw):
            message.draw.SetInParent()
        else:
            message.fold.SetInParent()

    def move_from_proto(self, message: game_pb2.Move) -> MakkaikMove:
        if message.WhichOneof("game") != "makkaik":
            raise unset("Move.game", "makkaik")
        move = message.makkaik
        kind = move.WhichOneof("kind")
        if kind == "stay":
            if move.stay.base > HIGHEST_BASE:
                raise MalformedMove(f"{move.stay.base} is not a base; send 1 to {HIGHEST_BASE}, or 0 to pay the base")
            return STAYS[move.stay.base]
        if kind == "swap":
            return SWAPS[card_from_proto(move.swap.given)][card_from_proto(move.swap.taken)]
        if kind == "keep":
            return KEEPS[card_from_proto(move.keep.kept)][card_from_proto(move.keep.given)]
        if kind == "draw":
            return DRAW
        if kind == "fold":
            return FOLD
        raise unset("MakkaikMove.kind", "swap, draw, keep, fold or stay")

    def view_to_proto(self, view: MakkaikView, into: game_pb2.View) -> None:
        message: Any = into.makkaik  # enum values are plain ints at run time
        message.deal = view.deal
        message.opener = view.opener
        message.dealer = view.dealer
        message.phase = view.phase
        if view.turn >= 0:
            message.turn = view.turn
        message.round = view.round
        message.base = view.base
        message.paid.extend(view.paid)
        message.staying.extend(seats_in(view.staying))
        message.public_cards.extend(cards_to_proto(view.public_cards))
        message.exchanges.extend(view.exchanges)
        message.taken.extend([CARD_OF_BIT[taken.bit_length() - 1] + 1 if taken else 0 for taken in view.taken])
        message.hand.extend(cards_to_proto(view.hand))
        message.drawn.extend(cards_to_proto(view.drawn))
        hands_to_proto(view.shown, message.shown_by, message.shown)
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> MakkaikView:
        view = message.makkaik
        return MakkaikView(
            deal=view.deal,
            opener=view.opener,
            dealer=view.dealer,
            phase=view.phase,
            turn=view.turn if view.HasField("turn") else -1,
            round=view.round,
            base=view.base,
            paid=tuple(view.paid),
            staying=mask_of_seats(view.staying),
            public_cards=cards_from_proto(view.public_cards),
            exchanges=tuple(view.exchanges),
            taken=tuple([1 << BIT_OF[card - 1] if card else 0 for card in view.taken]),
            hand=cards_from_proto(view.hand),
            drawn=cards_from_proto(view.drawn),
            shown=hands_from_proto(view.shown_by, view.shown, len(view.scores)),
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: MakkaikEvent, into: game_pb2.Event) -> None:
        message: Any = into.makkaik
        if isinstance(event, Stayed):
            message.stayed.seat = event.seat
            message.stayed.base = event.base
        elif isinstance(event, Folded):
            message.folded.SetInParent()
            message.folded.seat = event.seat
        elif isinstance(event, DealerChanged):
            message.dealer_changed.SetInParent()
            message.dealer_changed.dealer = event.dealer
        elif isinstance(event, BaseNamed):
            message.base_named.seat = event.seat
            message.base_named.round = event.round
            message.base_named.base = event.base
        elif isinstance(event, BettingBegan):
            message.betting_began.pot = event.pot
        elif isinstance(event, Showdown):
            for hand in event.hands:
                shown = message.showdown.hands.add()
                shown.seat = hand.seat
                shown.hand.extend(cards_to_proto(hand.hand))
                meld_to_proto(hand.cards, hand.form, hand.strength, shown.meld)
        elif isinstance(event, DealEnded):
            message.deal_ended.winners.extend(event.winners)
            message.deal_ended.pot = event.pot
            message.deal_ended.scores.extend(event.scores)
        else:
            _cards_to_proto(event, message)

    def event_from_proto(self, message: game_pb2.Event) -> MakkaikEvent:
        event = message.makkaik
        return _cards_event(event) or _betting_event(event)


def _cards_to_proto(event: Dealt | Received | Swapped | Drew | Saw | Kept, message: Any) -> None:
    """Writes the events of the deal and the exchange."""
    if isinstance(event, Dealt):
        message.dealt.deal = event.deal
        message.dealt.dealer = event.dealer
        message.dealt.public_cards.extend(cards_to_proto(event.public_cards))
    elif isinstance(event, Swapped):
        message.swapped.seat = event.seat
        message.swapped.given = event.given + 1
        message.swapped.taken = event.taken + 1
    elif isinstance(event, Drew):
        message.drew.SetInParent()
        message.drew.seat = event.seat
    else:
        kind = "received" if isinstance(event, Received) else "saw" if isinstance(event, Saw) else "kept"
        filled = getattr(message, kind)
        filled.seat = event.seat
        filled.cards.extend(cards_to_proto(event.cards))


def _cards_event(event: makkaik_pb2.MakkaikEvent) -> MakkaikEvent | None:  # noqa: PLR0911 - one for each kind
    """Returns an event of the deal or the exchange, otherwise None."""
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        return Dealt(event.dealt.deal, event.dealt.dealer, cards_from_proto(event.dealt.public_cards))
    if kind == "received":
        return Received(event.received.seat, cards_from_proto(event.received.cards))
    if kind == "swapped":
        return Swapped(event.swapped.seat, event.swapped.given - 1, event.swapped.taken - 1)
    if kind == "drew":
        return Drew(event.drew.seat)
    if kind == "saw":
        return Saw(event.saw.seat, cards_from_proto(event.saw.cards))
    if kind == "kept":
        return Kept(event.kept.seat, cards_from_proto(event.kept.cards))
    return None


def _betting_event(event: makkaik_pb2.MakkaikEvent) -> MakkaikEvent:  # noqa: PLR0911 - one for each kind
    kind = event.WhichOneof("kind")
    if kind == "betting_began":
        return BettingBegan(event.betting_began.pot)
    if kind == "base_named":
        return BaseNamed(event.base_named.seat, event.base_named.round, event.base_named.base)
    if kind == "stayed":
        return Stayed(event.stayed.seat, event.stayed.base)
    if kind == "folded":
        return Folded(event.folded.seat)
    if kind == "dealer_changed":
        return DealerChanged(event.dealer_changed.dealer)
    if kind == "showdown":
        return Showdown(tuple([_shown_hand(hand) for hand in event.showdown.hands]))
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(tuple(ended.winners), ended.pot, tuple(ended.scores))
    raise unset("MakkaikEvent.kind", "an event of this release")


def _shown_hand(hand: makkaik_pb2.MakkaikShownHand) -> ShownHand:
    meld = hand.meld
    return ShownHand(hand.seat, cards_from_proto(hand.hand), meld.form, cards_from_proto(meld.cards), meld.strength - 1)
