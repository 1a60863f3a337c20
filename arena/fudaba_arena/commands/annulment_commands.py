"""`fudaba arena annul`, `undo-annulment` and `annulments`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from fudaba.cli.moments import MOMENT
from fudaba_arena.commands.block_numbers import BLOCK_NUMBERS
from fudaba_arena.commands.options import EXIT_CODES, exit_with, reading_options, telling_errors

if TYPE_CHECKING:
    from fudaba_arena.commands.reading import Reading

__all__ = ["annul", "annulments", "undo_annulment"]


def _asking(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that annulling and undoing share: the reason, a dry run, and the confirmation."""
    reason = click.option(
        "--reason",
        default="",
        metavar="TEXT",
        help="The reason, which everybody can see. Required, except with --dry-run.",
    )
    dry_run = click.option(
        "--dry-run", is_flag=True, help="Show what the annulment would do to each bot, and change nothing."
    )
    yes = click.option("--yes", is_flag=True, help="Skip the confirmation.")
    as_json = click.option("--json", "as_json", is_flag=True, help="Print the effect as JSON.")
    return reason(dry_run(yes(as_json(function))))


@click.command(epilog=EXIT_CODES, short_help="Annul blocks that were played.")
@reading_options
@click.option("--blocks", "--block", "blocks", type=BLOCK_NUMBERS, multiple=True, metavar="NUMBERS",
              help="Annul these blocks, such as 12 or 4-6,9; repeatable.")  # fmt: skip
@click.option("--bot", default="", metavar="NAME", help="Annul this bot's groups in the blocks that it played: in a "
              "season BOT@VERSION, or BOT for all its versions.")  # fmt: skip
@click.option("--pair", nargs=2, default=None, metavar="NAME NAME", help="Annul the groups in which these two bots "
              "met. Each is written as for --bot.")  # fmt: skip
@click.option("--game", default="", metavar="GAME", help="Annul the blocks of this game.")
@click.option("--worker", default="", metavar="NAME",
              help="Annul the blocks of which this worker, or any worker of this machine, played a match.")  # fmt: skip
@click.option("--since", type=MOMENT, metavar="DATE", help="Annul the blocks that ended at this time (UTC) or later: "
              "2026-05-01, 2026-05-01T12:30:00, or with a zone.")  # fmt: skip
@click.option("--until", type=MOMENT, metavar="DATE", help="Annul the blocks that ended before this time (UTC).")
@_asking
@telling_errors
def annul(
    reading: Reading,
    blocks: tuple[tuple[int, ...], ...],
    bot: str,
    pair: tuple[str, str] | None,
    game: str,
    worker: str,
    since: datetime | None,
    until: datetime | None,
    reason: str,
    dry_run: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Annul the blocks that count and match all given options. They are not played again.

    With --bot and --pair, the matches of a block's other groups still count. --pair combines only with --blocks and
    --game. The command shows how many blocks and matches each bot has left, and asks for confirmation. `fudaba arena
    undo-annulment` undoes it.

    Annulled blocks stay listed, with the reason; ratings and standings leave them out. A standing arena applies an
    annulment at once, whether you reach it with --arena, which needs the organiser's token, or through its folder. A
    run in progress applies it when it is next started.

    \b
    Examples:
      fudaba arena annul --blocks 4-6,9 --reason "the network failed"
      fudaba arena annul --tournament open.1 --bot robot --dry-run
      fudaba arena annul --tournament open.1 --pair robot android --game naga --reason "one threw its matches"
      fudaba arena annul spring.toml --bot far-away --until 2026-05-01 --reason "it ran another version"
      fudaba arena annul --tournament open.1 --worker far --since 2026-05-01 --reason "its clock was wrong"
      fudaba arena annul --arena 127.0.0.1:7711 --tournament spring --block 12 --reason "the network failed"
    """
    from fudaba_arena.commands.annulments import AnnulOptions, annul_anywhere
    from fudaba_arena.store.blocks.annulment_effects import BlockChoice

    # An arena of an earlier release does not know pairs, and beside another filter would annul all that fits that. With
    # --blocks or --game it is asked first whether it knows them.
    if pair is not None and (not all(pair) or bot or worker or since or until):
        raise click.UsageError("--pair is two bots, and goes with --blocks and --game only; leave out the others.")
    choice = BlockChoice(tuple(sorted(set().union(*blocks))), bot, since, until, worker, pair, game)
    exit_with(annul_anywhere(reading, choice, reason, AnnulOptions(dry_run, yes, as_json)))


@click.command("undo-annulment", epilog=EXIT_CODES, short_help="Undo an annulment.")
@reading_options
@click.option("--number", type=click.IntRange(1), required=True, metavar="NUMBER",
              help="The annulment's number, as `fudaba arena annulments` lists it.")  # fmt: skip
@_asking
@telling_errors
def undo_annulment(reading: Reading, number: int, reason: str, dry_run: bool, yes: bool, as_json: bool) -> None:
    """Undo an annulment: its blocks count again, unless another annulment covers them too.

    Both stay listed, with their reasons.

    \b
    Examples:
      fudaba arena undo-annulment --number 1 --reason "it was the wrong bot"
      fudaba arena undo-annulment --arena 127.0.0.1:7711 --tournament open.1 --number 2 --dry-run
    """
    from fudaba_arena.commands.annulments import AnnulOptions, undo_anywhere

    exit_with(undo_anywhere(reading, number, reason, AnnulOptions(dry_run, yes, as_json)))


@click.command(epilog=EXIT_CODES, short_help="List annulments.")
@reading_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@telling_errors
def annulments(reading: Reading, as_json: bool) -> None:
    """List the annulments of a tournament and what undid them, oldest first.

    \b
    Examples:
      fudaba arena annulments --tournament open.1
      fudaba arena annulments --arena 127.0.0.1:7711 --tournament spring --json
    """
    from fudaba_arena.commands.annulments import show_annulments

    exit_with(show_annulments(reading, as_json=as_json))
