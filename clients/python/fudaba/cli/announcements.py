"""`fudaba ladder announce` and `announcements`: the organiser's news of a ladder or of the whole arena."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, arena_options
from fudaba.cli.output import as_dict, moment, print_json, say
from fudaba.cli.paging import every_page

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = ["announce", "announcements"]

_TIMEOUT_SECONDS: Final = 60.0
_ID_BYTES: Final = 8


@click.command()
@click.argument("name", metavar="[LADDER]", required=False, default=None)
@click.option("--text", metavar="TEXT", help="The announcement: plain text, in one or more lines.")
@click.option("--withdraw", metavar="ID", help="Withdraw the announcement with this id instead.")
@click.option("--id", "announcement_id", default="", metavar="ID",
              help="The id of the announcement, which makes it safe to repeat the command.  [default: a new one]"
              )  # fmt: skip
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print the announcement as JSON.")
def announce(
    name: str | None,
    text: str | None,
    withdraw: str | None,
    announcement_id: str,
    connection: Connection,
    as_json: bool,
) -> None:
    """Announce something about LADDER, or about the whole arena without one. Needs the organiser's token.

    Everybody can read it, by `fudaba ladder announcements`. Standard output gets its id, by which it can be withdrawn.

    \b
    Examples:
      fudaba ladder announce open --text "The deadline is a day later."
      fudaba ladder announce --text "Workers are being replaced tonight."
      fudaba ladder announce --withdraw 3b1f0c9a7d2e4856
    """
    from fudaba.v1 import arena_pb2

    if (text is None) == (withdraw is None):
        raise click.UsageError("give either --text or --withdraw")
    if withdraw is not None and (name is not None or announcement_id):
        raise click.UsageError("--withdraw takes neither a LADDER nor --id")
    if name == "":  # a variable of a script that is not set
        raise click.UsageError("LADDER is empty; leave it out to announce something about the whole arena")
    with connection.client() as client:
        if withdraw is not None:
            end = arena_pb2.WithdrawAnnouncementRequest(announcement_id=withdraw)
            found = client.arena.WithdrawAnnouncement(end, timeout=_TIMEOUT_SECONDS).announcement
        else:
            own_id = announcement_id or secrets.token_hex(_ID_BYTES)
            request = arena_pb2.CreateAnnouncementRequest(announcement_id=own_id, ladder=name or "", text=text or "")
            found = client.arena.CreateAnnouncement(request, timeout=_TIMEOUT_SECONDS).announcement
    if as_json:
        print_json(as_dict(found))
    elif withdraw is not None:
        say(f"announcement {found.announcement_id} is withdrawn")
    else:
        say(found.announcement_id)


@click.command()
@click.argument("name", metavar="[LADDER]", required=False, default="")
@arena_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def announcements(name: str, connection: Connection, as_json: bool) -> None:
    """List the announcements for LADDER, newest first, with those of the whole arena; without LADDER, list all.

    \b
    Examples:
      fudaba ladder announcements open
      fudaba ladder announcements
    """
    from fudaba.v1 import arena_pb2

    request = arena_pb2.ListAnnouncementsRequest(ladder=name)
    with connection.client() as client:
        found = [made for page in every_page(client.arena.ListAnnouncements, request) for made in page.announcements]
    if as_json:
        print_json([as_dict(made) for made in found])
        return
    say(*(line for made in found for line in _lines(made)) if found else ("no announcements",))


def _lines(made: arena_pb2.Announcement) -> list[str]:
    """Returns the lines about an announcement. Those of its text are indented, so that none passes for our own."""
    head = f"{moment(made.time)}  {made.announcement_id}  {made.ladder or 'the whole arena'}"
    return [head, *(f"    {line}" for line in made.text.split("\n"))]
