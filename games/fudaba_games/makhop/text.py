"""Makhop's moves, events and views as text (rules page `docs/rules/makhop.md`, MH9)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.kamikisen.cards import CARD_TEXTS, DECK_SIZE, mask_of
from fudaba_games.kamikisen.text import parse_card, text_by_colour, text_of, too_many
from fudaba_games.makhop.sums import FREE, laid_in_order, wanted
from fudaba_games.makhop.values import (
    MOVE_KINDS,
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
    move_kind,
)
from fudaba_games.wording import counted

MAX_ROADS: Final = DECK_SIZE
"""The largest number of roads that a table can have."""
_ROADS: Final = {str(number): number for number in range(MAX_ROADS)}
_HOW: Final = "write `open`, `extend 0 r1 b2 r3`, `join 0 1 r2` or `clear rK`"


def parse_move(text: str) -> MakhopMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_HOW}")
    kind, rest = words[0], words[1:]
    if kind not in MOVE_KINDS:
        raise MalformedMove(f"{kind[:20]!r} is not a move of Makhop; {_HOW}")
    if kind == "open":
        if rest:
            raise MalformedMove("`open` stands alone")
        return OPEN
    if kind == "clear":
        if len(rest) != 1:
            raise MalformedMove(f"`clear` takes one card; {_HOW}")
        return Clear(parse_card(rest[0]))
    roads = [_parse_road(word) for word in rest[: 1 if kind == "extend" else 2]]
    return to_lay(roads, [parse_card(word) for word in rest[len(roads) :]], joining=kind == "join")


def _parse_road(text: str) -> int:
    found = _ROADS.get(text)
    if found is None:
        raise MalformedMove(
            f"{text[:20]!r} is not the number of a road; write 0 to {MAX_ROADS - 1}, without zeros before it"
        )
    return found


def to_lay(roads: list[int], cards: list[int], *, joining: bool) -> MakhopMove:
    """Returns the move that lays some cards, the last of which is the new end. Two roads may be in any order.

    Raises `MalformedMove` if no state allows the move.
    """
    if len(roads) != (2 if joining else 1) or not cards:
        raise MalformedMove(
            f"`join` takes two roads, then cards; {_HOW}" if joining else f"`extend` takes a road, then cards; {_HOW}"
        )
    for road in roads:
        if not 0 <= road < MAX_ROADS:
            raise MalformedMove(f"{road} is not the number of a road; roads are 0 to {MAX_ROADS - 1}")
    try:
        mask = mask_of(cards)
    except ValueError:
        raise MalformedMove(too_many(cards)) from None
    if not joining:
        return Extend(roads[0], mask, cards[-1])
    first, second = sorted(roads)
    if first == second:
        raise MalformedMove(f"road {first} cannot be joined with itself; name two roads")
    return Join(first, second, mask, cards[-1])


def format_move(move: MakhopMove) -> str:
    """Returns the one text of a move: the cards in deck order, with the new end last."""
    if isinstance(move, Open):
        return "open"
    if isinstance(move, Clear):
        return f"clear {CARD_TEXTS[move.card]}"
    roads = f"extend {move.road}" if isinstance(move, Extend) else f"join {move.road} {move.other_road}"
    return f"{roads} {laid_text(move.cards, move.end)}"


def laid_text(cards: int, end: int) -> str:
    """Returns the cards in deck order, with the new end last."""
    return road_text(laid_in_order(cards, end))


def road_text(road: Road) -> str:
    """Returns the cards in the order in which they were laid."""
    return " ".join([CARD_TEXTS[card] for card in road])


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Turned: "turned",
    Reshuffled: "reshuffled",
    Opened: "opened",
    Extended: "extended",
    Joined: "joined",
    Cleared: "cleared",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: MakhopEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: MakhopEvent) -> str:
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, Opened):
        if event.card < 0:
            return f"Seat {event.seat} opens, and nothing happens."
        return f"Seat {event.seat} opens a road with {CARD_TEXTS[event.card]}."
    if isinstance(event, Extended):
        return f"Seat {event.seat} extends road {event.road} with {laid_text(event.cards, event.end)}."
    if isinstance(event, Joined):
        laid = laid_text(event.cards, event.end)
        return f"Seat {event.seat} joins roads {event.road} and {event.other_road} with {laid}."
    if isinstance(event, Cleared):
        return f"Seat {event.seat} clears the roads with {CARD_TEXTS[event.card]}."
    return _describe_dealing(event)


def _describe_dealing(event: Dealt | Received | Turned | Reshuffled | DealEnded) -> str:
    if isinstance(event, Turned):
        return f"A road starts with {CARD_TEXTS[event.card]}."
    if isinstance(event, Reshuffled):
        return f"The {event.cards.bit_count()} vanished cards are shuffled into a new stock."
    if isinstance(event, Received):
        return f"Seat {event.seat} draws {text_of(event.cards)}."
    if isinstance(event, Dealt):
        return f"Deal {event.deal + 1}, seat {event.dealer} deals."
    scores = " ".join([f"{score:+d}" for score in event.scores])
    return f"{_won(event)} Scores: {scores}."


def _won(ended: DealEnded) -> str:
    seats = " and ".join([str(seat) for seat in ended.winners])
    fewest = ended.hand_sizes[ended.winners[0]]
    if not fewest:
        return f"Seat {seats} has no cards left and wins the deal."
    cards = f"the fewest cards, {fewest},"
    if len(ended.winners) > 1:
        return f"Seats {seats} have {cards} and share the deal."
    return f"Seat {seats} has {cards} and wins the deal."


def render_view(view: MakhopView) -> str:
    """Returns a view as a table of text for people. Deals and turns are counted from 1."""
    over = view.turn < 0
    due = "the match is over." if over else f"turn {view.turns + 1}, seat {view.turn} moves."
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals: {due}"]
    for number, road in enumerate(view.roads):
        asked = wanted(road)
        needs = "any one value card" if asked == FREE else f"a sum of {asked}"
        lines.append(f"road {number}: {road_text(road)}, takes {needs}")
    lines.append("  score  cards")
    for seat, size in enumerate(view.hand_sizes):
        mark = ">" if seat == view.turn else " "
        lines.append(f"{mark} {view.scores[seat]:>+5}  {size:>5}  seat {seat}")
    known = f": {text_by_colour(view.stock_cards)}" if view.stock_cards else ""
    lines.append(f"stock: {counted(view.stock, 'card')}{known}")
    if view.shuffles:
        lines.append(f"stock made anew: {counted(view.shuffles, 'time')}")
    if view.idle:
        lines.append(f"{counted(view.idle, 'turn')} in a row did nothing")
    if view.vanished:
        lines.append(f"vanished: {text_by_colour(view.vanished)}")
    if view.hand:
        lines.append(f"hand: {text_by_colour(view.hand)}")
    return "\n".join(lines)


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
