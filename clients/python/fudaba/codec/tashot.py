"""Tashot's moves, views and events as messages. For cards, forms and strengths, see `fudaba.codec.kamikisen`."""

from __future__ import annotations

from typing import Any, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.kamikisen import (
    card_from_proto,
    cards_from_proto,
    cards_to_proto,
    form_from_proto,
    meld_to_proto,
    strength_from_proto,
)
from fudaba.v1 import game_pb2, tashot_pb2
from fudaba_games.kamikisen.melds import melds_of
from fudaba_games.tashot.text import call_of, four_of
from fudaba_games.tashot.values import (
    DECLINE,
    DISCARDS,
    NO_CARD,
    NOBODY,
    WIN,
    Call,
    DealEnded,
    Dealt,
    Decline,
    Discard,
    Discarded,
    Four,
    Opened,
    OpenMeld,
    Received,
    TashotEvent,
    TashotMove,
    TashotView,
    TurnBegan,
    Won,
)


def _call(message: tashot_pb2.TashotCall) -> Call:
    """Returns the call of a message, even if it leaves out what the cards are. Raises `MalformedMove`."""
    meld = message.meld
    form = form_from_proto(meld.form) if meld.HasField("form") else 0
    strength = strength_from_proto(meld.strength) if meld.HasField("strength") else -1
    return call_of(cards_from_proto(meld.cards), form, strength)


@final
class TashotCodec(GameCodec[TashotMove, TashotView, TashotEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: TashotMove, into: game_pb2.Move) -> None:
        message: Any = into.tashot  # enum values are plain ints at run time
        if isinstance(move, Discard):
            message.discard.card = move.card + 1
        elif isinstance(move, Decline):
            message.decline.SetInParent()
        elif isinstance(move, Call):
            meld_to_proto(move.cards, melds_of(move.cards)[0].form, move.strength, message.call.meld)
        elif isinstance(move, Four):
            message.four.cards.extend(cards_to_proto(move.cards))
        else:
            message.win.SetInParent()

    def move_from_proto(self, message: game_pb2.Move) -> TashotMove:
        if message.WhichOneof("game") != "tashot":
            raise unset("Move.game", "tashot")
        move = message.tashot
        kind = move.WhichOneof("kind")
        if kind == "discard":
            return DISCARDS[card_from_proto(move.discard.card)]
        if kind == "decline":
            return DECLINE
        if kind == "call":
            return _call(move.call)
        if kind == "four":
            return four_of(cards_from_proto(move.four.cards))
        if kind == "win":
            return WIN
        raise unset("TashotMove.kind", "decline, discard, four, win or call")

    def view_to_proto(self, view: TashotView, into: game_pb2.View) -> None:
        message: Any = into.tashot  # enum values are plain ints at run time
        message.deal = view.deal
        message.dealer = view.dealer
        message.multiplier = view.multiplier
        message.phase = view.phase
        if view.turn != NOBODY:
            message.turn = view.turn
        message.unfinished.extend([seat for seat in range(len(view.hand_sizes)) if view.unfinished >> seat & 1])
        message.stock = view.stock
        if view.offered != NO_CARD:
            message.offered = view.offered + 1
        message.hand.extend(cards_to_proto(view.hand))
        if view.drawn != NO_CARD:
            message.drawn = view.drawn + 1
        message.hand_sizes.extend(view.hand_sizes)
        for meld in view.melds:
            open_meld = message.melds.add()
            open_meld.seat = meld.seat
            meld_to_proto(meld.cards, meld.form, meld.strength, open_meld.meld)
        for cards in view.discards:
            message.discard_counts.append(cards.bit_count())
            message.discards.extend(cards_to_proto(cards))
        message.lights.extend([light + 1 for light in view.lights])
        message.scores.extend(view.scores)
        message.paid.extend(view.paid)
        if view.winner != NOBODY:
            message.winner = view.winner
        message.won_with.extend(cards_to_proto(view.won_with))

    def view_from_proto(self, message: game_pb2.View) -> TashotView:
        view = message.tashot
        discards: list[int] = []
        start = 0
        for count in view.discard_counts:
            discards.append(cards_from_proto(view.discards[start : start + count]))
            start += count
        return TashotView(
            deal=view.deal,
            dealer=view.dealer,
            multiplier=view.multiplier,
            phase=view.phase,
            turn=view.turn if view.HasField("turn") else NOBODY,
            unfinished=sum([1 << seat for seat in view.unfinished]),
            stock=view.stock,
            offered=view.offered - 1 if view.HasField("offered") else NO_CARD,
            hand=cards_from_proto(view.hand),
            drawn=view.drawn - 1 if view.HasField("drawn") else NO_CARD,
            hand_sizes=tuple(view.hand_sizes),
            melds=tuple([_open_meld(meld.seat, meld.meld) for meld in view.melds]),
            discards=tuple(discards),
            lights=tuple([light - 1 for light in view.lights]),
            scores=tuple(view.scores),
            paid=tuple(view.paid),
            winner=view.winner if view.HasField("winner") else NOBODY,
            won_with=cards_from_proto(view.won_with),
        )

    def event_to_proto(self, event: TashotEvent, into: game_pb2.Event) -> None:
        message: Any = into.tashot  # enum values are plain ints at run time
        if isinstance(event, TurnBegan):
            message.turn_began.SetInParent()
            message.turn_began.seat = event.seat
            message.turn_began.stock = event.stock
        elif isinstance(event, Discarded):
            message.discarded.seat = event.seat
            message.discarded.card = event.card + 1
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(cards_to_proto(event.cards))
        elif isinstance(event, Opened):
            message.opened.seat = event.seat
            if event.source != NOBODY:
                message.opened.source = event.source
            meld_to_proto(event.cards, event.form, event.strength, message.opened.meld)
        else:
            _rare_event_to_proto(event, message)

    def event_from_proto(self, message: game_pb2.Event) -> TashotEvent:
        event = message.tashot
        kind = event.WhichOneof("kind")
        if kind == "turn_began":
            return TurnBegan(event.turn_began.seat, event.turn_began.stock)
        if kind == "discarded":
            return Discarded(event.discarded.seat, card_from_proto(event.discarded.card))
        if kind == "received":
            return Received(event.received.seat, cards_from_proto(event.received.cards))
        if kind == "opened":
            opened = event.opened
            source = opened.source if opened.HasField("source") else NOBODY
            _, cards, form, strength = _open_meld(opened.seat, opened.meld)
            return Opened(opened.seat, source, cards, form, strength)
        return _rare_event_from_proto(event)


def _open_meld(seat: int, meld: Any) -> OpenMeld:
    return OpenMeld(seat, cards_from_proto(meld.cards), meld.form, meld.strength - 1)


def _rare_event_to_proto(event: Dealt | Won | DealEnded, message: Any) -> None:
    """Writes the rare events."""
    if isinstance(event, Dealt):
        message.dealt.SetInParent()
        message.dealt.deal = event.deal
        message.dealt.dealer = event.dealer
        message.dealt.multiplier = event.multiplier
        if event.light != NO_CARD:
            message.dealt.light = event.light + 1
    elif isinstance(event, Won):
        won = message.won
        won.seat = event.seat
        if event.source != NOBODY:
            won.source = event.source
        won.cards.extend(cards_to_proto(event.cards))
        if event.light != NO_CARD:
            won.light = event.light + 1
        won.same_colour = event.same_colour
        won.six_in_row = event.six_in_row
        won.first_round = event.first_round
        won.four = event.four
        won.kings = event.kings
        won.lit = event.lit
    else:
        if event.winner != NOBODY:
            message.deal_ended.winner = event.winner
        message.deal_ended.scores.extend(event.scores)


def _rare_event_from_proto(event: tashot_pb2.TashotEvent) -> TashotEvent:
    """Returns an event of a rare kind."""
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        dealt = event.dealt
        light = dealt.light - 1 if dealt.HasField("light") else NO_CARD
        return Dealt(dealt.deal, dealt.dealer, dealt.multiplier, light)
    if kind == "won":
        won = event.won
        return Won(
            seat=won.seat,
            source=won.source if won.HasField("source") else NOBODY,
            cards=cards_from_proto(won.cards),
            light=won.light - 1 if won.HasField("light") else NO_CARD,
            same_colour=won.same_colour,
            six_in_row=won.six_in_row,
            first_round=won.first_round,
            four=won.four,
            kings=won.kings,
            lit=won.lit,
        )
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(ended.winner if ended.HasField("winner") else NOBODY, tuple(ended.scores))
    raise unset("TashotEvent.kind", "an event of this release")
