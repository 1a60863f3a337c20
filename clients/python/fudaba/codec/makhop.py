"""Makhop's moves, views and events as messages. For cards, see `fudaba.codec.kamikisen`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.kamikisen import card_from_proto, cards_from_proto, cards_to_proto
from fudaba.v1 import game_pb2
from fudaba_games.makhop.sums import laid_in_order
from fudaba_games.makhop.text import to_lay
from fudaba_games.makhop.values import (
    OPEN,
    Clear,
    Cleared,
    DealEnded,
    Dealt,
    Extend,
    Extended,
    Join,
    Joined,
    MakhopEvent,
    MakhopMove,
    MakhopView,
    Open,
    Opened,
    Received,
    Reshuffled,
    Road,
    Turned,
)


@lru_cache(maxsize=1 << 14)
def _laid(cards: int, end: int) -> tuple[Any, ...]:  # enum values are plain ints at run time
    """Returns enum values of cards that are laid: in deck order, with the new end last."""
    return tuple([card + 1 for card in laid_in_order(cards, end)])


def _road_from_proto(numbers: Sequence[int]) -> Road:
    return tuple([card_from_proto(number) for number in numbers])


@final
class MakhopCodec(GameCodec[MakhopMove, MakhopView, MakhopEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: MakhopMove, into: game_pb2.Move) -> None:
        message: Any = into.makhop  # enum values are plain ints at run time
        if isinstance(move, Open):
            message.open.SetInParent()
        elif isinstance(move, Extend):
            message.extend.road = move.road
            message.extend.cards.extend(_laid(move.cards, move.end))
        elif isinstance(move, Join):
            message.join.road = move.road
            message.join.other_road = move.other_road
            message.join.cards.extend(_laid(move.cards, move.end))
        else:
            message.clear.card = move.card + 1

    def move_from_proto(self, message: game_pb2.Move) -> MakhopMove:
        if message.WhichOneof("game") != "makhop":
            raise unset("Move.game", "makhop")
        move = message.makhop
        kind = move.WhichOneof("kind")
        if kind == "open":
            return OPEN
        if kind == "extend":
            cards = [card_from_proto(number) for number in move.extend.cards]
            return to_lay([move.extend.road], cards, joining=False)
        if kind == "join":
            cards = [card_from_proto(number) for number in move.join.cards]
            return to_lay([move.join.road, move.join.other_road], cards, joining=True)
        if kind == "clear":
            return Clear(card_from_proto(move.clear.card))
        raise unset("MakhopMove.kind", "open, extend, join or clear")

    def view_to_proto(self, view: MakhopView, into: game_pb2.View) -> None:
        message: Any = into.makhop  # enum values are plain ints at run time
        message.deal = view.deal
        message.dealer = view.dealer
        message.turns = view.turns
        message.idle = view.idle
        if view.turn >= 0:
            message.turn = view.turn
        for road in view.roads:
            message.roads.add().cards.extend([card + 1 for card in road])
        message.hand.extend(cards_to_proto(view.hand))
        message.hand_sizes.extend(view.hand_sizes)
        message.stock = view.stock
        message.stock_cards.extend(cards_to_proto(view.stock_cards))
        message.vanished.extend(cards_to_proto(view.vanished))
        message.shuffles = view.shuffles
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> MakhopView:
        view = message.makhop
        return MakhopView(
            deal=view.deal,
            dealer=view.dealer,
            turns=view.turns,
            idle=view.idle,
            turn=view.turn if view.HasField("turn") else -1,
            roads=tuple([_road_from_proto(road.cards) for road in view.roads]),
            hand=cards_from_proto(view.hand),
            hand_sizes=tuple(view.hand_sizes),
            stock=view.stock,
            stock_cards=cards_from_proto(view.stock_cards),
            vanished=cards_from_proto(view.vanished),
            shuffles=view.shuffles,
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: MakhopEvent, into: game_pb2.Event) -> None:
        message: Any = into.makhop  # enum values are plain ints at run time
        if isinstance(event, Opened):
            message.opened.seat = event.seat
            if event.card >= 0:
                message.opened.card = event.card + 1
            message.opened.SetInParent()
        elif isinstance(event, Extended):
            message.extended.seat = event.seat
            message.extended.road = event.road
            message.extended.cards.extend(_laid(event.cards, event.end))
        elif isinstance(event, Joined):
            message.joined.seat = event.seat
            message.joined.road = event.road
            message.joined.other_road = event.other_road
            message.joined.cards.extend(_laid(event.cards, event.end))
        elif isinstance(event, Cleared):
            message.cleared.seat = event.seat
            message.cleared.card = event.card + 1
        elif isinstance(event, Turned):
            message.turned.card = event.card + 1
        elif isinstance(event, Reshuffled):
            message.reshuffled.cards.extend(cards_to_proto(event.cards))
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(cards_to_proto(event.cards))
        elif isinstance(event, Dealt):
            message.dealt.deal = event.deal
            message.dealt.dealer = event.dealer
            message.dealt.SetInParent()
        else:
            message.deal_ended.winners.extend(event.winners)
            message.deal_ended.hand_sizes.extend(event.hand_sizes)
            message.deal_ended.scores.extend(event.scores)

    def event_from_proto(self, message: game_pb2.Event) -> MakhopEvent:
        event = message.makhop
        kind = event.WhichOneof("kind")
        read = _EVENTS.get(kind or "")
        if read is None:
            raise unset("MakhopEvent.kind", "an event of this release")
        return read(getattr(event, kind or ""))


def _extended(event: Any) -> Extended:
    cards = cards_from_proto(event.cards)
    return Extended(event.seat, event.road, cards, card_from_proto(event.cards[-1]))


def _joined(event: Any) -> Joined:
    cards = cards_from_proto(event.cards)
    return Joined(event.seat, event.road, event.other_road, cards, card_from_proto(event.cards[-1]))


def _opened(event: Any) -> Opened:
    return Opened(event.seat, card_from_proto(event.card) if event.HasField("card") else -1)


_EVENTS: Final[dict[str, Callable[[Any], MakhopEvent]]] = {
    "dealt": lambda event: Dealt(event.deal, event.dealer),
    "received": lambda event: Received(event.seat, cards_from_proto(event.cards)),
    "turned": lambda event: Turned(card_from_proto(event.card)),
    "reshuffled": lambda event: Reshuffled(cards_from_proto(event.cards)),
    "opened": _opened,
    "extended": _extended,
    "joined": _joined,
    "cleared": lambda event: Cleared(event.seat, card_from_proto(event.card)),
    "deal_ended": lambda event: DealEnded(tuple(event.winners), tuple(event.hand_sizes), tuple(event.scores)),
}
