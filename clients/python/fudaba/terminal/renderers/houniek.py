"""Draws Houniek in the terminal (rules page `docs/rules/houniek.md`)."""

from __future__ import annotations

from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.kamikisen import card, deal_of, faces, row
from fudaba.terminal.renderers.listing import listing
from fudaba_games.houniek import (
    PLACE_LETTERS,
    DealEnded,
    Dealt,
    HouniekEvent,
    HouniekMove,
    HouniekView,
    Laid,
    Lay,
    Pass,
    Passed,
    Received,
    melds_of,
)
from fudaba_games.kamikisen.cards import cards_of
from fudaba_games.kamikisen.melds import FORM_NAMES, SINGLE

__all__ = ["HouniekRenderer"]

_CARDS_PER_LINE: Final = 12
"""The number of cards that fit into one line."""
_MAX_DRAWN_CARDS: Final = 2
"""A leader draws at most this many cards. A deal gives more."""


@final
class HouniekRenderer(Renderer):
    """Draws the newest meld and its foot, the numbers of cards, and this seat's hand."""

    def title(self, view: HouniekView) -> str:
        """See `Renderer`."""
        return deal_of(self, view.deal) + (
            "over" if view.turn < 0 else f"round {view.round + 1}, {view.stock} in stock"
        )

    def table(self, view: HouniekView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """See `Renderer`."""
        text = Text(no_wrap=True)
        if view.table:
            newest = view.table[-1]
            text.append(f"  {_meld(newest)}\n", style="bold").append_text(_lines(newest.cards)).append("\n")
        else:
            text.append("  nothing is laid\n\n", style="dim")
        text.append("             score cards\n", style="dim")
        for seat in range(len(view.hand_sizes)):
            text.append_text(self._seat_line(view, seat)).append("\n")
        return text.append("  hand\n", style="bold").append_text(_lines(view.hand))

    def more(self, view: HouniekView, width: int) -> Text:
        """Returns the melds of the round, and those of earlier rounds."""
        melds = [
            (self.names[laid.seat], [Text(FORM_NAMES[laid.form], style="dim"), *faces(laid.cards), *_foot_words(laid)])
            for laid in view.table
        ]
        dealer = [Text(self.names[view.dealer])]
        return listing([*melds, ("cleared", faces(view.cleared)), ("dealer", dealer)], width)

    def _seat_line(self, view: HouniekView, seat: int) -> Text:
        turn = seat == view.turn
        line = Text("▶ " if turn else "  ", style="bold yellow" if turn else "")
        line.append(f"{self.names[seat]:<11}{view.scores[seat]:>+5}{view.hand_sizes[seat]:>6}  ")
        return line.append(_in_round(view, seat), style="not bold dim")

    def prompt(self, view: HouniekView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if not view.table:
            return "Lead a meld"
        newest = view.table[-1]
        return f"Beat foot {PLACE_LETTERS[newest.foot]}, or lay more cards on the same foot, or pass"

    def move(self, view: HouniekView, move: HouniekMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if isinstance(move, Pass):
            return Text("pass")
        return Text(f"{FORM_NAMES[move.form]} ", style="dim").append_text(row(move.cards)).append(_foot(move))

    def event(self, event: HouniekEvent) -> Text:
        """See `Renderer`."""
        if isinstance(event, Laid):
            text = Text(f"{self.does(event.seat, 'lay')} ").append_text(row(event.cards))
            return text.append(_foot(event))
        if isinstance(event, Passed):
            return Text(self.does(event.seat, "pass"), style="dim")
        if isinstance(event, Received):
            verb = "draw" if event.cards.bit_count() <= _MAX_DRAWN_CARDS else "get"  # to lead, or in the deal
            return Text(f"{self.does(event.seat, verb)} ").append_text(row(event.cards))
        if isinstance(event, Dealt):
            dealer = "you" if event.dealer == self.info.seat else self.names[event.dealer]
            return Text(f"Deal {event.deal + 1}, dealt by {dealer}", style="bold underline")
        if isinstance(event, DealEnded):
            mine = event.scores[self.info.seat]
            style = "bold green" if mine > 0 else "bold red"
            return Text(f"{self.does(event.winner, 'win')} the deal: you {mine:+d}", style=style)
        return Text(f"{self.does(event.leader, 'lead')} to round {event.round + 1}", style="underline")


def _meld(laid: Laid) -> str:
    """Draws the table, and its foot."""
    description = FORM_NAMES[laid.form] + ("" if laid.form == SINGLE else f" of {laid.cards.bit_count()}")
    return f"{description}, foot {PLACE_LETTERS[laid.foot]}"


def _foot(meld: Lay | Laid) -> str:
    """Returns the foot of a meld, if its cards leave it open."""
    several = len([reading for reading in melds_of(meld.cards) if reading.form == meld.form]) > 1
    return f" foot {PLACE_LETTERS[meld.foot]}" if several else ""


def _foot_words(laid: Laid) -> list[Text]:
    """Returns the same for a list of cards."""
    return [Text(_foot(laid).strip())] if _foot(laid) else []


def _in_round(view: HouniekView, seat: int) -> str:
    """Returns what a seat has done in this round."""
    if not view.table:
        return ""
    newest = view.table[-1].seat
    if seat == newest:
        return "newest"
    seats = len(view.hand_sizes)
    return "passed" if (seat - newest) % seats < (view.turn - newest) % seats else ""


def _lines(cards: int) -> Text:
    """Returns the cards of a mask in deck order, on as many lines as necessary."""
    numbers = cards_of(cards)
    lines = [numbers[start : start + _CARDS_PER_LINE] for start in range(0, len(numbers), _CARDS_PER_LINE)]
    return Text("\n").join(
        [Text("  ").append_text(Text(" ").join([card(number) for number in line])) for line in lines]
    )
