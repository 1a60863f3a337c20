"""High Card's moves, views and events as messages. A card's number is the same in both."""

from __future__ import annotations

from typing import Any, final

from fudaba.codec.base import GameCodec, unset
from fudaba.v1 import game_pb2
from fudaba_games.game import MalformedMove
from high_card.turns import DECK
from high_card.values import Compared, DealEnded, Dealt, HighCardEvent, HighCardMove, HighCardView, Pass, Play, Received

# The messages are `Any` here, since the starter is not in the contract. In a game of your own drop that, and mypy knows
# every field.


@final
class HighCardCodec(GameCodec[HighCardMove, HighCardView, HighCardEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: HighCardMove, into: game_pb2.Move) -> None:
        message: Any = into
        if isinstance(move, Play):
            message.high_card.play.card = move.card
        else:
            getattr(message.high_card, "pass").SetInParent()  # a word of Python

    def move_from_proto(self, message: game_pb2.Move) -> HighCardMove:
        move: Any = message
        if move.WhichOneof("game") != "high_card":
            raise unset("Move.game", "high_card")
        kind = move.high_card.WhichOneof("kind")
        if kind is None:
            raise unset("HighCardMove.kind", "pass or play")
        if kind == "pass":
            return Pass()
        card = move.high_card.play.card
        if card not in DECK:
            raise MalformedMove(f"{card} is not a card; send 1 to 12")
        return Play(card)

    def view_to_proto(self, view: HighCardView, into: game_pb2.View) -> None:
        message: Any = getattr(into, "high_card")  # noqa: B009 - see above
        message.deal = view.deal
        message.dealer = view.dealer
        message.hand.extend(view.hand)
        if view.chosen >= 0:
            message.chosen = view.chosen
        message.played.extend(view.played)
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> HighCardView:
        view: Any = getattr(message, "high_card")  # noqa: B009 - see above
        return HighCardView(
            deal=view.deal,
            dealer=view.dealer,
            hand=tuple(view.hand),
            chosen=view.chosen if view.HasField("chosen") else -1,
            played=tuple(view.played),
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: HighCardEvent, into: game_pb2.Event) -> None:
        message: Any = getattr(into, "high_card")  # noqa: B009 - see above
        if isinstance(event, Dealt):
            message.dealt.deal, message.dealt.dealer = event.deal, event.dealer
            message.dealt.SetInParent()  # both may be 0
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(event.cards)
        elif isinstance(event, Compared):
            message.compared.cards.extend(event.cards)
        else:
            message.deal_ended.scores.extend(event.scores)

    def event_from_proto(self, message: game_pb2.Event) -> HighCardEvent:
        event: Any = getattr(message, "high_card")  # noqa: B009 - see above
        kind = event.WhichOneof("kind")
        if kind == "dealt":
            return Dealt(event.dealt.deal, event.dealt.dealer)
        if kind == "received":
            return Received(event.received.seat, tuple(event.received.cards))
        if kind == "compared":
            return Compared(tuple(event.compared.cards))
        return DealEnded(tuple(event.deal_ended.scores))
