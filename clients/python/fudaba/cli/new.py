"""`fudaba bot new`."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from fudaba.cli.output import print_json, say, say_text
from fudaba.preparing import build_here, fetch
from fudaba.starting import languages, write_project

__all__ = ["new"]


@click.command(short_help="Write a working bot to start from.")
@click.argument("name")
@click.option("--lang", "language", type=click.Choice(list(languages())), default="python", show_default=True,
              help="The language to write the bot in.")  # fmt: skip
@click.option("--folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR",
              help="The folder to write; it must be new or empty.  [default: the bot's name]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def new(name: str, language: str, folder: Path | None, as_json: bool) -> None:
    """Write the project of a new bot NAME: the bot, a test, a bot.toml, a README, and the code that connects it.

    Unchanged, the bot plays every game, and beats random play in Naga.

    \b
    Examples:
      fudaba bot new careful
      fudaba bot new careful --lang go --folder bots/careful
    """
    target = folder or Path(name)
    written = write_project(language, name, target)
    if as_json:
        files = [str(path) for path in written]
        print_json({"folder": str(target), "language": language, "files": files, "next": _next(language)})
        return
    say(*(str(target / path) for path in written if path.parts[0] != "fudaba"))
    if any(path.parts[0] == "fudaba" for path in written):
        say(f"{target / 'fudaba'}/")
    commands = [f"cd {shlex.quote(str(target))}", *_next(language)]
    say_text("\n".join(["", "What comes next, README.md says more:", *(f"  {command}" for command in commands)]))


def _next(language: str) -> list[str]:
    """Returns the next commands in the bot's folder, up to its first match here and its passed check."""
    preparation = fetch(language)
    prepares = [preparation.command] if preparation is not None else []
    builds = [command for command in (build_here(language),) if command]
    own = [shlex.join(command) for command in (*prepares, *builds)]
    return [*own, "fudaba match local naga --bot . --bot random --deals 1", "fudaba bot check ."]
