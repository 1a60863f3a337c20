"""`fudaba tournament queue`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli import _tournament_words as words
from fudaba.cli.assign import lookalike_lines
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = ["queue"]

_TIMEOUT_SECONDS: Final = 60.0


@click.command()
@click.argument("name")
@arena_options
@click.option("--size", type=click.IntRange(1, 100), default=20, show_default=True,
              help="Show at most this many of the blocks still to be played.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def queue(name: str, connection: Connection, size: int, as_json: bool) -> None:
    """Show which blocks are in play, since when, which come next, and why; and how the room is shared.

    \b
    Example:
      fudaba tournament queue spring
    """
    from fudaba.v1 import arena_pb2

    with connection.client() as client:
        answer = client.arena.GetQueue(arena_pb2.GetQueueRequest(tournament=name, size=size), timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(answer))
        return
    rows = []
    for queued in answer.blocks:
        played = queued.block.state == arena_pb2.BLOCK_STATE_PLAYING
        again = queued.cause == arena_pb2.QUEUE_CAUSE_REPLACEMENT
        first = f"{queued.chosen_for} has fewest blocks" if queued.chosen_for else "next in the schedule"
        why = f"replaces a void one (attempt {queued.block.attempt + 1})" if again else first
        waits = f"; waits for {' and '.join(queued.waits_for)}" if queued.waits_for else ""
        since = f" since {moment(queued.begin_time)}" if queued.HasField("begin_time") else ""
        rows.append([words.block_name(queued.block), queued.block.game, f"in play{since}" if played else why + waits,
                     str(queued.block.match_count), words.bots_of(queued.block)])  # fmt: skip
    say_text(table(("block", "game", "why", "matches", "bots"), rows, "rllr") or _idle(answer.idle_because))
    if answer.more:
        say(f"and {counted(answer.more, 'block')} more")
    if answer.blocks and answer.idle_because:
        say(answer.idle_because)
    if answer.blocks and answer.shares:
        say_text("\n" + _shares(answer.shares))
        if answer.more_shares:
            say(f"and {counted(answer.more_shares, 'entry', 'entries')} more, of less")
    say(*lookalike_lines(answer.looks_like))


def _shares(shares: Iterable[arena_pb2.EntryShare]) -> str:
    """Returns each entry's share of the room, and its recent use."""
    rows = [
        [
            share.entry,
            str(share.blocks),
            str(share.matches),
            moment(share.since) if share.HasField("since") else "-",
            f"{share.used_seconds:,.0f}",
            f"{share.share:.0%}",
            f"{share.due_share:.0%}" if share.due_share else "-",
            f"owes {share.owed_seconds:,.0f} s, so others come first" if share.waits else "",
        ]
        for share in shares
    ]
    heads = ("entry", "blocks in play", "matches", "since (UTC)", "used, s", "share", "due", "")
    return table(heads, rows, "lrrlrrrl")


def _idle(because: str) -> str:
    """Returns why a queue is empty."""
    return f"nothing is played now: {because}" if because else "nothing is left to play"
