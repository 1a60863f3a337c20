"""`fudaba tournament`: the tournaments of a standing arena."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import click

from fudaba.cli import _tournament_words as words
from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.definition_file import mistakes_reported, seeded_definition
from fudaba.cli.failures import Failure
from fudaba.cli.following import follow
from fudaba.cli.output import as_dict, moment, print_json, print_json_line, say, say_text, table
from fudaba.cli.paging import every_page
from fudaba.cli.tournament_queue import queue
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import arena_pb2

__all__ = ["tournament"]

_TIMEOUT_SECONDS: Final = 60.0
_CLOSE_TIMEOUT_SECONDS: Final = 3_700.0
_STATES: Final = ("playing", "paused", "stalled", "closed")
_CODES: Final = "Exit codes: 0 done; 1 failed or refused; 2 wrong usage, or mistakes in the tournament file."


class _HasTournament(Protocol):
    @property
    def tournament(self) -> arena_pb2.Tournament: ...


@click.group(epilog=_CODES)
def tournament() -> None:
    """Create, steer and follow the tournaments of a standing arena.

    Creating and steering need the organiser's token; everything else is open to everybody.

    \b
    Examples:
      fudaba tournament create spring.toml
      fudaba tournament watch spring
      fudaba arena standings --arena 127.0.0.1:7711
    """


tournament.add_command(queue)


@tournament.command(epilog=_CODES)
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, exists=True))
@arena_options
@click.option("--check", "validate_only", is_flag=True, help="Only check the file; create nothing.")
@click.option("--dry-run", is_flag=True,
              help="Like --check, but also show how much is played, how long it takes, and who meets whom."
              )  # fmt: skip
@click.option("--paused", is_flag=True, help="Start no block before `fudaba tournament resume`.")
@click.option("--from-ladder", metavar="LADDER",
              help="Enter the best bots of a ladder's newest season that is over, seeded by their ranks. FILE is a"
                   " knockout's, and lists no bots.")  # fmt: skip
@click.option("--top", type=click.IntRange(2), metavar="N", help="How many bots --from-ladder enters.")
@click.option("--season", type=click.IntRange(1), metavar="N", help="Another season than the newest that is over.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(
    file: Path,
    connection: Connection,
    validate_only: bool,
    dry_run: bool,
    paused: bool,
    from_ladder: str | None,
    top: int | None,
    season: int | None,
    as_json: bool,
) -> None:
    """Create the tournament of FILE, which the arena plays from then on. Needs the organiser's token.

    The same command again, with the same file, changes nothing. Standard output gets the tournament's name.

    \b
    Examples:
      fudaba tournament create spring.toml
      fudaba tournament create spring.toml --dry-run
      fudaba tournament create cup.toml --from-ladder open --top 8
    """
    from fudaba.cli.plan import plan_text
    from fudaba.v1 import arena_pb2

    text = seeded_definition(file, from_ladder, top, season)
    request = arena_pb2.CreateTournamentRequest(definition=text, validate_only=validate_only or dry_run, paused=paused)
    with connection.client() as client, mistakes_reported(file):
        answer = client.arena.CreateTournament(request, timeout=_TIMEOUT_SECONDS)
    made = answer.tournament
    if as_json:
        print_json(as_dict(answer.plan if dry_run else made))
    elif request.validate_only:
        entrants = counted(len(made.definition.entrants), "bot")
        say(f"{file} is right: {entrants}, {', '.join(game.game for game in made.definition.games)}")
        if dry_run:
            say_text(plan_text(answer.plan))
    else:
        say(made.name)
        say(
            f"{words.state(made)}: {words.progress(made)}",
            f"commitment to the deals: {made.commitment.hex()}",
            "to follow it:",
            f"  {_command(connection, 'tournament', 'watch', made.name)}",
            f"  {_command(connection, 'arena', 'standings', '--tournament', made.name)}",
            err=True,
        )


def _command(connection: Connection, *words: str) -> str:
    """Returns a shell command for the same arena."""
    return connection.command(*words, to="arena")


@tournament.command("list")
@arena_options
@click.option("--state", type=click.Choice(_STATES), help="List only tournaments in this state.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(connection: Connection, state: str | None, as_json: bool) -> None:
    """List the tournaments of the arena.

    \b
    Example:
      fudaba tournament list --state playing
    """
    from fudaba.v1 import arena_pb2

    number = arena_pb2.TournamentState.Value(f"TOURNAMENT_STATE_{(state or 'unspecified').upper()}")
    request = arena_pb2.ListTournamentsRequest(state=number)
    with connection.client() as client:
        found = [
            listed_tournament
            for page in every_page(client.arena.ListTournaments, request)
            for listed_tournament in page.tournaments
        ]
    if as_json:
        print_json([as_dict(listed_tournament) for listed_tournament in found])
        return
    rows = [
        [
            listed_tournament.name,
            words.state(listed_tournament),
            ", ".join(game.game for game in listed_tournament.definition.games),
            str(len(listed_tournament.definition.entrants)),
            f"{listed_tournament.progress.matches_counted}/{listed_tournament.progress.matches_planned}",
            str(listed_tournament.progress.matches_playing),
        ]
        for listed_tournament in found
    ]
    head = ("tournament", "state", "games", "bots", "matches", "in play")
    say_text(table(head, rows, "lllrrr") or "no tournaments")


@tournament.command()
@click.argument("name")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(name: str, connection: Connection, as_json: bool) -> None:
    """Show one tournament: its games, its bots, and its progress.

    \b
    Example:
      fudaba tournament show spring
    """
    from fudaba.v1 import arena_pb2

    with connection.client() as client:
        request = arena_pb2.GetTournamentRequest(tournament=name)
        found = client.arena.GetTournament(request, timeout=_TIMEOUT_SECONDS).tournament
    if as_json:
        print_json(as_dict(found))
        return
    say(*words.tournament_lines(found))


def _steer(connection: Connection, as_json: bool, call: Callable[[Client], _HasTournament]) -> None:
    with connection.client() as client:
        found = call(client).tournament
    if as_json:
        print_json(as_dict(found))
        return
    say(f"{found.name} is {words.state(found)}: {words.progress(found)}")
    if found.master:
        say(f"the deals are open: master {found.master.hex()}", err=True)


@tournament.command()
@click.argument("name")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def pause(name: str, connection: Connection, as_json: bool) -> None:
    """Pause a tournament. Needs the organiser's token.

    Matches in play get a few seconds to end.

    \b
    Example:
      fudaba tournament pause spring
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.PauseTournamentRequest(tournament=name)
    _steer(connection, as_json, lambda client: client.arena.PauseTournament(request, timeout=_TIMEOUT_SECONDS))


@tournament.command()
@click.argument("name")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def resume(name: str, connection: Connection, as_json: bool) -> None:
    """Resume a tournament that is paused or stalled. Needs the organiser's token.

    In a stalled tournament, parked blocks are tried again, and withdrawn bots play again.

    \b
    Example:
      fudaba tournament resume spring
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.ResumeTournamentRequest(tournament=name)
    _steer(connection, as_json, lambda client: client.arena.ResumeTournament(request, timeout=_TIMEOUT_SECONDS))


def _refuse_ladder(client: Client, name: str) -> None:
    """Refuses a ladder, since a typing error would skip a season's final for good."""
    from fudaba.v1 import arena_pb2

    found = client.arena.GetTournament(
        arena_pb2.GetTournamentRequest(tournament=name), timeout=_TIMEOUT_SECONDS
    ).tournament
    if found.name != name:
        raise Failure(
            f"{name} is a ladder: `fudaba ladder close {name}` ends its season with a final; to end the season without"
            f" one, name it: {found.name}"
        )


@tournament.command()
@click.argument("name")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def close(name: str, connection: Connection, as_json: bool) -> None:
    """End a tournament for good, and open its master. Needs the organiser's token.

    Blocks that are not played by then are left out. A tournament whose blocks are all played ends by itself. `fudaba
    ladder close` ends a ladder's season with a final; to end it without one, name the season, such as open.1.

    \b
    Examples:
      fudaba tournament close spring
      fudaba tournament close open.1
    """
    from fudaba.v1 import arena_pb2

    def closed(client: Client) -> arena_pb2.CloseTournamentResponse:
        _refuse_ladder(client, name)
        return client.arena.CloseTournament(
            arena_pb2.CloseTournamentRequest(tournament=name), timeout=_CLOSE_TIMEOUT_SECONDS
        )

    _steer(connection, as_json, closed)


@tournament.command()
@click.argument("name")
@arena_options
@click.option("--seen", type=click.IntRange(min=0), default=0, show_default=True,
              help="Skip this many changes, which you have seen.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print each message as a line of JSON.")
def watch(name: str, connection: Connection, seen: int, as_json: bool) -> None:
    """Follow a tournament: every closed block, until it is over. It reconnects by itself.

    \b
    Examples:
      fudaba tournament watch spring
      fudaba tournament watch spring --json --seen 120
    """
    from fudaba.v1 import arena_pb2

    with connection.client() as client:

        def changes() -> Iterable[arena_pb2.WatchTournamentResponse]:
            return client.arena.WatchTournament(arena_pb2.WatchTournamentRequest(tournament=name, seen=seen))

        for message in follow(changes):
            seen = message.seen
            _tell(message, as_json)


def _tell(message: arena_pb2.WatchTournamentResponse, as_json: bool) -> None:
    if as_json:
        print_json_line(as_dict(message))
    else:
        say(*(words.change_line(change) for change in message.changes), f"-- {words.state(message.tournament)}, "
            f"{words.progress(message.tournament)}")  # fmt: skip


@tournament.command()
@click.argument("name")
@arena_options
@click.option("--game", default="", metavar="GAME", help="Show only this game's ratings.  [default: overall]")
@click.option("--every", type=click.IntRange(min=0), default=0, metavar="BLOCKS",
              help="Print a row for every BLOCKS blocks and annulments; BLOCKS is rounded up to a power of two.  "
              "[default: the power that gives at most 50 rows]")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def history(name: str, connection: Connection, game: str, every: int, as_json: bool) -> None:
    """Show the history of the ratings, as they were published.

    \b
    Example:
      fudaba tournament history spring --every 16
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.GetRatingHistoryRequest(tournament=name, game=game, every_blocks=every)
    with connection.client() as client:
        answer = client.arena.GetRatingHistory(request, timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(answer))
        return
    last = answer.points[-1].ratings if answer.points else ()
    bots = [rated_bot.bot for rated_bot in last]
    rows = []
    for point in answer.points:
        ratings = {rating.bot: f"{rating.rating:.0f}" for rating in point.ratings}
        rows.append([str(point.blocks), moment(point.time), *(ratings.get(bot, "-") for bot in bots)])
    right = "rl" + "r" * len(bots)
    say_text(table(("blocks", "closed (UTC)", *bots), rows, right) or "no ratings yet")
