"""The moves, events and views of Nerts as text (rules page `docs/rules/nerts.md`, NE10)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.nerts.cards import CARD_TEXTS, NO_CARD, RANK_COUNT, WORKS_PER_SEAT, text_of
from fudaba_games.nerts.values import (
    BUILDS,
    BY_CALL,
    BY_STANDSTILL,
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
    Flipped,
    Found,
    Founded,
    NertsEvent,
    NertsMove,
    NertsView,
    Recycled,
    Saw,
    SeatView,
    Shift,
    Shifted,
    StocksTurned,
    Tuck,
    Tucked,
    move_kind,
)
from fudaba_games.wording import counted

SOURCE_TEXTS: Final = ("nerts", "waste", *(f"work{work}" for work in range(WORKS_PER_SEAT)))
"""The text of each source, as in texts of moves."""
_SOURCES: Final = {text: source for source, text in enumerate(SOURCE_TEXTS)}
_SOURCE_NAMES: Final = ("the Nerts pile", "the waste", *(f"work pile {work}" for work in range(WORKS_PER_SEAT)))
_SINGLE: Final[dict[str, NertsMove]] = {"wait": WAIT, "flip": FLIP, "recycle": RECYCLE, "nerts": CALL}
_PILES: Final = {str(pile): pile for pile in range(MAX_FOUNDATIONS)}
_WORKS: Final = {str(work): work for work in range(WORKS_PER_SEAT)}
_COUNTS: Final = {str(count): count for count in range(1, RANK_COUNT + 1)}
_EVENT_KINDS: Final[dict[type, str]] = {
    Dealt: "dealt",
    Flipped: "flipped",
    Saw: "saw",
    Recycled: "recycled",
    Founded: "founded",
    Built: "built",
    Shifted: "shifted",
    Tucked: "tucked",
    Called: "called",
    StocksTurned: "stocks_turned",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())
_FORMS: Final = (
    "write `wait`, `flip`, `recycle`, `found nerts 0`, `build waste 2`, `shift 0 3 1` (from, cards, to), `tuck 1` or "
    "`nerts`"
)


def parse_move(text: str) -> NertsMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_FORMS}")
    verb, rest = words[0], words[1:]
    if verb in _SINGLE:
        if rest:
            raise MalformedMove(f"`{verb}` stands alone")
        return _SINGLE[verb]
    if verb == "found":
        return _parse_found(rest)
    if verb == "build":
        return _parse_build(rest)
    if verb == "shift":
        return _parse_shift(rest)
    if verb == "tuck":
        if len(rest) != 1 or rest[0] not in _WORKS:
            raise MalformedMove("`tuck` takes a work pile 0 to 3, for example `tuck 1`")
        return TUCKS[_WORKS[rest[0]]]
    raise MalformedMove(f"{verb[:20]!r} is not a move of Nerts; {_FORMS}")


def _parse_found(rest: list[str]) -> NertsMove:
    if len(rest) != 2 or rest[0] not in _SOURCES or rest[1] not in _PILES:
        raise MalformedMove(
            "`found` takes nerts, waste or work0 to work3, and a foundation 0 to 15, for example `found work2 5`"
        )
    return FOUNDS[_SOURCES[rest[0]]][_PILES[rest[1]]]


def _parse_build(rest: list[str]) -> NertsMove:
    if len(rest) != 2 or _SOURCES.get(rest[0], SOURCES) >= FIRST_WORK or rest[1] not in _WORKS:
        raise MalformedMove("`build` takes nerts or waste, and a work pile 0 to 3, for example `build waste 2`")
    return BUILDS[_SOURCES[rest[0]]][_WORKS[rest[1]]]


def _parse_shift(rest: list[str]) -> NertsMove:
    if len(rest) != 3 or rest[0] not in _WORKS or rest[1] not in _COUNTS or rest[2] not in _WORKS:
        raise MalformedMove(
            "`shift` takes a work pile, how many of its cards, and another work pile, for example `shift 0 3 1`"
        )
    return SHIFTS[_WORKS[rest[0]]][_COUNTS[rest[1]]][_WORKS[rest[2]]]


def format_move(move: NertsMove) -> str:
    """Returns the one text of a move."""
    if isinstance(move, Found):
        return f"found {SOURCE_TEXTS[move.source]} {move.foundation}"
    if isinstance(move, Build):
        return f"build {SOURCE_TEXTS[move.source]} {move.work}"
    if isinstance(move, Shift):
        return f"shift {move.from_work} {move.count} {move.to_work}"
    if isinstance(move, Tuck):
        return f"tuck {move.work}"
    return move_kind(move)


def event_kind(event: NertsEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: NertsEvent) -> str:
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, Founded):
        where = f"from {_SOURCE_NAMES[event.source]} to foundation {event.foundation}"
        return f"Seat {event.seat} plays {CARD_TEXTS[event.card]} {where}{_and_up(event.uncovered)}."
    if isinstance(event, Built):
        where = f"from {_SOURCE_NAMES[event.source]} onto work pile {event.work}"
        return f"Seat {event.seat} lays {CARD_TEXTS[event.card]} {where}{_and_up(event.uncovered)}."
    if isinstance(event, Tucked):
        where = f"under work pile {event.work}{_and_up(event.uncovered)}"
        return f"Seat {event.seat} slides {CARD_TEXTS[event.card]} from the Nerts pile {where}."
    if isinstance(event, Shifted):
        return f"Seat {event.seat} moves {_cards(event.count)} from work pile {event.from_work} to {event.to_work}."
    if isinstance(event, Dealt | StocksTurned | DealEnded):
        return _describe_of_all(event)
    return _describe_plain(event)


def _describe_plain(event: Flipped | Saw | Recycled | Called) -> str:
    if isinstance(event, Flipped):
        return f"Seat {event.seat} turns {_cards(event.count)} onto its waste; {CARD_TEXTS[event.top]} is on top."
    if isinstance(event, Saw):
        return f"Seat {event.seat} sees {text_of(event.cards)}."
    if isinstance(event, Recycled):
        return f"Seat {event.seat} turns its waste over: it is the stock."
    return f"Seat {event.seat} calls Nerts!"


def _describe_of_all(event: Dealt | StocksTurned | DealEnded) -> str:
    """Describes an event that concerns every seat."""
    if isinstance(event, StocksTurned):
        headline = "Nobody moves on: every stock is made whole and its top card goes to the bottom"
        return f"{headline} ({event.stock_turns} in a row)."
    if isinstance(event, Dealt):
        parts = [
            f"seat {seat} has {text_of(event.work_cards[WORKS_PER_SEAT * seat :][:WORKS_PER_SEAT])},"
            f" on its Nerts pile {CARD_TEXTS[top]}"
            for seat, top in enumerate(event.nerts_tops)
        ]
        return f"Deal {event.deal + 1}: {'; '.join(parts)}."
    cause = (
        "by a call" if event.cause == BY_CALL else "at a standstill" if event.cause == BY_STANDSTILL else "at the limit"
    )
    scores = ", ".join(
        f"seat {seat} {score:+d} ({founded} founded, {left} left)"
        for seat, (score, founded, left) in enumerate(zip(event.scores, event.founded, event.nerts_sizes, strict=True))
    )
    return f"The deal ends {cause}: {scores}."


def _cards(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"


def _and_up(card: int) -> str:
    return "" if card == NO_CARD else f"; {CARD_TEXTS[card]} comes up"


def render_view(view: NertsView) -> str:
    """Returns a view as a table of text for people. Deals are counted from 1."""
    lines = [f"Deal {view.deal + 1}{_time(view)}."]
    foundations = [
        f"{pile}:{CARD_TEXTS[RANK_COUNT * foundation.suit + len(foundation.owners) - 1]}"
        for pile, foundation in enumerate(view.foundations)
    ]
    lines.append(f"foundations: {' '.join(foundations) or '-'}")
    for seat, (layout, total) in enumerate(zip(view.seats, view.scores, strict=True)):
        nerts, waste = _pile(layout.nerts_size, layout.nerts_top), _pile(layout.waste_size, layout.waste_top)
        lines.append(
            f"seat {seat}: total {total:+d}, {layout.founded} founded, Nerts pile {nerts}, stock {layout.stock_size}, "
            f"waste {waste}"
        )
        lines.append(f"  work piles: {_works(layout)}")
    if view.waste:
        lines.append(f"own waste: {text_of(view.waste)}")
    if view.chosen is not None:
        lines.append(f"chosen: {format_move(view.chosen)}")
    return "\n".join(lines)


def _time(view: NertsView) -> str:
    """Returns how far the deal has progressed. In real time there are no ticks, and `idle` counts movements."""
    progress = ""
    if view.tick:
        progress = f", tick {view.tick} is over"
    if view.idle:
        progress += f", {view.idle} {'tick' if view.tick else 'movement'}{'' if view.idle == 1 else 's'} without a gain"
    if view.stock_turns:
        progress += f", {counted(view.stock_turns, 'turn')} of the stocks in a row"
    return progress


def _pile(size: int, top: int) -> str:
    return str(size) if top == NO_CARD else f"{size} ({CARD_TEXTS[top]})"


def _works(layout: SeatView) -> str:
    return " | ".join([text_of(work) or "-" for work in layout.work_piles])


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
