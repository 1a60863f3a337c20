"""`fudaba account`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.assign import alike
from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, connection_options, on_command_line
from fudaba.cli.members import link, member, show
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table
from fudaba.cli.paging import every_page
from fudaba.cli.reissue import reissue
from fudaba.cli.roster import RosterWishes, create_from_roster
from fudaba.cli.secret_output import output_option, secret_output
from fudaba.cli.sign_in import sign_in, sign_in_code
from fudaba.cli.sign_up_sheets import check_sheet_options, sheet_options
from fudaba.cli.token import lifetime_ms

if TYPE_CHECKING:
    from fudaba.v1 import accounts_pb2

__all__ = ["account"]

_TIMEOUT_SECONDS: Final = 30


@click.group()
def account() -> None:
    """Create, show, change, suspend and delete authors' accounts; invite authors."""


account.add_command(show)
account.add_command(reissue)
account.add_command(member)
account.add_command(link)
account.add_command(sign_in_code)
account.add_command(sign_in)


@account.command()
@click.argument("name", required=False, default="")
@connection_options
@click.option("--from", "roster", type=click.Path(path_type=Path), metavar="FILE",
              help="Create the accounts of a roster instead: a CSV file with a column `name`, and optionally a column "
              "`display_name`. Existing accounts stay as they are.")  # fmt: skip
@click.option("--tokens", type=click.Path(path_type=Path), metavar="FOLDER",
              help="With --from: the folder that gets a file NAME.token for each account.")  # fmt: skip
@click.option("--reissue", multiple=True, metavar="NAME",
              help="With --from: make a new token for this account, and revoke the one in its file; "
              "repeatable.")  # fmt: skip
@click.option(
    "--reissue-all",
    is_flag=True,
    help="With --from: make a new token for each account of the roster, and revoke the old ones.",
)
@sheet_options
@click.option("--dry-run", is_flag=True, help="With --from: show what would be done, and do nothing.")
@click.option("--display-name", default="", help="The name shown for the account.  [default: NAME]")
@click.option("--member", default="", help="The name of the account's first member.  [default: NAME]")
@click.option("--code", default="", help="The invitation code, if the service requires one.")
@click.option(
    "--issuer", default="", metavar="URL", help="With --subject: the issuer that vouches for the member's login."
)
@click.option(
    "--subject", default="", metavar="ID", help="With --issuer: the subject by which the issuer knows the member."
)
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(
    name: str,
    connection: Connection,
    roster: Path | None,
    tokens: Path | None,
    reissue: tuple[str, ...],
    reissue_all: bool,
    sheets: Path | None,
    site: str,
    dry_run: bool,
    display_name: str,
    member: str,
    code: str,
    issuer: str,
    subject: str,
    output: Path | None,
    as_json: bool,
) -> None:
    """Create an account and a token for its author. Needs the organiser's token, an invitation code, or a service
    with open registration.

    Only the author's token goes to standard output, or to --output; it is shown only once. --issuer and --subject link
    the member to an outside identity, which a gateway or the organiser has verified.

    --from creates the accounts of a roster. Run again, it creates the new ones, and reports differences. Further
    columns, such as a mail address, stay in the file: they are not sent to the service.

    \b
    Examples:
      fudaba account create ann --display-name "Ann A." --output ann.token
      fudaba account create ann --code 7K3F-Q9ZD-M2XH
      fudaba account create --from roster.csv --tokens tokens
      fudaba account create --from roster.csv --tokens tokens --reissue ann
      fudaba account create --from roster.csv --tokens tokens --sheets sheets.html --site https://play.example.org
    """
    from fudaba.v1 import accounts_pb2

    if roster is not None:
        _check_roster_options(name, tokens)
        check_sheet_options(sheets, site)
        again = frozenset(reissue)
        wishes = RosterWishes(
            roster, tokens or Path(), again, reissue_all=reissue_all, dry_run=dry_run, sheets=sheets, site=site
        )
        create_from_roster(connection, wishes, as_json=as_json)
        return
    _check_account_options(name, issuer, subject)
    login = accounts_pb2.Link(issuer=issuer, subject=subject) if issuer else None
    request = accounts_pb2.CreateAccountRequest(
        name=name, display_name=display_name, member=member, invitation_code=code, link=login
    )
    _create_account(connection, request, output, as_json=as_json)


def _create_account(
    connection: Connection, request: accounts_pb2.CreateAccountRequest, output: Path | None, *, as_json: bool
) -> None:
    """Creates an account, and writes its author's token to a file or to standard output."""
    with connection.client() as client, secret_output(output) as secret:
        made = client.accounts.CreateAccount(request, timeout=_TIMEOUT_SECONDS)
        if as_json:
            secret.tell_json("token", made.token, {"account": as_dict(made.account), "info": as_dict(made.info)})
        else:
            secret.tell(made.token, f"account {request.name} is created; its author's token")


def _check_account_options(name: str, issuer: str, subject: str) -> None:
    """Raises a usage error for options that contradict an account's name."""
    if not name:
        raise click.UsageError("name the account, or its roster with --from FILE")
    if unused := on_command_line("tokens", "reissue", "reissue_all", "sheets", "site", "dry_run"):
        raise click.UsageError(f"--{unused[0].replace('_', '-')} is for --from")
    if bool(issuer) != bool(subject):
        raise click.UsageError("a login has an issuer and a subject: give both --issuer and --subject")


def _check_roster_options(name: str, tokens: Path | None) -> None:
    """Raises a usage error for options that contradict --from."""
    if tokens is None:
        raise click.UsageError("--from needs --tokens FOLDER, which gets each account's token")
    if name:
        raise click.UsageError(f"the roster names the accounts: leave {name!r} or --from out")
    if unused := on_command_line("display_name", "member", "code", "issuer", "subject", "output"):
        raise click.UsageError(f"--from creates many accounts: leave --{unused[0].replace('_', '-')} out")


@account.command()
@connection_options
@click.option("--lifetime", metavar="TIME", help="How long the code is valid, such as 12h or 30d.  [default: 7d]")
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def invite(connection: Connection, lifetime: str | None, output: Path | None, as_json: bool) -> None:
    """Create an invitation code, which is good for one account. Needs the organiser's token.

    \b
    Example:
      fudaba account invite --lifetime 30d
    """
    from fudaba.v1 import accounts_pb2

    life_ms = lifetime_ms(lifetime) if lifetime is not None else 0
    with connection.client() as client, secret_output(output) as secret:
        request = accounts_pb2.CreateInvitationRequest(lifetime_ms=life_ms)
        made = client.accounts.CreateInvitation(request, timeout=_TIMEOUT_SECONDS)
        if as_json:
            secret.tell_json("code", made.code, as_dict(made))
            return
        shown = made.code if output is None else "CODE"
        say(
            f"valid until {moment(made.expire_time)} (UTC), for one account, which its author makes with",
            f"  {connection.command('account', 'create', 'NAME', '--code', shown)}",
            f"or on the page, at /enter?invitation={shown}",
            err=True,
        )
        secret.tell(made.code, "the code")


@account.command("list")
@connection_options
@click.option("--search", default="", metavar="TEXT", help="List only accounts with this text in a name.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(connection: Connection, search: str, as_json: bool) -> None:
    """List the accounts. Needs the organiser's token.

    \b
    Examples:
      fudaba account list
      fudaba account list --search ann
      fudaba account list --json | jq -r '.[].name'
    """
    from fudaba.v1 import accounts_pb2

    request = accounts_pb2.ListAccountsRequest(page_size=1000, query=search)
    with connection.client() as client:
        found = [
            listed_account
            for page in every_page(client.accounts.ListAccounts, request)
            for listed_account in page.accounts
        ]
    if as_json:
        print_json([as_dict(listed_account) for listed_account in found])
        return
    rows = [
        [
            listed_account.name,
            listed_account.display_name,
            str(len(listed_account.members)),
            moment(listed_account.create_time),
            _state(listed_account),
            alike(listed_account),
        ]
        for listed_account in found
    ]
    say_text(
        table(("account", "display name", "members", "since (UTC)", "state", ""), rows, "llr") or "no accounts yet"
    )


@account.command()
@click.argument("name", required=False, default="")
@connection_options
@click.option("--display-name", default="", help="The account's new display name.  [default: unchanged]")
@click.option(
    "--lock-name/--unlock-name",
    default=None,
    help="Let only the organiser change the display name, or let the author change it too.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def update(name: str, connection: Connection, display_name: str, lock_name: bool | None, as_json: bool) -> None:
    """Change how the account NAME, and so the author of its bots, is shown; without NAME, your own.

    Needs the organiser's token, or that of the account's author; --lock-name and --unlock-name the organiser's.

    \b
    Examples:
      fudaba account update ann --display-name "Ann B."
      fudaba account update ann --display-name "Student 01" --lock-name
    """
    from fudaba.v1 import accounts_pb2

    if not display_name and lock_name is None:
        raise click.UsageError("there is nothing to change: give --display-name, --lock-name or --unlock-name")
    with connection.client() as client:
        request = accounts_pb2.UpdateAccountRequest(
            account=name, display_name=display_name, lock_display_name=lock_name
        )
        found = client.accounts.UpdateAccount(request, timeout=_TIMEOUT_SECONDS).account
    if as_json:
        print_json(as_dict(found))
    else:
        locked = ", and only the organiser changes that" if found.display_name_locked else ""
        say(f"account {found.name} is shown as {found.display_name}{locked}")


@account.command()
@click.argument("name")
@connection_options
@click.option("--message", default="", help="The reason, which the account's members see.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def suspend(name: str, connection: Connection, message: str, as_json: bool) -> None:
    """Suspend the account NAME: its tokens are refused, and their open streams end. Needs the organiser's token.

    Its matches go on, and `fudaba account resume NAME` restores everything.

    \b
    Example:
      fudaba account suspend ann --message "it floods the service"
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        request = accounts_pb2.SuspendAccountRequest(account=name, message=message)
        found = client.accounts.SuspendAccount(request, timeout=_TIMEOUT_SECONDS).account
    _print_changed(found, as_json)


@account.command()
@click.argument("name")
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def resume(name: str, connection: Connection, as_json: bool) -> None:
    """End the suspension of the account NAME. Needs the organiser's token.

    \b
    Example:
      fudaba account resume ann
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        request = accounts_pb2.ResumeAccountRequest(account=name)
        found = client.accounts.ResumeAccount(request, timeout=_TIMEOUT_SECONDS).account
    _print_changed(found, as_json)


@account.command()
@click.argument("name")
@connection_options
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def delete(name: str, connection: Connection, yes: bool, as_json: bool) -> None:
    """Delete the account NAME for good. Its bots and their results stay, under a pseudonym.

    Needs the organiser's token, or that of the account's author.

    \b
    Example:
      fudaba account delete ann --yes
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        if not yes:  # an account that does not exist needs no confirmation
            client.accounts.GetAccount(accounts_pb2.GetAccountRequest(account=name), timeout=_TIMEOUT_SECONDS)
        confirm(f"delete the account {name} for good?", "nothing was deleted", yes=yes)
        request = accounts_pb2.DeleteAccountRequest(account=name)
        gone = client.accounts.DeleteAccount(request, timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(gone))
        return
    say(f"account {name} is deleted; its bots stay as those of {gone.pseudonym}")


@account.command()
@connection_options
@click.option(
    "--after", type=click.IntRange(0), default=0, metavar="NUMBER", help="Show only the actions after this one."
)
@click.option(
    "--search", default="", metavar="TEXT", help="Show only actions with this text in their name, author or object."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def actions(connection: Connection, after: int, search: str, as_json: bool) -> None:
    """Show what organisers did, oldest first. Needs the organiser's token.

    \b
    Examples:
      fudaba account actions
      fudaba account actions --after 120 --json
    """
    from fudaba.v1 import accounts_pb2

    found: list[accounts_pb2.Action] = []
    with connection.client() as client:
        while True:
            last = found[-1].number if found else after
            request = accounts_pb2.ListActionsRequest(after=last, page_size=1000, query=search)
            page = client.accounts.ListActions(request, timeout=_TIMEOUT_SECONDS).actions
            if not page:
                break
            found += page
    if as_json:
        print_json([as_dict(action) for action in found])
        return
    rows = [
        [
            str(action.number),
            moment(action.time),
            action.account or action.label or action.token_id,
            action.method,
            ", ".join(f"{name}={value}" for name, value in sorted(action.subject.items())),
        ]
        for action in found
    ]
    say_text(table(("number", "when (UTC)", "by", "what", "about"), rows, "r") or "nothing yet")


def _state(listed_account: accounts_pb2.Account) -> str:
    if not listed_account.suspended:
        return "open"
    return f"suspended: {listed_account.suspend_message}" if listed_account.suspend_message else "suspended"


def _print_changed(found: accounts_pb2.Account, as_json: bool) -> None:
    if as_json:
        print_json(as_dict(found))
    else:
        say(f"account {found.name}: {_state(found)}")
