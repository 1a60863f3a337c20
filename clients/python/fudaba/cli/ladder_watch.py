"""`fudaba ladder watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli import _ladder_words as words
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.following import follow
from fudaba.cli.output import as_dict, print_json_line, say

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fudaba.v1 import arena_pb2

__all__ = ["watch"]

_FIRST_CHANGES_COUNT: Final = 20
"""The number of recent changes that a follower sees at first."""


@click.command()
@click.argument("name")
@click.option("--season", type=click.IntRange(min=0), default=0, help="Start with this season.  [default: the newest]")
@click.option("--seen", type=click.IntRange(min=0), default=0, show_default=True,
              help="Skip this many changes of that season, which you have seen.")  # fmt: skip
@click.option("--tail", type=click.IntRange(min=0), default=None, metavar="N",
              help="Start with the last N changes; 0: all.  [default: 20; with --season or --seen all]")  # fmt: skip
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print each message as a line of JSON.")
def watch(name: str, season: int, seen: int, tail: int | None, connection: Connection, as_json: bool) -> None:
    """Follow a ladder: its entries and every closed block, season after season. It reconnects by itself.

    It begins with the latest changes, and runs until you stop it with Ctrl-C.

    \b
    Examples:
      fudaba ladder watch open
      fudaba ladder watch open --tail 0
      fudaba ladder watch open --json --season 1 --seen 120
    """
    from fudaba.v1 import arena_pb2

    last = tail if tail is not None else 0 if season or seen else _FIRST_CHANGES_COUNT
    with connection.client() as client:

        def changes() -> Iterable[arena_pb2.WatchLadderResponse]:
            request = arena_pb2.WatchLadderRequest(ladder=name, season=season, seen=seen, tail=last)
            return client.arena.WatchLadder(request)

        for message in follow(changes, endless=True):
            season, seen, last = message.season, message.seen, 0
            _tell(message, as_json)


def _tell(message: arena_pb2.WatchLadderResponse, as_json: bool) -> None:
    if as_json:
        print_json_line(as_dict(message))
        return
    say(*words.change_lines(message))
