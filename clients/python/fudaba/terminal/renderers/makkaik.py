"""Draws Makkaik in the terminal (rules page `docs/rules/makkaik.md`)."""

from __future__ import annotations

from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.kamikisen import card, row
from fudaba.terminal.renderers.listing import listing
from fudaba_games.kamikisen.dealing import number_of_deals
from fudaba_games.kamikisen.melds import FORM_NAMES
from fudaba_games.makkaik import (
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
    Stay,
    Stayed,
    Swap,
    Swapped,
    best_meld,
)
from fudaba_games.makkaik.turns import ROUNDS_PER_DEAL

__all__ = ["MakkaikRenderer"]

_CARDS_PER_LINE: Final = 10
"""The number of public cards that fit into one line."""
_EXCHANGES: Final = {int(Exchange.NOT_YET): "", int(Exchange.SWAPPED): "swapped", int(Exchange.DREW): "drew"}


@final
class MakkaikRenderer(Renderer):
    """Draws the public cards, the seats that are in with their stakes, this seat's hand and its best combination."""

    def title(self, view: MakkaikView) -> str:
        """See `Renderer`."""
        deals = number_of_deals(int(self.info.options.get("deals", 0)), len(self.names))
        deal = f"deal {view.deal + 1} of {deals}, " if deals > 1 else ""
        if view.phase == Phase.OVER:
            return f"{deal}over"
        return deal + (
            f"round {view.round + 1} of {ROUNDS_PER_DEAL}" if view.phase == Phase.BETTING else "the exchange"
        )

    def table(self, view: MakkaikView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """See `Renderer`."""
        text = Text(no_wrap=True)
        public = row(view.public_cards).split(" ")
        for start in range(0, len(public), _CARDS_PER_LINE):
            text.append("  public " if not start else "         ", style="dim")
            text.append_text(Text(" ").join(public[start : start + _CARDS_PER_LINE])).append("\n")
        base = f", base {view.base}" if view.base else ""
        pot = 0 if view.phase == Phase.OVER else view.pot  # what was paid into the last one stays to be seen
        text.append(f"  pot {pot}{base}\n", style="bold")
        text.append("             score paid\n", style="dim")
        for seat in range(len(view.scores)):
            text.append_text(self._seat_line(view, seat)).append("\n")
        text.append("  hand ", style="bold").append_text(row(view.hand))
        if view.drawn:
            return text.append("  drawn ").append_text(row(view.drawn))
        if view.hand:
            best = best_meld(view.hand, view.public_cards)
            text.append(f"  {FORM_NAMES[best.form]} ", style="dim").append_text(row(best.cards))
        return text

    def more(self, view: MakkaikView, width: int) -> Text:
        """See `Renderer`."""
        return listing([("began as dealer", [Text(self.names[view.opener])])], width)

    def _seat_line(self, view: MakkaikView, seat: int) -> Text:
        turn, out = seat == view.turn, not view.staying >> seat & 1
        line = Text("▶" if turn else "●" if seat == view.dealer else " ", style="bold yellow" if turn else "")
        line.append(f" {self.names[seat]:<11}{view.scores[seat]:>+5}{view.paid[seat]:>5}", style="dim" if out else "")
        if view.shown[seat]:
            return line.append("  ").append_text(row(view.shown[seat]))
        taken = view.taken[seat]  # says that it swapped, too
        did = "folded" if out else "" if taken else _EXCHANGES[view.exchanges[seat]]
        line.append(f"  {did}{' ' * bool(did and taken)}{'took ' * bool(taken)}", style="not bold dim")
        return line.append_text(row(taken))

    def prompt(self, view: MakkaikView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if view.phase == Phase.EXCHANGE:
            return "Swap a card of yours with a public one, or draw two"
        if view.phase == Phase.KEEPING:
            return "Keep one of the drawn cards for one of yours"
        return f"Stay for {view.base}, or fold" if view.base else "You are the dealer: stay and name the base, or fold"

    def move(self, view: MakkaikView, move: MakkaikMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if isinstance(move, Swap):
            text = Text("swap ", style="dim").append_text(card(move.given)).append(" for ", style="dim")
            return text.append_text(card(move.taken))
        if isinstance(move, Keep):
            text = Text("keep ", style="dim").append_text(card(move.kept)).append(" for ", style="dim")
            return text.append_text(card(move.given))
        return Text(self.rules.text.format_move(move), style="bold" if isinstance(move, Stay) else "")

    def event(self, event: MakkaikEvent) -> Text:  # noqa: PLR0911 - one for each kind of event
        """See `Renderer`."""
        if isinstance(event, Stayed):
            return Text(f"{self.does(event.seat, 'stay')} for {event.base}")
        if isinstance(event, Folded):
            return Text(self.does(event.seat, "fold"), style="dim")
        if isinstance(event, BaseNamed):
            return Text(f"{self.does(event.seat, 'name')} the base {event.base}", style="bold")
        if isinstance(event, DealerChanged):
            return Text(f" {self._player(event.dealer)} the dealer now", style="dim")
        if isinstance(event, BettingBegan):
            return Text(f"Everybody pays 1: the pot is {event.pot}", style="bold")
        if isinstance(event, Showdown):
            text = Text()
            for hand in event.hands:
                text.append(f"{' · ' if text.plain else ''}{self.does(hand.seat, 'show')} ").append_text(row(hand.hand))
                text.append(f": {FORM_NAMES[hand.form]} ").append_text(row(hand.cards))
            return text
        return self._deal_ended(event) if isinstance(event, DealEnded) else self._cards(event)

    def _cards(self, event: Dealt | Received | Swapped | Drew | Saw | Kept) -> Text:
        """Returns the text of an event of the deal or the exchange."""
        if isinstance(event, Dealt):
            dealer = "you" if event.dealer == self.info.seat else self.names[event.dealer]
            text = Text(f"Deal {event.deal + 1}, dealt by {dealer}: ", style="bold underline")
            return text.append_text(row(event.public_cards))
        if isinstance(event, Swapped):
            text = Text(f"{self.does(event.seat, 'swap')} ").append_text(card(event.given)).append(" for ")
            return text.append_text(card(event.taken))
        if isinstance(event, Drew):
            return Text(f"{self.does(event.seat, 'draw')} two cards")
        if isinstance(event, Kept):
            return Text(f"{self.does(event.seat, 'put')} down ").append_text(row(event.cards))
        verb = "see" if isinstance(event, Saw) else "get"
        return Text(f"{self.does(event.seat, verb)} ").append_text(row(event.cards))

    def _deal_ended(self, event: DealEnded) -> Text:
        mine = event.scores[self.info.seat]
        style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold yellow"
        if len(event.winners) == 1:
            return Text(f"{self.does(event.winners[0], 'take')} the pot of {event.pot}: you {mine:+d}", style=style)
        return Text(f"{self.together(event.winners)} share the pot of {event.pot}: you {mine:+d}", style=style)

    def _player(self, seat: int) -> str:
        return "You are" if seat == self.info.seat else f"{self.names[seat]} is"
