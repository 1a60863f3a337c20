"""Napoleon's moves, views and events as messages.

The enum value of a card, a suit or a call is its number in the rules plus one; that of a phase is its number.
"""

from __future__ import annotations

from typing import Any, Final, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.cards import Deck, from_enum, numbers_of, to_enum
from fudaba.v1 import game_pb2, napoleon_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.napoleon.values import (
    APPROVAL,
    PLAYS,
    Approve,
    Bid,
    Buried,
    Bury,
    Called,
    DealEnded,
    Dealt,
    Name,
    Named,
    NapoleonEvent,
    NapoleonMove,
    NapoleonView,
    Play,
    Played,
    Received,
    Revealed,
    Stood,
    ThrownIn,
    TrickTaken,
)

_DECK: Final = Deck(napoleon_pb2.NapoleonCard)
_SUITS_COUNT: Final = 5
_NUMBERS: Final = range(13, 21)


def _bid(message: napoleon_pb2.NapoleonBid) -> Bid:
    if message.number not in _NUMBERS:
        raise MalformedMove(f"{message.number} cannot be bid; send a number 13 to 20")
    if not 1 <= message.suit <= _SUITS_COUNT:
        raise MalformedMove(
            f"{message.suit} is not a NapoleonSuit; send 1 to {_SUITS_COUNT}, see the enum NapoleonSuit"
        )
    return Bid(message.number, message.suit - 1)


@final
class NapoleonCodec(GameCodec[NapoleonMove, NapoleonView, NapoleonEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: NapoleonMove, into: game_pb2.Move) -> None:
        message: Any = into.napoleon  # enum values are plain ints at run time
        if isinstance(move, Play):
            message.play.card = move.card + 1
        elif isinstance(move, Approve):
            message.approve.SetInParent()
        elif isinstance(move, Bid):
            message.bid.number = move.number
            message.bid.suit = move.suit + 1
        elif isinstance(move, Bury):
            message.bury.cards.extend(numbers_of(move.cards))
        else:
            message.name.card = move.card + 1

    def move_from_proto(self, message: game_pb2.Move) -> NapoleonMove:
        if message.WhichOneof("game") != "napoleon":
            raise unset("Move.game", "napoleon")
        move = message.napoleon
        kind = move.WhichOneof("kind")
        if kind == "play":
            return PLAYS[_DECK.card(move.play.card)]
        if kind == "approve":
            return APPROVAL
        if kind == "bid":
            return _bid(move.bid)
        if kind == "bury":
            return Bury(_DECK.mask(move.bury.cards))
        if kind == "name":
            return Name(_DECK.card(move.name.card))
        raise unset("NapoleonMove.kind", "approve, bid, bury, name or play")

    def view_to_proto(self, view: NapoleonView, into: game_pb2.View) -> None:
        message: Any = into.napoleon  # enum values are plain ints at run time
        message.deal = view.deal
        message.dealer = view.dealer
        message.thrown_in = view.thrown_in
        message.phase = view.phase
        if view.turn >= 0:
            message.turn = view.turn
        message.calls.extend(to_enum(view.calls))
        if view.number:
            message.number = view.number
            message.trump = view.trump + 1
            message.napoleon = view.napoleon
        if view.named >= 0:
            message.named = view.named + 1
            if view.adjutant >= 0:
                message.adjutant = view.adjutant
        message.hand.extend(numbers_of(view.hand))
        if view.buried:
            message.buried.extend(numbers_of(view.buried))
        if view.leader >= 0:
            message.leader = view.leader
            message.trick.extend(to_enum(view.trick))
        message.tricks.extend(to_enum(view.tricks))
        message.winners.extend(view.winners)
        message.honours.extend(view.honours)
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> NapoleonView:
        view = message.napoleon
        return NapoleonView(
            deal=view.deal,
            dealer=view.dealer,
            thrown_in=view.thrown_in,
            phase=view.phase,
            turn=view.turn if view.HasField("turn") else -1,
            calls=from_enum(view.calls),
            number=view.number,
            trump=view.trump - 1,
            napoleon=view.napoleon if view.HasField("napoleon") else -1,
            named=view.named - 1,
            adjutant=view.adjutant if view.HasField("adjutant") else -1,
            hand=_DECK.mask(view.hand),
            buried=_DECK.mask(view.buried),
            leader=view.leader if view.HasField("leader") else -1,
            trick=from_enum(view.trick),
            tricks=from_enum(view.tricks),
            winners=tuple(view.winners),
            honours=tuple(view.honours),
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: NapoleonEvent, into: game_pb2.Event) -> None:
        message: Any = into.napoleon  # enum values are plain ints at run time
        if isinstance(event, Played):
            message.played.seat = event.seat
            message.played.card = event.card + 1
        elif isinstance(event, TrickTaken):
            message.trick_taken.winner = event.winner
            message.trick_taken.cards.extend(to_enum(event.cards))
        elif isinstance(event, Called):
            message.called.seat = event.seat
            message.called.call = event.call + 1
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(numbers_of(event.cards))
        elif isinstance(event, Revealed):
            message.revealed.adjutant = event.adjutant
            message.revealed.SetInParent()
        else:
            _rare_event_to_proto(event, message)

    def event_from_proto(self, message: game_pb2.Event) -> NapoleonEvent:
        event = message.napoleon
        kind = event.WhichOneof("kind")
        if kind == "played":
            return Played(event.played.seat, event.played.card - 1)
        if kind == "trick_taken":
            return TrickTaken(event.trick_taken.winner, from_enum(event.trick_taken.cards))
        if kind == "called":
            return Called(event.called.seat, event.called.call - 1)
        if kind == "received":
            return Received(event.received.seat, _DECK.mask(event.received.cards))
        if kind == "revealed":
            return Revealed(event.revealed.adjutant)
        return _rare_event_from_proto(event)


def _rare_event_to_proto(event: Dealt | ThrownIn | Stood | Buried | Named | DealEnded, message: Any) -> None:
    """Writes the events that happen once in a deal."""
    if isinstance(event, Dealt):
        message.dealt.SetInParent()
        message.dealt.deal = event.deal
        message.dealt.dealer = event.dealer
        message.dealt.thrown_in = event.thrown_in
    elif isinstance(event, ThrownIn):
        message.thrown_in.SetInParent()
        message.thrown_in.deal = event.deal
    elif isinstance(event, Stood):
        message.stood.seat = event.seat
        message.stood.number = event.number
        message.stood.trump = event.trump + 1
    elif isinstance(event, Buried):
        message.buried.SetInParent()
        message.buried.seat = event.seat
    elif isinstance(event, Named):
        message.named.seat = event.seat
        message.named.card = event.card + 1
    else:
        ended = message.deal_ended
        ended.napoleon = event.napoleon
        ended.adjutant = event.adjutant
        ended.honours = event.honours
        ended.won = event.won
        ended.swept = event.swept
        ended.buried.extend(numbers_of(event.buried))
        ended.scores.extend(event.scores)


def _rare_event_from_proto(event: napoleon_pb2.NapoleonEvent) -> NapoleonEvent:
    """Returns an event of a kind that happens once in a deal."""
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        return Dealt(event.dealt.deal, event.dealt.dealer, event.dealt.thrown_in)
    if kind == "thrown_in":
        return ThrownIn(event.thrown_in.deal)
    if kind == "stood":
        return Stood(event.stood.seat, event.stood.number, event.stood.trump - 1)
    if kind == "buried":
        return Buried(event.buried.seat)
    if kind == "named":
        return Named(event.named.seat, event.named.card - 1)
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(
            napoleon=ended.napoleon,
            adjutant=ended.adjutant,
            honours=ended.honours,
            won=ended.won,
            swept=ended.swept,
            buried=_DECK.mask(ended.buried),
            scores=tuple(ended.scores),
        )
    raise unset("NapoleonEvent.kind", "an event of this release")
