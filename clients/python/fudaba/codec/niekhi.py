"""Niekhi's moves, views and events as messages.

The enum value of a strength, the only property of a card here, is its number in the rules plus one; that of a phase is
its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.kamikisen import strength_from_proto
from fudaba.v1 import game_pb2, niekhi_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.niekhi.cards import cards_of, mask_of, size_of, strengths_in, strengths_of
from fudaba_games.niekhi.melds import melds_of
from fudaba_games.niekhi.text import describe_meld, text_of, too_many
from fudaba_games.niekhi.values import (
    DECLINE,
    PASS,
    Cleared,
    DealEnded,
    Dealt,
    Decline,
    Declined,
    Laid,
    Lay,
    Name,
    Named,
    NiekhiEvent,
    NiekhiMove,
    NiekhiView,
    Pass,
    Passed,
    Received,
    Take,
    Took,
)

_NUMBER_LIMIT: Final = 1 << 20
"""A limit that no length comes near. Larger numbers do not reach the rules."""


@lru_cache(maxsize=1 << 14)
def _cards(cards: int) -> tuple[Any, ...]:  # enum values are plain ints at run time
    """Returns enum values of some cards, weakest first. They are cached, since each seat and view repeats the same
    ones.
    """
    return tuple([strength + 1 for strength in strengths_of(cards)])


@lru_cache(maxsize=1 << 11)
def _strengths(mask: int) -> tuple[Any, ...]:
    return tuple([strength + 1 for strength in strengths_in(mask)])


def _cards_from(numbers: Iterable[int]) -> int:
    """Returns the cards of enum values, in any order. Raises `MalformedMove` for unknown ones and for too many
    copies.
    """
    strengths = [strength_from_proto(number) for number in numbers]
    try:
        return cards_of(strengths)
    except ValueError:
        raise MalformedMove(too_many(strengths)) from None


def _mask_from(numbers: Sequence[int]) -> int:
    """Returns the mask of enum values, in any order. Raises `MalformedMove` for unknown or repeated ones."""
    strengths = [strength_from_proto(number) for number in numbers]
    if len(set(strengths)) < len(strengths):
        raise MalformedMove("a strength is there twice; name each strength once")
    return mask_of(strengths)


def _lay(message: niekhi_pb2.NiekhiLay) -> Lay:
    """Returns the lay of a message, even if it leaves out what the cards count as. Raises `MalformedMove`."""
    cards = _cards_from(message.cards)
    if message.length or message.strength:
        return Lay(cards, min(message.length, _NUMBER_LIMIT), strength_from_proto(message.strength))
    melds = melds_of(cards)
    if not melds:
        raise MalformedMove(f"{text_of(cards) or 'no card'} is not a meld; see NiekhiLay")
    if len(melds) > 1 and size_of(cards) > 1:
        can_be = "; ".join([describe_meld(meld) for meld in melds])
        raise MalformedMove(f"set length and strength: {text_of(cards)} can be {can_be}")
    return Lay(cards, melds[0].length, melds[0].strength)


@final
class NiekhiCodec(GameCodec[NiekhiMove, NiekhiView, NiekhiEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: NiekhiMove, into: game_pb2.Move) -> None:
        message: Any = into.niekhi  # enum values are plain ints at run time
        if isinstance(move, Lay):
            message.lay.cards.extend(_cards(move.cards))
            message.lay.length = move.length
            message.lay.strength = move.strength + 1
        elif isinstance(move, Pass):
            message.SetInParent()
            getattr(message, "pass").SetInParent()  # a keyword of Python
        elif isinstance(move, Decline):
            message.decline.SetInParent()
        elif isinstance(move, Name):
            message.name.strengths.extend(_strengths(move.strengths))
        else:
            message.take.cards.extend(_cards(move.cards))

    def move_from_proto(self, message: game_pb2.Move) -> NiekhiMove:
        if message.WhichOneof("game") != "niekhi":
            raise unset("Move.game", "niekhi")
        move = message.niekhi
        kind = move.WhichOneof("kind")
        if kind == "lay":
            return _lay(move.lay)
        if kind == "pass":
            return PASS
        if kind == "decline":
            return DECLINE
        if kind == "name":
            return Name(_mask_from(move.name.strengths))
        if kind == "take":
            return Take(_cards_from(move.take.cards))
        raise unset("NiekhiMove.kind", "pass, lay, decline, name or take")

    def view_to_proto(self, view: NiekhiView, into: game_pb2.View) -> None:
        message: Any = into.niekhi  # enum values are plain ints at run time
        message.deal = view.deal
        message.dealer = view.dealer
        message.turns = view.turns
        message.phase = view.phase
        if view.turn >= 0:
            message.turn = view.turn
        message.generals = view.generals
        for laid in view.table:
            _laid_to_proto(laid, message.table.add())
        message.hand.extend(_cards(view.hand))
        message.hand_sizes.extend(view.hand_sizes)
        message.pile.extend(_cards(view.pile))
        message.named.extend(_strengths(view.named))
        message.removed.extend(_cards(view.removed))
        for known in view.known:
            message.known_counts.append(size_of(known))
            message.known_cards.extend(_cards(known))
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> NiekhiView:
        view = message.niekhi
        known: list[int] = []
        start = 0
        for count in view.known_counts:
            known.append(_cards_from(view.known_cards[start : start + count]))
            start += count
        return NiekhiView(
            deal=view.deal,
            dealer=view.dealer,
            turns=view.turns,
            phase=view.phase,
            turn=view.turn if view.HasField("turn") else -1,
            generals=view.generals,
            table=tuple([_laid_from_proto(laid) for laid in view.table]),
            hand=_cards_from(view.hand),
            hand_sizes=tuple(view.hand_sizes),
            pile=_cards_from(view.pile),
            named=_mask_from(view.named),
            removed=_cards_from(view.removed),
            known=tuple(known),
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: NiekhiEvent, into: game_pb2.Event) -> None:
        message: Any = into.niekhi  # enum values are plain ints at run time
        if isinstance(event, Laid):
            _laid_to_proto(event, message.laid)
        elif isinstance(event, Passed):
            message.passed.SetInParent()
            message.passed.seat = event.seat
        elif isinstance(event, Cleared):
            message.cleared.SetInParent()
            message.cleared.leader = event.leader
        elif isinstance(event, Took):
            message.took.seat = event.seat
            message.took.cards.extend(_cards(event.cards))
        elif isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(_cards(event.cards))
        else:
            _rare_event_to_proto(event, message)

    def event_from_proto(self, message: game_pb2.Event) -> NiekhiEvent:
        event = message.niekhi
        kind = event.WhichOneof("kind")
        if kind == "laid":
            return _laid_from_proto(event.laid)
        if kind == "passed":
            return Passed(event.passed.seat)
        if kind == "cleared":
            return Cleared(event.cleared.leader)
        if kind == "took":
            return Took(event.took.seat, _cards_from(event.took.cards))
        if kind == "received":
            return Received(event.received.seat, _cards_from(event.received.cards))
        return _rare_event_from_proto(event)


def _laid_to_proto(laid: Laid, message: Any) -> None:
    message.seat = laid.seat
    message.cards.extend(_cards(laid.cards))
    message.length = laid.length
    message.strength = laid.strength + 1


def _laid_from_proto(message: niekhi_pb2.NiekhiLaid) -> Laid:
    return Laid(message.seat, _cards_from(message.cards), message.length, message.strength - 1)


def _rare_event_to_proto(event: Dealt | Declined | Named | DealEnded, message: Any) -> None:
    """Writes the rare events."""
    if isinstance(event, Dealt):
        message.dealt.deal = event.deal
        message.dealt.dealer = event.dealer
        message.dealt.hand_size = event.hand_size
    elif isinstance(event, Declined):
        message.declined.SetInParent()
        message.declined.seat = event.seat
    elif isinstance(event, Named):
        message.named.seat = event.seat
        message.named.strengths.extend(_strengths(event.strengths))
        message.named.cards.extend(_cards(event.cards))
        message.named.lost.extend(event.lost)
    else:
        message.deal_ended.winners.extend(event.winners)
        message.deal_ended.hand_sizes.extend(event.hand_sizes)
        message.deal_ended.scores.extend(event.scores)


def _rare_event_from_proto(event: niekhi_pb2.NiekhiEvent) -> NiekhiEvent:
    """Returns an event of a rare kind."""
    kind = event.WhichOneof("kind")
    if kind == "dealt":
        return Dealt(event.dealt.deal, event.dealt.dealer, event.dealt.hand_size)
    if kind == "declined":
        return Declined(event.declined.seat)
    if kind == "named":
        named = event.named
        return Named(named.seat, _mask_from(named.strengths), _cards_from(named.cards), tuple(named.lost))
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(tuple(ended.winners), tuple(ended.hand_sizes), tuple(ended.scores))
    raise unset("NiekhiEvent.kind", "an event of this release")
