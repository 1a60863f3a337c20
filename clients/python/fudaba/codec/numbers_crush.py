"""Numbers Crush's moves, views and events as messages.

The enum value of a card, a face or a suit is its number in the rules plus one; that of a phase, a colour or a victory
is its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.cards import Deck, from_enum, numbers_of, to_enum
from fudaba.v1 import game_pb2, numbers_crush_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.numbers_crush.cards import FACE_COUNT, SUIT_NAMES
from fudaba_games.numbers_crush.state import MAX_SEATS
from fudaba_games.numbers_crush.values import (
    COUNTER,
    DECLINE,
    DRAW,
    PASS,
    SKIP,
    ZERO_OUT,
    Countered,
    DealEnded,
    Dealt,
    Declined,
    Discard,
    Discarded,
    Drew,
    Gave,
    Give,
    Handed,
    NumbersCrushEvent,
    NumbersCrushMove,
    NumbersCrushView,
    Passed,
    Penalised,
    Received,
    Reshuffled,
    Set,
    Skipped,
    TurnBegan,
    Turned,
    WereSet,
    ZeroedOut,
)

_DECK: Final = Deck(numbers_crush_pb2.NumbersCrushCard)
_SUITS: Final = len(SUIT_NAMES)
_BARE: Final[dict[NumbersCrushMove, str]] = {
    SKIP: "skip",
    DRAW: "draw",
    PASS: "pass",
    DECLINE: "decline",
    ZERO_OUT: "zero_out",
    COUNTER: "counter",
}
_BARE_BY_KIND: Final = {kind: move for move, kind in _BARE.items()}


def _set(message: numbers_crush_pb2.NumbersCrushSet) -> Set:
    cards = tuple([_DECK.card(number) for number in message.cards])
    if len(set(cards)) < len(cards):
        twice = next(number for number in message.cards if message.cards[:].count(number) > 1)
        raise MalformedMove(f"{numbers_crush_pb2.NumbersCrushCard.Name(twice)} is there twice; name each card once")
    if message.faces and len(message.faces) != len(cards):
        raise MalformedMove(f"{len(cards)} cards have {len(cards)} faces or none, not {len(message.faces)}")
    if message.HasField("suit") and not 1 <= message.suit <= _SUITS:
        raise MalformedMove(f"{message.suit} is not a NumbersCrushSuit; send 1 to {_SUITS}, or leave it out")
    return Set(cards, _faces(message.faces) if message.faces else cards, message.suit - 1)


def _faces(numbers: Iterable[int]) -> tuple[int, ...]:
    faces = from_enum(numbers)
    for face in faces:
        if not 0 <= face < FACE_COUNT:
            raise MalformedMove(f"{face + 1} is not a face; send 1 to {FACE_COUNT}, see the enum NumbersCrushCard")
    return faces


@final
class NumbersCrushCodec(GameCodec[NumbersCrushMove, NumbersCrushView, NumbersCrushEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: NumbersCrushMove, into: game_pb2.Move) -> None:
        message: Any = into.numbers_crush  # enum values are plain ints at run time
        if isinstance(move, Set):
            _set_to_proto(move.cards, move.faces, move.suit, message.set)
        elif isinstance(move, Discard):
            message.discard.card = move.card + 1
        elif isinstance(move, Give):
            message.give.card = move.card + 1
            message.give.to = move.to
        else:
            getattr(message, _BARE[move]).SetInParent()

    def move_from_proto(self, message: game_pb2.Move) -> NumbersCrushMove:
        if message.WhichOneof("game") != "numbers_crush":
            raise unset("Move.game", "numbers_crush")
        move = message.numbers_crush
        kind = move.WhichOneof("kind")
        if kind is None:
            raise unset("NumbersCrushMove.kind", f"set, discard, give, {', '.join(_BARE_BY_KIND)}")
        bare = _BARE_BY_KIND.get(kind)
        if bare is not None:
            return bare
        if kind == "set":
            return _set(move.set)
        if kind == "discard":
            return Discard(_DECK.card(move.discard.card))
        if move.give.to >= MAX_SEATS:
            raise MalformedMove(f"there is no seat {move.give.to}; send 0 to {MAX_SEATS - 1}")
        return Give(_DECK.card(move.give.card), move.give.to)

    def view_to_proto(self, view: NumbersCrushView, into: game_pb2.View) -> None:
        message: Any = into.numbers_crush  # enum values are plain ints at run time
        message.deal = view.deal
        message.dealer = view.dealer
        message.turns = view.turns
        message.phase = view.phase
        if view.turn >= 0:
            message.turn = view.turn
        message.reversed = view.reversed
        message.base = view.base + 1
        message.number = view.number
        message.suit = view.suit + 1
        message.pile.extend(numbers_of(view.pile))
        message.stock = view.stock
        message.hand_sizes.extend(view.hand_sizes)
        message.bind = view.bind
        if view.bind:
            message.bind_maker = view.bind_maker
        message.pending = view.pending
        message.king_penalty = view.king_penalty
        if view.king_penalty:
            message.king_starter = view.king_starter
        message.joker_lock = view.joker_lock
        message.resets = view.resets
        message.cards_left = view.cards_left
        message.penalty_cards.extend(to_enum(view.penalty_cards))
        message.penalty_left = view.penalty_left
        if view.zero_out >= 0:
            message.zero_out = view.zero_out
        message.answered = view.answered
        message.hand.extend(numbers_of(view.hand))
        _holders_to_proto(view.known, message.known, message.known_seats)
        _holders_to_proto(view.known_alone, message.known_alone, message.known_alone_seats)
        message.changed_seats.extend([seat for seat in range(MAX_SEATS) if view.changed_seats >> seat & 1])
        message.lost_turns = view.lost_turns
        if view.next_turn >= 0:
            message.next_turn = view.next_turn
        message.scores.extend(view.scores)
        message.new_bind = view.new_bind

    def view_from_proto(self, message: game_pb2.View) -> NumbersCrushView:
        view = message.numbers_crush
        return NumbersCrushView(
            deal=view.deal,
            dealer=view.dealer,
            turns=view.turns,
            phase=view.phase,
            turn=view.turn if view.HasField("turn") else -1,
            reversed=view.reversed,
            base=view.base - 1,
            number=view.number,
            suit=view.suit - 1,
            pile=_DECK.mask(view.pile),
            stock=view.stock,
            hand_sizes=tuple(view.hand_sizes),
            bind=view.bind,
            bind_maker=view.bind_maker if view.HasField("bind_maker") else -1,
            pending=view.pending,
            king_penalty=view.king_penalty,
            king_starter=view.king_starter if view.HasField("king_starter") else -1,
            joker_lock=view.joker_lock,
            resets=view.resets,
            cards_left=view.cards_left,
            penalty_cards=from_enum(view.penalty_cards),
            penalty_left=view.penalty_left,
            zero_out=view.zero_out if view.HasField("zero_out") else -1,
            answered=view.answered,
            hand=_DECK.mask(view.hand),
            known=_holders_from_proto(view.known, view.known_seats, len(view.hand_sizes)),
            known_alone=_holders_from_proto(view.known_alone, view.known_alone_seats, len(view.hand_sizes)),
            changed_seats=sum([1 << seat for seat in view.changed_seats]),
            lost_turns=view.lost_turns,
            next_turn=view.next_turn if view.HasField("next_turn") else -1,
            scores=tuple(view.scores),
            new_bind=view.new_bind,
        )

    def event_to_proto(self, event: NumbersCrushEvent, into: game_pb2.Event) -> None:
        message: Any = into.numbers_crush  # enum values are plain ints at run time
        if isinstance(event, TurnBegan):
            message.turn_began.seat = event.seat
            message.turn_began.number = event.number
        elif isinstance(event, WereSet):
            message.were_set.seat = event.seat
            _set_to_proto(event.cards, event.faces, event.suit, message.were_set)
        elif isinstance(event, Drew):
            message.drew.SetInParent()
            message.drew.seat = event.seat
            message.drew.count = event.count
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(numbers_of(event.cards))
        elif isinstance(event, (Skipped, Passed, Declined)):
            part = getattr(message, _SEAT_ONLY[type(event)])
            part.SetInParent()
            part.seat = event.seat
        elif isinstance(event, (Penalised, Discarded)):
            part = message.penalised if isinstance(event, Penalised) else message.discarded
            part.seat = event.seat
            part.card = event.card + 1
        else:
            _rare_event_to_proto(event, message)

    def event_from_proto(self, message: game_pb2.Event) -> NumbersCrushEvent:  # noqa: PLR0911 - one for each
        event = message.numbers_crush
        kind = event.WhichOneof("kind")
        if kind == "turn_began":
            return TurnBegan(event.turn_began.seat, event.turn_began.number)
        if kind == "were_set":
            found = event.were_set
            return WereSet(found.seat, from_enum(found.cards), from_enum(found.faces), found.suit - 1)
        if kind == "drew":
            return Drew(event.drew.seat, event.drew.count)
        if kind == "received":
            return Received(event.received.seat, _DECK.mask(event.received.cards))
        if kind == "skipped":
            return Skipped(event.skipped.seat)
        if kind == "passed":
            return Passed(event.passed.seat)
        if kind == "declined":
            return Declined(event.declined.seat)
        if kind == "penalised":
            return Penalised(event.penalised.seat, event.penalised.card - 1)
        if kind == "discarded":
            return Discarded(event.discarded.seat, event.discarded.card - 1)
        return _rare_event_from_proto(event)


_SEAT_ONLY: Final[dict[type[object], str]] = {Skipped: "skipped", Passed: "passed", Declined: "declined"}
"""The events whose only field is a seat."""


def _holders_to_proto(hands: Sequence[int], cards: Any, seats: Any) -> None:
    """Adds the cards of hands, masks by seat, and the holder of each card."""
    for seat, hand in enumerate(hands):
        if hand:
            cards.extend(numbers_of(hand))
            seats.extend([seat] * hand.bit_count())


def _holders_from_proto(cards: Sequence[int], holders: Sequence[int], seats: int) -> tuple[int, ...]:
    hands = [0] * seats
    for card, seat in zip(cards, holders, strict=True):
        hands[seat] |= 1 << card - 1
    return tuple(hands)


def _set_to_proto(cards: Sequence[int], faces: Sequence[int], suit: int, message: Any) -> None:
    """Fills a `NumbersCrushSet` or a `NumbersCrushWereSet`."""
    message.cards.extend(to_enum(cards))
    message.faces.extend(to_enum(faces))
    if suit >= 0:
        message.suit = suit + 1


def _rare_event_to_proto(
    event: Dealt | Turned | Gave | Handed | Reshuffled | ZeroedOut | Countered | DealEnded, message: Any
) -> None:
    """Writes the rare events."""
    if isinstance(event, Dealt):
        message.dealt.SetInParent()
        message.dealt.deal = event.deal
        message.dealt.dealer = event.dealer
    elif isinstance(event, Turned):
        message.turned.card = event.card + 1
    elif isinstance(event, Gave):
        message.gave.SetInParent()
        message.gave.seat = event.seat
        message.gave.to = event.to
    elif isinstance(event, Handed):
        message.handed.seat = event.seat
        message.handed.to = event.to
        message.handed.card = event.card + 1
    elif isinstance(event, Reshuffled):
        message.reshuffled.count = event.count
    elif isinstance(event, (ZeroedOut, Countered)):
        part = message.zeroed_out if isinstance(event, ZeroedOut) else message.countered
        part.seat = event.seat
        part.cards.extend(numbers_of(event.cards))
    else:
        message.deal_ended.winners.extend([seat for seat in range(MAX_SEATS) if event.winners >> seat & 1])
        message.deal_ended.victory = event.victory
        message.deal_ended.scores.extend(event.scores)


def _rare_event_from_proto(event: numbers_crush_pb2.NumbersCrushEvent) -> NumbersCrushEvent:  # noqa: PLR0911 - one for each
    """Returns an event of a rare kind."""
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        return Dealt(event.dealt.deal, event.dealt.dealer)
    if kind == "turned":
        return Turned(event.turned.card - 1)
    if kind == "gave":
        return Gave(event.gave.seat, event.gave.to)
    if kind == "handed":
        return Handed(event.handed.seat, event.handed.to, event.handed.card - 1)
    if kind == "reshuffled":
        return Reshuffled(event.reshuffled.count)
    if kind == "zeroed_out":
        return ZeroedOut(event.zeroed_out.seat, _DECK.mask(event.zeroed_out.cards))
    if kind == "countered":
        return Countered(event.countered.seat, _DECK.mask(event.countered.cards))
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(sum([1 << seat for seat in ended.winners]), ended.victory, tuple(ended.scores))
    raise unset("NumbersCrushEvent.kind", "an event of this release")
