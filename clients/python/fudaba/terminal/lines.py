"""The lines around the table: the title, the result, the clock, the keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text

from fudaba.bot import Result
from fudaba.terminal.person_seat import PutDecision, ending
from fudaba_games.registry import AnyGame

__all__ = ["clock", "keys", "keys_at_the_end", "result", "title"]

_HURRY_MS: Final = 10_000


def title(rules: AnyGame, where: str, others: Sequence[str], width: int) -> Text:
    """Returns the game, the progress (`where`) and the opponents, as far as the width allows."""
    long = Text(f" {rules.name} {rules.japanese_name}  ", style="bold").append(where, style="not bold")
    short = Text(f" {rules.name}  ", style="bold").append(where, style="not bold")
    forms = [long.copy().append(f"  against {', '.join(others)}", style="not bold dim"), long, short]
    return next((form for form in forms if form.cell_len <= width), short)


def result(found: Result, seat: int, names: tuple[str, ...]) -> tuple[str, str]:
    """Returns how the match ended for a seat, with the line's style."""
    score = found.scores[seat] if found.scores is not None else 0
    return ending(found, seat, names), "bold green" if score > 0 else "bold red" if score < 0 else "bold yellow"


def clock(asked: PutDecision | None, held_ms: tuple[int, int] | None) -> Text:
    """Returns the time left for the decision; `held_ms` is its value while it is held."""
    if asked is None:
        return Text("")
    if not asked.time_ms:
        return Text(" no clock ", style="dim")
    move, bank = held_ms if held_ms is not None else asked.left_ms()
    style = "bold red" if move + bank < _HURRY_MS else "bold yellow" if move < _HURRY_MS else "bold"
    return Text(f" ⏱ {_minutes(move)} + {_minutes(bank)} bank ", style=style)


def keys(page: str) -> str:
    """Returns the line about the keys; `page` is the next page, empty if there is none."""
    more = f"   [b]Tab[/] more ({page})" if page else ""
    return f" [b]Enter[/] play{more}   [b]?[/] help and rules   [b]^R[/] resign   [b]^C[/] leave"


def keys_at_the_end(page: str, again: bool) -> str:
    """Returns the same line for a finished match."""
    more = f"   [b]Tab[/] more ({page})" if page else ""
    anew = "   [b]N[/] plays again" if again else ""
    return f" [b]Enter[/] leaves{anew}{more}   [b]?[/] help and rules"


def _minutes(milliseconds: int) -> str:
    seconds = (milliseconds + 999) // 1000
    return f"{seconds // 60}:{seconds % 60:02}"
