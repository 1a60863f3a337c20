"""Mokkaik's moves, views and events as messages. For cards, forms and strengths, see `fudaba.codec.kamikisen`."""

from __future__ import annotations

from typing import Any, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.kamikisen import (
    cards_from_proto,
    cards_to_proto,
    form_from_proto,
    meld_to_proto,
    strength_from_proto,
)
from fudaba.v1 import game_pb2, mokkaik_pb2
from fudaba_games.mokkaik.text import meld_to_lay
from fudaba_games.mokkaik.values import (
    DealEnded,
    Dealt,
    Discard,
    Discarded,
    Laid,
    Lay,
    MokkaikEvent,
    MokkaikMove,
    MokkaikView,
    Received,
    RoundWon,
)


def _melds(cards: list[int], size: int) -> tuple[int, ...]:
    """Returns the melds of a round, of this many cards each."""
    return tuple([cards_from_proto(cards[start : start + size]) for start in range(0, len(cards), size or 1)])


def _piles(cards: list[int], counts: list[int]) -> tuple[int, ...]:
    """Returns the public cards of each seat."""
    piles: list[int] = []
    start = 0
    for count in counts:
        piles.append(cards_from_proto(cards[start : start + count]))
        start += count
    return tuple(piles)


@final
class MokkaikCodec(GameCodec[MokkaikMove, MokkaikView, MokkaikEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: MokkaikMove, into: game_pb2.Move) -> None:
        if isinstance(move, Lay):
            meld_to_proto(move.cards, move.form, move.strength, into.mokkaik.lay.meld)
        else:
            into.mokkaik.discard.cards.extend(cards_to_proto(move.cards))
            into.mokkaik.discard.SetInParent()

    def move_from_proto(self, message: game_pb2.Move) -> MokkaikMove:
        if message.WhichOneof("game") != "mokkaik":
            raise unset("Move.game", "mokkaik")
        move = message.mokkaik
        kind = move.WhichOneof("kind")
        if kind == "lay":
            meld = move.lay.meld
            form = form_from_proto(meld.form) if meld.HasField("form") else 0
            strength = strength_from_proto(meld.strength) if meld.HasField("strength") else -1
            return meld_to_lay(cards_from_proto(meld.cards), form, strength)
        if kind == "discard":
            return Discard(cards_from_proto(move.discard.cards))
        raise unset("MokkaikMove.kind", "lay or discard")

    def view_to_proto(self, view: MokkaikView, into: game_pb2.View) -> None:
        message: Any = into.mokkaik  # enum values are plain ints at run time
        message.deal = view.deal
        message.dealer = view.dealer
        message.multiplier = view.multiplier
        message.round = view.round
        if view.turn >= 0:
            message.turn = view.turn
        message.leader = view.leader
        if view.size:
            message.form = view.form
            message.size = view.size
            message.reds = view.reds
            message.strength = view.strength + 1
            message.laid_by.extend(view.laid_by)
            for cards in view.laid:
                message.laid.extend(cards_to_proto(cards))
        message.hand.extend(cards_to_proto(view.hand))
        message.discarded.extend(cards_to_proto(view.discarded))
        message.hand_sizes.extend(view.hand_sizes)
        message.discard_counts.extend(view.discard_counts)
        for cards in view.public_cards:
            message.public_counts.append(cards.bit_count())
            message.public_cards.extend(cards_to_proto(cards))
        message.beaten.extend(cards_to_proto(view.beaten))
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> MokkaikView:
        view = message.mokkaik
        return MokkaikView(
            deal=view.deal,
            dealer=view.dealer,
            multiplier=view.multiplier,
            round=view.round,
            turn=view.turn if view.HasField("turn") else -1,
            leader=view.leader,
            form=view.form,
            size=view.size,
            reds=view.reds,
            strength=view.strength - 1,
            laid_by=tuple(view.laid_by),
            laid=_melds(list(view.laid), view.size),
            hand=cards_from_proto(view.hand),
            discarded=cards_from_proto(view.discarded),
            hand_sizes=tuple(view.hand_sizes),
            discard_counts=tuple(view.discard_counts),
            public_cards=_piles(list(view.public_cards), list(view.public_counts)),
            beaten=cards_from_proto(view.beaten),
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: MokkaikEvent, into: game_pb2.Event) -> None:
        message: Any = into.mokkaik
        if isinstance(event, Laid):
            message.laid.seat = event.seat
            meld_to_proto(event.cards, event.form, event.strength, message.laid.meld)
        elif isinstance(event, Discarded):
            message.discarded.seat = event.seat
            message.discarded.count = event.count
        elif isinstance(event, RoundWon):
            message.round_won.winner = event.winner
            message.round_won.cards.extend(cards_to_proto(event.cards))
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(cards_to_proto(event.cards))
        elif isinstance(event, Dealt):
            message.dealt.SetInParent()
            message.dealt.deal = event.deal
            message.dealt.dealer = event.dealer
            message.dealt.multiplier = event.multiplier
        else:
            message.deal_ended.winner = event.winner
            message.deal_ended.public_counts.extend(event.public_counts)
            message.deal_ended.scores.extend(event.scores)

    def event_from_proto(self, message: game_pb2.Event) -> MokkaikEvent:
        return _event_of(message.mokkaik)


def _event_of(event: mokkaik_pb2.MokkaikEvent) -> MokkaikEvent:
    kind = event.WhichOneof("kind")
    if kind == "laid":
        meld = event.laid.meld
        return Laid(event.laid.seat, meld.form, cards_from_proto(meld.cards), meld.strength - 1)
    if kind == "discarded":
        return Discarded(event.discarded.seat, event.discarded.count)
    if kind == "round_won":
        return RoundWon(event.round_won.winner, cards_from_proto(event.round_won.cards))
    if kind == "received":
        return Received(event.received.seat, cards_from_proto(event.received.cards))
    if kind == "dealt":
        return Dealt(event.dealt.deal, event.dealt.dealer, event.dealt.multiplier)
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(ended.winner, tuple(ended.public_counts), tuple(ended.scores))
    raise unset("MokkaikEvent.kind", "an event of this release")
