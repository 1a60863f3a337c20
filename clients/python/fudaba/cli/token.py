"""`fudaba token`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click

from fudaba.cli.confirming import confirm
from fudaba.cli.connection import Connection, connection_options
from fudaba.cli.failures import Failure
from fudaba.cli.naming import named_version
from fudaba.cli.output import as_dict, moment, print_json, say, say_text, table
from fudaba.cli.paging import every_page
from fudaba.cli.secret_output import SecretOutput, output_option, secret_output
from fudaba.errors import ServiceError

if TYPE_CHECKING:
    from pathlib import Path

    from fudaba.client import Client
    from fudaba.v1 import accounts_pb2

__all__ = ["lifetime_ms", "scope_name", "token"]

_TIMEOUT_SECONDS: Final = 30
_UNITS: Final = {"s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SCOPES: Final = ("organiser", "author", "arena", "gateway")


@click.group()
def token() -> None:
    """Create, list, revoke and rotate tokens; show the owner of a token."""


@token.command()
@connection_options
@click.option("--bot", metavar="NAME", help="Create a token with which this bot plays.")
@click.option(
    "--version", default="", help="With --bot: the version that plays with the token.  [default: the current one]"
)
@click.option(
    "--scope", type=click.Choice(_SCOPES), help="Create a token with this scope, for something other than playing."
)
@click.option("--account", default="", metavar="NAME", help="With --scope: the account that the token belongs to.")
@click.option("--member", default="", metavar="NAME", help="With --scope: the member of the account whose token it is.")
@click.option("--match", "match_id", metavar="ID", help="Create a token that plays one seat of this match.")
@click.option("--seat", type=click.IntRange(0), help="With --match: the seat to play.")
@click.option("--label", default="", help="Free text, to tell tokens apart.")
@click.option("--lifetime", metavar="TIME", help="How long the token is valid, such as 12h or 30d.  [default: forever]")
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def create(
    connection: Connection,
    bot: str | None,
    version: str,
    scope: str | None,
    account: str,
    member: str,
    match_id: str | None,
    seat: int | None,
    label: str,
    lifetime: str | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Create a token for a bot, for one seat of a match, or with a scope.

    Needs the organiser's token, or an author's for a token of the author's account; for a match, the organiser's or an
    arena's. Only the token goes to standard output, or to --output; it is shown only once.

    \b
    Examples:
      fudaba token create --bot mybot --label "the machine at home"
      fudaba token create --scope arena --label "spring" --lifetime 90d --output arena.token
      fudaba token create --match m-0123456789abcdef --seat 0
    """
    if bot is not None:
        bot, version = named_version(bot, version)
    _check_wishes(bot, version, scope, account, member, match_id, seat)
    life_ms = lifetime_ms(lifetime) if lifetime is not None else 0
    with connection.client() as client, secret_output(output) as place:
        if bot is not None:
            secret, info = _create_bot_token(client, bot, version, label, life_ms)
        elif match_id is not None:
            secret, info = _create_match_token(client, match_id, seat or 0, label, life_ms)
        else:
            secret, info = _create_scoped_token(client, scope or "", account, member, label, life_ms)
        _tell_new(place, secret, info, as_json)


def _check_wishes(
    bot: str | None,
    version: str,
    scope: str | None,
    account: str,
    member: str,
    match_id: str | None,
    seat: int | None,
) -> None:
    """Raises a usage error for contradictory options."""
    if [bot, scope, match_id].count(None) != 2:
        raise click.UsageError("give one of --bot, --scope and --match")
    if bot is None and version:
        raise click.UsageError("--version is for --bot")
    if scope is None and (account or member):
        raise click.UsageError("--account and --member are for --scope; a bot's tokens belong to the bot's account")
    if (match_id is None) != (seat is None):
        raise click.UsageError("--match and --seat belong together: give both")


def _create_bot_token(
    client: Client, bot: str, version: str, label: str, life_ms: int
) -> tuple[str, accounts_pb2.Token]:
    from fudaba.v1 import bots_pb2

    request = bots_pb2.CreateTokenRequest(bot=bot, version=version, label=label, lifetime_ms=life_ms)
    made = client.bots.CreateToken(request, timeout=_TIMEOUT_SECONDS)
    return made.token, made.info


def _create_match_token(
    client: Client, match_id: str, seat: int, label: str, life_ms: int
) -> tuple[str, accounts_pb2.Token]:
    from fudaba.v1 import accounts_pb2

    request = accounts_pb2.CreateMatchTokenRequest(match_id=match_id, seat=seat, label=label, lifetime_ms=life_ms)
    made = client.accounts.CreateMatchToken(request, timeout=_TIMEOUT_SECONDS)
    return made.token, made.info


def _create_scoped_token(
    client: Client, scope: str, account: str, member: str, label: str, life_ms: int
) -> tuple[str, accounts_pb2.Token]:
    from fudaba.v1 import accounts_pb2

    request = accounts_pb2.CreateAccountTokenRequest(
        scope=_scope_number(scope), account=account, member=member, label=label, lifetime_ms=life_ms
    )
    made = client.accounts.CreateAccountToken(request, timeout=_TIMEOUT_SECONDS)
    return made.token, made.info


@token.command()
@connection_options
@click.option("--issuer", required=True, metavar="URL", help="The issuer that vouches for the login.")
@click.option("--subject", required=True, metavar="ID", help="The subject by which the issuer knows the member.")
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def exchange(connection: Connection, issuer: str, subject: str, output: Path | None, as_json: bool) -> None:
    """Exchange a login that was verified for a token of its account's author, valid for 12 hours.

    Needs a gateway's token. Only the author's token goes to standard output, or to --output; it is shown only once.

    \b
    Example:
      fudaba token exchange --issuer https://login.example.org --subject 1234 --token-file gateway.token
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client, secret_output(output) as place:
        login = accounts_pb2.Link(issuer=issuer, subject=subject)
        made = client.accounts.ExchangeLogin(accounts_pb2.ExchangeLoginRequest(link=login), timeout=_TIMEOUT_SECONDS)
        _tell_new(place, made.token, made.info, as_json)


@token.command("list")
@connection_options
@click.option("--bot", default="", metavar="NAME", help="List only tokens of this bot.")
@click.option("--account", default="", metavar="NAME", help="List only tokens of this account.")
@click.option("--scope", type=click.Choice((*_SCOPES, "bot")), help="List only tokens of this scope.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_(connection: Connection, bot: str, account: str, scope: str | None, as_json: bool) -> None:
    """List tokens, without their secrets. Needs the organiser's token, or an author's for the author's account.

    \b
    Examples:
      fudaba token list
      fudaba token list --bot mybot
      fudaba token list --scope arena
    """
    from fudaba.v1 import accounts_pb2

    number = _scope_number(scope) if scope is not None else accounts_pb2.TOKEN_SCOPE_UNSPECIFIED
    request = accounts_pb2.ListTokensRequest(bot=bot, account=account, scope=number, page_size=1000)
    with connection.client() as client:
        found = [
            listed_token for page in every_page(client.accounts.ListTokens, request) for listed_token in page.tokens
        ]
    if as_json:
        print_json([as_dict(listed_token) for listed_token in found])
        return
    rows = [
        [
            listed_token.token_id,
            scope_name(listed_token.scope),
            _owner_text(listed_token),
            listed_token.label,
            moment(listed_token.create_time),
            moment(listed_token.expire_time),
            moment(listed_token.last_use_time),
            listed_token.last_use_address,
        ]
        for listed_token in found
    ]
    head = ("token", "scope", "of", "label", "since (UTC)", "until", "last use", "from")
    say_text(table(head, rows) or "no tokens")


@token.command()
@click.argument("token_id", metavar="ID", required=False, default="")
@connection_options
@click.option("--yes", is_flag=True, help="Skip the confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def revoke(token_id: str, connection: Connection, yes: bool, as_json: bool) -> None:
    """Revoke the token ID, as `fudaba token list` names it; without ID, the one in use. Its open streams end.

    \b
    Examples:
      fudaba token revoke 3f9a0c2b71de
      fudaba token revoke --yes
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        if token_id and not yes:
            _check_there(client, token_id)
        confirm(f"revoke {f'token {token_id}' if token_id else 'the token in use'}?", "nothing was revoked", yes=yes)
        request = accounts_pb2.RevokeTokenRequest(token_id=token_id)
        revoked = client.accounts.RevokeToken(request, timeout=_TIMEOUT_SECONDS).revoked
    if as_json:
        print_json(as_dict(revoked))
        return
    say(f"token {revoked.token_id} ({scope_name(revoked.scope)}, {_owner_text(revoked)}) was revoked")


def _check_there(client: Client, token_id: str) -> None:
    """Raises `Failure` for an id of no token that the caller may see. Callers who may not list tokens ask the
    service.
    """
    from fudaba.v1 import accounts_pb2

    request = accounts_pb2.ListTokensRequest(page_size=1000)
    try:
        pages = every_page(client.accounts.ListTokens, request)
        if any(listed_token.token_id == token_id for page in pages for listed_token in page.tokens):
            return
    except ServiceError as error:
        if error.code == "PERMISSION_DENIED":
            return
        raise
    raise Failure(f"there is no token {token_id!r}; `fudaba token list` lists them; nothing was revoked")


@token.command()
@click.argument("token_id", metavar="ID", required=False, default="")
@connection_options
@output_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def rotate(token_id: str, connection: Connection, output: Path | None, as_json: bool) -> None:
    """Replace the token ID, or without ID the one in use, with a new one. The old one is revoked at once.

    Only the token goes to standard output, or to --output; it is shown only once.

    \b
    Example:
      fudaba token rotate --output new.token
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client, secret_output(output) as place:
        made = client.accounts.RotateToken(accounts_pb2.RotateTokenRequest(token_id=token_id), timeout=_TIMEOUT_SECONDS)
        _tell_new(place, made.token, made.info, as_json)


@token.command()
@connection_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show(connection: Connection, as_json: bool) -> None:
    """Show the owner and the purpose of the token in use.

    \b
    Example:
      fudaba token show
    """
    from fudaba.v1 import accounts_pb2

    with connection.client() as client:
        response = client.accounts.WhoAmI(accounts_pb2.WhoAmIRequest(), timeout=_TIMEOUT_SECONDS)
    found = response.token
    if as_json:
        print_json(as_dict(found) | {"service_id": response.service_id})
        return
    say(f"token {found.token_id}", f"scope: {scope_name(found.scope)}", f"of: {_owner_text(found)}")
    if found.label:
        say(f"label: {found.label}")
    say(f"until: {moment(found.expire_time)}")
    if response.service_id:
        say(f"service: {response.service_id}")


def lifetime_ms(text: str) -> int:
    """Parses a duration such as `90s`, `12h` or `30d` into milliseconds. Raises a usage error."""
    found = re.fullmatch(r"(\d{1,9})([smhd])", text)
    if found is None or not int(found[1]):
        raise click.UsageError(
            f"write a time as a whole number with a unit, such as 90s, 10m, 12h or 30d, not {text!r}"
        )
    return int(found[1]) * _UNITS[found[2]]


def scope_name(value: accounts_pb2.TokenScope.ValueType) -> str:
    """Returns the name of a scope for people."""
    from fudaba.v1 import accounts_pb2

    known = accounts_pb2.TokenScope.DESCRIPTOR.values_by_number.get(value)
    return known.name.removeprefix("TOKEN_SCOPE_").lower() if known is not None else str(value)


def _scope_number(name: str) -> accounts_pb2.TokenScope.ValueType:
    from fudaba.v1 import accounts_pb2

    return accounts_pb2.TokenScope.Value(f"TOKEN_SCOPE_{name.upper()}")


def _owner_text(listed_token: accounts_pb2.Token) -> str:
    """Returns a short description of a token's owner."""
    parts = [f"{listed_token.bot} {listed_token.version}"] if listed_token.bot else []
    if listed_token.match_id:
        parts.append(f"seat {listed_token.seat} of match {listed_token.match_id}")
    if listed_token.account:
        parts.append(f"account {listed_token.account}" + (f", {listed_token.member}" if listed_token.member else ""))
    return ", ".join(parts) or "-"


def _tell_new(place: SecretOutput, secret: str, info: accounts_pb2.Token, as_json: bool) -> None:
    if as_json:
        place.tell_json("token", secret, {"info": as_dict(info)})
    else:
        place.tell(secret, f"token {info.token_id} ({scope_name(info.scope)}, {_owner_text(info)})")
