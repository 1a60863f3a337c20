"""Draws Makhop in the terminal (rules page `docs/rules/makhop.md`)."""

from __future__ import annotations

from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.kamikisen import card, deal_of, faces, row
from fudaba.terminal.renderers.listing import listing, words
from fudaba_games.makhop import (
    FREE,
    VALUED,
    Clear,
    Cleared,
    DealEnded,
    Dealt,
    Extend,
    Extended,
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
    laid_in_order,
    wanted,
)
from fudaba_games.wording import counted

__all__ = ["MakhopRenderer"]

_ROADS_PER_LINE: Final = 4
"""The number of roads that fit into one line."""


@final
class MakhopRenderer(Renderer):
    """Draws the roads' ends and lengths, the numbers of cards, and this seat's hand."""

    def title(self, view: MakhopView) -> str:
        """See `Renderer`."""
        return deal_of(self, view.deal) + ("over" if view.turn < 0 else f"turn {view.turns + 1}, {view.stock} in stock")

    def table(self, view: MakhopView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """See `Renderer`."""
        text = Text(no_wrap=True)
        text.append("  roads: end, and how many cards\n", style="dim")
        for start in range(0, len(view.roads), _ROADS_PER_LINE):
            text.append(" ")
            for number in range(start, min(start + _ROADS_PER_LINE, len(view.roads))):
                text.append_text(_road(number, view.roads[number]))
            text.append("\n")
        text.append("             score cards\n", style="dim")
        for seat, size in enumerate(view.hand_sizes):
            turn = seat == view.turn
            text.append("▶ " if turn else "  ", style="bold yellow" if turn else "")
            text.append(f"{self.names[seat]:<11}{view.scores[seat]:>+5}{size:>6}\n")
        return text.append("  hand\n  ", style="bold").append_text(row(view.hand))

    def more(self, view: MakhopView, width: int) -> Text:
        """Returns the roads from their beginnings, the vanished cards, and the known cards of a stock."""
        roads = [(f"road {number}", [card(road_card) for road_card in road]) for number, road in enumerate(view.roads)]
        parts = [*roads, ("vanished", faces(view.vanished)), ("in stock", faces(view.stock_cards))]
        turns = f"{counted(view.idle, 'turn')} in a row did nothing"
        parts.append(("idle", words(turns) if view.idle else []))
        anew = [Text(f"{counted(view.shuffles, 'time')}")] if view.shuffles else []
        return listing([*parts, ("made anew", anew), ("dealer", [Text(self.names[view.dealer])])], width)

    def prompt(self, view: MakhopView, legal_count: int) -> str:
        """See `Renderer`."""
        opens = len(view.roads) < int(self.info.options["max_roads"]) and bool(view.stock or view.vanished)
        opening = "open a road" if opens else "open, which does nothing now"
        if legal_count == 1:
            return f"Nothing fits: {opening}"
        asked = [wanted(road) for road in view.roads]
        sums = " or ".join([str(value) for value in sorted(set(asked)) if value != FREE])
        ways = [f"lay a sum of {sums}"] if sums else []
        if FREE in asked:
            ways.append("any one value card" if ways else "lay any one value card")
        if len(asked) - asked.count(FREE) > 1:
            ways.append("join two roads")
        if view.hand & ~VALUED:
            ways.append("clear them")
        return f"{', '.join(ways)}, or {opening}".capitalize()

    def move(self, view: MakhopView, move: MakhopMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if isinstance(move, Open):
            return Text("open")
        if isinstance(move, Clear):
            return Text("clear ", style="dim").append_text(card(move.card))
        roads = f"extend {move.road} " if isinstance(move, Extend) else f"join {move.road} {move.other_road} "
        return Text(roads, style="dim").append_text(_laid(move.cards, move.end))

    def event(self, event: MakhopEvent) -> Text:
        """See `Renderer`."""
        if isinstance(event, Opened):
            text = Text(self.does(event.seat, "open"), style="dim")
            if event.card < 0:
                return text.append(", and nothing happens")
            return text.append(" a road: ").append_text(card(event.card))
        if isinstance(event, Extended):
            text = Text(f"{self.does(event.seat, 'extend')} road {event.road}: ")
            return text.append_text(_laid(event.cards, event.end))
        if isinstance(event, Joined):
            text = Text(f"{self.does(event.seat, 'join')} roads {event.road} and {event.other_road}: ")
            return text.append_text(_laid(event.cards, event.end))
        if isinstance(event, Cleared):
            return Text(f"{self.does(event.seat, 'clear')} the roads: ").append_text(card(event.card))
        return self._dealing(event)

    def _dealing(self, event: Dealt | Received | Turned | Reshuffled | DealEnded) -> Text:
        if isinstance(event, Turned):
            return Text("A road starts: ", style="dim").append_text(card(event.card))
        if isinstance(event, Reshuffled):
            return Text(f"{event.cards.bit_count()} vanished cards are the stock again", style="dim")
        if isinstance(event, Received):
            return Text(f"{self.does(event.seat, 'get')} ").append_text(row(event.cards))
        if isinstance(event, Dealt):
            dealer = "you" if event.dealer == self.info.seat else self.names[event.dealer]
            return Text(f"Deal {event.deal + 1}, dealt by {dealer}", style="bold underline")
        mine = event.scores[self.info.seat]
        style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold"
        winners = event.winners
        won = self.does(winners[0], "win") if len(winners) == 1 else f"{self.together(winners)} share"
        return Text(f"{won} the deal: you {mine:+d}", style=style)


def _road(number: int, road: Road) -> Text:
    """Returns a road in nine columns: its number, its end, its length."""
    text = Text(f"{number:>2} ", style="dim").append_text(card(road[-1]))
    return text.append(f" ×{len(road):<2}", style="dim")


def _laid(cards: int, end: int) -> Text:
    """Returns the laid cards, the new end last."""
    return Text(" ").join([card(number) for number in laid_in_order(cards, end)])
