"""`fudaba arena unreadable`: what is stored that this release cannot read, and how it is put aside."""

from __future__ import annotations

from pathlib import Path

from fudaba.cli.output import print_json, say, say_text
from fudaba.safe_text import safe_line
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored, readable
from fudaba_arena.play.followed import stored_state
from fudaba_arena.store.folder import open_to_read
from fudaba_arena.store.results import Store
from fudaba_arena.submissions.uploads import Announced, Over

__all__ = ["show_unreadable"]


async def show_unreadable(data: Path, redis: str | None, put_aside: str, *, as_json: bool) -> int:
    """Prints what cannot be read, and why; 1 where there is anything. `put_aside` names a tournament to put aside.

    Raises `ArenaError`.
    """
    async with open_to_read(data, redis) as store:
        found = await _unreadable(store)
        if put_aside:
            if put_aside not in found:
                raise ArenaError(f"tournament {put_aside} can be read, or is not there: it is not put aside")
            await store.put_aside(put_aside)
            say(f"tournament {put_aside} is put aside: no list has it any more, and nothing of it is removed")
            return 0
    if as_json:
        print_json({"unreadable": [{"name": name, "reason": reason} for name, reason in found.items()]})
    else:
        for name, reason in found.items():
            say_text(f"{safe_line(name)}: {safe_line(reason)}")
        if found:
            say(
                "Use the release that has written it; or restore a backup; or put a tournament aside with --put-aside"
                " NAME, which leaves it in the store and out of all lists."
            )
        else:
            say("everything can be read")
    return 1 if found else 0


async def _unreadable(store: Store) -> dict[str, str]:
    """By the names of tournaments, and the ids of submissions, why each cannot be read."""
    found: dict[str, str] = {}
    for name in await store.tournaments():
        try:
            await stored_state(store, name)
        except ArenaError as error:
            found[name] = str(error.__cause__ or error)
    for _, submission_id in await store.submissions.ids(None):
        kept = await store.submissions.get(submission_id)
        if kept is None:
            continue
        try:
            with readable(f"submission {submission_id}"):
                Announced.read(kept.what)
                for over in filter(None, (kept.over, kept.so_far)):
                    Over.read(over)
        except BadStored as error:
            found[f"submission {submission_id}"] = str(error.__cause__ or error)
    return found
