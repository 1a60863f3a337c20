"""`fudaba ladder disqualify`: an entry is taken out of a ladder with all its results, or that is undone."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.failures import Failure
from fudaba.cli.output import as_dict, print_json, say, say_text, table
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2

__all__ = ["disqualify"]

_TIMEOUT_SECONDS: Final = 120.0


@click.command()
@click.argument("name")
@click.argument("bot")
@click.option("--reason", default="", metavar="TEXT", help="The reason, which organisers and the bot's author see. "
              "Required, except with --dry-run.")  # fmt: skip
@click.option("--undo", is_flag=True, help="Undo the disqualification: everything is as it was before.")
@click.option("--dry-run", is_flag=True, help="Show what would change for whom, and change nothing.")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print the effect as JSON.")
def disqualify(
    name: str, bot: str, reason: str, undo: bool, dry_run: bool, yes: bool, connection: Connection, as_json: bool
) -> None:
    """Disqualify BOT in a ladder's newest season, open or closed. Needs the organiser's token.

    It is not paired any more, and what all its versions played is taken back, also what is still in play. Of a match
    of two that is all of it; of a match of more seats, the others' results against each other stand. The standings
    show the bot as disqualified, later seasons begin with it disqualified, and its author is shown the reason.

    The command shows the ranks and ratings that change, and asks for confirmation.

    \b
    Examples:
      fudaba ladder disqualify open robot --dry-run
      fudaba ladder disqualify open robot --reason "a copy of android"
      fudaba ladder disqualify open robot --undo --reason "it was the other way round"
    """
    if not reason.strip() and not dry_run:
        raise Failure("say why with --reason; organisers and the bot's author see it")
    with connection.client() as client:
        call = partial(_reinstate if undo else _disqualify, client, name, bot, reason)
        seen = call(preview=True)
        if not (as_json and (yes or dry_run)):
            say_text("\n".join(_effect_lines(seen.effect, bot, undo=undo)), err=as_json)
        if not dry_run:
            confirm(
                f"{'reinstate' if undo else 'disqualify'} {bot} in season {seen.season} of {name}?",
                "nothing changed",
                yes=yes,
            )
            seen = call(preview=False)
    if as_json:
        print_json({"dry_run": dry_run, **as_dict(seen)})
    elif not dry_run:
        say(f"{bot} is {'reinstated' if undo else 'disqualified'} in season {seen.season} of {name}", err=True)


def _disqualify(
    client: Client, name: str, bot: str, reason: str, *, preview: bool
) -> arena_pb2.DisqualifyEntryResponse:
    from fudaba.v1 import arena_pb2

    request = arena_pb2.DisqualifyEntryRequest(ladder=name, bot=bot, reason=reason, validate_only=preview)
    return client.arena.DisqualifyEntry(request, timeout=_TIMEOUT_SECONDS)


def _reinstate(client: Client, name: str, bot: str, reason: str, *, preview: bool) -> arena_pb2.ReinstateEntryResponse:
    from fudaba.v1 import arena_pb2

    request = arena_pb2.ReinstateEntryRequest(ladder=name, bot=bot, reason=reason, validate_only=preview)
    return client.arena.ReinstateEntry(request, timeout=_TIMEOUT_SECONDS)


def _effect_lines(effect: arena_pb2.DisqualificationEffect, bot: str, *, undo: bool) -> list[str]:
    """Returns what changes for whom, in lines."""
    own = [of_bot for of_bot in effect.results.bots if of_bot.bot.partition("@")[0] == bot]
    before, after = (sum(getattr(of_bot, f"blocks_{when}") for of_bot in own) for when in ("before", "after"))
    results, verb = effect.results, "count again" if undo else "are taken back"
    rows = [
        [
            row.bot,
            str(row.rank_before) if row.HasField("rank_before") else "-",
            str(row.rank_after) if row.HasField("rank_after") else "-",
            f"{row.rating_before:.0f}" if row.HasField("rating_before") else "-",
            f"{row.rating_after:.0f}" if row.HasField("rating_after") else "-",
        ]
        for row in effect.standings
    ]
    count = f"blocks that count: {results.blocks_before}, then {results.blocks_after}"
    return [
        f"{counted(abs(before - after), 'block')} of {bot} {verb}; {count}",
        *([f"{counted(effect.open_blocks, 'block')} of it not over yet"] if effect.open_blocks else []),
        table(("version", "rank", "then", "rating", "then"), rows, "lrrrr") or "no rank or rating changes",
    ]
