"""`fudaba maintenance`: times in which no match begins, announced ahead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, anonymous_connection_options, connection_options
from fudaba.cli.failures import Failure
from fudaba.cli.moments import ZONED
from fudaba.cli.output import as_dict, for_reader, print_json, say
from fudaba.cli.token import lifetime_ms

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import catalog_pb2
    from fudaba.zoned_time import ZonedTime

__all__ = ["maintenance"]

_TIMEOUT_SECONDS: Final = 30
_NONE: Final = "no maintenance is announced"


@click.group()
def maintenance() -> None:
    """Announce maintenance: a time in which no match begins."""


@maintenance.command()
@click.option("--at", type=ZONED, metavar="TIME",
              help="The beginning, with its time zone.  [default: now; with --change: as announced]")  # fmt: skip
@click.option("--for", "duration", metavar="DURATION", required=True,
              help="How long it lasts: 90s, 30m, 2h or 1d; at most 7d.")  # fmt: skip
@click.option("--text", required=True, help="What it is for. Everybody is shown it.")
@click.option("--change", is_flag=True, help="Replace the maintenance that is announced or under way.")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def begin(at: ZonedTime | None, duration: str, text: str, change: bool, connection: Connection, as_json: bool) -> None:
    """Announce maintenance of the service, or begin it now. Needs the organiser's token.

    While it lasts, nobody can create a match: no bot, no person, no arena. Matches in play go on to their end. A
    block of an arena begins no further match until the maintenance is over, and then goes on. It is over by itself,
    also if the service is restarted meanwhile.

    \b
    Examples:
      fudaba maintenance begin --for 30m --text "Upgrade to 0.2"
      fudaba maintenance begin --at "2026-12-01 18:00 Europe/Berlin" --for 2h --text "New disks"
      fudaba maintenance begin --change --for 3h --text "New disks, and they are slow"
    """
    from fudaba.v1 import catalog_pb2

    request = catalog_pb2.BeginMaintenanceRequest(text=text)
    request.duration.FromMilliseconds(lifetime_ms(duration))
    if at is not None:
        request.begin_time.FromDatetime(at.at)
    with connection.client() as client:
        if change:
            announced = _announced(client)
            request.replaces = announced.id
            if at is None:
                request.begin_time.CopyFrom(announced.begin_time)
        begun = client.catalog.BeginMaintenance(request, timeout=_TIMEOUT_SECONDS).maintenance
    if as_json:
        print_json(as_dict(begun))
        return
    zone = at.zone if at is not None else ""
    say(f"maintenance from {for_reader(begun.begin_time, zone)} until {for_reader(begun.end_time, zone)}: {begun.text}")
    say("end it early, or withdraw it, with:", f"  {connection.command('maintenance', 'end', own=True)}", err=True)


@maintenance.command()
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def end(connection: Connection, as_json: bool) -> None:
    """End maintenance early, or withdraw its announcement. Needs the organiser's token.

    \b
    Example:
      fudaba maintenance end
    """
    from fudaba.v1 import catalog_pb2

    with connection.client() as client:
        request = catalog_pb2.EndMaintenanceRequest(id=_announced(client).id)
        ended = client.catalog.EndMaintenance(request, timeout=_TIMEOUT_SECONDS).maintenance
    if as_json:
        print_json(as_dict(ended))
        return
    say(f"ended: {ended.text}", "matches can begin again")


@maintenance.command()
@anonymous_connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(connection: Connection, as_json: bool) -> None:
    """Show the maintenance that is announced or under way. Needs no token.

    \b
    Examples:
      fudaba maintenance show
      fudaba maintenance show --server play.example.org:7710 --tls --json
    """
    from fudaba.v1 import catalog_pb2

    with connection.client() as client:
        found = client.catalog.GetMaintenance(catalog_pb2.GetMaintenanceRequest(), timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(found))
        return
    if not found.HasField("maintenance"):
        say(_NONE)
        return
    announced = found.maintenance
    until = for_reader(announced.end_time, "")
    if announced.begin_time.ToMilliseconds() <= found.now.ToMilliseconds():
        say(f"under way until {until}: {announced.text}")
    else:
        say(f"announced from {for_reader(announced.begin_time, '')} until {until}: {announced.text}")


def _announced(client: Client) -> catalog_pb2.Maintenance:
    """Returns the maintenance that is announced or under way. Raises `Failure` if there is none."""
    from fudaba.v1 import catalog_pb2

    found = client.catalog.GetMaintenance(catalog_pb2.GetMaintenanceRequest(), timeout=_TIMEOUT_SECONDS)
    if not found.HasField("maintenance"):
        raise Failure(_NONE)
    return found.maintenance
