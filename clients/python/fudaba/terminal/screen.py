"""The screen of `fudaba play`: the table, the history, the legal moves, the clock."""

from __future__ import annotations

from typing import Any, ClassVar, Final, final

from rich.text import Text
from textual import events, on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, OptionList, Static

from fudaba.bot import Result
from fudaba.catalog import rule_page
from fudaba.errors import FudabaError
from fudaba.safe_text import safe_line
from fudaba.terminal import lines
from fudaba.terminal.choices import MAX_SHOWN_MOVES, OfferedMove, typed_move
from fudaba.terminal.choosing import Choosing, Put
from fudaba.terminal.dialogs import Help, Question, leave_question, resign_question
from fudaba.terminal.person_seat import PersonSeat, PutDecision, SeatNews, seat_names
from fudaba.terminal.renderers import Renderer, renderer_of
from fudaba.terminal.widgets import Board, History, MoveLine, Moves
from fudaba_games.game import GameError

__all__ = ["Leaving", "PlayScreen"]

_TICK_SECONDS: Final = 0.2
_HINT: Final = "type to narrow the list, Enter plays the marked move, ? helps"
_MAX_LINE_CHARS: Final = 400
"""The length of a typed line. No move is as long."""


@final
class Leaving:
    """How a person left the table: when the match was `over`, to play `again`, or `left` it unfinished."""

    OVER = "over"
    AGAIN = "again"
    LEFT = "left"


@final
class PlayScreen(App[str]):
    """A match from one seat. `run_async` returns a `Leaving`, or None after an error, which is in `failure`."""

    CSS_PATH = "screen.tcss"
    ENABLE_COMMAND_PALETTE = False
    TITLE = "fudaba"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "leave", "Leave", priority=True),
        Binding("ctrl+q", "leave", "Leave", priority=True, show=False),
        Binding("ctrl+r", "resign", "Resign", priority=True),
        Binding("tab", "turn_page", "More", priority=True, show=False),
        Binding("ctrl+up", "scroll_history(-3)", "Older", priority=True, show=False),
        Binding("ctrl+down", "scroll_history(3)", "Newer", priority=True, show=False),
    ]

    def __init__(self, seat: PersonSeat, *, come_back: str = "", again: bool = False) -> None:
        """`come_back` is the command that returns to the seat; empty if an abandoned match is gone.

        `again` says whether another match can be requested after this one.
        """
        super().__init__()
        self._seat = seat
        self._come_back = come_back
        self._again = again
        self._renderer: Renderer | None = None
        self._names: tuple[str, ...] = ()
        self._view: Any = None
        self._choosing = Choosing()
        self._history: list[Any] = []
        self._trouble = ""
        self._held_ms = (0, 0)
        """The time that was left on the clock when the service was last heard: its outage is not charged."""
        self._shown_clock = Text("")
        self.result: Result | None = None
        """The end of the match, once it has ended."""
        self.failure: FudabaError | None = None
        """The reason why it could not go on, if it could not."""

    @property
    def seat_and_names(self) -> tuple[int, tuple[str, ...]]:
        """The person's seat, and the name of every seat."""
        return self._seat.info.seat, self._names

    # --- what is on the screen

    def compose(self) -> ComposeResult:
        """See textual."""
        with Horizontal(id="top"):
            yield Static(id="title")
            yield Static(id="clock")
        with Horizontal(id="middle"):
            yield Board(id="board")
            yield History(id="history", wrap=True, min_width=10, markup=False)
        with Vertical(id="bottom"):
            yield Static(id="prompt")
            yield MoveLine(id="line", max_length=_MAX_LINE_CHARS, placeholder=_HINT)
            yield Moves(id="moves")
        yield Static(lines.keys(""), id="keys")

    def on_mount(self) -> None:
        """See textual."""
        self.query_one("#history").border_title = "history"
        self.set_interval(_TICK_SECONDS, self._show_clock)
        self._show_prompt()
        self.run_worker(self._follow(), exit_on_error=False)

    def on_resize(self, event: events.Resize) -> None:
        """See textual."""
        self.set_class(event.size.width < 80, "small")
        self.set_class(event.size.width < 60, "narrow")
        self.set_class(event.size.height < 20, "low")
        self.set_class(event.size.width >= 100, "wide")
        self.set_class(event.size.height >= 34, "high")
        self.call_after_refresh(self._redraw)

    def _redraw(self) -> None:
        self._show_title()
        self._show_table()

    @on(History.WidthChanged)
    def _rewrap(self) -> None:
        self._redraw()  # by now everything has its new size
        self._show_history()

    # --- what happens

    async def _follow(self) -> None:
        """Shows the match to its end."""
        try:
            async for news in self._seat.news():
                self._take(news)
        except (FudabaError, GameError) as error:
            self.failure = error if isinstance(error, FudabaError) else FudabaError(str(error))
            self.exit(None)

    def _take(self, news: SeatNews) -> None:
        if news.trouble and not self._trouble and self._choosing.decision is not None:
            self._held_ms = self._choosing.decision.left_ms()
        self._trouble = safe_line(news.trouble)
        if self._renderer is None and self._seat.info.game:
            self._names = seat_names(self._seat.info)
            self._renderer = renderer_of(self._seat.info, self._names)
        if news.kept is not None:
            del self._history[news.kept :]
            self._choosing.forget()
            self._note(Text("The service had to put the match back.", style="bold yellow"))
        for event in news.events:
            self._history.append(event)
        if news.timed_out:
            self._note(Text("Your time ran out: the default move was played.", style="bold yellow"))
        if news.view is not None:
            self._view = news.view
        self._note_asked(news)
        if news.result is not None:
            self.result = news.result
            self._choosing.forget()
        self._show()

    def _note(self, text: Text) -> None:
        self._history.append(text)

    def _note_asked(self, news: SeatNews) -> None:
        self._choosing.forget_closed(news.closed)
        if news.asked is not None:
            self._ask(news.asked)
        elif news.events:
            # A decision that comes with news is shown again, unless there is nothing to decide any more.
            self._choosing.forget()

    def _ask(self, asked: PutDecision) -> None:
        if self._renderer is None:
            return
        put = self._choosing.put(asked, self._view, self._renderer)
        line = self.query_one(MoveLine)
        if put is Put.STILL:
            self._narrow(line.value, self._marked())  # what is typed, marked or sent stays
        elif put is Put.NEW:
            line.value = ""
            self._narrow("")

    # --- showing

    def _show(self) -> None:
        self._show_title()
        self._show_table()
        self._show_history()
        self._show_prompt()
        self._show_clock()

    def _show_title(self) -> None:
        info = self._seat.info
        if self._renderer is None:
            return
        others = [name for number, name in enumerate(self._names) if number != info.seat]
        where = self._renderer.title(self._view) if self._view is not None else ""
        title = self.query_one("#title", Static)
        title.update(lines.title(self._renderer.rules, where, others, title.size.width))

    def _show_table(self) -> None:
        if self._renderer is not None and self._view is not None:
            board = self.query_one(Board)
            width = board.size.width - 2
            board.show(self._renderer.table(self._view, width), self._renderer.more(self._view, width))
            self._show_keys()

    def _show_keys(self) -> None:
        page = self.query_one(Board).place
        keys = lines.keys(page) if self.result is None else lines.keys_at_the_end(page, self._again)
        self.query_one("#keys", Static).update(keys)

    def _show_history(self) -> None:
        log = self.query_one(History)
        if self._renderer is None or not log.size.width:
            return
        log.clear()
        for event in self._history:
            line = event if isinstance(event, Text) else self._renderer.event(event)
            if line.plain:
                log.write(line, scroll_end=True)

    def _show_prompt(self) -> None:
        prompt, line, moves = self.query_one("#prompt", Static), self.query_one(MoveLine), self.query_one(Moves)
        text, style = self._prompt()
        prompt.update(Text(f" {text}", style=style))
        line.display = moves.display = self._choosing.open
        if self._choosing.open and len(self.screen_stack) == 1:
            line.focus()

    def _prompt(self) -> tuple[str, str]:
        if self.result is not None:
            return lines.result(self.result, *self.seat_and_names)
        if self._trouble:
            return f"Trying again. {self._trouble}", "bold red"  # what is typed meanwhile stays
        if self._renderer is None:
            return "Waiting for the others to connect", "dim"
        if self._choosing.sent:
            return f"{self._choosing.sent}: sent", "dim"
        decision = self._choosing.decision
        if decision is None:
            return self._renderer.waiting(self._view) if self._view is not None else "Waiting for the others", "dim"
        prompt = self._renderer.prompt(self._view, len(self._choosing))
        optional = "" if decision.required else " (you need not answer)"
        return f"{prompt}{optional}: {self._choosing.counted(self.query_one(MoveLine).value)}", "bold"

    def _show_clock(self) -> None:
        text = self._clock()
        if text != self._shown_clock:  # it is looked at often, and changes once a second
            self._shown_clock = text
            for place in self.query("#clock").results(Static):  # none any more when the screen is being taken down
                place.update(text)

    def _clock(self) -> Text:
        return lines.clock(self._choosing.decision, self._held_ms if self._trouble else None)

    # --- choosing

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        if not self.query(Moves):  # the last letters may come while the screen is taken down
            return
        self._narrow(event.value)
        self._show_prompt()

    def _narrow(self, typed: str, marked: OfferedMove | None = None) -> None:
        """Lists the fitting moves. The mark goes to the same move as `marked`, or else to the first."""
        choosing = self._choosing
        choosing.narrow(typed)
        default = choosing.decision.legal[0] if choosing.decision is not None and choosing.decision.time_ms else None
        mark = 0
        if marked is not None:
            texts = [choice.text for choice in choosing.fitting[:MAX_SHOWN_MOVES]]
            mark = texts.index(marked.text) if marked.text in texts else 0
        self.query_one(Moves).offer(choosing.fitting, default, mark)

    def _marked(self) -> OfferedMove | None:
        marked, fitting = self.query_one(Moves).highlighted, self._choosing.fitting
        return fitting[marked] if marked is not None and marked < len(fitting) else None

    @on(Input.Submitted)
    def _entered(self) -> None:
        if self.result is not None:
            self.exit(Leaving.OVER)
            return
        marked = self._marked()
        if not self._choosing.open or self._trouble:
            return
        if marked is None:
            self._judge(self.query_one(MoveLine).value)
            return
        self._play(marked)

    @on(OptionList.OptionSelected)
    def _clicked(self, event: OptionList.OptionSelected) -> None:
        fitting = self._choosing.fitting
        if self._choosing.decision is not None and not self._trouble and event.option_index < len(fitting):
            self._play(fitting[event.option_index])

    def _judge(self, typed: str) -> None:
        """Plays the typed text if it is legal although not listed; otherwise says why nothing is played."""
        renderer, view, decision = self._renderer, self._view, self._choosing.decision
        if renderer is None or decision is None:
            return
        choice, why = typed_move(renderer.rules, decision.legal, typed, lambda move: renderer.why_not(view, move))
        if choice is not None:
            self._play(choice)
            return
        self.query_one("#prompt", Static).update(Text(f" No move fits {typed.strip()!r}: {why}", style="bold yellow"))

    def _play(self, choice: OfferedMove) -> None:
        decision = self._choosing.decision
        if decision is None:
            return
        self._choosing.send(choice, decision)
        self._show_prompt()
        self.run_worker(self._answer(decision.id, choice), exit_on_error=False)

    async def _answer(self, decision_id: str, choice: OfferedMove) -> None:
        try:
            await self._seat.answer(decision_id, choice.move)
        except (FudabaError, GameError) as error:
            self._refused(f"{choice.text} was not taken: {error}", decision_id)
            return
        if self._choosing.overtaken(decision_id):
            # What is put now may have been opened by this answer, with the news of that lost on the way.
            self.query_one(MoveLine).value = ""
            self._show()

    def _refused(self, why: str, decision_id: str = "") -> None:
        self._choosing.take_back(decision_id)
        self._note(Text(safe_line(why), style="bold yellow"))
        self._show()

    def action_scroll_history(self, lines: int) -> None:
        """Scrolls the history."""
        self.query_one(History).scroll_relative(y=lines, animate=False)

    def action_turn_page(self) -> None:
        """Shows the next page of the table."""
        self.query_one(Board).turn()
        self._show_keys()

    # --- leaving

    @on(MoveLine.HelpWanted)
    def _help(self) -> None:
        self.push_screen(Help(rule_page(self._seat.info.game) if self._seat.info.game else ""))

    def action_resign(self) -> None:
        """Asks whether to resign."""
        if self.result is not None or len(self.screen_stack) > 1:
            return
        self.push_screen(resign_question(), self._left)

    def action_leave(self) -> None:
        """Asks how to leave. Asked a second time, it leaves. A finished match is left at once."""
        if isinstance(self.screen, Question) and self.screen.again:
            self.screen.dismiss(self.screen.again)
        elif len(self.screen_stack) > 1:
            self.pop_screen()
        elif self.result is not None:
            self.exit(Leaving.OVER)
        else:
            self.push_screen(leave_question(self._come_back), self._left)

    def _left(self, action: str | None) -> None:
        if action == "leave":
            self.exit(Leaving.LEFT)
        elif action == "resign":
            self.run_worker(self._resign(), exit_on_error=False)

    async def _resign(self) -> None:
        try:
            await self._seat.resign()
        except (FudabaError, GameError) as error:
            self._refused(f"You cannot resign: {error}")

    def on_key(self, event: events.Key) -> None:
        """See textual. The input line handles its own keys when it exists."""
        if event.character == "?" and len(self.screen_stack) == 1:
            event.prevent_default().stop()  # else the help would take the key too, and close
            self._help()
            return
        if self.result is None or len(self.screen_stack) > 1:
            return
        if event.key == "n" and self._again:
            self.exit(Leaving.AGAIN)
        elif event.key in {"enter", "q", "escape"}:
            self.exit(Leaving.OVER)

    @on(MoveLine.Marking)
    def _mark(self, event: MoveLine.Marking) -> None:
        moves = self.query_one(Moves)
        if self._choosing.fitting:
            last = min(len(self._choosing.fitting), MAX_SHOWN_MOVES) - 1
            moves.highlighted = max(0, min(last, (moves.highlighted or 0) + event.by))
