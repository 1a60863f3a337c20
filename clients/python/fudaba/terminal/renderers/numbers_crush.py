"""Draws Numbers Crush in the terminal (rules page `docs/rules/numbers_crush.md`)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.listing import listing, words
from fudaba_games.numbers_crush import (
    CARD_TEXTS,
    DealEnded,
    Dealt,
    NumbersCrushEvent,
    NumbersCrushMove,
    NumbersCrushView,
    Phase,
    cards_of,
)
from fudaba_games.numbers_crush.cards import JOKERS, SUIT_MASKS
from fudaba_games.numbers_crush.text import HOW, base_text, coming_text, limits_text
from fudaba_games.numbers_crush.values import Victory
from fudaba_games.wording import counted

__all__ = ["NumbersCrushRenderer"]

_CARDS_PER_LINE: Final = 18
"""The number of cards of a suit that fit into one line beside its letter."""
_MAKER: Final = re.compile(r",? by seat \d+")
_SUITS: Final = (("♣", ""), ("♦", "red"), ("♥", "red"), ("♠", ""))
_PROMPTS: Final = {
    Phase.DRAW: "Draw a card, or skip",
    Phase.SET: "Set cards, or pass",
    Phase.GIVE: "Give {left} more, or decline",
    Phase.MUST_DISCARD: "Discard {left} more",
    Phase.MAY_DISCARD: "Discard {left} more, or decline",
    Phase.EXTRA: "Set again, or decline",
    Phase.RESET: "Set anything, or decline",
    Phase.PENALTY: "Set penalty cards, or decline",
    Phase.ZERO_OUT: "Your hand makes the base: declare it?",
    Phase.COUNTER: "You can counter the zero-out",
}


@final
class NumbersCrushRenderer(Renderer):
    """Draws the base and the limits in force, the numbers of cards, and this seat's hand by suit."""

    def title(self, view: NumbersCrushView) -> str:
        """See `Renderer`."""
        deals = int(self.info.options.get("deals", 1))
        deal = f"deal {view.deal + 1} of {deals}, " if deals > 1 else ""
        return deal + ("over" if view.phase == Phase.OVER else f"turn {view.turns}, {view.stock} in stock")

    def table(self, view: NumbersCrushView, width: int) -> Text:
        """See `Renderer`."""
        text = Text(no_wrap=True)
        text.append("  base ", style="dim").append(base_text(view), style="bold")
        text.append("   ↺ anticlockwise\n" if view.reversed else "   ↻ clockwise\n", style="dim")
        limits = self._limits(view, width - 2)
        text.append(f"  {limits or 'no limits'}"[:width] + "\n", style="yellow" if limits else "dim")
        text.append("             score cards\n", style="dim")
        for seat in range(len(view.hand_sizes)):
            text.append_text(self._seat_line(view, seat, width)).append("\n")
        for suit, (letter, style) in enumerate(_SUITS):
            text.append_text(_suit_line(letter, style, view.hand & SUIT_MASKS[suit]))
            text.append("\n" if suit < 3 else "")
        jokers = [CARD_TEXTS[card] for card in cards_of(view.hand & JOKERS)]
        return text.append("  " + " ".join(jokers) if jokers else "", style="magenta")

    def more(self, view: NumbersCrushView, width: int) -> Text:
        """Returns the cards under the base, the last penalty cards, all known cards of hands, and the order of
        turns.
        """
        known = [
            (f"{self.names[seat]} has", _cards(cards_of(view.known[seat] | view.known_alone[seat])))
            for seat in range(len(view.hand_sizes))
            if seat != self.info.seat
        ]
        known.append(("all know", _cards(cards_of(view.known[self.info.seat]))))
        coming = [self.spoken(phrase) for phrase in coming_text(view)]
        if view.penalty_left:
            coming.append(counted(view.penalty_left, "penalty card"))
        parts = [
            ("to come", words("; ".join(coming))),
            ("penalty", _cards(view.penalty_cards)),
            ("under base", _cards(cards_of(view.pile))),
        ]
        parts.append(("dealer", [Text(self.names[view.dealer])]))
        return listing([*known, *parts], width)

    def _limits(self, view: NumbersCrushView, width: int) -> str:
        """Returns the limits in force and the penalty cards. A limit's maker is left out if there is no room."""
        limits = "; ".join(limits_text(view)).replace("penalty ", "draw ")
        if view.phase == Phase.PENALTY:
            limits = f"drawn {' '.join([CARD_TEXTS[card] for card in view.penalty_cards])}; {limits}"
        named = self.spoken(limits)
        return named if len(named) <= width else _MAKER.sub("", limits)

    def _seat_line(self, view: NumbersCrushView, seat: int, width: int) -> Text:
        turn = seat == view.turn
        line = Text("▶ " if turn else "  ", style="bold yellow" if turn else "")
        line.append(f"{self.names[seat]:<11}{view.scores[seat]:>+5}{view.hand_sizes[seat]:>6}  ")
        if seat == view.zero_out:
            return line.append("zero-out", style="bold red")
        known = [CARD_TEXTS[card] for card in cards_of(view.known[seat] | view.known_alone[seat])]
        if seat == self.info.seat or not known:
            return line
        room = max(0, (width - len(line.plain)) // 3)
        shown = " ".join(known if len(known) <= room else [*known[: room - 1], "…"])
        return line.append(shown, style="not bold dim")

    def waiting(self, view: NumbersCrushView) -> str:
        """See `Renderer`."""
        return self.pause() if view.phase in {Phase.ZERO_OUT, Phase.COUNTER} else super().waiting(view)

    def prompt(self, view: NumbersCrushView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        return _PROMPTS.get(Phase(view.phase), "The match is over").format(left=view.cards_left)

    def move(self, view: NumbersCrushView, move: NumbersCrushMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        kind, _, rest = self.rules.text.format_move(move).partition(" ")
        return Text(kind, style="dim" if rest else "").append(f" {rest}" if rest else "", style="not dim bold")

    def event(self, event: NumbersCrushEvent) -> Text:
        """See `Renderer`."""
        if isinstance(event, Dealt):
            dealer = "you" if event.dealer == self.info.seat else self.names[event.dealer]
            return Text(f"Deal {event.deal + 1}, dealt by {dealer}", style="bold underline")
        if isinstance(event, DealEnded):
            mine = event.scores[self.info.seat]
            winners = [seat for seat in range(len(event.scores)) if event.winners >> seat & 1]
            subject = self.does(winners[0], "win") if len(winners) == 1 else f"{self.together(winners)} win"
            style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold"
            return Text(f"{subject} {HOW[Victory(event.victory)]}: you {mine:+d}", style=style)
        return Text(self.spoken(self.rules.text.describe_event(event)))


def _cards(cards: Iterable[int]) -> list[Text]:
    return [Text(CARD_TEXTS[card]) for card in cards]


def _suit_line(letter: str, style: str, cards: int) -> Text:
    """Returns the numbers of a suit in hand."""
    ranks = [CARD_TEXTS[card][0] for card in cards_of(cards)]
    return Text(f"  {letter} ", style=style or "dim").append(" ".join(ranks[:_CARDS_PER_LINE]), style=style or "bold")
