"""`fudaba ladder`: the ladders of a standing arena."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli import _ladder_words as words
from fudaba.cli._tournament_words import progress
from fudaba.cli.announcements import announce, announcements
from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.definition_file import definition_text, mistakes_reported
from fudaba.cli.disqualify import disqualify
from fudaba.cli.extensions import extend, extensions
from fudaba.cli.fair_play import fairplay
from fudaba.cli.frozen_standings import freeze, frozen_lines, open_, shown_standings
from fudaba.cli.ladder_edit import edit
from fudaba.cli.ladder_entries import awaited, change_entry, enter, entries, leave
from fudaba.cli.ladder_watch import watch
from fudaba.cli.moments import ZONED
from fudaba.cli.output import as_dict, print_json, say, say_text
from fudaba.cli.paging import every_page
from fudaba.cli.rated_blocks import rated_on_lines
from fudaba.cli.results import results
from fudaba.pace_words import network_credit_lines
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2
    from fudaba.zoned_time import ZonedTime

__all__ = ["ladder"]

_TIMEOUT_SECONDS: Final = 60.0
_CODES: Final = "Exit codes: 0 done; 1 failed or refused; 2 wrong usage, or mistakes in the ladder file."


@click.group(epilog=_CODES)
def ladder() -> None:
    """Create, enter, steer and follow the ladders of a standing arena.

    Creating and steering need the organiser's token, entering a bot needs its author's; everything else is open to
    everybody. Season 2 of `open` is the tournament `open.2`. `fudaba tournament` and `fudaba arena` show it by this
    name, and the newest season also as `open`.

    \b
    Examples:
      fudaba ladder new open.toml
      fudaba ladder create open.toml
      fudaba ladder enter open alice --token-file alice.token
      fudaba ladder standings open
      fudaba ladder watch open
    """


for command in (edit, results, entries, awaited, enter, leave, extend, extensions, disqualify, watch, fairplay, freeze):
    ladder.add_command(command)
for command in (open_, announce, announcements):
    ladder.add_command(command)


@ladder.command(epilog=_CODES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
def new(file: Path) -> None:
    """Write the FILE of a ladder to start from, with a line about each key. The ladder is named after the file.

    Unchanged, it describes a ladder of Naga that anybody may enter, with two built-in bots.

    \b
    Example:
      fudaba ladder new open.toml
    """
    from fudaba.starting import write_ladder

    write_ladder(file)
    say(str(file))


@ladder.command(epilog=_CODES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@arena_options
@click.option("--check", "validate_only", is_flag=True, help="Only check the file; create nothing.")
@click.option("--paused", is_flag=True, help="Start no block before `fudaba ladder resume`.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(file: Path, connection: Connection, validate_only: bool, paused: bool, as_json: bool) -> None:
    """Create the ladder of FILE and begin its first season. Needs the organiser's token.

    The same command again, with the same file, changes nothing. Standard output gets the ladder's name.

    \b
    Examples:
      fudaba ladder create open.toml
      fudaba ladder create open.toml --check
    """
    from fudaba.v1 import arena_pb2

    text = definition_text(file)
    request = arena_pb2.CreateLadderRequest(definition=text, validate_only=validate_only, paused=paused)
    with connection.client() as client, mistakes_reported(file):
        made = client.arena.CreateLadder(request, timeout=_TIMEOUT_SECONDS).ladder
    if as_json:
        print_json(as_dict(made))
        return
    definition = made.tournament.definition
    if validate_only:
        own = counted(len(definition.entrants), "bot of its own", "bots of its own")
        say(f"{file} is right: {', '.join(game.game for game in definition.games)}; {own}")
        return
    say(made.name)
    say(
        f"{words.state(made)}: season {made.season}",
        f"commitment to the deals: {made.tournament.commitment.hex()}",
        "to enter a bot, and to follow:",
        f"  {connection.command('ladder', 'enter', made.name, 'BOT', to='arena')}",
        f"  {connection.command('ladder', 'watch', made.name, to='arena')}",
        err=True,
    )


@ladder.command("list")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(connection: Connection, as_json: bool) -> None:
    """List the ladders of the arena.

    \b
    Example:
      fudaba ladder list
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.ListLaddersRequest()
    with connection.client() as client:
        found = [
            listed_ladder for page in every_page(client.arena.ListLadders, request) for listed_ladder in page.ladders
        ]
    if as_json:
        print_json([as_dict(listed_ladder) for listed_ladder in found])
        return
    say_text(words.ladders_table(found))


@ladder.command()
@click.argument("name")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(name: str, connection: Connection, as_json: bool) -> None:
    """Show one ladder: its season, who may enter, and its progress.

    \b
    Example:
      fudaba ladder show open
    """
    from fudaba.v1 import arena_pb2

    with connection.client() as client:
        found = client.arena.GetLadder(arena_pb2.GetLadderRequest(ladder=name), timeout=_TIMEOUT_SECONDS).ladder
    if as_json:
        print_json(as_dict(found))
        return
    say(*words.ladder_lines(found))


@ladder.command()
@click.argument("name")
@click.argument("bot", required=False)
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def pause(name: str, bot: str | None, connection: Connection, as_json: bool) -> None:
    """Pause BOT, which then gets no more blocks; without BOT, pause the whole ladder.

    With BOT, needs the token of the bot's author, or the organiser's; without BOT, the organiser's.

    \b
    Examples:
      fudaba ladder pause open alice
      fudaba ladder pause open
    """
    from fudaba.v1 import arena_pb2

    if bot is not None:
        of_entry = arena_pb2.PauseEntryRequest(ladder=name, bot=bot)
        change_entry(
            connection, as_json, lambda client: client.arena.PauseEntry(of_entry, timeout=_TIMEOUT_SECONDS).entry
        )
        return
    request = arena_pb2.PauseLadderRequest(ladder=name)
    _steer(connection, as_json, lambda client: client.arena.PauseLadder(request, timeout=_TIMEOUT_SECONDS).ladder)


@ladder.command()
@click.argument("name")
@click.argument("bot", required=False)
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def resume(name: str, bot: str | None, connection: Connection, as_json: bool) -> None:
    """Resume BOT, which was paused or withdrawn; without BOT, resume the whole ladder.

    With BOT, needs the token of the bot's author, or the organiser's; without BOT, the organiser's.

    \b
    Examples:
      fudaba ladder resume open alice
      fudaba ladder resume open
    """
    from fudaba.v1 import arena_pb2

    if bot is not None:
        of_entry = arena_pb2.ResumeEntryRequest(ladder=name, bot=bot)
        change_entry(
            connection, as_json, lambda client: client.arena.ResumeEntry(of_entry, timeout=_TIMEOUT_SECONDS).entry
        )
        return
    request = arena_pb2.ResumeLadderRequest(ladder=name)
    _steer(connection, as_json, lambda client: client.arena.ResumeLadder(request, timeout=_TIMEOUT_SECONDS).ladder)


@ladder.command()
@click.argument("name")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def close(name: str, connection: Connection, as_json: bool) -> None:
    """End the season: versions are frozen, the final is played, then the season closes. Needs the organiser's token.

    \b
    Example:
      fudaba ladder close open
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.CloseSeasonRequest(ladder=name)
    _steer(connection, as_json, lambda client: client.arena.CloseSeason(request, timeout=_TIMEOUT_SECONDS).ladder)


@ladder.command()
@click.argument("name")
@arena_options
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def delete(name: str, connection: Connection, yes: bool, as_json: bool) -> None:
    """Delete a ladder that has no block that counts yet, and free its name. Needs the organiser's token.

    \b
    Example:
      fudaba ladder delete open --yes
    """
    from fudaba.v1 import arena_pb2

    with connection.client() as client:
        if not yes:  # a ladder that does not exist needs no confirmation
            client.arena.GetLadder(arena_pb2.GetLadderRequest(ladder=name), timeout=_TIMEOUT_SECONDS)
        confirm(f"delete the ladder {name}?", "nothing was deleted", yes=yes)
        client.arena.DeleteLadder(arena_pb2.DeleteLadderRequest(ladder=name), timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json({"deleted": name})
    else:
        say(f"ladder {name} is deleted")


@ladder.command()
@click.argument("name")
@click.option(
    "--begins", type=ZONED, metavar="TIME", help="The earliest time of the season's first block.  [default: now]"
)
@click.option("--ends", type=ZONED, metavar="TIME",
              help="The time at which the season's versions are frozen.  [default: at `fudaba ladder close`]"
              )  # fmt: skip
@click.option("--season", type=click.IntRange(min=1), metavar="NUMBER",
              help="The number of the season to begin, which makes it safe to repeat the command.  [default: the "
              "next]")  # fmt: skip
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def begin(
    name: str,
    begins: ZonedTime | None,
    ends: ZonedTime | None,
    season: int | None,
    connection: Connection,
    as_json: bool,
) -> None:
    """Begin the next season, when the one before is closed. Needs the organiser's token.

    Every entry that has not left takes part. A TIME needs its time zone, or its offset from UTC.

    \b
    Examples:
      fudaba ladder begin open --ends "2027-03-01 18:00 Europe/Berlin"
      fudaba ladder begin open --ends 2027-03-01T00:00:00+01:00
      fudaba ladder begin open --season 2
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.BeginSeasonRequest(ladder=name, season=season or 0)
    if begins is not None:
        request.begin_time.FromMilliseconds(begins.ms)
        request.begin_zone = begins.zone
    if ends is not None:
        request.end_time.FromMilliseconds(ends.ms)
        request.end_zone = ends.zone
    begun = _steer(
        connection, as_json, lambda client: client.arena.BeginSeason(request, timeout=_TIMEOUT_SECONDS).ladder
    )
    say(f"commitment to the deals: {begun.tournament.commitment.hex()}", err=True)


@ladder.command()
@click.argument("name")
@click.option("--game", default="", metavar="GAME", help="Show only this game's standings.  [default: overall]")
@click.option("--live", is_flag=True, help="Show an organiser what frozen standings hide from others.")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON: all standings, or those of one game.")
def standings(name: str, game: str, live: bool, connection: Connection, as_json: bool) -> None:
    """Show the standings of a ladder: the newest season, or another one by its name, as open.1.

    Lines below the table name the versions without a rank, and what each still needs.

    \b
    Examples:
      fudaba ladder standings open
      fudaba ladder standings open.1 --game naga
      fudaba ladder standings open --live
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.GetStandingsRequest(tournament=name, game=game)
    answer = shown_standings(connection, request, live=live)
    with connection.client() as client:
        asked = arena_pb2.GetLadderRequest(ladder=name.partition(".")[0])
        rules = None if as_json else client.arena.GetLadder(asked, timeout=_TIMEOUT_SECONDS).ladder.definition
    if rules is None:
        print_json(as_dict(answer))
        return
    say(*frozen_lines(answer.tournament))
    say_text(words.standings_table(answer.standings[0].rows if answer.standings else ()))
    say(*rated_on_lines(answer.standings))
    say(*words.standings_notes(answer.standings, rules.provisional_blocks, rules.rank_half))
    say(*network_credit_lines(answer.network_credits))


def _steer(connection: Connection, as_json: bool, call: Callable[[Client], arena_pb2.Ladder]) -> arena_pb2.Ladder:
    """Prints the ladder after the call."""
    with connection.client() as client:
        found = call(client)
    if as_json:
        print_json(as_dict(found))
    else:
        say(f"{found.name}, season {found.season}, is {words.state(found)}: {progress(found.tournament)}")
    return found
