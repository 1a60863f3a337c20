"""`fudaba account member` and `fudaba account link`: the members of an account, and their logins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.failures import Failure
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table

if TYPE_CHECKING:
    from fudaba.client import Client
    from fudaba.v1 import accounts_pb2

__all__ = ["link", "member", "show"]

_TIMEOUT_SECONDS: Final = 30


@click.command()
@click.argument("name", required=False, default="")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(name: str, connection: Connection, as_json: bool) -> None:
    """Show the account NAME, its members and their links; without NAME, your own.

    Needs the organiser's token, or that of the account's author.

    \b
    Examples:
      fudaba account show
      fudaba account show ann --json
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        request = accounts_pb2.GetAccountRequest(account=name)
        found = client.accounts.GetAccount(request, timeout=_TIMEOUT_SECONDS).account
    if as_json:
        print_json(as_dict(found))
        return
    locked = " (locked)" if found.display_name_locked else ""
    say(
        f"account {found.name}",
        f"display name: {found.display_name}{locked}",
        f"since: {moment(found.create_time)} (UTC)",
    )
    if found.suspended:
        say(f"suspended: {found.suspend_message or 'no reason given'}")
    rows = [
        [
            account_member.name,
            moment(account_member.create_time),
            ", ".join(f"{link.subject} at {link.issuer}" for link in account_member.links) or "-",
        ]
        for account_member in found.members
    ]
    say_text(table(("member", "since (UTC)", "logs in as"), rows))


@click.group()
def member() -> None:
    """Add and remove the members of an account."""


@member.command("add")
@click.argument("name")
@connection_options
@click.option("--account", default="", metavar="NAME", help="The account.  [default: your own]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def add_member(name: str, connection: Connection, account: str, as_json: bool) -> None:
    """Add the member NAME to an account, which makes it a team's. All members have the same rights.

    `fudaba token create --scope author --member NAME` creates a token for the new member. Needs the organiser's
    token, or that of the account's author.

    \b
    Example:
      fudaba account member add bob --account ann
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        request = accounts_pb2.AddMemberRequest(account=account, member=name)
        found = client.accounts.AddMember(request, timeout=_TIMEOUT_SECONDS).account
    _print_members(found, as_json)


def _check_there(client: Client, account: str, name: str) -> None:
    """Raises `Failure` for a missing member of the account."""
    from fudaba.v1 import accounts_pb2

    known = client.accounts.GetAccount(
        accounts_pb2.GetAccountRequest(account=account), timeout=_TIMEOUT_SECONDS
    ).account
    if all(account_member.name != name for account_member in known.members):
        members = ", ".join(account_member.name for account_member in known.members)
        raise Failure(f"account {known.name} has no member {name!r}; it has: {members}; nothing was removed")


@member.command("remove")
@click.argument("name")
@connection_options
@click.option("--account", default="", metavar="NAME", help="The account.  [default: your own]")
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def remove_member(name: str, connection: Connection, account: str, yes: bool, as_json: bool) -> None:
    """Remove the member NAME from an account, with the member's links and tokens. The last one cannot be removed.

    Needs the organiser's token, or that of the account's author.

    \b
    Example:
      fudaba account member remove bob --account ann
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        if not yes:
            _check_there(client, account, name)
        confirm(f"remove the member {name}, with all links and tokens?", "nothing was removed", yes=yes)
        request = accounts_pb2.RemoveMemberRequest(account=account, member=name)
        found = client.accounts.RemoveMember(request, timeout=_TIMEOUT_SECONDS).account
    _print_members(found, as_json)


@click.group()
def link() -> None:
    """Add and remove the outside identities with which members log in."""


@link.command("add")
@click.argument("account")
@connection_options
@click.option("--member", default="", metavar="NAME", help="The member who logs in with it.  [default: ACCOUNT]")
@click.option(
    "--issuer",
    required=True,
    metavar="URL",
    help="The issuer that vouches for the login, such as an identity provider.",
)
@click.option("--subject", required=True, metavar="ID", help="The subject by which the issuer knows the member.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def add_link(account: str, connection: Connection, member: str, issuer: str, subject: str, as_json: bool) -> None:
    """Link a member of ACCOUNT to an outside identity, with which a gateway logs the member in.

    Needs the organiser's token, or a gateway's, which has verified the login.

    \b
    Example:
      fudaba account link add ann --issuer https://login.example.org --subject 1234
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        linked = accounts_pb2.Link(issuer=issuer, subject=subject)
        request = accounts_pb2.AddLinkRequest(account=account, member=member or account, link=linked)
        found = client.accounts.AddLink(request, timeout=_TIMEOUT_SECONDS).account
    _print_links(found, as_json)


@link.command("remove")
@click.argument("account", required=False, default="")
@connection_options
@click.option("--issuer", required=True, metavar="URL", help="The issuer that vouches for the login.")
@click.option("--subject", required=True, metavar="ID", help="The subject by which the issuer knows the member.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def remove_link(account: str, connection: Connection, issuer: str, subject: str, as_json: bool) -> None:
    """Remove a link from ACCOUNT; without ACCOUNT, from your own.

    Needs the organiser's token, or that of the account's author.

    \b
    Example:
      fudaba account link remove ann --issuer https://login.example.org --subject 1234
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        linked = accounts_pb2.Link(issuer=issuer, subject=subject)
        request = accounts_pb2.RemoveLinkRequest(account=account, link=linked)
        found = client.accounts.RemoveLink(request, timeout=_TIMEOUT_SECONDS).account
    _print_links(found, as_json)


def _print_members(found: accounts_pb2.Account, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(found))
    else:
        say(
            f"account {found.name} has the members {', '.join(account_member.name for account_member in found.members)}"
        )


def _print_links(found: accounts_pb2.Account, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(found))
        return
    links = [
        f"{account_member.name} as {link.subject} at {link.issuer}"
        for account_member in found.members
        for link in account_member.links
    ]
    say(f"account {found.name}: {'; '.join(links) or 'no links'}")
