"""`fudaba account sign-in-code` and `fudaba account sign-in`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, anonymous_connection_options, connection_options, on_command_line
from fudaba.cli.output import as_dict, moment, print_json, say
from fudaba.cli.secret_output import output_option, secret_output

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["sign_in", "sign_in_code"]

_TIMEOUT_SECONDS: Final = 30
_KINDS: Final = ("device", "recovery", "link")


@click.command("sign-in-code")
@click.argument("name", required=False, default="")
@connection_options
@click.option(
    "--kind",
    type=click.Choice(_KINDS),
    default="device",
    show_default=True,
    help="What the code is for: another device (valid for ten minutes), recovery when all tokens are lost (a year), "
    "or a link that the organiser hands out (a day).",
)
@click.option(
    "--member", default="", help="The member whom the code signs in.  [default: you, or the account's first member]"
)
@click.option("--revoke", is_flag=True, help="Revoke the valid codes instead: those of --member, or all.")
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sign_in_code(
    name: str, connection: Connection, kind: str, member: str, revoke: bool, output: Path | None, as_json: bool
) -> None:
    """Create a code that signs in to the account NAME once; without NAME, to your own.

    Needs the organiser's token, or that of the account's author. A new recovery code replaces the member's last one.

    \b
    Examples:
      fudaba account sign-in-code
      fudaba account sign-in-code --kind recovery --output recovery.txt
      fudaba account sign-in-code ann --kind link
      fudaba account sign-in-code --revoke
    """
    from fudaba.v1 import accounts_pb2

    if revoke:
        if unused := on_command_line("kind", "output"):
            raise click.UsageError(f"--revoke makes no code: leave --{unused[0]} out")
        _revoke(connection, name, member, as_json)
        return
    value = accounts_pb2.SignInCodeKind.Value(f"SIGN_IN_CODE_KIND_{kind.upper()}")
    with connection.client() as client, secret_output(output) as secret:
        request = accounts_pb2.CreateSignInCodeRequest(account=name, member=member, kind=value)
        made = client.accounts.CreateSignInCode(request, timeout=_TIMEOUT_SECONDS)
        if as_json:
            secret.tell_json("code", made.code, as_dict(made))
            return
        shown = made.code if output is None else "CODE"
        say(
            f"valid until {moment(made.expire_time)} (UTC), once, for {made.member}, who signs in with",
            f"  {connection.command('account', 'sign-in', shown)}",
            f"or on the page, at /account#code={shown}",
            err=True,
        )
        secret.tell(made.code, "the code")


def _revoke(connection: Connection, name: str, member: str, as_json: bool) -> None:
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        if not name:
            name = client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=_TIMEOUT_SECONDS).token.account
        request = accounts_pb2.RevokeSignInCodesRequest(account=name, member=member)
        gone = client.accounts.RevokeSignInCodes(request, timeout=_TIMEOUT_SECONDS)
    if as_json:
        print_json(as_dict(gone))
    else:
        count = len(gone.revoked)
        say(f"{count} sign-in code{'' if count == 1 else 's'} of the account {name} revoked")


@click.command("sign-in")
@click.argument("code")
@anonymous_connection_options
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def sign_in(code: str, connection: Connection, output: Path | None, as_json: bool) -> None:
    """Exchange a sign-in CODE for an author's token, which is valid for 30 days. The code works once.

    Needs no token, and ignores FUDABA_TOKEN and FUDABA_TOKEN_FILE.

    \b
    Example:
      fudaba account sign-in 7K3F-Q9ZD-M2XH --output ann.token
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client, secret_output(output) as secret:
        request = accounts_pb2.ExchangeSignInCodeRequest(code=code)
        made = client.accounts.ExchangeSignInCode(request, timeout=_TIMEOUT_SECONDS)
        if as_json:
            secret.tell_json("token", made.token, {"info": as_dict(made.info)})
        else:
            secret.tell(made.token, f"the token of {made.info.member} in the account {made.info.account}")
