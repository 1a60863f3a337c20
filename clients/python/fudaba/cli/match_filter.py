"""The options that select a command's matches, and the service's list of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from fudaba.cli.empty_names import refuse_empty_names
from fudaba.cli.failures import Failure, meant
from fudaba.cli.moments import MOMENT
from fudaba.cli.naming import named_version
from fudaba.cli.paging import every_page
from fudaba.errors import ServiceError

if TYPE_CHECKING:
    from datetime import datetime

    from fudaba.client import Client
    from fudaba.v1 import matches_pb2

__all__ = ["filter_options", "listed"]

_TIMEOUT_SECONDS: Final = 60
_MAX_PAGE_SIZE: Final = 1000
"""The largest page that the contract allows."""

Command = TypeVar("Command", bound=Callable[..., Any])


def filter_options(command: Command) -> Command:
    """Adds the options to a command. It gets their values as `wanted`: fields of a request, and a bot's `version`."""

    @wraps(command)
    def run(
        *args: Any,
        game: str,
        bot: str,
        account: str,
        label: str,
        tag: str,
        since: datetime | None,
        before: datetime | None,
        **more: Any,
    ) -> Any:
        refuse_empty_names("label")
        named, version = named_version(bot)
        wanted: dict[str, Any] = {"game": game, "bot": named, "account": account, "label": label, "tag": tag}
        if version:
            wanted["version"] = version
        for name, time in (("since", since), ("before", before)):
            if time is not None:
                from google.protobuf.timestamp_pb2 import Timestamp

                wanted[name] = Timestamp()
                wanted[name].FromDatetime(time)
        return command(*args, wanted=wanted, **more)

    for option in (
        click.option("--before", type=MOMENT, metavar="DATE", help="Only matches created before this time (UTC)."),
        click.option("--since", type=MOMENT, metavar="DATE",
                     help="Only matches created at this time (UTC) or later: 2026-11-01, 2026-11-01T12:30:00, or with "
                          "a zone."),
        click.option("--tag", default="", metavar="TAG", help="Only matches that you gave this tag with `fudaba match "
                                                              "tag`."),
        click.option("--label", default="", metavar="LABEL", help="Only matches with this label."),
        click.option("--account", default="", metavar="NAME", help="Only matches of this account's bots, which must "
                                                                   "be yours."),
        click.option("--bot", default="", metavar="NAME", help="Only matches with this bot, or this NAME@VERSION."),
        click.option("--game", default="", metavar="GAME", help="Only matches of this game."),
    ):  # fmt: skip
        run = option(run)
    return run  # type: ignore[return-value]  # click keeps the function


def listed(client: Client, wanted: dict[str, Any], most: int = _MAX_PAGE_SIZE) -> Iterator[matches_pb2.Match]:
    """Yields the selected matches, newest first, in pages of at most `most`. Raises `ServiceError`.

    Raises `Failure` if there are none because the named bot does not exist.
    """
    from fudaba.v1 import matches_pb2

    fields = {name: value for name, value in wanted.items() if name != "version"}
    token, version = "", wanted.get("version", "")
    size = _MAX_PAGE_SIZE if version else min(_MAX_PAGE_SIZE, most)  # the service looks for bots, in whatever version
    while True:
        request = matches_pb2.ListMatchesRequest(**fields, page_size=size, page_token=token)
        page = client.matches.ListMatches(request, timeout=_TIMEOUT_SECONDS)
        if not token and not page.matches and wanted.get("bot"):
            _check_bot(client, wanted["bot"])
        players = (wanted.get("bot"), version)
        for match in page.matches:
            if not version or players in {(player.bot, player.version) for player in match.header.players}:
                yield match
        token = page.next_page_token
        if not token:
            return


def _check_bot(client: Client, name: str) -> None:
    """Raises `Failure` if the service says that the bot does not exist, and suggests a similar name.

    The service says so only to callers with a token.
    """
    from fudaba.v1 import bots_pb2

    if name.startswith("house-"):
        return
    try:
        client.bots.GetBot(bots_pb2.GetBotRequest(bot=name), timeout=_TIMEOUT_SECONDS)
    except ServiceError as error:
        if error.reason != "BOT_NOT_FOUND":
            return
    else:
        return
    try:
        pages = every_page(client.bots.ListBots, bots_pb2.ListBotsRequest(page_size=_MAX_PAGE_SIZE))
        known = [bot.name for page in pages for bot in page.bots]
    except ServiceError:  # a bot's own token lists none
        known = []
    raise Failure(f"there is no bot {name!r}{meant(name, known)}")
