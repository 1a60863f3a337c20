"""Draws Mokkaik in the terminal (rules page `docs/rules/mokkaik.md`)."""

from __future__ import annotations

from typing import final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.kamikisen import deal_of, faces, row
from fudaba.terminal.renderers.listing import listing
from fudaba_games.kamikisen.cards import STRENGTH_LETTERS
from fudaba_games.kamikisen.melds import FORM_NAMES, SINGLE, melds_of
from fudaba_games.mokkaik import (
    DealEnded,
    Dealt,
    Discard,
    Discarded,
    Laid,
    MokkaikEvent,
    MokkaikMove,
    MokkaikView,
    Received,
    RoundWon,
)

__all__ = ["MokkaikRenderer"]


@final
class MokkaikRenderer(Renderer):
    """Draws the required meld and the best one so far, the numbers of public cards, and this seat's hand."""

    def title(self, view: MokkaikView) -> str:
        """See `Renderer`."""
        return deal_of(self, view.deal) + (
            "over" if view.turn < 0 else f"round {view.round + 1}, {self.does(view.dealer, 'deal')} ×{view.multiplier}"
        )

    def table(self, view: MokkaikView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """See `Renderer`."""
        text = Text(no_wrap=True)
        if view.size:
            text.append(f"  {_wanted(view)}\n", style="bold").append("  best ", style="dim")
            text.append_text(row(view.laid[-1])).append("\n")
        else:
            text.append("  nothing is laid\n\n", style="dim")
        text.append("             score cards public\n", style="dim")
        for seat in range(len(view.public_cards)):
            text.append_text(self._seat_line(view, seat)).append("\n")
        return text.append("\n  hand\n  ", style="bold").append_text(row(view.hand))

    def more(self, view: MokkaikView, width: int) -> Text:
        """Returns the melds of the round, the seats' public cards, the beaten melds, and this seat's discards."""
        laid = [(f"{self.names[seat]} laid", faces(cards)) for seat, cards in zip(view.laid_by, view.laid, strict=True)]
        public = [(f"{self.names[seat]} public", faces(cards)) for seat, cards in enumerate(view.public_cards)]
        aside = [Text(f"{self.names[seat]}: {count}") for seat, count in enumerate(view.discard_counts) if count]
        parts = [("beaten", faces(view.beaten)), ("own discards", faces(view.discarded)), ("discards", aside)]
        return listing([*laid, *public, *parts, ("dealer", [Text(self.names[view.dealer])])], width)

    def _seat_line(self, view: MokkaikView, seat: int) -> Text:
        turn = seat == view.turn
        line = Text("▶ " if turn else "  ", style="bold yellow" if turn else "")
        line.append(f"{self.names[seat]:<11}{view.scores[seat]:>+5}{view.hand_sizes[seat]:>6}")
        line.append(f"{view.public_cards[seat].bit_count():>7} ").append(_in_round(view, seat), style="not bold dim")
        return line

    def prompt(self, view: MokkaikView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        return f"Follow, or discard {view.size}" if view.size else "Lead a meld"

    def move(self, view: MokkaikView, move: MokkaikMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        kind = "discard" if isinstance(move, Discard) else FORM_NAMES[move.form]
        text = Text(f"{kind} ", style="dim").append_text(row(move.cards))
        return text if isinstance(move, Discard) else text.append(_as(move.cards, move.strength))

    def event(self, event: MokkaikEvent) -> Text:
        """See `Renderer`."""
        if isinstance(event, Laid):
            text = Text(f"{self.does(event.seat, 'lay')} ").append_text(row(event.cards))
            return text.append(_as(event.cards, event.strength))
        if isinstance(event, Discarded):
            return Text(f"{self.does(event.seat, 'discard')} {event.count}", style="dim")
        if isinstance(event, RoundWon):
            style = "green" if event.winner == self.info.seat else ""
            return Text(f" {self.does(event.winner, 'keep')} ", style=style).append_text(row(event.cards))
        if isinstance(event, Received):
            return Text(f"{self.does(event.seat, 'get')} ").append_text(row(event.cards))
        if isinstance(event, Dealt):
            dealer = "you" if event.dealer == self.info.seat else self.names[event.dealer]
            return Text(f"Deal {event.deal + 1}, dealt by {dealer} (×{event.multiplier})", style="bold underline")
        return self._deal_ended(event)

    def _deal_ended(self, event: DealEnded) -> Text:
        mine = event.scores[self.info.seat]
        style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold yellow"
        return Text(f"{self.does(event.winner, 'win')} the deal: you {mine:+d}", style=style)


def _wanted(view: MokkaikView) -> str:
    """Returns what must be laid."""
    meld = FORM_NAMES[view.form] + ("" if view.form == SINGLE else f" of {view.size}")
    colours = [f"{count} {name}" for count, name in ((view.reds, "red"), (view.size - view.reds, "black")) if count]
    return f"{meld}, {' '.join(colours)}, above {STRENGTH_LETTERS[view.strength]}"


def _in_round(view: MokkaikView, seat: int) -> str:
    """Returns what a seat has done in this round."""
    if seat in view.laid_by:
        return "best" if seat == view.laid_by[-1] else "beaten"
    if not view.size:
        return ""
    seats = len(view.public_cards)
    return "discard" if (seat - view.leader) % seats < (view.turn - view.leader) % seats else ""


def _as(cards: int, strength: int) -> str:
    """Returns the strength of a meld, if a ship leaves it open."""
    return f" as {STRENGTH_LETTERS[strength]}" if strength and len(melds_of(cards)) > 1 else ""
