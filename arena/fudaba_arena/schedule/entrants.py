"""Makes the entrants of a ladder's season: each version that was ever entered, as a bot of a tournament."""

from __future__ import annotations

from dataclasses import replace

from fudaba_arena.store.tournaments.entries import Entries
from fudaba_arena.tournament.definition import BotEntry, Tournament

__all__ = ["with_entries"]


def with_entries(tournament: Tournament, entries: Entries) -> Tournament:
    """Returns the season with all versions that were ever entered, named `BOT@VERSION`.

    `tournament` is as in its file.
    """
    own = {bot.name: bot for bot in tournament.bots}
    ladder = tournament.season.keeps_in if tournament.season is not None else ""
    bots: list[BotEntry] = []
    for entry in entries.by_bot.values():
        for version in entry.versions:
            name = f"{entry.bot}@{version}"
            started = own.get(entry.bot)
            if started is not None and started.version == version:
                bots.append(replace(started, name=name))
            else:
                bot = BotEntry(name, author=entry.author, account=entry.account, version=version, games=entry.games)
                submission, stateless = entry.submissions.get(version, ""), version in entry.stateless
                if submission:
                    needs = entry.needs.get(version, "")
                    bot = bot.submitted(submission, stateless=stateless, ladder=ladder, needs=needs)
                bots.append(bot)
    return replace(tournament, bots=tuple(bots))
