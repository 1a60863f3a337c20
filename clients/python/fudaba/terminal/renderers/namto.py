"""Draws Namto in the terminal (rules page `docs/rules/namto.md`)."""

from __future__ import annotations

from typing import final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.kamikisen import card, row
from fudaba.terminal.renderers.listing import listing
from fudaba_games.kamikisen.cards import joined
from fudaba_games.namto import (
    RANK_NAMES,
    Bet,
    BetMade,
    Called,
    DealEnded,
    DealerChanged,
    Dealt,
    Folded,
    NamtoEvent,
    NamtoMove,
    NamtoView,
    Opened,
    Phase,
    Received,
    Showdown,
    best_melds,
)
from fudaba_games.namto.turns import number_of_deals

__all__ = ["NamtoRenderer"]


@final
class NamtoRenderer(Renderer):
    """Draws the shared cards, the seats that are in with their stakes, this seat's hand and its best combination."""

    def title(self, view: NamtoView) -> str:
        """See `Renderer`."""
        deals = number_of_deals(int(self.info.options.get("deals", 0)), len(self.names))
        deal = f"deal {view.deal + 1} of at most {deals}, " if deals > 1 else ""
        if view.phase == Phase.OVER:
            return f"{deal}over"
        return f"{deal}round {view.round + 1} of {view.rounds}"

    def table(self, view: NamtoView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """See `Renderer`."""
        text = Text(no_wrap=True)
        text.append("  shared ", style="dim")
        text.append_text(Text(" ").join([card(number) for number in view.shared]) if view.shared else Text("none yet"))
        text.append(f"\n  pot {view.pot}\n", style="bold")
        text.append("             stack paid  bet\n", style="dim")
        for seat in range(len(view.scores)):
            text.append_text(self._seat_line(view, seat)).append("\n")
        text.append("\n  hand ", style="bold").append_text(row(view.hand))
        if view.hand:
            best = best_melds(joined(view.hand, view.shared_cards))[0]
            text.append(f"\n  {RANK_NAMES[best.rank]} ", style="dim").append_text(row(best.cards))
        return text

    def more(self, view: NamtoView, width: int) -> Text:
        """See `Renderer`."""
        return listing([("began as dealer", [Text(self.names[view.opener])])], width)

    def _seat_line(self, view: NamtoView, seat: int) -> Text:
        turn, out = seat == view.turn, not view.staying >> seat & 1
        line = Text("▶" if turn else "●" if seat == view.dealer else " ", style="bold yellow" if turn else "")
        numbers = f"{view.stacks[seat]:>5}{view.paid[seat]:>5}{view.bets[seat]:>5}"
        line.append(f" {self.names[seat]:<11}{numbers}  ", style="dim" if out else "")
        if out:
            return line.append("folded" if view.playing >> seat & 1 else "sits out", style="not bold dim")
        return line.append_text(row(view.shown[seat]))

    def prompt(self, view: NamtoView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if view.phase == Phase.CALLING:
            return f"The highest bet is {view.min_bet}: call it, or fold"
        return f"Bet {view.min_bet} to {view.max_bet}, or fold"

    def move(self, view: NamtoView, move: NamtoMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        return Text(self.rules.text.format_move(move), style="bold" if isinstance(move, Bet) else "")

    def event(self, event: NamtoEvent) -> Text:  # noqa: PLR0911 - one for each kind of event
        """See `Renderer`."""
        if isinstance(event, BetMade):
            return Text(f"{self.does(event.seat, 'bet')} {event.points}")
        if isinstance(event, Called):
            return Text(f"{self.does(event.seat, 'call')} with {event.points}")
        if isinstance(event, Folded):
            return Text(self.does(event.seat, "fold"), style="dim")
        if isinstance(event, DealerChanged):
            subject = "You are" if event.dealer == self.info.seat else f"{self.names[event.dealer]} is"
            return Text(f" {subject} the dealer now", style="dim")
        if isinstance(event, Opened):
            return Text("A shared card: ", style="bold").append_text(card(event.card))
        if isinstance(event, Received):
            return Text(f"{self.does(event.seat, 'get')} ").append_text(row(event.cards))
        if isinstance(event, Dealt):
            dealer = "you" if event.dealer == self.info.seat else self.names[event.dealer]
            return Text(f"Deal {event.deal + 1}, dealt by {dealer}: the pot is {event.pot}", style="bold underline")
        return self._showdown(event) if isinstance(event, Showdown) else self._deal_ended(event)

    def _showdown(self, event: Showdown) -> Text:
        text = Text()
        for hand in event.hands:
            text.append(f"{' · ' if text.plain else ''}{self.does(hand.seat, 'show')} ").append_text(row(hand.hand))
            text.append(f": {RANK_NAMES[hand.rank]} ").append_text(row(hand.cards))
        return text

    def _deal_ended(self, event: DealEnded) -> Text:
        mine = event.scores[self.info.seat]
        style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold yellow"
        if len(event.winners) == 1:
            return Text(f"{self.does(event.winners[0], 'take')} the pot of {event.pot}: you {mine:+d}", style=style)
        return Text(f"{self.together(event.winners)} share the pot of {event.pot}: you {mine:+d}", style=style)
