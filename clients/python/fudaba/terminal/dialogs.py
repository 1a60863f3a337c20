"""The dialogs over the table: help, and questions."""

from __future__ import annotations

from typing import ClassVar, Final, final

from rich.markdown import Markdown
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

__all__ = ["Help", "Question", "leave_question", "resign_question"]

_KEYS: Final = (
    ("letters", "narrow the list of moves: any words of a move"),
    ("↑ ↓ PgUp PgDn", "go through the list"),
    ("Enter", "plays the marked move"),
    ("Esc", "empties the line"),
    ("Tab", "more about the cards, where the table has no room for it"),
    ("Ctrl-↑ Ctrl-↓", "scroll the history"),
    ("Ctrl-R", "resign"),
    ("Ctrl-C", "leave: resign, or only go away; twice: go away at once"),
    ("?", "this page; ↑ ↓ scroll, Esc closes it"),
    ("mouse", "a click marks a move, a second click plays it"),
    ("▶", "at the table: whose turn it is"),
    ("●", "who is the dealer, where that matters and another one has the turn"),
)


@final
class Help(ModalScreen[None]):
    """Shows the keys, and the rule page of the game."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter,ctrl+c", "app.pop_screen", "Close"),
    ]

    def __init__(self, rules: str) -> None:
        super().__init__()
        self._rules = rules

    def compose(self) -> ComposeResult:
        """See textual."""
        with VerticalScroll(id="help"):
            keys = Text()
            for key, meaning in _KEYS:
                keys.append(f"{key:>15}  ", style="bold").append(f"{meaning}\n")
            yield Static(keys, id="help-keys")
            yield Static(Markdown(self._rules), id="help-rules")


@final
class Question(ModalScreen[str]):
    """A question with one-key answers. Its result is the key's word; Escape gives the empty word."""

    def __init__(self, question: str, answers: dict[str, tuple[str, str]], again: str = "") -> None:
        """`answers` has for each key the result's word and its meaning; `again` is the word for Ctrl-C."""
        super().__init__()
        self.again = again
        self._question = question
        self._answers = answers

    def compose(self) -> ComposeResult:
        """See textual."""
        with Vertical(id="question"):
            yield Static(self._question, classes="asked")
            for key, (_, text) in self._answers.items():
                yield Static(Text.assemble((f" {key.upper()} ", "bold reverse"), f" {text}"))  # it is not markup
            yield Static("[b reverse] Esc [/] go on playing")

    def on_key(self, event: object) -> None:
        """See textual."""
        key = str(getattr(event, "key", ""))
        if key in self._answers:
            self.dismiss(self._answers[key][0])
        elif key == "escape":
            self.dismiss("")


def resign_question() -> Question:
    """Returns the question whether to resign, with the result `resign`."""
    return Question("Give the match up? It counts as lost.", {"y": ("resign", "resign")})


def leave_question(come_back: str) -> Question:
    """Returns the question how to leave: by `resign` or by `leave`. `come_back` is as in the screen."""
    away = f"go away; the clock runs on. Come back with: {come_back}" if come_back else (
        "go away; the match is gone then")  # fmt: skip
    answers = {"r": ("resign", "resign: the match counts as lost"), "l": ("leave", f"or Ctrl-C again: {away}")}
    return Question("Leave the table?", answers, again="leave")
