"""Niekhi's moves, events and views as text (rules page `docs/rules/niekhi.md`, NI10)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from fudaba_games.game import GameText, MalformedMove
from fudaba_games.kamikisen.cards import STRENGTH_LETTERS, STRENGTH_NAMES
from fudaba_games.kamikisen.text import parse_strength
from fudaba_games.niekhi.cards import COPIES_OF, cards_of, mask_of, size_of, strengths_in, strengths_of
from fudaba_games.niekhi.melds import SET, SINGLE, Meld, melds_of
from fudaba_games.niekhi.values import (
    DECLINE,
    PASS,
    Cleared,
    DealEnded,
    Dealt,
    Declined,
    Laid,
    Lay,
    Name,
    Named,
    NiekhiEvent,
    NiekhiMove,
    NiekhiView,
    Passed,
    Phase,
    Received,
    Take,
    Took,
    move_kind,
)

_FORMS: Final = (
    "write `pass`, `single 7`, `set 3 3`, `run 3 4 5`, `stairs 1 1 2 2 3 3`, `decline`, `name 1 7` or `take S 8`"
)
_ADVICE: Final = {
    "single": "one card",
    "set": "two or more cards of one strength, S for any",
    "run": "three or more cards 0-8 in a row, S for any",
    "stairs": "a run of equal sets 0-8: three or more of two cards, or two or more of larger ones, S for any",
}


def text_of(cards: int) -> str:
    """Returns the cards, weakest first, for example `S 1 1 K`; empty for none."""
    return " ".join([STRENGTH_LETTERS[strength] for strength in strengths_of(cards)])


def text_of_strengths(mask: int) -> str:
    """Returns the strengths, weakest first; empty for none."""
    return " ".join([STRENGTH_LETTERS[strength] for strength in strengths_in(mask)])


def span_text(meld: Meld) -> str:
    """Returns what a meld counts as: its strength, or the lowest and the highest, for example `3-5`."""
    high = STRENGTH_LETTERS[meld.strength]
    return high if meld.length == 1 else f"{STRENGTH_LETTERS[meld.strength - meld.length + 1]}-{high}"


def describe_meld(meld: Meld) -> str:
    """Returns a meld in words, for example `set of 3, strength 7` or `run of 4, 3-6`."""
    name = STRENGTH_NAMES[meld.strength]
    if meld.form == SINGLE:
        return f"single {name}"
    if meld.form == SET:
        return f"set of {meld.size}, {name}"
    sets = "" if meld.length == meld.size else f" sets of {meld.size // meld.length}"
    return f"run of {meld.length}{sets}, {span_text(meld)}"


def format_move(move: NiekhiMove) -> str:
    """Returns the only text of a move. It lists the cards from the weakest, and what they count as where ships leave
    it open.
    """
    if isinstance(move, Lay):
        return _format_lay(move)
    if isinstance(move, Name):
        return f"name {text_of_strengths(move.strengths)}"
    if isinstance(move, Take):
        return f"take {text_of(move.cards)}"
    return move_kind(move)


@lru_cache(maxsize=1 << 14)
def _format_lay(lay: Lay) -> str:
    kind = move_kind(lay)
    return f"{kind} {text_of(lay.cards)}{reading_text(lay.cards, lay.meld)}"


def reading_text(cards: int, meld: Meld) -> str:
    """Returns ` as 3-5` if the cards could also be another meld of that form; otherwise empty, as for a lone ship that
    is itself.
    """
    readings = [reading for reading in melds_of(cards) if reading.form == meld.form]
    return f" as {span_text(meld)}" if len(readings) > 1 and meld.strength else ""


def parse_move(text: str) -> NiekhiMove:
    """Returns the move of a text, whose words are separated by white space. Raises `MalformedMove`; does not check
    whether the move is legal.
    """
    words = text.split()
    if not words:
        raise MalformedMove(f"the move is empty; {_FORMS}")
    kind, rest = words[0], words[1:]
    if kind in _ADVICE:
        return _parse_lay(kind, rest)
    if kind in {"pass", "decline"}:
        if rest:
            raise MalformedMove(f"`{kind}` stands alone")
        return PASS if kind == "pass" else DECLINE
    if kind == "take":
        if not rest:
            raise MalformedMove("`take` takes cards of the discard pile, for example `take S 8`")
        return Take(parse_cards(rest))
    if kind == "name":
        return Name(_parse_name(rest))
    raise MalformedMove(f"{kind[:20]!r} is not a move of Niekhi; {_FORMS}")


def parse_cards(words: Sequence[str]) -> int:
    """Returns the cards of some words, in any order. Raises `MalformedMove`, also for more cards of a strength than
    there are.
    """
    strengths = [parse_strength(word) for word in words]
    try:
        return cards_of(strengths)
    except ValueError:
        raise MalformedMove(too_many(strengths)) from None


def too_many(strengths: Sequence[int]) -> str:
    """Returns why one deck does not have some cards."""
    over = next(strength for strength in strengths if strengths.count(strength) > COPIES_OF[strength])
    return f"the deck has only {COPIES_OF[over]} of {STRENGTH_LETTERS[over]}, not {strengths.count(over)}"


def _parse_name(words: list[str]) -> int:
    if not words:
        raise MalformedMove("`name` takes strengths, for example `name 1 7`")
    strengths = [parse_strength(word) for word in words]
    for strength in strengths:
        if strengths.count(strength) > 1:
            raise MalformedMove(f"{STRENGTH_LETTERS[strength]} is named twice; name each strength once")
    return mask_of(strengths)


def _parse_lay(kind: str, words: list[str]) -> Lay:
    said = ""
    if "as" in words:
        place = words.index("as")
        if len(words) != place + 2:
            raise MalformedMove(f"after `as` one word says what the cards count as, for example `{kind} … as 3-5`")
        said, words = words[place + 1], words[:place]
    cards = parse_cards(words)
    readings = [meld for meld in melds_of(cards) if meld.form == kind]
    if not readings:
        raise MalformedMove(f"{text_of(cards) or 'no card'} does not fit {kind}: that is {_ADVICE[kind]}")
    if said:
        found = [meld for meld in readings if span_text(meld) == said]
        if not found:
            raise MalformedMove(f"these cards do not count as {said[:20]!r}; they can be {_spans(readings)}")
        return Lay(cards, found[0].length, found[0].strength)
    if len(readings) > 1 and kind != SINGLE:
        raise MalformedMove(f"say what {text_of(cards)} counts as, with `as` and one of {_spans(readings)}")
    return Lay(cards, readings[0].length, readings[0].strength)


def _spans(melds: Sequence[Meld]) -> str:
    return ", ".join([span_text(meld) for meld in melds])


_EVENT_KINDS: Final[dict[type[object], str]] = {
    Dealt: "dealt",
    Received: "received",
    Laid: "laid",
    Passed: "passed",
    Cleared: "cleared",
    Declined: "declined",
    Named: "named",
    Took: "took",
    DealEnded: "deal_ended",
}
EVENT_KINDS: Final = tuple(_EVENT_KINDS.values())


def event_kind(event: NiekhiEvent) -> str:
    """Returns the kind of an event."""
    return _EVENT_KINDS[type(event)]


def describe_event(event: NiekhiEvent) -> str:  # noqa: PLR0911 - one for each kind of event
    """Returns an event as one line for people. Deals are counted from 1."""
    if isinstance(event, Laid):
        return f"Seat {event.seat} lays {laid_text(event)}."
    if isinstance(event, Passed):
        return f"Seat {event.seat} passes."
    if isinstance(event, Cleared):
        return f"All others have passed: the table is cleared, and seat {event.leader} leads."
    if isinstance(event, Declined):
        return f"Seat {event.seat} does not use its generals."
    if isinstance(event, Named):
        lost = ", ".join([f"seat {seat} loses {number}" for seat, number in enumerate(event.lost) if number])
        leaves = "leave" if size_of(event.cards) > 1 else "leaves"
        gone = f"{text_of(event.cards) or 'no card'} {leaves} the game"
        return f"Seat {event.seat} names {text_of_strengths(event.strengths)}: {gone}{'; ' if lost else ''}{lost}."
    if isinstance(event, Took):
        return f"Seat {event.seat} takes {text_of(event.cards)} from the discard pile."
    if isinstance(event, Received):
        return f"Seat {event.seat} draws {text_of(event.cards)}."
    if isinstance(event, Dealt):
        return f"Deal {event.deal + 1}, seat {event.dealer} deals: {event.hand_size} cards for each."
    return _describe_end(event)


def _describe_end(event: DealEnded) -> str:
    if len(event.winners) == 1:
        outcome = f"Seat {event.winners[0]} wins the deal"
    else:
        outcome = f"Seats {', '.join(map(str, event.winners))} share the deal"
    return f"{outcome}. Cards left: {' '.join(map(str, event.hand_sizes))}."


def laid_text(laid: Laid) -> str:
    """Returns a meld on the table: its cards, and what they count as if ships leave that open."""
    readings = melds_of(laid.cards)
    said = f" as {span_text(laid.meld)}" if len(readings) > 1 and laid.strength else ""
    return f"{text_of(laid.cards)}{said}"


def render_view(view: NiekhiView) -> str:
    """Returns a view as a table of text for people. Deals and turns are counted from 1."""
    lines = [f"Deal {view.deal + 1}, seat {view.dealer} deals: {_due_text(view)}"]
    if view.table:
        lines.append(f"table: {', '.join([f'{laid.seat}: {laid_text(laid)}' for laid in view.table])}")
    if view.pile:
        lines.append(f"pile: {text_of(view.pile)}")
    if view.named:
        lines.append(f"named: {text_of_strengths(view.named)}; out of the game: {text_of(view.removed) or 'no card'}")
    for seat, size in enumerate(view.hand_sizes):
        mark = ">" if seat == view.turn else " "
        known = f", holds {text_of(view.known[seat])}" if view.known[seat] else ""
        lines.append(f"{mark} seat {seat}: score {view.scores[seat]:+d}, {size} card{'' if size == 1 else 's'}{known}")
    if view.hand:
        lines.append(f"hand: {text_of(view.hand)}")
    return "\n".join(lines)


def _due_text(view: NiekhiView) -> str:
    if view.phase == Phase.OVER:
        return "the match is over."
    if view.phase == Phase.GENERALS:
        count = "a general" if view.generals == 1 else f"{view.generals} generals"
        return f"seat {view.turn} has laid {count}."
    if not view.table:
        return f"turn {view.turns + 1}, seat {view.turn} leads."
    return f"turn {view.turns + 1}, seat {view.turn} lays or passes."


TEXT: Final = GameText(move_kind, event_kind, parse_move, format_move, describe_event, render_view)
