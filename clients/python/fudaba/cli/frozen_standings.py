"""`fudaba ladder freeze` and `open`, and what other commands say of frozen standings."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.moments import ZONED
from fudaba.cli.output import as_dict, for_reader, print_json, say

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2
    from fudaba.zoned_time import ZonedTime

__all__ = ["freeze", "frozen_lines", "open_", "shown_standings"]

_TIMEOUT_SECONDS: Final = 60.0


@click.command()
@click.argument("name", metavar="LADDER")
@click.option("--until", type=ZONED, metavar="TIME",
              help="The time at which they open, with its time zone.  [default: at `fudaba ladder open`]"
              )  # fmt: skip
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print the ladder as JSON.")
def freeze(name: str, until: ZonedTime | None, connection: Connection, as_json: bool) -> None:
    """Freeze the standings of LADDER from now on. Needs the organiser's token.

    Playing goes on, and only organisers see what happens. Others see the ladder as it was, and authors also the
    matches of their own bots. If the standings are frozen already, the command changes when they open.

    \b
    Examples:
      fudaba ladder freeze open
      fudaba ladder freeze open --until "2026-12-04 20:00 Europe/Berlin"
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.FreezeStandingsRequest(ladder=name)
    if until is not None:
        request.open_time.FromMilliseconds(until.ms)
        request.open_zone = until.zone
    with connection.client() as client:
        found = client.arena.FreezeStandings(request, timeout=_TIMEOUT_SECONDS).ladder
    if as_json:
        print_json(as_dict(found))
    else:
        say(*frozen_lines(found.tournament, found.definition))


@click.command("open")
@click.argument("name", metavar="LADDER")
@click.option("--season", type=click.IntRange(min=1), metavar="NUMBER", help="The season.  [default: the newest]")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print the ladder as JSON.")
def open_(name: str, season: int | None, connection: Connection, as_json: bool) -> None:
    """Open the frozen standings of LADDER: everybody sees all results. Needs the organiser's token.

    Standings that were to be frozen later are not.

    \b
    Examples:
      fudaba ladder open open
      fudaba ladder open open --season 1
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.OpenStandingsRequest(ladder=name, season=season or 0)
    with connection.client() as client:
        found = client.arena.OpenStandings(request, timeout=_TIMEOUT_SECONDS).ladder
    if as_json:
        print_json(as_dict(found))
    else:
        say(f"the standings of {name} are open")


def frozen_lines(season: arena_pb2.Tournament, rules: arena_pb2.LadderDefinition | None = None) -> list[str]:
    """Returns since when standings are frozen, or will be, and when they open; empty if they are open for good.

    Times are in the reader's zone. `rules` has the zones in which the organiser wrote them.
    """
    freeze_zone, open_zone = (rules.standings_freeze_zone, rules.standings_open_zone) if rules is not None else ("", "")
    if season.HasField("standings_frozen_time"):
        since = for_reader(season.standings_frozen_time, freeze_zone)
        opens = for_reader(season.standings_open_time, open_zone) if season.HasField("standings_open_time") else ""
        return [f"standings: frozen since {since}; {f'they open at {opens}' if opens else 'the organiser opens them'}"]
    if rules is None or rules.standings_freeze_time.ToMilliseconds() <= time.time() * 1000:
        return []
    freezes = for_reader(rules.standings_freeze_time, freeze_zone)
    opens = for_reader(rules.standings_open_time, open_zone) if rules.HasField("standings_open_time") else ""
    return [f"standings: frozen from {freezes}{f' until {opens}' if opens else ', until the organiser opens them'}"]


def shown_standings(
    connection: Connection, request: arena_pb2.GetStandingsRequest, *, live: bool
) -> arena_pb2.GetStandingsResponse:
    """Returns standings. An organiser too gets frozen ones as others see them, unless they are to be `live`."""
    with connection.client() as client:
        answer: arena_pb2.GetStandingsResponse = client.arena.GetStandings(request, timeout=_TIMEOUT_SECONDS)
    if live or not connection.token or not answer.tournament.HasField("standings_frozen_time"):
        return answer
    with replace(connection, token="", token_file="").client() as client:
        return client.arena.GetStandings(request, timeout=_TIMEOUT_SECONDS)
