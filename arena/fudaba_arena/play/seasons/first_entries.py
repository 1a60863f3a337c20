"""The entries with which a season begins."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from fudaba_arena.store.tournaments.entries import (
    DISQUALIFIED,
    DISQUALIFY,
    ENTER,
    LEAVE,
    LEFT,
    PAUSE,
    PAUSED,
    Entries,
    EntryChange,
)
from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.tournament.panel import PANEL_PREFIX

__all__ = ["first_entries"]

_SINCE_ENTERED: Final = {PAUSED: PAUSE, LEFT: LEAVE}
"""The change after which an entry is in a state in which it does not play."""


def first_entries(bots: Sequence[BotEntry], earlier: Entries | None) -> list[EntryChange]:
    """Enters the bots of the ladder's file, and the bots of the earlier season, if there was one, that had not left
    it, except bots of a panel that this season does without. Those that are disqualified stay so, and an undoing
    returns them to what they were before.
    """
    now_ms = int(time.time() * 1000)
    changes = [EntryChange(ENTER, now_ms, bot.name, bot.version, bot.author, "", bot.games) for bot in bots]
    own = {bot.name for bot in bots}
    for entry in earlier.by_bot.values() if earlier is not None else ():
        on_panel = entry.bot.startswith(PANEL_PREFIX) and not entry.account
        if entry.state == LEFT or (on_panel and entry.bot not in own):
            continue
        if entry.bot not in own:
            version = entry.version
            about = (version, entry.author, entry.account, entry.games, entry.submissions.get(version, ""))
            stateless, needs = version in entry.stateless, entry.needs.get(version, "")
            changes.append(EntryChange(ENTER, now_ms, entry.bot, *about, stateless, needs))
            since = _SINCE_ENTERED.get(entry.state_before or entry.state)
            changes += [EntryChange(since, now_ms, entry.bot)] if since is not None else []
        if entry.state == DISQUALIFIED:
            changes.append(EntryChange(DISQUALIFY, now_ms, entry.bot, reason=entry.disqualified_because))
    return changes
