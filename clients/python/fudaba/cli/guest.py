"""`fudaba guest`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.output import as_dict, moment
from fudaba.cli.secret_output import output_option, secret_output

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["guest"]

_TIMEOUT_SECONDS: Final = 30


@click.group()
def guest() -> None:
    """Play for a day without an account."""


@guest.command()
@connection_options
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(connection: Connection, output: Path | None, as_json: bool) -> None:
    """Create a guest and its token, where the service has guests. Needs no token.

    A guest plays for a day, in matches that count for no rating. Only the token goes to standard output, or to
    --output; it is shown only once.

    \b
    Examples:
      fudaba guest create --output guest.token
      export FUDABA_TOKEN=$(fudaba guest create)
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client, secret_output(output) as secret:
        made = client.accounts.CreateGuest(accounts_pb2.CreateGuestRequest(), timeout=_TIMEOUT_SECONDS)
        if as_json:
            secret.tell_json("token", made.token, {"info": as_dict(made.info)})
        else:
            secret.tell(made.token, f"guest {made.info.bot}, until {moment(made.info.expire_time)} (UTC); its token")
