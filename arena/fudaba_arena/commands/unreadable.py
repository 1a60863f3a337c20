"""`fudaba arena unreadable`: stored items that this release cannot read. They can be put aside and taken back."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable
from pathlib import Path
from typing import Final, NamedTuple

from fudaba.cli.output import print_json, say, say_text
from fudaba.safe_text import safe_line
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored, readable
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.tournaments.followed_tournament import stored_state
from fudaba_arena.store.data_folder import open_to_read
from fudaba_arena.store.store import Store
from fudaba_arena.submissions.submission_forms import Announced, CheckProgress

__all__ = ["StoredItems", "show_unreadable", "stored_items"]

_SUBMISSION: Final = "submission "
_BLOCK: Final = re.compile(r"block ([0-9]+) of (\S+)")


class StoredItems(NamedTuple):
    """The stored tournaments: by name, why each cannot be read, or an empty text if it can."""

    listed: dict[str, str]
    aside: dict[str, str]
    """The item that is put aside."""
    unchecked: set[str]
    """Readable submissions that no worker checks, because a worker could not read them."""


async def show_unreadable(
    data: Path, redis: str | None, put_aside: str = "", take_back: str = "", *, as_json: bool
) -> int:
    """Prints the items that cannot be read, the reasons, and the items that are put aside.

    `put_aside` and `take_back` name an item to put aside or to list again. Returns 1 if a listed item cannot be read or
    no worker checks a submission. Raises `ArenaError`.
    """
    async with open_to_read(data, redis) as store:
        found = await stored_items(store)
        if put_aside:
            return await _put_aside(store, found, put_aside)
        if take_back:
            return await _take_back(store, found, take_back)
    wrong = {name: reason for name, reason in found.listed.items() if reason}
    if as_json:
        aside = [{"name": name, "reason": reason} for name, reason in found.aside.items()]
        unreadable = [{"name": name, "reason": reason} for name, reason in wrong.items()]
        print_json({"unreadable": unreadable, "aside": aside, "unchecked": sorted(found.unchecked)})
        return 1 if wrong or found.unchecked else 0
    for name, reason in wrong.items():
        say_text(f"{safe_line(name)}: {safe_line(reason)}")
    for name, reason in found.aside.items():
        now = safe_line(reason) if reason else "it can be read now; list it again with --take-back"
        say_text(f"{safe_line(name)} (put aside): {now}")
    for name in sorted(found.unchecked):
        say_text(f"{safe_line(name)}: no worker checks it, since one could not read it; now it can be read")
    if found.unchecked:
        say("Have it checked with --take-back NAME.")
    if wrong:
        say(
            "Use the release that has written it; or restore a backup; or put it aside with --put-aside NAME, which"
            " leaves it in the store and out of all lists. A block that is put aside is handed out anew."
        )
    elif not found.unchecked:
        say("everything that is listed can be read")
    return 1 if wrong or found.unchecked else 0


async def _put_aside(store: Store, found: StoredItems, name: str) -> int:
    if not found.listed.get(name):
        raise ArenaError(f"{_full_name(name)} can be read, or does not exist: nothing is put aside")
    block = _BLOCK.fullmatch(name)
    if block is not None:
        if not await store.handed_out.forget(block[2], int(block[1])):
            raise ArenaError(
                f"a worker plays {name} now, and so can read it: wait until it has ended, or stop that worker"
            )
        say(f"{name} is handed out anew by the arena that plays it; the results of its matches stay")
        return 0
    if name.startswith(_SUBMISSION):
        await store.submissions.put_aside(name.removeprefix(_SUBMISSION))
    else:
        await store.listing.put_aside(name)
    say(f"{_full_name(name)} is put aside: no list has it any more, and nothing of it is removed")
    return 0


async def _take_back(store: Store, found: StoredItems, name: str) -> int:
    if name not in found.aside and not name.startswith(_SUBMISSION):
        raise ArenaError(f"{_full_name(name)} is not put aside")
    reason = found.aside.get(name, found.listed.get(name))
    if reason is None:
        raise ArenaError(f"{_full_name(name)} is not there")
    if reason:
        raise ArenaError(f"{_full_name(name)} still cannot be read: {reason}")
    if name.startswith(_SUBMISSION):
        await store.submissions.take_back(name.removeprefix(_SUBMISSION), time.time_ns() // 1_000_000)
    else:
        await store.listing.take_back(name)
    say(f"{_full_name(name)} is listed again")
    return 0


def _full_name(name: str) -> str:
    return name if name.startswith(_SUBMISSION) or _BLOCK.fullmatch(name) else f"tournament {name}"


async def stored_items(store: Store) -> StoredItems:
    """Lists the stored items, with the reasons why some of them cannot be read."""
    listed: dict[str, str] = {}
    for name in await store.listing.names():
        listed[name] = await _reason(stored_state(store, name))
        for number, text in (await store.handed_out.spec_texts(name)).items():
            listed[f"block {number} of {name}"] = _reason_of_block(name, number, text)
    unchecked: set[str] = set()
    in_check = await store.checks.ids()
    for _, submission_id in await store.submissions.ids(None):
        name = f"{_SUBMISSION}{submission_id}"
        listed[name] = await _reason_of_submission(store, submission_id)
        if not listed[name] and submission_id not in in_check and await _is_complete(store, submission_id):
            unchecked.add(name)
    aside = {name: await _reason(stored_state(store, name)) for name in await store.listing.aside()}
    for submission_id in await store.submissions.aside():
        aside[f"{_SUBMISSION}{submission_id}"] = await _reason_of_submission(store, submission_id)
    return StoredItems(listed, aside, unchecked)


async def _is_complete(store: Store, submission_id: str) -> bool:
    """Returns whether a submission is uploaded and not over."""
    kept = await store.submissions.get(submission_id)
    return kept is not None and kept.so_far is not None and kept.over is None


async def _reason(read: Awaitable[object]) -> str:
    try:
        await read
    except ArenaError as error:
        return str(error.__cause__ or error)
    return ""


def _reason_of_block(name: str, number: int, text: bytes) -> str:
    try:
        with readable(f"block {number} of {name}"):
            BlockSpec.read(text)
    except BadStored as error:
        return str(error.__cause__ or error)
    return ""


async def _reason_of_submission(store: Store, submission_id: str) -> str:
    kept = await store.submissions.get(submission_id)
    if kept is None:
        return "what it is was lost; restore it from a backup"
    try:
        with readable(f"submission {submission_id}"):
            Announced.read(kept.announced_line)
            for over in filter(None, (kept.over, kept.so_far)):
                CheckProgress.read(over)
    except BadStored as error:
        return str(error.__cause__ or error)
    return ""
