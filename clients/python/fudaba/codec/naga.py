"""Naga's moves, views and events as messages. A card's enum value is its number in deck order plus one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.cards import Deck, numbers_of
from fudaba.v1 import game_pb2, naga_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.naga.values import (
    Battled,
    Commit,
    DealEnded,
    Dealt,
    Designate,
    Designated,
    NagaEvent,
    NagaMove,
    NagaView,
    Received,
)

_DECK: Final = Deck(naga_pb2.NagaCard)
_PLACES_COUNT: Final = 8
_ELTAM: Final = 4
# The places of the nine entries of a table, in their order.
_TABLE: Final = (1, 2, 3, 4, 4, 4, 5, 6, 7)


@lru_cache(maxsize=1 << 12)
def _table_numbers(table: tuple[int, ...]) -> tuple[naga_pb2.NagaCard.ValueType, ...]:
    """Returns enum values of the nine table cards, 0 for those that are gone. They are cached, since every view of a
    battle has the same table.
    """
    numbers: list[Any] = [mask.bit_length() for mask in table[1:4]]
    numbers += numbers_of(table[4]) or (0, 0, 0)
    numbers += [mask.bit_length() for mask in table[5:]]
    return tuple(numbers)


def _table_masks(numbers: Iterable[int]) -> tuple[int, ...]:
    masks = [0] * _PLACES_COUNT
    for place, number in zip(_TABLE, numbers, strict=True):
        if number:
            masks[place] |= 1 << (number - 1)
    return tuple(masks)


@final
class NagaCodec(GameCodec[NagaMove, NagaView, NagaEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: NagaMove, into: game_pb2.Move) -> None:
        if isinstance(move, Commit):
            into.naga.commit.cards.extend(numbers_of(move.cards))
        else:
            into.naga.designate.place = move.place  # type: ignore[assignment]  # enum values are ints

    def move_from_proto(self, message: game_pb2.Move) -> NagaMove:
        if message.WhichOneof("game") != "naga":
            raise unset("Move.game", "naga")
        kind = message.naga.WhichOneof("kind")
        if kind == "commit":
            return Commit(_DECK.mask(message.naga.commit.cards))
        if kind == "designate":
            place = message.naga.designate.place
            if not 1 <= place < _PLACES_COUNT:
                raise MalformedMove(f"{place} is not a NagaPlace to designate; send 1 to 7, see the enum NagaPlace")
            return Designate(place)
        raise unset("NagaMove.kind", "designate or commit")

    def view_to_proto(self, view: NagaView, into: game_pb2.View) -> None:
        message = into.naga
        message.SetInParent()
        message.deal = view.deal
        message.battle = view.battle
        message.dealer = view.dealer
        if view.place:
            message.place = view.place  # type: ignore[assignment]  # enum values are ints
        if view.to_designate > 0:
            message.to_designate = view.to_designate
        message.table.extend(_table_numbers(view.table))
        message.hand.extend(numbers_of(view.hand))
        if view.committed:
            message.committed.extend(numbers_of(view.committed))
        for won in view.won:
            message.won.add().cards.extend(numbers_of(won))
        message.discarded.extend(numbers_of(view.discarded))
        message.stock = view.stock
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> NagaView:
        view = message.naga
        return NagaView(
            deal=view.deal,
            battle=view.battle,
            dealer=view.dealer,
            place=view.place,
            # Nobody designates Eltam, and the message has no number for that.
            to_designate=-1 if view.place == _ELTAM else view.to_designate,
            table=_table_masks(view.table),
            hand=_DECK.mask(view.hand),
            committed=_DECK.mask(view.committed),
            won=(_DECK.mask(view.won[0].cards), _DECK.mask(view.won[1].cards)),
            discarded=_DECK.mask(view.discarded),
            stock=view.stock,
            scores=(view.scores[0], view.scores[1]),
        )

    def event_to_proto(self, event: NagaEvent, into: game_pb2.Event) -> None:
        message = into.naga
        if isinstance(event, Received):
            message.received.seat = event.seat
            message.received.cards.extend(numbers_of(event.cards))
        elif isinstance(event, Designated):
            message.designated.seat = event.seat
            message.designated.place = event.place  # type: ignore[assignment]  # enum values are ints
        elif isinstance(event, Battled):
            battled = message.battled
            battled.place = event.place  # type: ignore[assignment]  # enum values are ints
            for played in event.played:
                battled.played.add().cards.extend(numbers_of(played))
            battled.prize.extend(numbers_of(event.prize))
            if event.winner is not None:
                battled.winner = event.winner
        elif isinstance(event, Dealt):
            message.dealt.deal = event.deal
            message.dealt.dealer = event.dealer
            message.dealt.table.extend(_table_numbers(event.table))
        else:
            message.deal_ended.won_counts.extend(event.won_counts)
            message.deal_ended.scores.extend(event.scores)

    def event_from_proto(self, message: game_pb2.Event) -> NagaEvent:
        event = message.naga
        kind = event.WhichOneof("kind")
        if kind == "received":
            return Received(event.received.seat, _DECK.mask(event.received.cards))
        if kind == "designated":
            return Designated(event.designated.seat, event.designated.place)
        if kind == "battled":
            battled = event.battled
            return Battled(
                place=battled.place,
                played=(_DECK.mask(battled.played[0].cards), _DECK.mask(battled.played[1].cards)),
                prize=_DECK.mask(battled.prize),
                winner=battled.winner if battled.HasField("winner") else None,
            )
        if kind == "dealt":
            return Dealt(event.dealt.deal, event.dealt.dealer, _table_masks(event.dealt.table))
        if kind == "deal_ended":
            ended = event.deal_ended
            return DealEnded((ended.won_counts[0], ended.won_counts[1]), (ended.scores[0], ended.scores[1]))
        raise unset("NagaEvent.kind", "an event of this release")
