"""`fudaba match`."""

from __future__ import annotations

from itertools import islice
from typing import Any, Final

import click

from fudaba.cli.clock import bounded_milliseconds
from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.local import local
from fudaba.cli.match_create import create, match_lines
from fudaba.cli.match_filter import filter_options, listed
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table
from fudaba.cli.watch import watch
from fudaba_games.wording import counted

_TIMEOUT_SECONDS: Final = 30
_MAX_PREMIERE_FROM_MS: Final = 86_400_000
_MAX_LEAD_MS: Final = 3_600_000
_STATES: Final = ("open", "waiting", "playing", "finished", "aborted")


@click.group()
def match() -> None:
    """Create, join, list, watch and end matches; play some on this machine."""


match.add_command(watch)
match.add_command(create)
match.add_command(local)


@match.command()
@click.argument("code_or_id", metavar="CODE|ID")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def join(code_or_id: str, connection: Connection, as_json: bool) -> None:
    """Take a seat: the one that an invitation CODE is for, or the first open seat of the match ID. Needs a bot's token.

    The bot is offered its seat when all seats are taken; run it with the same token.
    Joining again with the same bot is harmless.

    \b
    Examples:
      fudaba match join 7K3F-Q9ZD-M2XH
      fudaba match join m-0123456789abcdef
    """
    from fudaba.cli import _contract_words, _seat_options

    with connection.client() as client:
        answer = _seat_options.join(client, code_or_id)
    if as_json:
        print_json(as_dict(answer) | {"seat": answer.seat})
        return
    found = answer.match
    say(found.header.match_id)
    waits = " It begins when all seats are taken." if found.seats else ""
    say(f"seat {answer.seat} of a match of {found.header.game}, {_contract_words.state(found.state)}.{waits}", err=True)
    say("Run the bot with this token (`fudaba bot run`), or play yourself: "
               f"{connection.command('play', '--match', found.header.match_id, own=True)}", err=True)  # fmt: skip


@match.command("list")
@connection_options
@filter_options
@click.option("--state", type=click.Choice(_STATES), help="List only matches in this state.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=50, show_default=True, help="List at most this many matches."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(connection: Connection, wanted: dict[str, Any], state: str | None, limit: int, as_json: bool) -> None:
    """List matches, newest first: all live ones, and all with a kept record.

    \b
    Examples:
      fudaba match list --state open       # those that can be joined
      fudaba match list --state playing --bot mybot
      fudaba match list --bot mybot --since 2026-11-01 --limit 1000
      fudaba match list --tag endgame
    """
    from fudaba.cli import _contract_words
    from fudaba.cli._seat_options import seat_words
    from fudaba.v1 import matches_pb2

    if state:
        wanted["state"] = matches_pb2.MatchState.Value(f"MATCH_STATE_{state.upper()}")
    with connection.client() as client:
        found = list(islice(listed(client, wanted, limit), limit))
    if as_json:
        print_json([as_dict(found_match) for found_match in found])
        return
    rows = []
    for shown_match in found:
        header = shown_match.header
        scores = " ".join(f"{score:+d}" for score in shown_match.end.outcome.scores)
        bots = ", ".join(seat_words(seat) for seat in shown_match.seats) or ", ".join(
            f"{player.bot} {player.version}" if player.bot else "name hidden" if header.names_hidden else "nobody"
            for player in header.players
        )
        created, tags = moment(header.create_time), ", ".join(shown_match.tags)
        rows.append(
            [header.match_id, header.game, _contract_words.state(shown_match.state), created, bots, scores, tags]
        )
    heads = ["match", "game", "state", "created (UTC)", "bots", "scores", "your tags"]
    if not any(found_match.tags for found_match in found):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    say_text(table(heads, rows) or "no matches")


@match.command()
@click.argument("match_id", metavar="ID")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(match_id: str, connection: Connection, as_json: bool) -> None:
    """Show one match: its players, its state, and its result.

    \b
    Example:
      fudaba match show m-0123456789abcdef
    """
    from fudaba.v1 import matches_pb2

    with connection.client() as client:
        found = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=_TIMEOUT_SECONDS).match
    if as_json:
        print_json(as_dict(found))
    else:
        say(*match_lines(found, connection))


@match.command()
@click.argument("match_id", metavar="ID")
@connection_options
@click.option("--message", default="", help="The reason, which people can read.")
def abort(match_id: str, connection: Connection, message: str) -> None:
    """End a match without a result. A match that is over stays as it is. Needs the organiser's token.

    A bot may abort a match that it created while seats are free.

    \b
    Example:
      fudaba match abort m-0123456789abcdef --message "the network failed"
    """
    from fudaba.cli import _contract_words
    from fudaba.v1 import matches_pb2

    with connection.client() as client:
        request = matches_pb2.AbortMatchRequest(match_id=match_id, message=message)
        found = client.matches.AbortMatch(request, timeout=_TIMEOUT_SECONDS).match
    say(f"{match_id}: {_contract_words.state(found.state)}")


@match.command()
@click.argument("match_id", metavar="ID")
@connection_options
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def resign(match_id: str, connection: Connection, yes: bool, as_json: bool) -> None:
    """Resign a match for the bot whose token this is: it forfeits, and the match is over. Needs the bot's token.

    \b
    Example:
      fudaba match resign m-0123456789abcdef --token-file bot.token
    """
    from fudaba.cli import _contract_words
    from fudaba.v1 import matches_pb2

    with connection.client() as client:
        if not yes:  # a match that does not exist needs no confirmation
            client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=_TIMEOUT_SECONDS)
        confirm(f"resign match {match_id}?", "nothing was resigned", yes=yes)
        request = matches_pb2.ResignMatchRequest(match_id=match_id)
        found = client.matches.ResignMatch(request, timeout=_TIMEOUT_SECONDS).match
    if as_json:
        print_json(as_dict(found))
    else:
        say(f"{match_id}: {_contract_words.state(found.state)}")


@match.command()
@click.argument("match_id", metavar="ID")
@click.argument("tags", nargs=-1, metavar="[TAG]...")
@connection_options
@click.option("--remove", is_flag=True, help="Remove these tags; without any TAG, remove all.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def tag(match_id: str, tags: tuple[str, ...], connection: Connection, remove: bool, as_json: bool) -> None:
    """Tag a match in which a bot of yours has a seat, or show its tags. Needs the token of a bot or an author.

    Only your account sees them. A match has 16 tags at most, of up to 64 characters.

    \b
    Examples:
      fudaba match tag m-0123456789abcdef loss endgame
      fudaba match tag m-0123456789abcdef endgame --remove
      fudaba match list --tag loss
    """
    from fudaba.v1 import matches_pb2

    with connection.client() as client:
        found = client.matches.GetMatch(matches_pb2.GetMatchRequest(match_id=match_id), timeout=_TIMEOUT_SECONDS).match
        if tags or remove:
            kept = set(found.tags) - set(tags or found.tags) if remove else {*found.tags, *tags}
            request = matches_pb2.SetMatchTagsRequest(match_id=match_id, tags=sorted(kept))
            found = client.matches.SetMatchTags(request, timeout=_TIMEOUT_SECONDS).match
    if as_json:
        print_json(as_dict(found))
    else:
        say(f"{match_id}: {', '.join(found.tags) or 'no tags'}")


@match.command()
@click.argument("match_ids", nargs=-1, required=True, metavar="ID...")
@connection_options
@click.option("--premiere-from", metavar="TIME",
              help="First show matches that took at least this long, as if they were played now; their results stay "
              "hidden until then.")  # fmt: skip
@click.option("--lead", metavar="TIME", help="With --premiere-from: begin this much later than now, at most 1h.")
def release(match_ids: tuple[str, ...], connection: Connection, premiere_from: str | None, lead: str | None) -> None:
    """Let everybody see matches that were created with --hidden. Needs the organiser's token.

    \b
    Examples:
      fudaba match release m-0123456789abcdef m-fedcba9876543210
      fudaba match release m-0123456789abcdef --premiere-from 1m --lead 30s
    """
    from fudaba.v1 import matches_pb2

    if lead is not None and premiere_from is None:
        raise click.UsageError("--lead says when a premiere begins: give --premiere-from, too")
    request = matches_pb2.ReleaseMatchesRequest(
        match_ids=match_ids,
        premiere_from_ms=bounded_milliseconds("--premiere-from", premiere_from, 1, _MAX_PREMIERE_FROM_MS),
        premiere_lead_ms=bounded_milliseconds("--lead", lead, 0, _MAX_LEAD_MS),
    )
    with connection.client() as client:
        released: Any = client.matches.ReleaseMatches(request, timeout=_TIMEOUT_SECONDS).released_count
    say(f"{counted(released, 'match', 'matches')} released")
