"""Draws Tashot in the terminal (rules page `docs/rules/tashot.md`)."""

from __future__ import annotations

from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.kamikisen import card, deal_of, faces, row
from fudaba.terminal.renderers.listing import listing
from fudaba_games.kamikisen.cards import CARD_TEXTS, cards_of
from fudaba_games.kamikisen.melds import FORM_NAMES
from fudaba_games.tashot import (
    Call,
    DealEnded,
    Dealt,
    Discard,
    Discarded,
    Four,
    Opened,
    Phase,
    Received,
    TashotEvent,
    TashotMove,
    TashotView,
    TurnBegan,
    Won,
)
from fudaba_games.tashot.shapes import mask_of_card, without_card
from fudaba_games.tashot.text import meld_text, points_in, reasons
from fudaba_games.tashot.values import NO_CARD, NOBODY, WIN

__all__ = ["TashotRenderer"]

_MAX_SEATS_WITH_DISCARDS: Final = 5
"""The number of seats above which the discards have no room below the hand."""


@final
class TashotRenderer(Renderer):
    """Draws the lights and the takable card, the open melds, this seat's hand, and each seat's discards."""

    def title(self, view: TashotView) -> str:
        """See `Renderer`."""
        deal = deal_of(self, view.deal)
        if view.phase == Phase.OVER:
            return f"{deal}over"
        return f"{deal}{self.does(view.dealer, 'deal')} ×{view.multiplier}{', round 1' if view.unfinished else ''}"

    def table(self, view: TashotView, width: int) -> Text:
        """See `Renderer`."""
        text = Text(no_wrap=True).append(f"  stock {view.stock}", style="dim")
        if view.lights:
            text.append("  light ", style="dim")
            text.append_text(Text(" ").join([card(light) for light in view.lights]))
        if view.offered != NO_CARD:
            text.append("  offered ", style="bold").append_text(card(view.offered))
        text.append("\n             score cards open\n", style="dim")
        melds = {meld.seat: meld for meld in view.melds}
        for seat in range(len(view.scores)):
            text.append_text(self._seat_line(view, seat))
            if seat in melds:
                text.append("  ").append_text(row(melds[seat].cards)).append(
                    _as(melds[seat].cards, melds[seat].strength)
                )
            text.append("\n")
        if view.won_with:
            text.append(f"  {self.names[view.winner]} won ", style="bold").append_text(row(view.won_with)).append("\n")
        text.append_text(_hand(view))
        if len(view.scores) > _MAX_SEATS_WITH_DISCARDS:
            return text
        discards = self._discards(view, width)
        return text.append("\n" if discards.plain else "").append_text(discards)

    def more(self, view: TashotView, width: int) -> Text:
        """Draws the payments of this deal for calls and sets of four; also the discards, if there is no room above."""
        paid = [Text(f"{self.names[seat]} {paid:+d}") for seat, paid in enumerate(view.paid) if paid]
        text = self._discards(view, width) if len(view.scores) > _MAX_SEATS_WITH_DISCARDS else Text(no_wrap=True)
        rest = listing([("this deal", paid)], width)
        return text.append("\n" if text.plain and rest.plain else "").append_text(rest)

    def _discards(self, view: TashotView, width: int) -> Text:
        """Draws each seat's discards that nobody has taken."""
        return listing([(self.names[seat], _gone(cards)) for seat, cards in enumerate(view.discards)], width)

    def _seat_line(self, view: TashotView, seat: int) -> Text:
        turn = seat == view.turn
        line = Text("▶ " if turn else "  ", style="bold yellow" if turn else "")
        return line.append(f"{self.names[seat]:<11}{view.scores[seat]:>+5}{view.hand_sizes[seat]:>6}")

    def prompt(self, view: TashotView, legal_count: int) -> str:
        """See `Renderer`."""
        if view.phase == Phase.OVER:
            return "The match is over"
        wins = not self.why_not(view, WIN)
        if view.phase == Phase.WINDOW:
            ways = [*["win with"] * wins, *["call"] * (legal_count > 1 + wins)]
            return f"{' or '.join(ways).capitalize()} {CARD_TEXTS[view.offered]}, or decline"
        fours = legal_count > len(set(cards_of(view.hand))) + wins
        ways = ["Discard a card", *["lay a set of four open"] * fours, *["win"] * wins]
        return " or ".join([", ".join(ways[:-1]), ways[-1]]) if len(ways) > 1 else ways[0]

    def waiting(self, view: TashotView) -> str:
        """See `Renderer`."""
        return self.pause() if view.phase == Phase.WINDOW else super().waiting(view)

    def move(self, view: TashotView, move: TashotMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if isinstance(move, Discard):
            return Text("discard ", style="dim").append_text(card(move.card))
        if isinstance(move, Four):
            return Text("four ", style="bold").append_text(row(move.cards))
        if isinstance(move, Call):
            return Text("call ", style="bold").append_text(row(move.cards)).append(_as(move.cards, move.strength))
        kind = self.rules.text.move_kind(move)
        return Text(kind, style="bold green" if kind == "win" else "dim")

    def event(self, event: TashotEvent) -> Text:
        """See `Renderer`."""
        if isinstance(event, TurnBegan):  # this seat's card comes with an event of its own
            return Text("" if event.seat == self.info.seat else self.does(event.seat, "draw"), style="dim")
        if isinstance(event, Discarded):
            return Text(f"{self.does(event.seat, 'discard')} ").append_text(card(event.card))
        if isinstance(event, Received):
            verb = "draw" if event.cards.bit_count() == 1 else "get"  # in a turn, or in the deal
            return Text(f"{self.does(event.seat, verb)} ").append_text(row(event.cards))
        if isinstance(event, Opened):
            verb = "lay" if event.source == NOBODY else "call"
            text = Text(f"{self.does(event.seat, verb)} ", style="bold").append_text(row(event.cards))
            return text.append(_as(event.cards, event.strength)).append(f", a {FORM_NAMES[event.form]}", style="dim")
        if isinstance(event, Dealt):
            dealer = "you" if event.dealer == self.info.seat else self.names[event.dealer]
            text = Text(f"Deal {event.deal + 1}, dealt by {dealer} (×{event.multiplier})", style="bold underline")
            return text if event.light == NO_CARD else text.append(", light ").append_text(card(event.light))
        return self._won(event) if isinstance(event, Won) else self._deal_ended(event)

    def _won(self, event: Won) -> Text:
        points = points_in(event)
        whose = "your" if event.source == self.info.seat else f"{self.names[event.source]}'s"
        means = "by drawing" if event.source == NOBODY else f"on {whose} card"
        text = Text(f" {self.does(event.seat, 'win')} {means}: ", style="bold").append_text(row(event.cards))
        if event.light != NO_CARD:
            text.append(" light ", style="dim").append_text(card(event.light))
        more = f": {', '.join(reasons(points))}" if reasons(points) else ""
        bonus = f" and a bonus of {points.bonus}" if points.bonus else ""
        return text.append(f" worth {points.finish}{bonus}{more}")

    def _deal_ended(self, event: DealEnded) -> Text:
        mine = event.scores[self.info.seat]
        style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold yellow"
        subject = "Nobody wins" if event.winner == NOBODY else self.does(event.winner, "win")
        return Text(f"{subject} the deal: you {mine:+d}", style=style)


def _gone(cards: int) -> list[Text]:
    """Returns discarded cards, dimmer than playable ones."""
    shown = faces(cards)
    for face in shown:
        face.stylize("not bold dim")
    return shown


def _hand(view: TashotView) -> Text:
    """Returns this seat's hand, with the card just drawn apart."""
    if not view.hand:
        return Text("")
    if view.drawn == NO_CARD:
        return Text("  hand  ", style="bold").append_text(row(view.hand))
    rest = Text("  hand  ", style="bold").append_text(row(without_card(view.hand, view.drawn)))
    return rest.append("  + ").append_text(row(mask_of_card(view.drawn)))


def _as(cards: int, strength: int) -> str:
    """Returns the strength of a meld, if a ship leaves it open."""
    _, found, reading = meld_text(cards, strength).partition(" as ")
    return found + reading
