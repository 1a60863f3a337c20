"""`fudaba arena actions`: what organisers did with an arena."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from fudaba.cli.connection import Connection
from fudaba.cli.output import as_dict, moment, print_json, say_text, table
from fudaba.client import AsyncClient
from fudaba.v1 import accounts_pb2, arena_pb2
from fudaba_arena.api.actions import ToldActions
from fudaba_arena.store.data_folder import open_to_read
from fudaba_serving.grpc.action_log import listed_actions

__all__ = ["show_actions"]

_ACTIONS_PER_PAGE: Final = 1_000
_TIMEOUT_SECONDS: Final = 60.0


async def show_actions(
    connection: Connection | None, data: Path, redis: str | None, after: int, search: str, *, as_json: bool
) -> int:
    """Prints the organisers' actions, oldest first. Raises `ArenaError`, `ServiceError`, `StoreUnavailable`."""
    found = await (
        _in_folder(data, redis, after, search) if connection is None else _in_arena(connection, after, search)
    )
    if as_json:
        print_json([as_dict(action) for action in found])
        return 0
    rows = [
        [
            str(action.number),
            moment(action.time),
            action.account or action.label or action.token_id or "the arena's folder",
            action.method,
            ", ".join(f"{name}={value}" for name, value in sorted(action.subject.items())),
        ]
        for action in found
    ]
    say_text(table(("number", "when (UTC)", "by", "what", "about"), rows, "r") or "nothing yet")
    return 0


async def _in_arena(connection: Connection, after: int, search: str) -> list[accounts_pb2.Action]:
    found: list[accounts_pb2.Action] = []
    async with AsyncClient(
        connection.server, connection.token, tls=connection.tls, ca_cert=connection.ca_cert
    ) as client:
        while True:
            last = found[-1].number if found else after
            request = arena_pb2.ListArenaActionsRequest(after=last, page_size=_ACTIONS_PER_PAGE, query=search)
            page = (await client.arena.ListArenaActions(request, timeout=_TIMEOUT_SECONDS)).actions
            if not page:
                return found
            found += page


async def _in_folder(data: Path, redis: str | None, after: int, search: str) -> list[accounts_pb2.Action]:
    found: list[accounts_pb2.Action] = []
    async with open_to_read(data, redis) as store:
        kept = ToldActions(store.actions)
        while True:
            last = found[-1].number if found else after
            request = arena_pb2.ListArenaActionsRequest(after=last, page_size=_ACTIONS_PER_PAGE, query=search)
            page = await listed_actions(kept, request)
            if not page:
                return found
            found += page
