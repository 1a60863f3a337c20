"""Draws Nerts in the terminal (rules page `docs/rules/nerts.md`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.listing import listing
from fudaba_games.nerts import (
    CARD_TEXTS,
    FIRST_WORK,
    NERTS_TOP,
    NO_CARD,
    WASTE_TOP,
    Build,
    Built,
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
    StocksTurned,
    Tuck,
    is_red,
)
from fudaba_games.nerts.cards import RANK_COUNT

__all__ = ["NertsRenderer"]

_RED: Final = "bold #ffffff on #b23a2a"
_BLACK: Final = "bold #ffffff on #4a4c58"


@final
class NertsRenderer(Renderer):
    """Draws the foundations, the public part of each seat, and this seat's piles."""

    def title(self, view: NertsView) -> str:
        """See `Renderer`."""
        turns = view.stock_turns
        turned = f", {turns} turn{'' if turns == 1 else 's'} of the stocks" if turns else ""
        ticks = "" if self.info.options.get("pace") == "realtime" else f", tick {view.tick + 1}"
        return f"deal {view.deal + 1}{ticks}{turned}"

    def table(self, view: NertsView, width: int) -> Text:
        """See `Renderer`."""
        text = Text(no_wrap=True)
        text.append_text(_foundations(view, width))
        text.append("             total  pile found works\n", style="dim")
        for seat in range(len(view.seats)):
            text.append_text(self._seat_line(view, seat)).append("\n")
        own = view.seats[self.info.seat]
        for number, work in enumerate(own.work_piles):
            text.append(f"{number} ", style="dim").append_text(_row(work, width - 2)).append("\n")
        text.append("stock ", style="dim").append(f"{own.stock_size} ").append("waste ", style="dim")
        waste = view.waste or ((own.waste_top,) if own.waste_size else ())
        return text.append_text(_row(waste, width - 15))

    def _seat_line(self, view: NertsView, seat: int) -> Text:
        layout = view.seats[seat]
        line = Text(f"  {self.names[seat]:<11}{view.scores[seat]:>+5}{layout.nerts_size:>3} ")
        line.append_text(_card(layout.nerts_top)).append(f"{layout.founded:>3}")
        for work in layout.work_piles:
            line.append(" ").append_text(_card(work[-1] if work else NO_CARD))
        return line

    def more(self, view: NertsView, width: int) -> Text:
        """Draws others' known cards, this seat's piles that are too long for the table, complete foundations, and
        choices.
        """
        text = Text(no_wrap=True)
        for seat, layout in enumerate(view.seats):
            if seat != self.info.seat:
                text.append(f" {self.names[seat]}", style="bold")
                text.append(f" stock {layout.stock_size}, waste {layout.waste_size} ", style="not bold dim")
                text.append_text(_card(layout.waste_top)).append("\n")
                text.append_text(
                    listing([(str(number), _cards(work)) for number, work in enumerate(layout.work_piles)], width)
                )
                text.append("\n")
        own = [(str(number), work, width - 2) for number, work in enumerate(view.seats[self.info.seat].work_piles)]
        long = [(f"own {name}", _cards(pile)) for name, pile, room in (*own, ("waste", view.waste, width - 15))
                if len(pile) > (room + 1) // 3]  # fmt: skip
        complete = [
            Text(f"{pile}:", style="dim").append_text(_card(RANK_COUNT * foundation.suit + RANK_COUNT - 1))
            for pile, foundation in enumerate(view.foundations)
            if len(foundation.owners) == RANK_COUNT
        ]
        chosen = [Text(self.rules.text.format_move(view.chosen))] if view.chosen is not None else []
        unit = "movement" if self.info.options.get("pace") == "realtime" else "tick"
        idle = [Text(f"{view.idle} {unit}{'' if view.idle == 1 else 's'} without a gain")] if view.idle else []
        return text.append_text(listing([*long, ("complete", complete), ("chosen", chosen), ("idle", idle)], width))

    def prompt(self, view: NertsView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        return "Make a move, or wait"

    def move(self, view: NertsView, move: NertsMove) -> Text:
        """See `Renderer`."""
        own = view.seats[self.info.seat]
        text = Text(self.rules.text.format_move(move))
        if isinstance(move, Found | Build):
            return text.append("  ").append_text(_card(_source_card(own, move.source)))
        if isinstance(move, Shift):
            return text.append("  ").append_text(_row(own.work_piles[move.from_work][-move.count :], 20))
        if isinstance(move, Tuck):
            return text.append("  ").append_text(_card(own.nerts_top))
        return text

    def event(self, event: NertsEvent) -> Text:  # noqa: PLR0911 - one for each kind of event
        """See `Renderer`."""
        if isinstance(event, Founded):
            style = "green" if event.seat == self.info.seat else ""
            text = Text(f"{self.does(event.seat, 'play')} ", style=style).append_text(_card(event.card))
            return text.append(f" to foundation {event.foundation}")
        if isinstance(event, Built):
            text = Text(f"{self.does(event.seat, 'lay')} ").append_text(_card(event.card))
            return text.append(f" on work {event.work}")
        if isinstance(event, Flipped):
            text = Text(f"{self.does(event.seat, 'turn')} {event.count} up, on top ", style="dim")
            return text.append_text(_card(event.top))
        if isinstance(event, Saw):
            return Text("You see ", style="dim").append_text(_row(event.cards, 3 * len(event.cards)))
        if isinstance(event, Recycled):
            return Text(f"{self.does(event.seat, 'turn')} the waste over", style="dim")
        if isinstance(event, Dealt):
            return Text(f"Deal {event.deal + 1}", style="bold underline")
        if isinstance(event, StocksTurned):
            return Text(f"All stocks are turned ({event.stock_turns})", style="dim")
        if isinstance(event, DealEnded):
            mine = event.scores[self.info.seat]
            style = "bold green" if mine == max(event.scores) else "bold red"
            return Text(f"The deal is over: you {mine:+d}", style=style)
        return Text(self.spoken(self.rules.text.describe_event(event)))


def _card(card: int) -> Text:
    """Draws one card in its colour; two dots for none."""
    if card == NO_CARD:
        return Text("··", style="dim")
    return Text(CARD_TEXTS[card], style=_RED if is_red(card) else _BLACK)


def _cards(cards: Sequence[int]) -> list[Text]:
    return [_card(card) for card in cards]


def _row(cards: Sequence[int], width: int) -> Text:
    """Returns the cards in order; of many, the last ones, which can be moved."""
    if not cards:
        return Text("··", style="dim")
    fitting = max(2, (width + 1) // 3)  # a card, and a mark for the others; a narrow window cuts the rest
    text = Text(" ").join([_card(card) for card in (cards if len(cards) <= fitting else cards[-fitting + 1 :])])
    return text if len(cards) <= fitting else Text("… ", style="dim").append_text(text)


def _foundations(view: NertsView, width: int) -> Text:
    """Returns the top card of each foundation beside its id, without complete ones."""
    open_ones = [
        Text(f"{pile}:", style="dim").append_text(_card(RANK_COUNT * suit + len(owners) - 1))
        for pile, (suit, owners) in enumerate(view.foundations)
        if len(owners) < RANK_COUNT
    ]
    if not open_ones:
        return Text("no foundation yet\n", style="dim")
    a_line = max(1, (width + 1) // 6)
    lines = [Text(" ").join(open_ones[at : at + a_line]) for at in range(0, len(open_ones), a_line)]
    return Text("\n").join(lines).append("\n")


def _source_card(own: SeatView, source: int) -> int:
    """Returns the card of a source."""
    if source == NERTS_TOP:
        return own.nerts_top
    if source == WASTE_TOP:
        return own.waste_top
    return own.work_piles[source - FIRST_WORK][-1]
