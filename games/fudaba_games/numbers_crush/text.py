"""Numbers Crush's moves, events and views as text (rules page `docs/rules/numbers_crush.md`, C11)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.numbers_crush.cards import (
    CARD_TEXTS,
    COLOUR_NAMES,
    JOKERS,
    NUMBER_LETTERS,
    SUIT_LETTERS,
    SUIT_MASKS,
    laid_text,
    parse_card,
    parse_laid,
    text_of,
)
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
    Phase,
    Received,
    Reshuffled,
    Set,
    Skipped,
    TurnBegan,
    Turned,
    Victory,
    WereSet,
    ZeroedOut,
    move_kind,
)
from fudaba_games.wording import counted

_BARE: Final[dict[str, NumbersCrushMove]] = {
    "skip": SKIP,
    "draw": DRAW,
    "pass": PASS,
    "decline": DECLINE,
    "zero_out": ZERO_OUT,
    "counter": COUNTER,
}
_FORMS: Final = (
    "write `skip`, `draw`, `pass`, `set 3C 5D`, `decline`, `discard 2C`, `give 2C 3`, `zero_out` or `counter`"
)


def parse_move(text: str) -> NumbersCrushMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_FORMS}")
    kind, rest = words[0], words[1:]
    bare = _BARE.get(kind)
    if bare is not None:
        if rest:
            raise MalformedMove(f"`{kind}` stands alone")
        return bare
    if kind == "set":
        return _parse_set(rest)
    if kind == "discard":
        if len(rest) != 1:
            raise MalformedMove("`discard` takes one card, for example `discard 2C`")
        return Discard(parse_card(rest[0]))
    if kind == "give":
        if len(rest) != 2 or rest[1] not in _SEATS:
            raise MalformedMove("`give` takes a card and a seat 0 to 4, for example `give 2C 3`")
        return Give(parse_card(rest[0]), _SEATS.index(rest[1]))
    raise MalformedMove(f"{kind[:20]!r} is not a move of Numbers Crush; {_FORMS}")


_SEATS: Final = ("0", "1", "2", "3", "4")


def _parse_set(words: list[str]) -> Set:
    suit = -1
    if len(words) >= 2 and words[-2] == "to":
        if len(words[-1]) != 1 or words[-1] not in SUIT_LETTERS:
            raise MalformedMove("after `to` comes the suit that a 9 names: C, D, H or S")
        suit = SUIT_LETTERS.index(words[-1])
        words = words[:-2]
    if not words:
        raise MalformedMove("`set` takes cards from the bottom to the top, for example `set 3C 5D`")
    laid = [parse_laid(word) for word in words]
    cards = tuple([card for card, _ in laid])
    if len(set(cards)) < len(cards):
        twice = next(card for card in cards if cards.count(card) > 1)
        raise MalformedMove(f"{CARD_TEXTS[twice]} is named twice; name each card once")
    return Set(cards, tuple([face for _, face in laid]), suit)


def format_move(move: NumbersCrushMove) -> str:
    """Returns the one text of a move."""
    if isinstance(move, Set):
        return f"set {set_text(move.cards, move.faces, move.suit)}"
    if isinstance(move, Discard):
        return f"discard {CARD_TEXTS[move.card]}"
    if isinstance(move, Give):
        return f"give {CARD_TEXTS[move.card]} {move.to}"
    return move_kind(move)


def set_text(cards: Sequence[int], faces: Sequence[int], suit: int) -> str:
    """Returns a set as text, for example `3C X1=9 to H`."""
    laid = " ".join([laid_text(card, face) for card, face in zip(cards, faces, strict=True)])
    return f"{laid} to {SUIT_LETTERS[suit]}" if suit >= 0 else laid


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Turned: "turned",
    TurnBegan: "turn_began",
    Drew: "drew",
    Skipped: "skipped",
    Passed: "passed",
    WereSet: "were_set",
    Declined: "declined",
    Discarded: "discarded",
    Gave: "gave",
    Handed: "handed",
    Penalised: "penalised",
    Reshuffled: "reshuffled",
    ZeroedOut: "zeroed_out",
    Countered: "countered",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: NumbersCrushEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: NumbersCrushEvent) -> str:  # noqa: PLR0911 - one for each kind of event
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, TurnBegan):
        return f"Turn {event.number}: seat {event.seat}."
    if isinstance(event, WereSet):
        return f"Seat {event.seat} sets {set_text(event.cards, event.faces, event.suit)}."
    if isinstance(event, Drew):
        return f"Seat {event.seat} draws {event.count} {'card' if event.count == 1 else 'cards'}."
    if isinstance(event, Received):
        return f"Seat {event.seat} takes {text_of(event.cards)}."
    if isinstance(event, Skipped):
        return f"Seat {event.seat} does not draw."
    if isinstance(event, Passed):
        return f"Seat {event.seat} passes."
    if isinstance(event, Penalised):
        return f"Seat {event.seat} draws {CARD_TEXTS[event.card]} as a penalty."
    if isinstance(event, Declined):
        return f"Seat {event.seat} declines."
    if isinstance(event, Discarded):
        return f"Seat {event.seat} discards {CARD_TEXTS[event.card]}."
    return _describe_rare(event)


def _describe_rare(  # noqa: PLR0911 - one for each kind of event
    event: Dealt | Turned | Gave | Handed | Reshuffled | ZeroedOut | Countered | DealEnded,
) -> str:
    if isinstance(event, Gave):
        return f"Seat {event.seat} gives seat {event.to} a card."
    if isinstance(event, Handed):
        return f"Seat {event.seat} gives seat {event.to} {CARD_TEXTS[event.card]}."
    if isinstance(event, Dealt):
        return f"Deal {event.deal + 1}, seat {event.dealer} deals."
    if isinstance(event, Turned):
        return f"{CARD_TEXTS[event.card]} is turned."
    if isinstance(event, Reshuffled):
        return f"The stock has run out; {event.count} cards are shuffled into a new one."
    if isinstance(event, ZeroedOut):
        return f"Seat {event.seat} declares a zero-out with {text_of(event.cards)}."
    if isinstance(event, Countered):
        return f"Seat {event.seat} counters with {text_of(event.cards)}."
    winners = [str(seat) for seat in range(len(event.scores)) if event.winners >> seat & 1]
    winner_text = f"Seat {winners[0]} wins" if len(winners) == 1 else f"Seats {' and '.join(winners)} win"
    return f"{winner_text} {HOW[Victory(event.victory)]}."


HOW: Final = {
    Victory.EMPTY_HAND: "with an empty hand",
    Victory.FOUR_FIVES: "with four 5s",
    Victory.ZERO_OUT: "by the zero-out",
    Victory.COUNTER: "by countering the zero-out",
    Victory.FEWEST_CARDS: "with the fewest cards",
}
"""The way in which a deal was won, as text after `wins`."""


def render_view(view: NumbersCrushView) -> str:
    """Returns a view as a table of text for people. Deals are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals, turn {view.turns}: {_due_text(view)}"]
    lines.append(f"base: {base_text(view)}   under it: {view.pile.bit_count()}   stock: {view.stock}")
    if view.pile:
        lines.append(f"under the base: {by_suit(view.pile)}")
    limits = limits_text(view)
    if limits:
        lines.append(f"limits: {'; '.join(limits)}")
    coming = coming_text(view)
    if coming:
        lines.append(f"to come: {'; '.join(coming)}")
    if view.penalty_cards:
        to_come = f", {view.penalty_left} to come" if view.penalty_left else ""
        lines.append(f"last penalty: {' '.join([CARD_TEXTS[card] for card in view.penalty_cards])}{to_come}")
    lines.append(f"play goes {'anticlockwise' if view.reversed else 'clockwise'}")
    for seat, size in enumerate(view.hand_sizes):
        mark = ">" if seat == view.turn else " "
        cards = view.known[seat] | view.known_alone[seat]
        known = f", among them {text_of(cards)}" if cards else ""
        out = " zero-out" if seat == view.zero_out else ""
        lines.append(f"{mark} seat {seat}: score {view.scores[seat]:+d}, cards {size}{known}{out}")
    if view.hand:
        lines.append(f"hand: {by_suit(view.hand)}")
    return "\n".join(lines)


def base_text(view: NumbersCrushView) -> str:
    """Returns the card on top, and what it stands for if that is something else."""
    card = CARD_TEXTS[view.base]
    if not view.number:
        return f"{card}, a joker"
    stands = f"{NUMBER_LETTERS[view.number - 1]}{SUIT_LETTERS[view.suit]}"
    return card if stands == card else f"{card} as {stands}"


def limits_text(view: NumbersCrushView) -> list[str]:
    """Returns the limits in force, each in a few words."""
    limits: list[str] = []
    if view.king_penalty:
        limits.append(f"king time by seat {view.king_starter}, penalty {view.king_penalty}")
    if view.bind:
        since = " from the next seat on" if view.new_bind else ""
        limits.append(f"only {COLOUR_NAMES[view.bind]}{since}, by seat {view.bind_maker}")
    if view.pending:
        limits.append(f"draw {view.pending}")
    if view.joker_lock:
        limits.append("only a joker")
    return limits


def coming_text(view: NumbersCrushView) -> list[str]:
    """Returns what comes after the present step and does not follow from the base, each in a few words."""
    coming: list[str] = []
    if view.resets:
        coming.append(f"{counted(view.resets, 'more set')} without limits")
    if view.lost_turns:
        coming.append(counted(view.lost_turns, "lost turn"))
    if view.next_turn >= 0:
        coming.append(f"the turn of seat {view.next_turn}")
    return coming


_DUE: Final = {
    Phase.DRAW: "seat {turn} skips or draws.",
    Phase.SET: "seat {turn} passes or sets.",
    Phase.GIVE: "seat {turn} may give {left}.",
    Phase.MUST_DISCARD: "seat {turn} discards {left}.",
    Phase.MAY_DISCARD: "seat {turn} may discard {left}.",
    Phase.EXTRA: "seat {turn} may set again.",
    Phase.RESET: "seat {turn} may set again, anything.",
    Phase.PENALTY: "seat {turn} may set penalty cards.",
    Phase.ZERO_OUT: "the next turn has not begun.",
    Phase.COUNTER: "the zero-out may be countered.",
    Phase.OVER: "the match is over.",
}


def _due_text(view: NumbersCrushView) -> str:
    return _DUE[Phase(view.phase)].format(turn=view.turn, left=view.cards_left)


def by_suit(mask: int) -> str:
    """Returns the cards in deck order with a wider gap between suits, jokers last."""
    parts = [text_of(mask & suit) for suit in SUIT_MASKS]
    parts.append(text_of(mask & JOKERS))
    return "  ".join([part for part in parts if part])


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
