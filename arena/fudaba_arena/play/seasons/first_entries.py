"""The entries with which a season begins."""

from __future__ import annotations

import time
from collections.abc import Sequence

from fudaba_arena.store.tournaments.entries import (
    DISQUALIFIED,
    DISQUALIFY,
    ENTER,
    LEFT,
    PAUSE,
    PAUSED,
    Entries,
    EntryChange,
)
from fudaba_arena.tournament.definition import BotEntry

__all__ = ["first_entries"]


def first_entries(bots: Sequence[BotEntry], earlier: Entries | None) -> list[EntryChange]:
    """Enters the bots of the ladder's file, and the bots of the earlier season, if there was one, that had not left
    it. Those that are disqualified stay so.
    """
    now_ms = int(time.time() * 1000)
    changes = [EntryChange(ENTER, now_ms, bot.name, bot.version, bot.author, "", bot.games) for bot in bots]
    own = {bot.name for bot in bots}
    for entry in earlier.by_bot.values() if earlier is not None else ():
        if entry.state == LEFT:
            continue
        if entry.bot not in own:
            version = entry.version
            about = (version, entry.author, entry.account, entry.games, entry.submissions.get(version, ""))
            stateless, needs = version in entry.stateless, entry.needs.get(version, "")
            changes.append(EntryChange(ENTER, now_ms, entry.bot, *about, stateless, needs))
        paused = PAUSED in {entry.state, entry.state_before}
        changes += [EntryChange(PAUSE, now_ms, entry.bot)] if entry.bot not in own and paused else []
        if entry.state == DISQUALIFIED:
            changes.append(EntryChange(DISQUALIFY, now_ms, entry.bot, reason=entry.disqualified_because))
    return changes
