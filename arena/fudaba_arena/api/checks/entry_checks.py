"""Decides on requests of authors and organisers about entries, and refuses what is not allowed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

from fudaba.refusals import Refused
from fudaba.v1 import bots_pb2, errors_pb2
from fudaba_arena.api.token_owners import TokenOwner
from fudaba_arena.store.tournaments.entries import (
    AWAIT,
    DISQUALIFIED,
    ENTER,
    LEAVE,
    LEAVE_OUT,
    LEFT,
    PAUSE,
    PAUSED,
    PLAYING,
    RESUME,
    Entries,
    Entry,
    EntryChange,
)
from fudaba_arena.submissions.stages import Outcome
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.season import LISTED, NOBODY, Season

__all__ = [
    "NOT_SUBMITTED",
    "EntryRequest",
    "Submitted",
    "awaiting",
    "entering",
    "leaving",
    "left_out",
    "pausing",
    "resuming",
    "version_of",
]


_DAY_MS: Final = 24 * 3_600_000
_MAX_CHANGES_PER_DAY: Final = 100
_IN_TIME: Final = "in time"
_LATE: Final = "late"
_WARNING_SHARE: Final = 0.5
"""The share of the clock's time for a move. A version whose check took longer gets a warning."""


@final
@dataclass(frozen=True, slots=True)
class EntryRequest:
    """A request about a bot: the caller, the bot and the time."""

    caller: TokenOwner
    bot: bots_pb2.Bot
    now_ms: int
    complete_ms: int = 0
    """The time when the upload of an awaited submission was complete, which has to be before the deadline; 0 for
    another version.
    """

    def check_owner(self) -> None:
        """Refuses a caller who is neither the organiser nor the bot's author."""
        if not self.caller.organiser and (not self.caller.account or self.caller.account != self.bot.account):
            raise Refused(errors_pb2.REASON_NOT_YOURS, f"bot {self.bot.name} is not one of your account's bots")


@final
@dataclass(frozen=True, slots=True)
class Submitted:
    """A submitted version."""

    submission_id: str = ""
    stateless: bool = False
    games: tuple[str, ...] = ()
    """The games that it plays; empty for all games, and for a version that was not submitted."""
    needs: str = ""
    """Its needs for running, see `needs_of`."""
    ram_mb: int = 0
    """The memory that it asks for, in megabytes; 0 for the default."""

    slowest: Outcome | None = None
    """The slowest decision in the matches of its check; None if it is not known."""

    def check_pace(self, tournament: Tournament, *, anyway: bool) -> str:
        """Returns a warning for the author about the version's pace, or an empty text. Refuses a version too slow for
        the clock.
        """
        if self.slowest is None:
            return ""
        took, given = self.slowest.slowest_ms, tournament.clock.move_ms
        both = (
            f"in its check its slowest decision, of {self.slowest.game}, took {took / 1000:.2f} s, and the clock gives"
            f" {given / 1000:g} s for a move"
        )
        if took > given and not anyway:
            raise Refused(
                errors_pb2.REASON_TOO_SLOW,
                f"{both}: it would lose by its clock; have it decide faster, or enter it anyway with --anyway",
            )
        if took > given:
            return f"{both}: it will lose by its clock"
        return f"{both}: a slower moment, or machine, may cost it the match" if took > given * _WARNING_SHARE else ""

    def check_ram(self, tournament: Tournament) -> None:
        """Refuses a version that asks for more memory than a bot of the ladder may have."""
        if why := tournament.limits.too_much(self.ram_mb):
            raise Refused(errors_pb2.REASON_ENTRY_CLOSED, f"{why}; lower ram_mb in its bot.toml, and submit it again")

    def check_memory(self, season: Season) -> None:
        """Refuses a submission that keeps a memory, in a ladder where submissions may not."""
        if self.submission_id and not self.stateless and not season.keeps_in:
            raise Refused(
                errors_pb2.REASON_MEMORY_NOT_ALLOWED,
                f'this version has memory = "kept" in its bot.toml, and {season.ladder} gives no bot a folder that'
                ' lives on: submit it with memory = "nothing", or ask the organiser for memory = "kept" in the ladder',
            )

    def check_games(self, chosen: tuple[str, ...], tournament: Tournament) -> tuple[str, ...]:
        """Returns the games to enter; empty for all games of the ladder.

        Refuses a game that the version does not play.
        """
        played = [game.game for game in tournament.games]
        if not self.games or set(played) <= set(self.games):
            return chosen
        for game in chosen:
            if game not in self.games:
                raise Refused(
                    errors_pb2.REASON_GAME_NOT_FOUND,
                    f"this version plays no {game}, only: {', '.join(self.games)}, as its bot.toml says",
                )
        both = tuple(sorted(chosen or set(played) & set(self.games)))
        if not both:
            raise Refused(
                errors_pb2.REASON_GAME_NOT_FOUND,
                f"this version plays {', '.join(self.games)}, and the ladder has none of them",
            )
        return both


NOT_SUBMITTED: Final = Submitted()


def entering(
    asked: EntryRequest,
    version: str,
    games: Collection[str],
    tournament: Tournament,
    season: Season,
    known: Entries,
    submitted: Submitted = NOT_SUBMITTED,
) -> list[EntryChange]:
    """Returns the changes that enter a bot or another version of it; none if the entry is already as requested."""
    asked.check_owner()
    when = _check_in_time(asked, season, known)
    before = known.by_bot.get(asked.bot.name)
    _check_not_disqualified(before)
    version = version_of(asked.bot, version)
    chosen = tuple(sorted(_games(games, tournament) or (before.games if before is not None else ())))
    chosen = submitted.check_games(chosen, tournament)
    submitted.check_ram(tournament)
    submitted.check_memory(season)
    if before is not None and before.state == PLAYING and (before.version, before.games) == (version, chosen):
        return []
    _check_open(asked, season)
    _check_number(asked, season, known)
    _check_changes(asked, known)
    about = version, asked.bot.author, asked.bot.account, chosen, submitted.submission_id, submitted.stateless
    return [
        EntryChange(
            ENTER, asked.now_ms, asked.bot.name, *about, submitted.needs, late=when == _LATE, in_time=when == _IN_TIME
        )
    ]


def awaiting(
    asked: EntryRequest,
    submission_id: str,
    games: Collection[str],
    tournament: Tournament,
    season: Season,
    known: Entries,
    *,
    anyway: bool,
) -> list[EntryChange]:
    """Returns the changes that ask for a submission to be entered once its check has passed; none if it was asked for
    already in these words. What only the check finds out is decided then, by `entering`.
    """
    asked.check_owner()
    _check_not_disqualified(known.by_bot.get(asked.bot.name))
    terms = tuple(_games(games, tournament)), anyway, asked.caller.organiser
    before = known.asked.get(submission_id)
    if before is not None and before.left_out is None:
        earlier = before.asked
        if (earlier.games, earlier.anyway, earlier.by_organiser) == terms:
            return []  # also after the deadline: the answer may have been lost, or the upload be continued
    _check_in_time(asked, season, known)
    _check_open(asked, season)
    _check_number(asked, season, known)
    _check_changes(asked, known)
    change = EntryChange(AWAIT, asked.now_ms, asked.bot.name, author=asked.bot.author, account=asked.bot.account)
    return [replace(change, submission=submission_id, games=terms[0], anyway=anyway, by_organiser=terms[2])]


def _check_in_time(asked: EntryRequest, season: Season, known: Entries) -> str:
    """Returns `_IN_TIME` or `_LATE` if the deadline is over; otherwise nothing. Refuses a request that is too late."""
    deadline_ms = known.deadline_ms("", season.ends_ms)  # the arena may not have frozen the versions yet
    if not 0 < deadline_ms <= asked.now_ms:
        return ""
    at_ms = asked.complete_ms or asked.now_ms
    if at_ms < deadline_ms:
        return _IN_TIME
    if at_ms < known.deadline_ms(asked.bot.account, season.ends_ms):
        return _LATE
    frozen = f"the versions of season {season.number} of {season.ladder} are frozen"
    if asked.complete_ms:
        raise Refused(errors_pb2.REASON_SEASON_FROZEN, f"{frozen}, and its upload was complete only after the deadline")
    raise Refused(
        errors_pb2.REASON_SEASON_FROZEN,
        f"{frozen}; enter when the next season has begun, or ask the organiser for an extension",
    )


def left_out(asked: EntryChange, now_ms: int, why: str) -> EntryChange:
    """Returns the change that leaves out an awaited submission. Only the request names its author."""
    return EntryChange(LEAVE_OUT, now_ms, asked.bot, submission=asked.submission, reason=why)


def pausing(asked: EntryRequest, known: Entries) -> list[EntryChange]:
    """Returns the changes that pause a bot: it is not chosen for a while. A paused bot's requests are withdrawn."""
    entry = _entered(asked, known)
    if entry.state == PAUSED:
        return _withdrawing(asked, known)
    _check_changes(asked, known)
    return [EntryChange(PAUSE, asked.now_ms, asked.bot.name)]


def resuming(asked: EntryRequest, withdrawn: Collection[str], known: Entries) -> list[EntryChange]:
    """Returns the changes that resume a bot. `withdrawn` are the entrants that did not connect."""
    entry = _entered(asked, known)
    if entry.state == PLAYING and entry.entrant not in withdrawn:
        return []
    _check_changes(asked, known)
    return [EntryChange(RESUME, asked.now_ms, asked.bot.name)]


def leaving(asked: EntryRequest, known: Entries) -> list[EntryChange]:
    """Returns the changes that remove a bot. For a bot that is not entered, they withdraw its requests for an entry."""
    asked.check_owner()
    entry = known.by_bot.get(asked.bot.name)
    _check_not_disqualified(entry)
    if entry is not None and entry.state != LEFT:
        return [EntryChange(LEAVE, asked.now_ms, asked.bot.name)]
    withdrawn = _withdrawing(asked, known)
    if entry is None and not withdrawn:
        raise _not_entered(asked.bot.name)
    return withdrawn


def _withdrawing(asked: EntryRequest, known: Entries) -> list[EntryChange]:
    """Returns the changes that withdraw the requests to enter a bot's submissions."""
    requests = [awaited for awaited in known.awaited if awaited.bot == asked.bot.name]
    return [left_out(awaited, asked.now_ms, "its request was withdrawn") for awaited in requests]


def _entered(asked: EntryRequest, known: Entries) -> Entry:
    asked.check_owner()
    entry = known.by_bot.get(asked.bot.name)
    if entry is None or entry.state == LEFT:
        raise _not_entered(asked.bot.name)
    _check_not_disqualified(entry)
    return entry


def _check_not_disqualified(entry: Entry | None) -> None:
    """Refuses a change of an entry that is disqualified."""
    if entry is not None and entry.state == DISQUALIFIED:
        raise Refused(
            errors_pb2.REASON_ENTRY_DISQUALIFIED,
            f"bot {entry.bot} is disqualified, and stays out of the ladder unless the organiser undoes that",
        )


def _not_entered(bot: str) -> Refused:
    return Refused(errors_pb2.REASON_ENTRY_NOT_FOUND, f"bot {bot} is not entered; enter it with `fudaba bot enter`")


def version_of(bot: bots_pb2.Bot, wanted: str) -> str:
    """Returns the requested version of a bot, or its newest. Refuses a version that the bot does not have."""
    labels = [version.label for version in bot.versions]
    if wanted and wanted not in labels:
        raise Refused(
            errors_pb2.REASON_BOT_NOT_FOUND, f"bot {bot.name} has no version {wanted!r}; it has: {', '.join(labels)}"
        )
    return wanted or labels[-1]


def _games(wanted: Collection[str], tournament: Tournament) -> Sequence[str]:
    played = [game.game for game in tournament.games]
    for game in wanted:
        if game not in played:
            raise Refused(
                errors_pb2.REASON_GAME_NOT_FOUND, f"the ladder has no game {game!r}; it has: {', '.join(played)}"
            )
    return sorted(set(wanted))


def _check_open(asked: EntryRequest, season: Season) -> None:
    """Refuses a bot that the ladder does not accept from the caller."""
    if asked.caller.organiser:
        return
    if season.enter == NOBODY:
        raise Refused(errors_pb2.REASON_ENTRY_CLOSED, f"only the organiser enters bots in {season.ladder}; ask for it")
    if season.enter == LISTED and asked.caller.account not in season.accounts:
        raise Refused(
            errors_pb2.REASON_ENTRY_CLOSED,
            f"{season.ladder} takes bots of some accounts only, and yours is not among them; ask the organiser",
        )


def _check_changes(asked: EntryRequest, known: Entries) -> None:
    """Refuses a change of a bot that has reached the daily limit. Every change is kept for good. Leaving is always
    possible.
    """
    if asked.caller.organiser:
        return
    since_ms = asked.now_ms - _DAY_MS
    times = [change.at_ms for change in known.changes if change.bot == asked.bot.name and change.at_ms > since_ms]
    if len(times) >= _MAX_CHANGES_PER_DAY:
        raise Refused.quota(
            "changes of an entry a day",
            _MAX_CHANGES_PER_DAY,
            f"bot {asked.bot.name}",
            "come back later",
            max(1.0, (times[-_MAX_CHANGES_PER_DAY] - since_ms) / 1000),
        )


def _check_number(asked: EntryRequest, season: Season, known: Entries) -> None:
    """Refuses a bot when the account already has as many as it may have."""
    if asked.caller.organiser:
        return
    entries = [entry for entry in known.by_bot.values() if entry.account == asked.caller.account]
    own = {entry.bot for entry in entries if entry.state != LEFT}
    if len(own - {asked.bot.name}) >= season.entries_per_author:
        disqualified = any(entry.state == DISQUALIFIED for entry in entries)
        raise Refused.quota(
            f"entries in {season.ladder}",
            season.entries_per_author,
            f"account {asked.caller.account}",
            f"let another one leave first{'; a disqualified one counts, and cannot leave' if disqualified else ''}",
        )
