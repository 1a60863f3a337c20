"""Makkaik's moves, events and views as text (rules page `docs/rules/makkaik.md`, MA8)."""

from __future__ import annotations

from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.kamikisen.betting import seats_in
from fudaba_games.kamikisen.cards import CARD_TEXTS, STRENGTH_LETTERS
from fudaba_games.kamikisen.melds import FORM_NAMES, melds_of
from fudaba_games.kamikisen.text import parse_card, text_by_colour, text_of
from fudaba_games.makkaik.turns import ROUNDS_PER_DEAL
from fudaba_games.makkaik.values import (
    DRAW,
    FOLD,
    HIGHEST_BASE,
    KEEPS,
    MOVE_KINDS,
    STAYS,
    SWAPS,
    BaseNamed,
    BettingBegan,
    DealEnded,
    DealerChanged,
    Dealt,
    Drew,
    Exchange,
    Folded,
    Keep,
    Kept,
    MakkaikEvent,
    MakkaikMove,
    MakkaikView,
    Phase,
    Received,
    Saw,
    Showdown,
    ShownHand,
    Stay,
    Stayed,
    Swap,
    Swapped,
    move_kind,
)

_HOW: Final = "write `swap r7 b3`, `draw`, `keep r3 b7`, `fold`, `stay` or `stay 3`"
_BASES: Final = {str(base): base for base in range(1, HIGHEST_BASE + 1)}


def parse_move(text: str) -> MakkaikMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_HOW}")
    kind, rest = words[0], words[1:]
    if kind in {"draw", "fold"}:
        if rest:
            raise MalformedMove(f"`{kind}` stands alone; {_HOW}")
        return DRAW if kind == "draw" else FOLD
    if kind == "stay":
        return STAYS[_parse_base(rest)]
    if kind not in MOVE_KINDS:
        raise MalformedMove(f"{kind[:20]!r} is not a move of Makkaik; {_HOW}")
    if len(rest) != 2:
        operands = (
            "a card of your hand, then a public card" if kind == "swap" else "a drawn card, then one of your hand"
        )
        raise MalformedMove(f"`{kind}` takes two cards: {operands}; {_HOW}")
    first, second = parse_card(rest[0]), parse_card(rest[1])
    return SWAPS[first][second] if kind == "swap" else KEEPS[first][second]


def _parse_base(words: list[str]) -> int:
    if not words:
        return 0
    base = _BASES.get(words[0]) if len(words) == 1 else None
    if base is None:
        raise MalformedMove(f"`stay` takes a base from 1 to {HIGHEST_BASE} if you are the dealer, else nothing; {_HOW}")
    return base


def format_move(move: MakkaikMove) -> str:
    """Returns the one text of a move."""
    if isinstance(move, Swap):
        return f"swap {CARD_TEXTS[move.given]} {CARD_TEXTS[move.taken]}"
    if isinstance(move, Keep):
        return f"keep {CARD_TEXTS[move.kept]} {CARD_TEXTS[move.given]}"
    return f"stay {move.base}" if isinstance(move, Stay) and move.base else move_kind(move)


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Swapped: "swapped",
    Drew: "drew",
    Saw: "saw",
    Kept: "kept",
    BettingBegan: "betting_began",
    BaseNamed: "base_named",
    Stayed: "stayed",
    Folded: "folded",
    DealerChanged: "dealer_changed",
    Showdown: "showdown",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: MakkaikEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: MakkaikEvent) -> str:  # noqa: PLR0911 - one for each kind of event
    """Returns an event as one line for people. Deals and rounds are counted from 1."""
    if isinstance(event, Stayed):
        return f"Seat {event.seat} stays and pays {event.base}."
    if isinstance(event, Folded):
        return f"Seat {event.seat} folds."
    if isinstance(event, DealerChanged):
        return f"Seat {event.dealer} becomes the dealer."
    if isinstance(event, BaseNamed):
        return f"Round {event.round + 1}: seat {event.seat} names the base {event.base} and pays it."
    if isinstance(event, BettingBegan):
        return f"Everybody pays 1; the pot is {event.pot}."
    if isinstance(event, Showdown):
        return f"{'; '.join([_shown_by(hand) for hand in event.hands])}."
    if isinstance(event, DealEnded):
        winners = " and ".join([str(seat) for seat in event.winners])
        verb = f"Seat {winners} wins" if len(event.winners) == 1 else f"Seats {winners} share"
        scores = " ".join([f"{score:+d}" for score in event.scores])
        return f"{verb} the pot of {event.pot}. Scores: {scores}."
    return _describe_cards(event)


def _describe_cards(event: Dealt | Received | Swapped | Drew | Saw | Kept) -> str:
    """Describes an event of the deal or the exchange."""
    if isinstance(event, Dealt):
        return f"Deal {event.deal + 1}, seat {event.dealer} deals. Public cards: {text_of(event.public_cards)}."
    if isinstance(event, Received):
        return f"Seat {event.seat} is dealt {text_of(event.cards)}."
    if isinstance(event, Swapped):
        return f"Seat {event.seat} swaps {CARD_TEXTS[event.given]} for {CARD_TEXTS[event.taken]}."
    if isinstance(event, Drew):
        return f"Seat {event.seat} draws two cards."
    if isinstance(event, Saw):
        return f"Seat {event.seat} has drawn {text_of(event.cards)}."
    return f"Seat {event.seat} keeps a card; {text_of(event.cards)} become public."


def _shown_by(hand: ShownHand) -> str:
    return f"Seat {hand.seat} shows {text_of(hand.hand)}: {shown_text(hand)}"


def shown_text(hand: ShownHand) -> str:
    """Returns the best meld of a hand that is shown, for example `set r3 r3 b3` or `run rS r3 r4 as 5`."""
    text = f"{FORM_NAMES[hand.form]} {text_of(hand.cards)}"
    return text if len(melds_of(hand.cards)) == 1 else f"{text} as {STRENGTH_LETTERS[hand.strength]}"


_EXCHANGES: Final = {int(Exchange.NOT_YET): "-", int(Exchange.SWAPPED): "swapped", int(Exchange.DREW): "drew"}


def render_view(view: MakkaikView) -> str:
    """Returns a view as a table of text for people. Deals and rounds are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} is the dealer, {_due_text(view)}"]
    lines.append(f"public cards: {text_by_colour(view.public_cards)}")
    if view.phase == Phase.BETTING:  # at the end it was taken
        lines.append(f"pot {view.pot}" + (f", base {view.base}" if view.base else ""))
    lines.append("           score  paid  exchange  known")
    staying = seats_in(view.staying)
    for seat, score in enumerate(view.scores):
        mark = ">" if seat == view.turn else " "
        exchange, known = _EXCHANGES[view.exchanges[seat]], view.shown[seat] or view.taken[seat]
        out = "" if seat in staying else "  folded"
        row = f"{mark} seat {seat}  {score:>+5}  {view.paid[seat]:>4}  {exchange:<8}  {text_of(known)}{out}"
        lines.append(row.rstrip())
    if view.drawn:
        lines.append(f"drawn: {text_by_colour(view.drawn)}")
    if view.hand:
        lines.append(f"hand: {text_by_colour(view.hand)}")
    return "\n".join(lines)


def _due_text(view: MakkaikView) -> str:
    if view.phase == Phase.OVER:
        return "the match is over."
    if view.phase != Phase.BETTING:
        return f"seat {view.turn} {'exchanges' if view.phase == Phase.EXCHANGE else 'keeps one of two cards'}."
    does = "stays and pays the base" if view.base else "stays and names the base"
    return f"round {view.round + 1} of {ROUNDS_PER_DEAL}: seat {view.turn} {does}, or folds."


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
