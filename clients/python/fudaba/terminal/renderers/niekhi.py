"""Draws Niekhi in the terminal (rules page `docs/rules/niekhi.md`)."""

from __future__ import annotations

from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.listing import listing, words
from fudaba_games.kamikisen.cards import STRENGTH_COUNT, STRENGTH_LETTERS, STRENGTH_NAMES
from fudaba_games.kamikisen.dealing import number_of_deals
from fudaba_games.niekhi import (
    Cleared,
    DealEnded,
    Dealt,
    Declined,
    Laid,
    Lay,
    Named,
    NiekhiEvent,
    NiekhiMove,
    NiekhiView,
    Passed,
    Phase,
    Received,
    Took,
    count_of,
    describe_meld,
    laid_text,
    text_of,
    text_of_strengths,
)
from fudaba_games.niekhi.turns import MAX_TURNS

__all__ = ["NiekhiRenderer"]

_HEAD_COLUMNS: Final = 23
"""The width of a seat's line before the cards that it is known to hold."""


@final
class NiekhiRenderer(Renderer):
    """Draws the newest meld, the numbers of cards, and by strength the hand, the pile and the removed cards."""

    def title(self, view: NiekhiView) -> str:
        """See `Renderer`."""
        deals = number_of_deals(int(self.info.options.get("deals", 0)), len(self.names))
        deal = f"deal {view.deal + 1} of {deals}, " if deals > 1 else ""
        if view.phase == Phase.OVER:
            return f"{deal}over"
        return f"{deal}turn {min(view.turns + 1, MAX_TURNS)} of at most {MAX_TURNS}"

    def table(self, view: NiekhiView, width: int) -> Text:
        """See `Renderer`."""
        text = Text(no_wrap=True)
        newest = view.table[-1] if view.table else None
        text.append(f"  {self._newest(newest) if newest else 'the table is empty'}\n", style="bold")
        text.append("              score cards\n", style="dim")
        for seat in range(len(view.hand_sizes)):
            text.append_text(self._seat_line(view, seat, width)).append("\n")
        text.append(f"\n        {' '.join(STRENGTH_LETTERS)}\n", style="dim")
        text.append("  hand  ", style="bold").append_text(_counts(view.hand, "bold")).append("\n")
        text.append("  pile  ").append_text(_counts(view.pile)).append("\n")
        return text.append("  out   ").append_text(_removed(view))

    def more(self, view: NiekhiView, width: int) -> Text:
        """Draws all melds on the table, the named strengths, and the known cards of each seat."""
        melds = [(f"{self.names[laid.seat]} laid", words(laid_text(laid))) for laid in view.table]
        known = [(f"{self.names[seat]} has", words(text_of(cards))) for seat, cards in enumerate(view.known)]
        dealer = ("dealer", [Text(self.names[view.dealer])])
        return listing([*melds, *known, ("named", words(text_of_strengths(view.named))), dealer], width)

    def prompt(self, view: NiekhiView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if view.phase == Phase.GENERALS:
            return f"Your generals: name {view.generals}, take {view.generals} from the pile, or decline"
        return "Lay a meld, or pass" if view.table else "Lead with any meld"

    def move(self, view: NiekhiView, move: NiekhiMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        kind, _, rest = self.rules.text.format_move(move).partition(" ")
        return Text(f"{kind} ", style="dim").append(rest, style="bold" if isinstance(move, Lay) else "")

    def event(self, event: NiekhiEvent) -> Text:  # noqa: PLR0911 - one for each kind of event
        """See `Renderer`."""
        if isinstance(event, Laid):
            return Text(f"{self.does(event.seat, 'lay')} ").append(laid_text(event), style="bold")
        if isinstance(event, Passed):
            return Text("You pass" if event.seat == self.info.seat else f"{self.names[event.seat]} passes", style="dim")
        if isinstance(event, Cleared):
            return Text(f" {self.does(event.leader, 'lead')}", style="green" if event.leader == self.info.seat else "")
        if isinstance(event, Declined):
            does = "You do" if event.seat == self.info.seat else f"{self.names[event.seat]} does"
            return Text(f"{does} nothing with the generals", style="dim")
        if isinstance(event, Took):
            return Text(f"{self.does(event.seat, 'take')} {text_of(event.cards)} from the pile")
        if isinstance(event, Received):
            return Text(f"{self.does(event.seat, 'get')} {text_of(event.cards)}")
        return self._rare(event)

    def _rare(self, event: Named | Dealt | DealEnded) -> Text:
        """Returns the text of a rare event."""
        if isinstance(event, Dealt):
            return Text(f"Deal {event.deal + 1}, dealt by {self.names[event.dealer]}", style="bold underline")
        if isinstance(event, Named):
            lost = [f"{self.names[seat]} -{number}" for seat, number in enumerate(event.lost) if number]
            text = Text(f"{self.does(event.seat, 'name')} ").append(text_of_strengths(event.strengths), style="bold")
            return text.append(f": {', '.join(lost) or 'nobody loses a card'}")
        mine = event.scores[self.info.seat]
        style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold yellow"
        if len(event.winners) == 1:
            return Text(f"{self.does(event.winners[0], 'win')} the deal: you {mine:+d}", style=style)
        return Text(f"{self.together(event.winners)} share the deal: you {mine:+d}", style=style)

    def _newest(self, laid: Laid) -> str:
        """Returns the meld to beat, its strength by its letter in the hand, and its owner."""
        meld, strength = laid.meld, STRENGTH_LETTERS[laid.strength]
        description = describe_meld(meld)
        if meld.length == 1:
            description = f"{description.removesuffix(STRENGTH_NAMES[laid.strength]).rstrip(', ')}, strength {strength}"
        return f"{description}: {self.names[laid.seat]}"

    def _seat_line(self, view: NiekhiView, seat: int, width: int) -> Text:
        turn = seat == view.turn
        line = Text("▶" if turn else " ", style="bold yellow" if turn else "")
        line.append(f" {self.names[seat]:<12}{view.scores[seat]:>+4}  {view.hand_sizes[seat]:>3}  ")
        known = text_of(view.known[seat])
        if known:
            room = width - _HEAD_COLUMNS - len(" has ")
            line.append(f" has {known if len(known) <= room else known[: room - 1] + '…'}", style="dim")
        return line


def _counts(cards: int, style: str = "") -> Text:
    """Returns the number of cards of each strength."""
    text = Text()
    for strength in range(STRENGTH_COUNT):
        count = count_of(cards, strength)
        text.append(str(count) if count else "·", style=style if count else "dim").append(" ")
    return text


def _removed(view: NiekhiView) -> Text:
    """Draws the removed cards. A named strength without any cards has a mark."""
    text = Text()
    for strength in range(STRENGTH_COUNT):
        count = count_of(view.removed, strength)
        text.append(str(count) if count else "×" if view.named >> strength & 1 else "·", style="" if count else "dim")
        text.append(" ")
    return text
