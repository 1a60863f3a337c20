"""`fudaba match create`, and how a match is shown."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.clock import UNITS, bounded_milliseconds, milliseconds, parse_clock
from fudaba.cli.connection import Connection, connection_options, game_options
from fudaba.cli.failures import INTERRUPTED_STATUS
from fudaba.cli.output import as_dict, moment, print_json, say
from fudaba.errors import ServiceError

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import matches_pb2

__all__ = ["create", "match_lines"]

_TIMEOUT_SECONDS: Final = 30
_WAIT_MS: Final = 20_000
_MAX_JOIN_MS: Final = 604_800_000
"""A week: the contract's limit of `join_ms`."""
_MAX_SHOW_DELAY_MS: Final = 3_600_000


@click.command()
@click.argument("game")
@click.argument("bots", nargs=-1, metavar="[BOT BOT...]")
@connection_options
@click.option("--seat", "seats", multiple=True, metavar="WHO",
              help="Instead of BOTs: the occupant of the next seat: me, bot:NAME, house-NAME, invite or open; "
              "repeatable."
              )  # fmt: skip
@click.option(
    "--join-within", metavar="TIME", help="How long seats may stay free, such as 10m; at most 168h.  [default: 60m]"
)
@click.option("--option", "pairs", multiple=True, metavar="NAME=VALUE", help="An option of the game; repeatable.")
@click.option("--clock", "clock_text", metavar="NAME=VALUE,...",
              help="move, increment, bank, start: times such as 500ms, 10s, 1m; timeouts, illegal: counts, 0 for never."
              "  [default: move=10s,bank=60s,timeouts=3,illegal=10]")  # fmt: skip
@click.option("--id", "match_id", default="", help="The match's id; the same command can then be repeated safely.")
@click.option("--label", default="", help="Free text.")
@click.option(
    "--seed", default="", metavar="HEX", help="The seed of the deals, 64 hexadecimal digits.  [default: random]"
)
@click.option("--hidden", is_flag=True, help="Hide views and the record until `fudaba match release`.")
@click.option(
    "--show-delay", metavar="TIME", help="With --hidden: show the match this much later than it is played, at most 1h."
)
@click.option("--wait", is_flag=True, help="Wait until the match is over, and print the result.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(
    game: str,
    bots: tuple[str, ...],
    connection: Connection,
    seats: tuple[str, ...],
    join_within: str | None,
    pairs: tuple[str, ...],
    clock_text: str | None,
    match_id: str,
    label: str,
    seed: str,
    hidden: bool,
    show_delay: str | None,
    wait: bool,
    as_json: bool,
) -> None:
    """Create a match of GAME between BOTs, in the order of their seats.

    The organiser names registered bots, `name` or `name@version`, or assigns the seats with --seat. With a bot's token,
    one seat is the bot's own (`me`), and each other seat is a house bot's, by invitation, or open.

    Standard output gets the match's id, at once, and nothing else. Invitation codes, what to do with them and, with
    --wait, the result go to standard error, or into the JSON. With --wait the exit code is 1 if the match was aborted;
    Ctrl-C stops waiting, and the match goes on.

    \b
    Examples:
      fudaba match create naga alpha beta
      fudaba match create naga alpha@2 beta --option deals=3 --clock move=1s,bank=0s --wait
      fudaba match create naga --seat me --seat house-sensible
      fudaba match create naga --seat bot:alpha --seat invite
      fudaba match create naga --seat open --seat open --join-within 10m
    """
    from fudaba.codec import option_to_proto
    from fudaba.v1 import matches_pb2

    request = matches_pb2.CreateMatchRequest(
        match_id=match_id,
        game=game,
        options={name: option_to_proto(value) for name, value in game_options(game, pairs).items()},
        seats=_seat_requests(bots, seats),
        join_ms=_join_ms(join_within) if join_within is not None else 0,
        seed=_seed(seed),
        hidden=hidden,
        show_delay_ms=bounded_milliseconds("--show-delay", show_delay, 1, _MAX_SHOW_DELAY_MS),
        label=label,
    )
    if clock_text is not None:
        request.clock.CopyFrom(parse_clock(clock_text))
    _create(connection, request, wait=wait, as_json=as_json)


def _create(connection: Connection, request: matches_pb2.CreateMatchRequest, *, wait: bool, as_json: bool) -> None:
    """Creates a match and reports it; with `wait`, it waits for the result."""
    from fudaba.cli._seat_options import next_steps

    with connection.client() as client:
        answer = client.matches.CreateMatch(request, timeout=_TIMEOUT_SECONDS)
        made = answer.match
        if not as_json:
            say(made.header.match_id)
        if wait:
            with _left_waiting(made.header.match_id, connection):
                say(*next_steps(made, answer.invitation_codes, connection), err=True)
                made = _await(client, made.header.match_id)
    if as_json:
        print_json(as_dict(made) | {name: found for name, found in as_dict(answer).items() if name != "match"})
    elif wait:
        say(*match_lines(made, connection), err=True)
    else:
        say(*next_steps(made, answer.invitation_codes, connection), err=True)
    if wait and not made.end.HasField("outcome"):
        raise click.exceptions.Exit(1)


def _seat_requests(bots: tuple[str, ...], seats: tuple[str, ...]) -> list[matches_pb2.Seat]:
    """Returns the request for each seat, from the named bots or from --seat."""
    from fudaba.cli._seat_options import is_house, parse_seat

    if bool(bots) == bool(seats):
        raise click.UsageError("name the bots, or assign each seat with --seat" + (", not both" if bots else ""))
    return [parse_seat(seat) for seat in seats or [bot if is_house(bot) else f"bot:{bot}" for bot in bots]]


@contextlib.contextmanager
def _left_waiting(match_id: str, connection: Connection) -> Iterator[None]:
    """Prints how to resume waiting for a match's end after an interruption. The match goes on."""
    try:
        yield
    except (KeyboardInterrupt, ServiceError) as error:
        look = connection.command("match", "show", match_id, own=True)
        follow = connection.command("match", "watch", match_id, own=True)
        say("the match goes on; how it stands, and to follow it:", f"  {look}", f"  {follow}", err=True)
        if isinstance(error, ServiceError):
            raise
        raise click.exceptions.Exit(INTERRUPTED_STATUS) from None


def _seed(text: str) -> bytes:
    try:
        seed = bytes.fromhex(text)
    except ValueError:
        raise click.UsageError("--seed must be 64 hexadecimal digits") from None
    if len(seed) not in {0, 32}:
        raise click.UsageError(f"--seed must be 64 hexadecimal digits; this has {len(text)}")
    return seed


def _join_ms(text: str) -> int:
    """Returns how long seats stay open. Raises a usage error for 0, which in the contract means an hour."""
    found = milliseconds("--join-within", text)
    if not 1 <= found <= _MAX_JOIN_MS:
        longest = _MAX_JOIN_MS // UNITS["h"]
        raise click.UsageError(f"--join-within {text}: write more than 0 s and at most {longest} h, a week")
    return found


def _await(client: Client, match_id: str) -> matches_pb2.Match:
    """Waits until a match is over."""
    from fudaba.v1 import matches_pb2

    while True:
        request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=_WAIT_MS)
        found = client.matches.AwaitMatch(request, timeout=_TIMEOUT_SECONDS + _WAIT_MS / 1000).match
        if found.state in {matches_pb2.MATCH_STATE_FINISHED, matches_pb2.MATCH_STATE_ABORTED}:
            return found


def match_lines(found: matches_pb2.Match, connection: Connection) -> list[str]:
    """Returns the output of `show` about a match."""
    from fudaba.cli import _contract_words

    lines = _contract_words.header_lines(found.header, seats=not found.seats)  # else who gets them is told below
    lines.append(f"state: {_contract_words.state(found.state)}{_hidden(found)}")
    if found.tags:
        lines.append(f"your tags: {', '.join(found.tags)}")
    if found.seats:
        from fudaba.cli._seat_options import next_steps

        lines += next_steps(found, (), connection)
    if found.HasField("end"):
        lines += _contract_words.ending(found.header, found.end)
    return lines


def _hidden(found: matches_pb2.Match) -> str:
    """Returns whether a match is hidden, and since or from when it is shown all the same, as the end of a line."""
    if not found.hidden or not found.show_delay_ms or not found.HasField("start_time"):
        return ", hidden" if found.hidden else ""
    shown_from = type(found.start_time)()
    shown_from.FromMilliseconds(found.start_time.ToMilliseconds() + found.show_delay_ms)
    return f", hidden; shown from {moment(shown_from)} UTC on, as if it were played then"
