"""The moves, views and events of Nerts as messages.

The enum value of a card, a source or a cause is its number in the rules plus one.
"""

from __future__ import annotations

from typing import Any, Final, final

from fudaba.codec.base import GameCodec, unset
from fudaba.codec.cards import from_enum, to_enum
from fudaba.v1 import game_pb2, nerts_pb2
from fudaba_games.game import MalformedMove
from fudaba_games.nerts.cards import RANK_COUNT, WORKS_PER_SEAT
from fudaba_games.nerts.values import (
    BUILDS,
    CALL,
    FIRST_WORK,
    FLIP,
    FOUNDS,
    MAX_FOUNDATIONS,
    RECYCLE,
    SHIFTS,
    SOURCES,
    TUCKS,
    WAIT,
    Build,
    Built,
    Called,
    DealEnded,
    Dealt,
    Flip,
    Flipped,
    Found,
    Foundation,
    Founded,
    NertsEvent,
    NertsMove,
    NertsView,
    Recycle,
    Recycled,
    Saw,
    SeatView,
    Shift,
    Shifted,
    StocksTurned,
    Tuck,
    Tucked,
    Wait,
)

_PLAIN: Final[dict[str, NertsMove]] = {"wait": WAIT, "flip": FLIP, "recycle": RECYCLE, "nerts": CALL}
"""The moves without fields, by their fields of NertsMove."""


def _source(number: int, sources: int) -> int:
    """Returns the source of an enum value. Raises `MalformedMove`."""
    if not 1 <= number <= sources:
        raise MalformedMove(f"{number} is not a NertsSource here; send 1 to {sources}, see the enum NertsSource")
    return number - 1


def _work(number: int) -> int:
    """Returns a work pile. Raises `MalformedMove`."""
    if number >= WORKS_PER_SEAT:
        raise MalformedMove(f"{number} is not a work pile; send 0 to {WORKS_PER_SEAT - 1}")
    return number


def _move_to_proto(move: NertsMove, message: Any) -> None:
    """Fills a NertsMove."""
    if isinstance(move, Found):
        message.found.source = move.source + 1
        message.found.foundation = move.foundation
    elif isinstance(move, Build):
        message.build.source = move.source + 1
        message.build.work = move.work
    elif isinstance(move, Shift):
        message.shift.from_work = move.from_work
        message.shift.count = move.count
        message.shift.to_work = move.to_work
    elif isinstance(move, Tuck):
        message.tuck.SetInParent()
        message.tuck.work = move.work
    elif isinstance(move, Flip):
        message.flip.SetInParent()
    elif isinstance(move, Wait):
        message.wait.SetInParent()
    elif isinstance(move, Recycle):
        message.recycle.SetInParent()
    else:
        message.nerts.SetInParent()


def _move_from_proto(move: nerts_pb2.NertsMove) -> NertsMove:
    """Returns the move of a NertsMove. Raises `MalformedMove`."""
    kind = move.WhichOneof("kind")
    if kind is None:
        raise unset("NertsMove.kind", "wait, flip, recycle, found, build, shift, tuck or nerts")
    if kind == "found":
        if move.found.foundation >= MAX_FOUNDATIONS:
            raise MalformedMove(f"{move.found.foundation} is not a foundation; send 0 to {MAX_FOUNDATIONS - 1}")
        return FOUNDS[_source(move.found.source, SOURCES)][move.found.foundation]
    if kind == "build":
        return BUILDS[_source(move.build.source, FIRST_WORK)][_work(move.build.work)]
    if kind == "shift":
        if not 1 <= move.shift.count <= RANK_COUNT:
            raise MalformedMove(f"a block of {move.shift.count} cards cannot be; send a count of 1 to {RANK_COUNT}")
        return SHIFTS[_work(move.shift.from_work)][move.shift.count][_work(move.shift.to_work)]
    if kind == "tuck":
        return TUCKS[_work(move.tuck.work)]
    return _PLAIN[kind]


@final
class NertsCodec(GameCodec[NertsMove, NertsView, NertsEvent]):
    """See `GameCodec`."""

    def move_to_proto(self, move: NertsMove, into: game_pb2.Move) -> None:
        _move_to_proto(move, into.nerts)

    def move_from_proto(self, message: game_pb2.Move) -> NertsMove:
        if message.WhichOneof("game") != "nerts":
            raise unset("Move.game", "nerts")
        return _move_from_proto(message.nerts)

    def view_to_proto(self, view: NertsView, into: game_pb2.View) -> None:
        message: Any = into.nerts  # enum values are plain ints at run time
        message.deal = view.deal
        message.tick = view.tick
        message.stock_turns = view.stock_turns
        message.idle = view.idle
        for layout in view.seats:
            seat = message.seats.add()
            seat.nerts_size = layout.nerts_size
            seat.nerts_top = layout.nerts_top + 1
            seat.stock_size = layout.stock_size
            seat.waste_size = layout.waste_size
            seat.waste_top = layout.waste_top + 1
            seat.founded = layout.founded
            for work in layout.work_piles:
                seat.work_piles.add().cards.extend(to_enum(work))
        for suit, owners in view.foundations:
            foundation = message.foundations.add()
            foundation.suit = suit
            foundation.owners.extend(owners)
        message.waste.extend(to_enum(view.waste))
        if view.chosen is not None:
            _move_to_proto(view.chosen, message.chosen)
        message.scores.extend(view.scores)

    def view_from_proto(self, message: game_pb2.View) -> NertsView:
        view = message.nerts
        return NertsView(
            deal=view.deal,
            tick=view.tick,
            stock_turns=view.stock_turns,
            idle=view.idle,
            seats=tuple(
                [
                    SeatView(
                        seat.nerts_size,
                        seat.nerts_top - 1,
                        seat.stock_size,
                        seat.waste_size,
                        seat.waste_top - 1,
                        tuple([from_enum(work.cards) for work in seat.work_piles]),
                        seat.founded,
                    )
                    for seat in view.seats
                ]
            ),
            foundations=tuple(
                [Foundation(foundation.suit, tuple(foundation.owners)) for foundation in view.foundations]
            ),
            waste=from_enum(view.waste),
            chosen=_move_from_proto(view.chosen) if view.HasField("chosen") else None,
            scores=tuple(view.scores),
        )

    def event_to_proto(self, event: NertsEvent, into: game_pb2.Event) -> None:
        message: Any = into.nerts  # enum values are plain ints at run time
        if isinstance(event, Flipped):
            message.flipped.seat = event.seat
            message.flipped.count = event.count
            message.flipped.top = event.top + 1
        elif isinstance(event, Saw):
            message.saw.seat = event.seat
            message.saw.cards.extend(to_enum(event.cards))
        elif isinstance(event, Founded):
            founded = message.founded
            founded.seat = event.seat
            founded.source = event.source + 1
            founded.card = event.card + 1
            founded.foundation = event.foundation
            founded.uncovered = event.uncovered + 1
        elif isinstance(event, Built):
            built = message.built
            built.seat = event.seat
            built.source = event.source + 1
            built.card = event.card + 1
            built.work = event.work
            built.uncovered = event.uncovered + 1
        elif isinstance(event, Shifted):
            shifted = message.shifted
            shifted.seat = event.seat
            shifted.from_work = event.from_work
            shifted.count = event.count
            shifted.to_work = event.to_work
        else:
            _rare_event_to_proto(event, message)

    def event_from_proto(self, message: game_pb2.Event) -> NertsEvent:
        event = message.nerts
        kind = event.WhichOneof("kind")
        if kind == "flipped":
            return Flipped(event.flipped.seat, event.flipped.count, event.flipped.top - 1)
        if kind == "saw":
            return Saw(event.saw.seat, from_enum(event.saw.cards))
        if kind == "founded":
            founded = event.founded
            return Founded(
                founded.seat, founded.source - 1, founded.card - 1, founded.foundation, founded.uncovered - 1
            )
        if kind == "built":
            built = event.built
            return Built(built.seat, built.source - 1, built.card - 1, built.work, built.uncovered - 1)
        if kind == "shifted":
            shifted = event.shifted
            return Shifted(shifted.seat, shifted.from_work, shifted.count, shifted.to_work)
        return _rare_event_from_proto(event)


def _rare_event_to_proto(event: Dealt | Recycled | Tucked | Called | StocksTurned | DealEnded, message: Any) -> None:
    """Writes the rare events."""
    if isinstance(event, Recycled):
        message.recycled.SetInParent()
        message.recycled.seat = event.seat
    elif isinstance(event, Tucked):
        message.tucked.seat = event.seat
        message.tucked.card = event.card + 1
        message.tucked.work = event.work
        message.tucked.uncovered = event.uncovered + 1
    elif isinstance(event, Called):
        message.called.SetInParent()
        message.called.seat = event.seat
    elif isinstance(event, StocksTurned):
        message.stocks_turned.stock_turns = event.stock_turns
    elif isinstance(event, Dealt):
        message.dealt.SetInParent()
        message.dealt.deal = event.deal
        message.dealt.nerts_tops.extend(to_enum(event.nerts_tops))
        message.dealt.work_cards.extend(to_enum(event.work_cards))
    else:
        ended = message.deal_ended
        ended.cause = event.cause + 1
        ended.founded.extend(event.founded)
        ended.nerts_sizes.extend(event.nerts_sizes)
        ended.scores.extend(event.scores)


def _rare_event_from_proto(event: nerts_pb2.NertsEvent) -> NertsEvent:
    """Returns an event of a rare kind."""
    kind = event.WhichOneof("kind")
    if kind == "recycled":
        return Recycled(event.recycled.seat)
    if kind == "tucked":
        tucked = event.tucked
        return Tucked(tucked.seat, tucked.card - 1, tucked.work, tucked.uncovered - 1)
    if kind == "called":
        return Called(event.called.seat)
    if kind == "stocks_turned":
        return StocksTurned(event.stocks_turned.stock_turns)
    if kind == "dealt":
        return Dealt(event.dealt.deal, from_enum(event.dealt.nerts_tops), from_enum(event.dealt.work_cards))
    if kind == "deal_ended":
        ended = event.deal_ended
        return DealEnded(ended.cause - 1, tuple(ended.founded), tuple(ended.nerts_sizes), tuple(ended.scores))
    raise unset("NertsEvent.kind", "an event of this release")
