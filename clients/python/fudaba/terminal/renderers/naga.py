"""Draws Naga in the terminal (rules page `docs/rules/naga.md`)."""

from __future__ import annotations

from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.listing import listing
from fudaba_games.naga import (
    CARD_TEXTS,
    ELTAM,
    PLACE_NAMES,
    PLACES,
    TRUMPS,
    Battled,
    DealEnded,
    Dealt,
    Designate,
    Designated,
    NagaEvent,
    NagaMove,
    NagaView,
    cards_of,
)
from fudaba_games.naga.cards import ATTRIBUTE_NAMES
from fudaba_games.naga.hands import Hand, hand_of_five, hand_of_four

__all__ = ["NagaRenderer"]

_SIGNS: Final = "闇光火風水木土"
_STYLES: Final = (
    "bold #ffffff on #5b3a8c",  # dark
    "bold #201c00 on #e8cf52",  # light
    "bold #ffffff on #b23a2a",  # fire
    "bold #00211e on #58b8ac",  # wind
    "bold #ffffff on #2a62a6",  # water
    "bold #ffffff on #3c7a30",  # wood
    "bold #ffffff on #80562f",  # earth
)
_MOON_STYLE: Final = "bold #16161c on #d8dae6"
_BATTLES_COUNT: Final = 7


@final
class NagaRenderer(Renderer):
    """Draws places and trumps, the seats' prizes, and this seat's hand; hands are named by category."""

    def title(self, view: NagaView) -> str:
        """See `Renderer`."""
        deals = int(self.info.options.get("deals", 1))
        deal = f"deal {view.deal + 1} of {deals}, " if deals > 1 else ""
        if view.place and not view.table[view.place]:
            return f"{deal}over"  # else the next battle would have begun
        return f"{deal}battle {min(view.battle + 1, _BATTLES_COUNT)} of {_BATTLES_COUNT}, {view.stock} cards in stock"

    def table(self, view: NagaView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """See `Renderer`."""
        text = Text("    place     trump     cards\n", style="dim", no_wrap=True)
        for place in PLACES:
            text.append_text(_place_line(view, place)).append("\n")
        longest = max(len(name) for name in self.names)
        several = int(self.info.options.get("deals", 1)) > 1
        text.append(f" {'':<{longest}}{' pts' if several else ''} won", style="dim")
        for seat in (self.info.seat, 1 - self.info.seat):
            text.append(f"\n {self.names[seat]:<{longest}}", style="bold")
            text.append(f"{view.scores[seat]:>+4}" if several else "")
            text.append(f"{view.won[seat].bit_count():>3} ").append_text(small_cards(view.won[seat]))
        text.append("\n\n  hand  ", style="bold")
        text.append_text(cards(view.hand & ~view.committed))
        if view.committed:
            text.append("  face down ", style="dim").append_text(small_cards(view.committed))
        return text

    def more(self, view: NagaView, width: int) -> Text:
        """Returns the shown cards that are out of play."""
        out = [card(out_card, "") for out_card in cards_of(view.discarded)]
        return listing([("out", out), ("dealer", [Text(self.names[view.dealer])])], width)

    def waiting(self, view: NagaView) -> str:
        """See `Renderer`."""
        other = self.names[1 - self.info.seat]
        if not view.place and view.to_designate != self.info.seat:
            return f"{other} names the place that the next battle is for"
        return f"Waiting for {other}"

    def prompt(self, view: NagaView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if not view.place:
            return "Name the place that the next battle is for"
        count = "two" if view.place == ELTAM else "three"
        trump = ATTRIBUTE_NAMES[TRUMPS[view.place]]
        return f"Commit {count} cards for {PLACE_NAMES[view.place]}, where {trump} is trump"

    def move(self, view: NagaView, move: NagaMove) -> Text:
        """See `Renderer`."""
        if isinstance(move, Designate):
            text = Text("designate ", style="dim").append(f"{move.place} ", style="not dim bold")
            text.append(f"{PLACE_NAMES[move.place]:<8} ", style="not dim")
            text.append_text(_trump(move.place)).append(" ").append_text(cards(view.table[move.place]))
            return text
        text = Text("commit ", style="dim").append_text(cards(move.cards)).append("  ")
        return text.append(_hand(move.cards | view.table[view.place], view.place).category.words, style="not dim")

    def event(self, event: NagaEvent) -> Text:
        """See `Renderer`."""
        if isinstance(event, Battled):
            return self._battle(event)
        if isinstance(event, Dealt):
            return Text(f"Deal {event.deal + 1}, {self._dealer(event.dealer)}", style="bold underline")
        if isinstance(event, Designated):
            text = Text(f"{self.does(event.seat, 'name')} {PLACE_NAMES[event.place]}")
            return text.append(f", {ATTRIBUTE_NAMES[TRUMPS[event.place]]} trump", style="dim")
        if isinstance(event, DealEnded):
            return self._deal_ended(event)
        return Text(f"{self.does(event.seat, 'get')} ").append_text(small_cards(event.cards))

    def _battle(self, event: Battled) -> Text:
        text = Text(f"Battle for {PLACE_NAMES[event.place]}", style="bold")
        longest = max(len(name) for name in self.names)
        for seat in (self.info.seat, 1 - self.info.seat):
            hand = _hand(event.played[seat] | event.prize, event.place)
            text.append(f"\n {self.names[seat]:<{longest}} ", style="not bold").append_text(
                small_cards(event.played[seat])
            )
            text.append(f" {hand.category.words}", style="not bold")
        if event.winner is None:
            return text.append("\n a tie: nobody takes ", style="not bold yellow").append_text(small_cards(event.prize))
        style = "not bold green" if event.winner == self.info.seat else "not bold red"
        text.append(f"\n {self.does(event.winner, 'take')} ", style=style)
        return text.append_text(small_cards(event.prize))

    def _deal_ended(self, event: DealEnded) -> Text:
        mine, theirs = event.won_counts[self.info.seat], event.won_counts[1 - self.info.seat]
        if not event.scores[0]:
            return Text(f"The deal is drawn, {mine} to {theirs}", style="bold yellow")
        winner = 0 if event.scores[0] > 0 else 1
        style = "bold green" if winner == self.info.seat else "bold red"
        most, least = max(mine, theirs), min(mine, theirs)
        return Text(f"{self.does(winner, 'win')} the deal, {most} to {least}", style=style)

    def _dealer(self, seat: int) -> str:
        return "dealt by you" if seat == self.info.seat else f"dealt by {self.names[seat]}"


def card(number: int, pad: str = " ") -> Text:
    """Draws one card in its attribute's colour, which its letter also tells."""
    return Text(f"{pad}{CARD_TEXTS[number]}{pad}", style=_STYLES[number // 7] if number < 49 else _MOON_STYLE)


def cards(mask: int) -> Text:
    """Returns the cards of a mask, in deck order."""
    return Text(" ").join([card(card_index) for card_index in cards_of(mask)])


def small_cards(mask: int) -> Text:
    """Returns the cards of a mask in a narrow form."""
    return Text(" ").join([card(card_index, "") for card_index in cards_of(mask)])


def _hand(mask: int, place: int) -> Hand:
    return hand_of_five(mask, place) if place == ELTAM else hand_of_four(mask, place)


def _trump(place: int) -> Text:
    """Returns a place's trump attribute, in its colour."""
    trump = TRUMPS[place]
    return Text(f"{_SIGNS[trump]} ", style="not dim bold").append(f"{ATTRIBUTE_NAMES[trump]:<5}", style="not bold")


def _place_line(view: NagaView, place: int) -> Text:
    fought_for = place == view.place
    line = Text("  ▶ " if fought_for else "    ", style="bold yellow" if fought_for else "")
    line.append(f"{place} {PLACE_NAMES[place]:<8}", style="bold yellow" if fought_for else "not dim")
    line.append_text(_trump(place)).append("  ")
    if not view.table[place]:
        return line.append("·", style="dim")
    return line.append_text(cards(view.table[place]))
