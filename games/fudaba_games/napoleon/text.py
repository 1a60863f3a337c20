"""Napoleon's moves, events and views as text (rules page `docs/rules/napoleon.md`, P11)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.napoleon.cards import (
    CALL_TEXTS,
    CARD_TEXTS,
    SEAT_COUNT,
    SUIT_NAMES,
    call_of,
    parse_card,
    parse_cards,
    text_of,
)
from fudaba_games.napoleon.values import (
    APPROVAL,
    BIDS,
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
    Phase,
    Play,
    Played,
    Received,
    Revealed,
    Stood,
    ThrownIn,
    TrickTaken,
    move_kind,
)
from fudaba_games.wording import counted

_BID_BY_TEXT: Final = {text: bid for text, bid in zip(CALL_TEXTS, BIDS, strict=True) if bid is not None}
_FORMS: Final = "write `approve`, `bid 14S`, `bury 2C 3D`, `name AS` or `play QH`"


def parse_move(text: str) -> NapoleonMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_FORMS}")
    kind, rest = words[0], words[1:]
    if kind == "approve":
        if rest:
            raise MalformedMove("`approve` stands alone")
        return APPROVAL
    if kind == "bid":
        bid = _BID_BY_TEXT.get(rest[0]) if len(rest) == 1 else None
        if bid is None:
            raise MalformedMove("`bid` takes a number 13-20 with a suit C D H S or N (no-trump), for example `bid 14S`")
        return bid
    if kind == "bury":
        if not rest:
            raise MalformedMove("`bury` takes two cards, for example `bury 2C 3D`")
        return Bury(parse_cards(rest))
    if kind in {"name", "play"}:
        if len(rest) != 1:
            raise MalformedMove(f"`{kind}` takes one card, for example `{kind} AS`")
        card = parse_card(rest[0])
        return Name(card) if kind == "name" else PLAYS[card]
    raise MalformedMove(f"{kind[:20]!r} is not a move of Napoleon; {_FORMS}")


def format_move(move: NapoleonMove) -> str:
    """Returns the one text of a move: cards in deck order."""
    if isinstance(move, Approve):
        return "approve"
    if isinstance(move, Bid):
        return f"bid {CALL_TEXTS[call_of(move.number, move.suit)]}"
    if isinstance(move, Bury):
        return f"bury {text_of(move.cards)}"
    return f"{'play' if isinstance(move, Play) else 'name'} {CARD_TEXTS[move.card]}"


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Called: "called",
    ThrownIn: "thrown_in",
    Stood: "stood",
    Buried: "buried",
    Named: "named",
    Played: "played",
    Revealed: "revealed",
    TrickTaken: "trick_taken",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: NapoleonEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: NapoleonEvent) -> str:
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, Played):
        return f"Seat {event.seat} plays {CARD_TEXTS[event.card]}."
    if isinstance(event, TrickTaken):
        return f"Seat {event.winner} takes the trick {_cards(event.cards)}."
    if isinstance(event, Called):
        return f"Seat {event.seat} {f'bids {CALL_TEXTS[event.call]}' if event.call else 'approves'}."
    if isinstance(event, Received):
        return f"Seat {event.seat} draws {text_of(event.cards)}."
    if isinstance(event, Revealed):
        return f"The named card is out: seat {event.adjutant} held it."
    return _describe_rare(event)


def _describe_rare(event: Dealt | ThrownIn | Stood | Buried | Named | DealEnded) -> str:
    """Describes an event that happens once in a deal."""
    if isinstance(event, Dealt):
        again = f" again, throw-in {event.thrown_in}" if event.thrown_in else ""
        return f"Deal {event.deal + 1}, seat {event.dealer} deals{again}."
    if isinstance(event, ThrownIn):
        return "Everyone approves and nobody has bid: the cards are thrown in."
    if isinstance(event, Stood):
        return f"Seat {event.seat} is Napoleon with {event.number} {SUIT_NAMES[event.trump]}."
    if isinstance(event, Buried):
        return f"Seat {event.seat} takes the widow and buries two cards."
    if isinstance(event, Named):
        return f"Seat {event.seat} names {CARD_TEXTS[event.card]}."
    side = f"Seat {event.napoleon} alone"
    if event.adjutant != event.napoleon:
        side = f"Napoleon {event.napoleon} and adjutant {event.adjutant}"
    result = " and won" if event.won else ", too many, and lost" if event.swept else " and lost"
    return f"{side} took {event.honours} honours{result}. Buried: {text_of(event.buried)}."


def render_view(view: NapoleonView) -> str:
    """Returns a view as a table of text for people. Deals and tricks are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals: {_due_text(view)}", _auction(view)]
    if view.named >= 0:
        lines.append(_sides(view))
    if view.leader >= 0 or view.tricks:
        lines += _table_of_tricks(view)
    for seat in range(SEAT_COUNT):
        mark = ">" if seat == view.turn else " "
        role = {view.napoleon: " Napoleon", view.adjutant: " adjutant"}.get(seat, "") if view.named >= 0 else ""
        if seat == view.napoleon and view.named >= 0:
            role = " Napoleon"
        lines.append(f"{mark} seat {seat}: score {view.scores[seat]:+d}, honours {view.honours[seat]}{role}")
    if view.hand:
        lines.append(f"hand: {_by_suit(view.hand)}")
    if view.buried:
        lines.append(f"buried: {text_of(view.buried)}")
    return "\n".join(lines)


def _due_text(view: NapoleonView) -> str:
    if view.phase == Phase.AUCTION:
        return f"seat {view.turn} speaks."
    if view.phase == Phase.EXCHANGE:
        return f"seat {view.turn} has the widow and buries two cards."
    if view.phase == Phase.NAMING:
        return f"seat {view.turn} names the adjutant's card."
    if view.phase == Phase.TRICKS:
        return f"trick {len(view.winners) + 1}, seat {view.turn} plays."
    return "the match is over."


def _auction(view: NapoleonView) -> str:
    first = view.dealer + 1
    calls = [f"{(first + index) % SEAT_COUNT} {CALL_TEXTS[call]}" for index, call in enumerate(view.calls)]
    again = f", thrown in {counted(view.thrown_in, 'time')} before" if view.thrown_in else ""
    return f"auction: {', '.join(calls) or 'nobody has spoken'}{again}"


def _sides(view: NapoleonView) -> str:
    adjutant = "" if view.adjutant < 0 else f", seat {view.adjutant}"
    if view.adjutant == view.napoleon:
        adjutant = ", nobody: Napoleon is alone"
    return (
        f"Napoleon: seat {view.napoleon}, {view.number} {SUIT_NAMES[view.trump]}; "
        f"adjutant: {CARD_TEXTS[view.named]}{adjutant}"
    )


def _table_of_tricks(view: NapoleonView) -> list[str]:
    """Returns a table with a column for each seat. The card that leads has a mark, and the last column names the taker
    of the trick.
    """
    lines = ["trick   0   1   2   3   4   taken by"]
    leader = view.napoleon
    for number, winner in enumerate(view.winners):
        lines.append(_trick(number, leader, view.tricks[5 * number : 5 * number + 5], str(winner)))
        leader = winner
    if view.leader >= 0:
        lines.append(_trick(len(view.winners), view.leader, view.trick, ""))
    return lines


def _trick(number: int, leader: int, cards: tuple[int, ...], winner: str) -> str:
    cells = ["   ."] * SEAT_COUNT
    for index, card in enumerate(cards):
        cells[(leader + index) % SEAT_COUNT] = f"{' ' if index else '*'}{CARD_TEXTS[card]}".rjust(4)
    return f"{number + 1:>5}{''.join(cells)}   {winner}".rstrip()


def _by_suit(mask: int) -> str:
    """Returns the cards in deck order with a wider gap between suits."""
    suits = [text_of(mask & 8191 << 13 * suit) for suit in range(4)]
    return "  ".join([suit for suit in suits if suit])


def _cards(cards: Iterable[int]) -> str:
    """Returns the cards in the order given."""
    return " ".join([CARD_TEXTS[card] for card in cards])


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
