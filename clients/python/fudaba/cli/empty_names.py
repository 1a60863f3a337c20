"""Names that are empty: a shell variable without a value, which must not mean "all", or "my own"."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["NAMING", "refuse_empty_names"]

NAMING: Final = frozenset(
    {
        *("account", "bot", "bots", "challenge_id", "code_or_id", "commitment", "game", "game_id", "games", "ladder"),
        *("master", "match_id", "match_ids", "member", "name", "names", "tag", "tags", "token_id", "version"),
        *("with_bot", "worker"),
    }
)
"""The parameters of commands that name something, or say of what a command is only. Others are free text."""


def refuse_empty_names(*more: str) -> None:
    """Raises a usage error for a name that the command line gives and that is empty: leaving it out is another wish.

    `more` are further parameters of the command that is run to which that applies.
    """
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if name not in NAMING | {*more} or not given:
            continue
        value = context.params.get(name)
        texts = value if isinstance(value, tuple) else (value,)
        if any(isinstance(text, str) and not text.strip() for text in texts):
            shown = parameter.opts[-1] if isinstance(parameter, click.Option) else parameter.make_metavar(context)
            raise click.UsageError(f"{shown} is empty: name what you mean, or leave it out")
