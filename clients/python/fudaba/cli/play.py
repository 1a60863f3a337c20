"""`fudaba play`."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING, Final, final

import click

from fudaba.cli._seat_options import is_house
from fudaba.cli.connection import Connection, connection_options, game_options, on_command_line
from fudaba.cli.failures import Failure
from fudaba.cli.output import say
from fudaba_games.registry import GAMES, game
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.terminal.screen import PlayScreen

CLOCK: Final = "move=60s,bank=300s,timeouts=3,illegal=0,start=120s"
WAITED_FOR: Final = frozenset({"open", "invite"})


@click.command()
@click.argument("game_id", metavar="[GAME]", required=False)
@connection_options
@click.option("--against", metavar="WHOM,...",
              help="The opponents. In process, built-in bots: sensible, random, first, search-flat or search-tree, "
              "the last two optionally with a budget (search-tree:500, in tries, or search-tree:0.5s). On a service: "
              "house-sensible, house-random, house-first, open, invite, or a bot:NAME that `fudaba bot casual` lists. "
              "The last one named takes all remaining seats.  [default: sensible, on a service house-sensible]"
              )  # fmt: skip
@click.option("--seats", type=click.IntRange(2, 10), help="The number of seats.  [default: the fewest]")
@click.option("--my-seat", "seat", type=click.IntRange(0, 9), default=0, show_default=True, help="Your seat.")
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeatable.")
@click.option("--seed", type=int, help="In process: a seed that repeats the same deals.")
@click.option("--clock", "clock_text", metavar="NAME=VALUE,...",
              help=f"On a service: as in `fudaba match create`.  [default: {CLOCK}]")  # fmt: skip
@click.option("--join", "code_or_id", metavar="CODE|ID", help="Take a seat in another player's match on a service.")
@click.option("--match", "match_id", metavar="ID", help="Return to your seat in a match on a service.")
def play(
    game_id: str | None,
    connection: Connection,
    against: str | None,
    seats: int | None,
    seat: int,
    pairs: tuple[str, ...],
    seed: int | None,
    clock_text: str | None,
    code_or_id: str | None,
    match_id: str | None,
) -> None:
    """Play GAME yourself, in the terminal.

    Without --server you play in this process, against built-in bots and without a clock; FUDABA_SERVER alone does not
    switch to a service. With --server (and --join, --match, or open or invited seats) you play on a service, where you
    need a bot's token: the organiser makes one with `fudaba bot create YOURNAME`. A lost connection is reopened, and
    the match goes on where it was.

    \b
    Examples:
      fudaba play naga
      fudaba play naga --against random --option deals=3
      fudaba play naga --server play.example.org:7710 --tls
      fudaba play naga --server play.example.org:7710 --tls --against invite
      fudaba play --server play.example.org:7710 --tls --join 7K3F-Q9ZD-M2XH
    """
    whom = [opponent.strip() for opponent in (against or "").split(",") if opponent.strip()]
    found = code_or_id or match_id
    online = bool(on_command_line("server") or found or any(map(_only_on_service, whom)))
    if found:
        _only_that(code_or_id, match_id, game_id)
    elif game_id is None:
        raise click.UsageError(f"name the game: {', '.join(GAMES)}")
    if seed is not None and online:
        raise click.UsageError("--seed is for play in process; on a service no player may know the deals")
    if clock_text is not None and not online:
        raise click.UsageError("--clock is for play on a service; in process no clock runs")
    wish = _Wish(game_id or "", whom, seats, seat, pairs, online=online) if not found else None
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        raise Failure("`fudaba play` needs a terminal; programs play with `fudaba bot run`")
    if wish is not None and not online:
        _play_here(wish, seed)
    else:
        _play_on_service(connection, wish, code_or_id, match_id, clock_text or CLOCK)


@final
class _Wish:
    """The match that a person wants to play. Raises a usage error, or `GameError`, if it cannot be played."""

    def __init__(
        self, game_id: str, whom: list[str], seats: int | None, seat: int, pairs: tuple[str, ...], *, online: bool
    ) -> None:
        self.game = game(game_id).id
        self.others = _others(game_id, whom, seats, online=online)
        """The bots in the other seats, in their order."""
        self.options = game_options(game_id, pairs)
        self.seat = seat
        if seat > len(self.others):
            raise click.UsageError(f"--my-seat {seat}: the seats are 0 to {len(self.others)}")


def _play_here(wish: _Wish, seed: int | None) -> None:
    """Plays in process, repeatedly as long as the person wants."""
    from fudaba.local_play.plan import deal_seed
    from fudaba.terminal.local import LocalSeat
    from fudaba.terminal.screen import Leaving, PlayScreen

    while True:
        seat = LocalSeat(wish.game, wish.options, wish.others, wish.seat, deal_seed(seed, 0))
        screen = PlayScreen(seat, again=True)
        screen.run()
        if _report(screen) != Leaving.AGAIN:
            return
        seed = None  # the same deals once more would be no other match


def _play_on_service(
    connection: Connection, wish: _Wish | None, code_or_id: str | None, match_id: str | None, clock_text: str
) -> None:
    """Creates or joins a match, or returns to the person's seat, and plays it."""
    from fudaba.cli import _lobby as lobby
    from fudaba.terminal.screen import PlayScreen

    with connection.client() as client:
        if wish is not None:
            match_id = lobby.create(client, connection, wish.game, wish.options, wish.others, wish.seat, clock_text)
        elif code_or_id is not None:
            match_id = lobby.joined(client, code_or_id)
        found = str(match_id)
        come_back = connection.command("play", "--match", found, own=True)
        get_record = connection.command("record", "get", found, own=True)
        lobby.await_seats(client, found, mine=wish is not None, come_back=come_back, get_record=get_record)

    async def run() -> PlayScreen:
        from fudaba.client import AsyncClient
        from fudaba.terminal.remote import RemoteSeat

        client = AsyncClient(connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert)
        seat = RemoteSeat(client, found)
        screen = PlayScreen(seat, come_back=come_back)
        try:
            await screen.run_async()
        finally:
            await seat.close()
        return screen

    _report(asyncio.run(run()), come_back, get_record)


def _only_that(code_or_id: str | None, match_id: str | None, game_id: str | None) -> None:
    """Refuses options that make no sense in a match that somebody else created."""
    if code_or_id and match_id:
        raise click.UsageError("--join and --match are both given; give one")
    given = [f"--{name}" for name in on_command_line("against", "seats", "seat", "clock_text", "pairs", "seed")]
    spellings = {"--seat": "--my-seat", "--clock_text": "--clock", "--pairs": "--option"}
    too_much = [
        *([f"GAME ({game_id})"] if game_id else []),
        *(spellings.get(option_name, option_name) for option_name in given),
    ]
    if too_much:
        option = "--join" if code_or_id else "--match"
        raise click.UsageError(f"{option} takes a seat in an existing match: leave out {', '.join(too_much)}")


def _only_on_service(name: str) -> bool:
    """Returns whether an opponent exists only on a service: a house bot, somebody's bot, or somebody who joins."""
    return name in WAITED_FOR or is_house(name) or name.startswith("bot:")


def _others(game_id: str, whom: list[str], seats: int | None, *, online: bool) -> list[str]:
    """Returns the players of the other seats, in order. Raises a usage error."""
    from fudaba.bots import STRATEGIES, built_in

    chosen = game(game_id)
    house = "house-" if online else ""
    names = whom or [house + ("sensible" if game_id in STRATEGIES else "random")]
    count = (seats or max(chosen.min_seats, 1 + len(names))) - 1
    chosen.check_seats(count + 1)
    if len(names) > count:
        raise click.UsageError(f"--against names {counted(len(names), 'opponent')} for {counted(count, 'other seat')}")
    for name in names:
        if not online:
            built_in(name)
        elif not _only_on_service(name):
            raise click.UsageError(
                f"--against {name}: on a service it is house-sensible, house-random, house-first, open, invite or "
                "bot:NAME"
            )
    if house + "sensible" in names and game_id not in STRATEGIES:
        raise click.UsageError(f"no sensible bot plays {game_id}; there are {house}random and {house}first")
    return names + [names[-1]] * (count - len(names))


def _report(screen: PlayScreen, come_back: str = "", get_record: str = "") -> str | None:
    """Prints what happened. Returns how the person left. Raises the error that ended the match.

    The commands that return to the seat and fetch the record are empty for a match in process.
    """
    from fudaba.terminal.person_seat import ending
    from fudaba.terminal.screen import Leaving

    if screen.failure is not None:
        raise screen.failure
    if screen.result is not None:
        say(ending(screen.result, *screen.seat_and_names))
        if get_record and screen.return_value == Leaving.OVER:
            say(f"the record: {get_record}")
    elif come_back:
        say("the match goes on without you; come back with:", come_back)
    return screen.return_value
