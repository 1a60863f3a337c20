"""`fudaba games`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from fudaba.cli.output import as_dict, print_json, say, say_text, table
from fudaba_games import registry

if TYPE_CHECKING:
    from fudaba.v1 import catalog_pb2


_TIMEOUT_SECONDS = 30


@click.command()
@click.argument("game", required=False)
@click.option("--server", metavar="ADDRESS", help="Read the catalogue of this service instead of this installation's.")
@click.option("--tls", is_flag=True, help="Use TLS.")
@click.option(
    "--ca-cert", default="", metavar="FILE", help="A PEM file with the certificate authority to trust; implies --tls."
)
@click.option("--rules", is_flag=True, help="Print the rule page of GAME, or the rules of all games.")
@click.option("--values", is_flag=True, help="Print, as Markdown, what a Python bot receives and returns in GAME.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def games(
    game: str | None, server: str | None, tls: bool, ca_cert: str, rules: bool, values: bool, as_json: bool
) -> None:
    """List the games, or show GAME with its options and kinds of move.

    \b
    Examples:
      fudaba games
      fudaba games naga
      fudaba games naga --rules | less
      fudaba games naga --values | less
      fudaba games --server 127.0.0.1:7710 --json
    """
    if game is None:
        if values:
            raise click.UsageError("--values prints one page: name the game")
        if rules:
            if server or as_json:
                raise click.UsageError("--rules without GAME prints pages of this installation: leave out the others")
            from fudaba.catalog import shared_rules

            say_text("\n".join(shared_rules().values()))
            return
        _list(_all_hosted(server, tls, ca_cert) if server else _all_installed(), as_json)
        return
    if values:
        if rules or server or as_json:
            raise click.UsageError(
                "--values prints a page of this installation: leave out --rules, --server and --json"
            )
        from fudaba.catalog import values_page

        say_text(values_page(registry.game(game).id))
        return
    found = _hosted(game, server, tls, ca_cert) if server else _installed(game)
    if rules:
        say_text(found.rules)
    elif as_json:
        print_json(as_dict(found.game))
    else:
        _show(found.game)


def _hosted(game: str, server: str, tls: bool, ca_cert: str) -> catalog_pb2.GetGameResponse:
    from fudaba.client import Client
    from fudaba.v1 import catalog_pb2

    with Client(server, tls=tls, ca_cert=ca_cert) as client:
        return client.catalog.GetGame(catalog_pb2.GetGameRequest(game=game), timeout=_TIMEOUT_SECONDS)


def _all_hosted(server: str, tls: bool, ca_cert: str) -> list[catalog_pb2.Game]:
    from fudaba.client import Client
    from fudaba.v1 import catalog_pb2

    with Client(server, tls=tls, ca_cert=ca_cert) as client:
        return list(client.catalog.ListGames(catalog_pb2.ListGamesRequest(), timeout=_TIMEOUT_SECONDS).games)


def _installed(game: str) -> catalog_pb2.GetGameResponse:
    from fudaba.catalog import game_message, rule_page
    from fudaba.v1 import catalog_pb2

    found = registry.game(game)
    return catalog_pb2.GetGameResponse(game=game_message(found), rules=rule_page(found.id))


def _all_installed() -> list[catalog_pb2.Game]:
    from fudaba.catalog import game_message

    return [game_message(listed_game) for listed_game in registry.GAMES.values()]


def _list(found: list[catalog_pb2.Game], as_json: bool) -> None:
    if as_json:
        print_json([as_dict(listed_game) for listed_game in found])
        return
    rows = [
        [
            listed_game.id,
            listed_game.name,
            listed_game.japanese_name,
            _seats(listed_game),
            str(listed_game.rules_version),
        ]
        for listed_game in found
    ]
    say_text(table(("game", "name", "", "seats", "rules"), rows))


def _seats(game: catalog_pb2.Game) -> str:
    return str(game.min_seats) if game.min_seats == game.max_seats else f"{game.min_seats}-{game.max_seats}"


def _show(game: catalog_pb2.Game) -> None:
    say(f"{game.id}: {game.name} {game.japanese_name}, {_seats(game)} seats, rules {game.rules_version}")
    say(f"kinds of move: {', '.join(game.move_kinds)}")
    rows = []
    for option in game.options:
        kind = option.default_value.WhichOneof("value")
        default = str(getattr(option.default_value, kind)) if kind else ""
        allowed = ", ".join(option.choices) if option.choices else ""
        if kind == "number":
            allowed = f"{option.minimum} to {option.maximum}"
        elif kind == "flag":
            default, allowed = default.lower(), "true, false"
        rows.append([option.name, default, allowed, option.description])
    say_text(table(("option", "default", "allowed", "what it does"), rows) or "no options")
    if game.house_bots:
        say(f"house bots: {', '.join(house_bot.name for house_bot in game.house_bots)}")
