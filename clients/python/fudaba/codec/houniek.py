"""Houniek's moves, views and events as messages. For cards, forms and kinds, see `fudaba.codec.kamikisen`."""

from __future__ import annotations

from typing import Any, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.kamikisen import cards_from_proto, cards_to_proto, form_from_proto, kind_from_proto
from fudaba.v1 import game_pb2, houniek_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.houniek.circle import KIND_AT, PLACE_OF_KIND
from fudaba_games.houniek.text import meld_to_lay
from fudaba_games.houniek.values import (
    PASS,
    DealEnded,
    Dealt,
    HouniekEvent,
    HouniekMove,
    HouniekView,
    Laid,
    Lay,
    Passed,
    Received,
    RoundBegan,
)


def _meld_to_proto(meld: Lay | Laid, into: houniek_pb2.HouniekMeld) -> None:
    message: Any = into  # enum values are plain ints at run time
    message.cards.extend(cards_to_proto(meld.cards))
    message.form = meld.form
    message.foot = KIND_AT[meld.foot] + 1


def _place_from_proto(number: int) -> int:
    """Returns the place of an enum value. Raises `MalformedMove`, also for the card none, which has no place."""
    place = PLACE_OF_KIND[kind_from_proto(number)]
    if place < 0:
        raise MalformedMove("none is wild and never a foot; send the kind that it stands for")
    return place


def _laid_to_proto(laid: Laid, into: houniek_pb2.HouniekLaid) -> None:
    into.seat = laid.seat
    _meld_to_proto(laid, into.meld)


def _laid_from_proto(laid: houniek_pb2.HouniekLaid) -> Laid:
    return Laid(laid.seat, laid.meld.form, cards_from_proto(laid.meld.cards), _place_from_proto(laid.meld.foot))


@final
class HouniekCodec(GameCodec[HouniekMove, HouniekView, HouniekEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: HouniekMove, into: game_pb2.Move) -> None:
        if isinstance(move, Lay):
            _meld_to_proto(move, into.houniek.lay.meld)
        else:
            getattr(into.houniek, "pass").SetInParent()

    def move_from_proto(self, message: game_pb2.Move) -> HouniekMove:
        if message.WhichOneof("game") != "houniek":
            raise unset("Move.game", "houniek")
        kind = message.houniek.WhichOneof("kind")
        if kind == "lay":
            meld = message.houniek.lay.meld
            form = form_from_proto(meld.form) if meld.HasField("form") else 0
            foot = _place_from_proto(meld.foot) if meld.HasField("foot") else -1
            return meld_to_lay(cards_from_proto(meld.cards), form, foot)
        if kind == "pass":
            return PASS
        raise unset("HouniekMove.kind", "pass or lay")

    def view_to_proto(self, view: HouniekView, into: game_pb2.View) -> None:
        message: Any = into.houniek  # enum values are plain ints at run time
        message.deal = view.deal
        message.dealer = view.dealer
        message.round = view.round
        if view.turn >= 0:
            message.turn = view.turn
        message.leader = view.leader
        for laid in view.table:
            _laid_to_proto(laid, message.table.add())
        message.cleared.extend(cards_to_proto(view.cleared))
        message.hand.extend(cards_to_proto(view.hand))
        message.hand_sizes.extend(view.hand_sizes)
        message.stock = view.stock
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> HouniekView:
        view = message.houniek
        return HouniekView(
            deal=view.deal,
            dealer=view.dealer,
            round=view.round,
            turn=view.turn if view.HasField("turn") else -1,
            leader=view.leader,
            table=tuple([_laid_from_proto(laid) for laid in view.table]),
            cleared=cards_from_proto(view.cleared),
            hand=cards_from_proto(view.hand),
            hand_sizes=tuple(view.hand_sizes),
            stock=view.stock,
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: HouniekEvent, into: game_pb2.Event) -> None:
        message: Any = into.houniek  # enum values are plain ints at run time
        if isinstance(event, Laid):
            _laid_to_proto(event, message.laid)
        elif isinstance(event, Passed):
            message.passed.SetInParent()
            message.passed.seat = event.seat
        elif isinstance(event, RoundBegan):
            message.round_began.SetInParent()
            message.round_began.round = event.round
            message.round_began.leader = event.leader
            message.round_began.drawn = event.drawn
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(cards_to_proto(event.cards))
        elif isinstance(event, Dealt):
            message.dealt.SetInParent()
            message.dealt.deal = event.deal
            message.dealt.dealer = event.dealer
        else:
            message.deal_ended.winner = event.winner
            message.deal_ended.scores.extend(event.scores)

    def event_from_proto(self, message: game_pb2.Event) -> HouniekEvent:
        event = message.houniek
        kind = event.WhichOneof("kind")
        if kind == "laid":
            return _laid_from_proto(event.laid)
        if kind == "passed":
            return Passed(event.passed.seat)
        if kind == "round_began":
            return RoundBegan(event.round_began.round, event.round_began.leader, event.round_began.drawn)
        if kind == "received":
            return Received(event.received.seat, cards_from_proto(event.received.cards))
        if kind == "dealt":
            return Dealt(event.dealt.deal, event.dealt.dealer)
        if kind == "deal_ended":
            return DealEnded(event.deal_ended.winner, tuple(event.deal_ended.scores))
        raise unset("HouniekEvent.kind", "an event of this release")
