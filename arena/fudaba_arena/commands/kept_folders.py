"""`fudaba bot kept`."""

from __future__ import annotations

from typing import Final

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table

__all__ = ["kept"]

_TIMEOUT_SECONDS: Final = 60.0


@click.command(short_help="List or empty the folders that a submitted bot keeps.")
@click.argument("bot")
@click.option("--version", default="", metavar="LABEL", help="The version.  [default: all; with --empty: the newest]"
              )  # fmt: skip
@click.option(
    "--empty", "ladder", default="", metavar="LADDER", help="Empty the folder that the version has in this ladder."
)
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def kept(bot: str, version: str, ladder: str, connection: Connection, as_json: bool) -> None:
    """List the folders that versions of a bot keep from match to match, or empty one.

    A version has a folder in each ladder that allows it, if its bot.toml says memory = "kept". Empty folders are not
    listed. If a folder is emptied during a match, the writes of that match are dropped too.

    Needs the bot's author's token, or the organiser's.

    \b
    Examples:
      fudaba bot kept careful
      fudaba bot kept careful@4 --empty open
    """
    from fudaba.cli.naming import named_version
    from fudaba.v1 import submissions_pb2

    bot, version = named_version(bot, version)
    with connection.client() as client:
        if ladder:
            empty = submissions_pb2.EmptyKeptFolderRequest(bot=bot, version=version, ladder=ladder)
            done = client.arena.EmptyKeptFolder(empty, timeout=_TIMEOUT_SECONDS)
            if as_json:
                print_json(as_dict(done))
            else:
                say("emptied" if done.emptied else "it was empty")
            return
        asked = submissions_pb2.ListKeptFoldersRequest(bot=bot, version=version)
        listed = client.arena.ListKeptFolders(asked, timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(listed))
    elif not listed.folders:
        say(f"{bot} keeps nothing")
    else:
        rows = [
            [folder.ladder, folder.version, f"{folder.size:,}", f"{folder.files:,}", moment(folder.update_time)]
            for folder in listed.folders
        ]
        say_text(table(["ladder", "version", "bytes", "files", "since"], rows, "llrrl"))
