"""`fudaba account reissue`: new tokens and sign-up sheets for existing accounts."""

from __future__ import annotations

from pathlib import Path

import click

from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.roster import reissue_accounts
from fudaba.cli.sign_up_sheets import check_sheet_options, sheet_options

__all__ = ["reissue"]


@click.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@connection_options
@click.option("--tokens", type=click.Path(path_type=Path), metavar="FOLDER", help="Make a new token for each account "
              "in this folder, and revoke the one in its file there.")  # fmt: skip
@sheet_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def reissue(
    names: tuple[str, ...], connection: Connection, tokens: Path | None, sheets: Path | None, site: str, as_json: bool
) -> None:
    """Make new tokens, or new sign-up sheets, or both, for existing accounts. Needs the organiser's token.

    A new sheet makes the account's former one invalid. Tokens that are not in the folder stay valid.

    \b
    Examples:
      fudaba account reissue ann --sheets ann.html --site https://play.example.org
      fudaba account reissue ann ben --tokens tokens
    """
    if tokens is None and sheets is None:
        raise click.UsageError("say what to make: --tokens FOLDER, or --sheets FILE --site URL")
    check_sheet_options(sheets, site)
    reissue_accounts(connection, names, tokens, sheets, site, as_json=as_json)
