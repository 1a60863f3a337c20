"""Refuses empty names, from shell variables without a value: they must not mean "all" or "my own"."""

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
"""The parameters that name something or select a part. Others are free text."""


def refuse_empty_names(*more: str) -> None:
    """Raises a usage error for an empty name on the command line, since omitting the name means something else.

    `more` are further such parameters of the command.
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
