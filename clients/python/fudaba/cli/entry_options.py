"""The options of the two commands that enter a bot in a ladder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

__all__ = ["entry_options"]


def entry_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds `--version`, `--game`, `--anyway` and `--submission`. The command gets them as the fields of `EntryWish`."""
    version = click.option("--version", default="", metavar="LABEL",
                           help="The version to enter.  [default: the bot's newest]")  # fmt: skip
    games = click.option("--game", "games", multiple=True, metavar="GAME",
                         help="A game that the bot plays; repeatable.")  # fmt: skip
    anyway = click.option("--anyway", is_flag=True,
                          help="Enter it even if its check took longer for a decision than the clock gives."
                          )  # fmt: skip
    submission = click.option("--submission", default="", metavar="ID",
                              help="Enter what this submission becomes, as soon as its check has passed."
                              )  # fmt: skip
    return version(games(anyway(submission(function))))
