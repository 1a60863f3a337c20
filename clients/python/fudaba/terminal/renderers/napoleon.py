"""Draws Napoleon in the terminal (rules page `docs/rules/napoleon.md`)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, final

from rich.text import Text

from fudaba.terminal.renderers.base import Renderer
from fudaba.terminal.renderers.listing import listing
from fudaba_games.napoleon import (
    CALL_TEXTS,
    CARD_TEXTS,
    SUIT_NAMES,
    Approve,
    Bid,
    Buried,
    Bury,
    Called,
    DealEnded,
    Dealt,
    Named,
    NapoleonEvent,
    NapoleonMove,
    NapoleonView,
    Phase,
    Played,
    Received,
    Revealed,
    Stood,
    ThrownIn,
    TrickTaken,
    cards_of,
)
from fudaba_games.wording import counted

__all__ = ["NapoleonRenderer"]

_STYLES: Final = (
    "bold #ffffff on #2e6b3a",  # clubs
    "bold #ffffff on #2a62a6",  # diamonds
    "bold #ffffff on #b23a2a",  # hearts
    "bold #ffffff on #4a4c58",  # spades
)
_TRICKS_COUNT: Final = 10
_SEATS_COUNT: Final = 5


@final
class NapoleonRenderer(Renderer):
    """Draws the bids and the sides, the present trick and the one before, and this seat's hand."""

    def title(self, view: NapoleonView) -> str:
        """See `Renderer`."""
        deals = int(self.info.options.get("deals", 1))
        deal = f"deal {view.deal + 1} of {deals}, " if deals > 1 else ""
        where = {
            Phase.AUCTION: "auction",
            Phase.EXCHANGE: "widow",
            Phase.NAMING: "naming",
            Phase.TRICKS: f"trick {len(view.winners) + 1} of {_TRICKS_COUNT}",
            Phase.OVER: "over",
        }
        return deal + where[Phase(view.phase)]

    def table(self, view: NapoleonView, width: int) -> Text:  # noqa: ARG002 - it is narrow
        """See `Renderer`."""
        text = Text(no_wrap=True).append_text(self._contract(view)).append("\n")
        if view.buried:
            text.append("  buried ", style="dim").append_text(row(cards_of(view.buried)))
        text.append("\n")
        text.append("             score  honours\n", style="dim")
        for seat in range(_SEATS_COUNT):
            text.append_text(self._seat_line(view, seat)).append("\n")
        text.append("\n").append_text(self._last_trick(view))
        return text.append("\n  hand\n  ", style="bold").append_text(row(cards_of(view.hand)))

    def more(self, view: NapoleonView, width: int) -> Text:
        """Returns the auction, and all complete tricks."""
        calls = [
            Text(f"{self.names[(view.dealer + 1 + index) % _SEATS_COUNT]} {CALL_TEXTS[call]}{',' * (index < last)}")
            for last in [len(view.calls) - 1]
            for index, call in enumerate(view.calls)
        ]
        again = [Text(f"{counted(view.thrown_in, 'time')}")] if view.thrown_in else []
        dealer = [Text(self.names[view.dealer])]
        text = listing([("dealer", dealer), ("thrown in", again), ("auction", calls)], width)
        if view.winners:
            text.append("\n    the tricks as played  taken by", style="dim")
        for number, winner in enumerate(view.winners):
            text.append(f"\n {number + 1:>2} ", style="dim")
            text.append_text(row(view.tricks[_SEATS_COUNT * number : _SEATS_COUNT * (number + 1)]))
            text.append(f"         {self.names[winner]}", style="not bold dim")
        return text

    def prompt(self, view: NapoleonView, legal_count: int) -> str:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        return {
            Phase.AUCTION: "Approve, or bid",
            Phase.EXCHANGE: "Bury two cards",
            Phase.NAMING: "Name the adjutant's card",
        }.get(Phase(view.phase), "Lead a card" if not view.trick else "Play a card")

    def move(self, view: NapoleonView, move: NapoleonMove) -> Text:  # noqa: ARG002 - see `Renderer`
        """See `Renderer`."""
        if isinstance(move, Approve):
            return Text("approve")
        if isinstance(move, Bid):
            meant = f"  {move.number} {SUIT_NAMES[move.suit]}"
            return Text(self.rules.text.format_move(move)).append(meant, style="dim")
        kind = self.rules.text.move_kind(move)
        held = cards_of(move.cards) if isinstance(move, Bury) else [move.card]
        return Text(f"{kind} ", style="dim").append_text(row(held, " "))

    def event(self, event: NapoleonEvent) -> Text:
        """See `Renderer`."""
        if isinstance(event, Played):
            return Text(f"{self.does(event.seat, 'play')} ").append_text(card(event.card))
        if isinstance(event, TrickTaken):
            style = "green" if event.winner == self.info.seat else ""
            return Text(f" {self.does(event.winner, 'take')} ", style=style).append_text(row(event.cards))
        if isinstance(event, Called):
            if not event.call:
                return Text(self.does(event.seat, "approve"), style="dim")
            return Text(f"{self.does(event.seat, 'bid')} {CALL_TEXTS[event.call]}")
        if isinstance(event, Received):
            return Text(f"{self.does(event.seat, 'get')} ").append_text(row(cards_of(event.cards)))
        return self._rare(event)

    def _rare(  # noqa: PLR0911 - one for each kind of event
        self, event: Dealt | ThrownIn | Stood | Buried | Named | Revealed | DealEnded
    ) -> Text:
        """Returns the text of an event that happens once in a deal."""
        if isinstance(event, Dealt):
            again = ", again" if event.thrown_in else ""
            return Text(f"Deal {event.deal + 1}, dealt by {self.names[event.dealer]}{again}", style="bold underline")
        if isinstance(event, ThrownIn):
            return Text("Nobody has bid: thrown in", style="yellow")
        if isinstance(event, Stood):
            subject = "You are" if event.seat == self.info.seat else f"{self.names[event.seat]} is"
            return Text(f"{subject} Napoleon: {event.number} {SUIT_NAMES[event.trump]}", style="bold")
        if isinstance(event, Buried):
            if event.seat == self.info.seat:
                return Text("You take the widow and bury two cards")
            return Text(f"{self.names[event.seat]} takes the widow and buries two cards")
        if isinstance(event, Named):
            return Text(f"{self.does(event.seat, 'name')} ").append_text(card(event.card))
        if isinstance(event, Revealed):
            subject = "You" if event.adjutant == self.info.seat else self.names[event.adjutant]
            return Text(f"{subject} had the named card", style="bold")  # it may be Napoleon, who has no adjutant then
        return self._deal_ended(event)

    def _deal_ended(self, event: DealEnded) -> Text:
        side = tuple(dict.fromkeys((event.napoleon, event.adjutant)))
        ending = "s" if len(side) == 1 and side[0] != self.info.seat else ""
        verdict = ("win" if event.won else "took too much and lose" if event.swept else "lose") + ending
        subject = self.together(side) if len(side) > 1 or ending else "You"
        mine = event.scores[self.info.seat]
        style = "bold green" if mine > 0 else "bold red" if mine < 0 else "bold yellow"
        text = Text(f"{subject} {verdict} with {event.honours} honours: you {mine:+d}", style=style)
        return text.append("\n buried ", style="not bold").append_text(row(cards_of(event.buried)))

    def _contract(self, view: NapoleonView) -> Text:
        """Returns the highest bid, and the known sides."""
        if not view.number:
            return Text("  nobody has bid", style="dim")
        bid = f"{view.number} {SUIT_NAMES[view.trump]}"
        text = Text(f" {bid}", style="bold")
        if view.napoleon >= 0:
            text.append(f" by {self.names[view.napoleon]}", style="not bold")
        if view.named >= 0:
            text.append(", named ", style="not bold").append_text(card(view.named))
        return text

    def _seat_line(self, view: NapoleonView, seat: int) -> Text:
        turn = seat == view.turn
        line = Text("▶ " if turn else "  ", style="bold yellow" if turn else "")
        line.append(f"{self.names[seat]:<13}{view.scores[seat]:>+4}  {view.honours[seat]:>3}    ")
        if view.phase == Phase.AUCTION:
            spoken = [call for index, call in enumerate(view.calls) if (view.dealer + 1 + index) % _SEATS_COUNT == seat]
            return line.append(CALL_TEXTS[spoken[-1]] if spoken else "", style="not bold")
        index = (seat - view.leader) % _SEATS_COUNT
        if view.leader >= 0 and index < len(view.trick):
            line.append_text(card(view.trick[index]))
        else:
            line.append("  ")
        role = "Napoleon" if seat == view.napoleon else "adjutant" if seat == view.adjutant else ""
        return line.append(f" {role}", style="not bold dim")

    def _last_trick(self, view: NapoleonView) -> Text:
        """Returns the complete trick before this one; an empty line if there is none."""
        if not view.winners:
            return Text("\n")
        last = Text("  last trick ", style="dim").append_text(row(view.tricks[-_SEATS_COUNT:]))
        return last.append(f"\n  taken by {self.names[view.winners[-1]]}", style="dim")


def card(number: int, pad: str = "") -> Text:
    """Draws one card in its suit's colour, which its letter also tells."""
    return Text(f"{pad}{CARD_TEXTS[number]}{pad}", style=_STYLES[number // 13])


def row(numbers: Iterable[int], pad: str = "") -> Text:
    """Returns the cards in the order given."""
    return Text(" ").join([card(number, pad) for number in numbers])
