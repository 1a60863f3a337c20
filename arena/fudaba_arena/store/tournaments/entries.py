"""The entries of a season: the changes one after the other, and their sum.

The list of changes is append-only. The season keeps all versions that were ever entered, since their results stay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final, Self, final

from fudaba.zoned_time import ZonedTime
from fudaba_arena.forms import known_fields, with_unknown
from fudaba_arena.tournament.definition import Owned

__all__ = [
    "AWAIT",
    "DISQUALIFIED",
    "DISQUALIFY",
    "ENTER",
    "EXTEND",
    "FREEZE",
    "LEAVE",
    "LEAVE_OUT",
    "LEFT",
    "PAUSE",
    "PAUSED",
    "PLAYING",
    "PSEUDONYM",
    "REINSTATE",
    "RESUME",
    "WITHDRAW_EXTENSION",
    "AwaitedEntry",
    "Entries",
    "Entry",
    "EntryChange",
    "Extension",
]

ENTER: Final = "enter"
PAUSE: Final = "pause"
RESUME: Final = "resume"
LEAVE: Final = "leave"
FREEZE: Final = "freeze"
DISQUALIFY: Final = "disqualify"
REINSTATE: Final = "reinstate"
EXTEND: Final = "extend"
WITHDRAW_EXTENSION: Final = "withdraw_extension"
AWAIT: Final = "await"
LEAVE_OUT: Final = "leave_out"
PSEUDONYM: Final = "deleted-"
"""The prefix of the names that the service gives to deleted accounts, and to no others."""

PLAYING: Final = "playing"
PAUSED: Final = "paused"
LEFT: Final = "left"
DISQUALIFIED: Final = "disqualified"
_FORM_NUMBERS: Final = {DISQUALIFY: 2, REINSTATE: 2, EXTEND: 3, WITHDRAW_EXTENSION: 3, AWAIT: 4, LEAVE_OUT: 4}
"""The forms of changes that earlier releases do not know: they refuse these, and play nothing by halves."""
_STATES: Final = {ENTER: PLAYING, RESUME: PLAYING, PAUSE: PAUSED, LEAVE: LEFT}


@final
@dataclass(frozen=True, slots=True)
class EntryChange:
    """A change of the entries."""

    kind: str
    """`enter` (also for another version of an entered bot), `pause`, `resume`, `leave`, `disqualify`, `reinstate`;
    `freeze`: from then on no version changes, and the final begins; `extend` and `withdraw_extension`: an account may
    still enter versions, or no longer; or `await` and `leave_out`: a submission is to be entered once its check has
    passed, or is not entered.
    """
    at_ms: int
    """The time, in milliseconds since 1970."""
    bot: str = ""
    """The bot's name; empty for a freeze and for a change of an extension."""
    version: str = ""
    """The version that plays from now on, if it enters."""
    author: str = ""
    account: str = ""
    """The account to which the bot belongs; empty for none."""
    games: tuple[str, ...] = ()
    """The games that it plays; empty for all."""
    submission: str = ""
    """The id of the version's submission; empty for a remote bot."""
    stateless: bool = False
    """Whether the version keeps nothing between matches."""
    needs: str = ""
    """The needs of a submission for running, see `needs_of`."""
    reason: str = ""
    """The organiser's reason to disqualify or reinstate it, or for an extension; or why a submission is not entered.
    Exports leave it out.
    """
    until_ms: int = 0
    """The end of an extension, in milliseconds since 1970."""
    zone: str = ""
    """The IANA time zone in which the organiser wrote that; empty for none."""
    late: bool = False
    """Whether a version is entered after the deadline, by an extension."""
    in_time: bool = False
    """Whether a version is entered after the deadline because its submission was uploaded and asked for before it."""
    anyway: bool = False
    """Whether an awaited version enters even if it is too slow for the clock."""
    by_organiser: bool = False
    """Whether the organiser asked for an awaited version, and not the bot's author."""
    unknown: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """Fields that a later release has stored; they are kept."""

    def of_owner(self, owned: Owned) -> Self:
        """Returns the change with its bot assigned to an account, for display too."""
        return replace(self, **owned._asdict()) if self.kind in {ENTER, AWAIT} else self

    def of_deleted(self, account: str, pseudonym: str) -> Self:
        """Returns the change without the name of a deleted account, and without the reason for its extension."""
        if not self.extends or self.account != account:
            return self
        return replace(self, account=pseudonym, reason="")

    @property
    def owned(self) -> bool:
        """Whether it names an account that is not known to be deleted."""
        return bool(self.account) and not self.account.startswith(PSEUDONYM)

    @property
    def extends(self) -> bool:
        """Whether it is about an extension."""
        return self.kind in {EXTEND, WITHDRAW_EXTENSION}

    @property
    def private(self) -> bool:
        """Whether only organisers and the account see it: extensions, and submissions that are to be entered."""
        return self.extends or self.kind in {AWAIT, LEAVE_OUT}

    def line(self) -> str:
        """Returns its stored form."""
        form = {"form": _FORM_NUMBERS[self.kind]} if self.kind in _FORM_NUMBERS else {}
        return json.dumps(with_unknown(asdict(self)) | form, separators=(",", ":"))

    @classmethod
    def from_line(cls, line: bytes) -> Self:
        """Reads a stored change."""
        values = known_fields(cls, json.loads(line), "a change of who is entered", max(_FORM_NUMBERS.values()))
        return cls(**values | {"games": tuple(values.get("games", ()))})


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """A bot that is or was entered."""

    bot: str
    versions: tuple[str, ...]
    """Every version that was entered, in the order of last entry. The last one plays."""
    state: str
    """`playing`, `paused`, `left` or `disqualified`."""
    author: str = ""
    account: str = ""
    games: tuple[str, ...] = ()
    """The games that it plays, sorted; empty for all."""
    resumed: int = 0
    """The number of times that it was entered or resumed."""
    submissions: Mapping[str, str] = field(default_factory=dict)
    """The submission's id for each version that was submitted."""
    stateless: frozenset[str] = frozenset()
    """The versions that keep nothing between matches."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """The needs of each submitted version for running."""
    disqualified_ms: int = 0
    """The time of its disqualification, in milliseconds since 1970; 0 unless it is disqualified."""
    disqualified_because: str = ""
    """The reason, for organisers and its author."""
    state_before: str = ""
    """The state before its disqualification, which an undoing restores."""
    late: frozenset[str] = frozenset()
    """The versions that were entered after the deadline."""

    @property
    def owned(self) -> bool:
        """Whether it belongs to an account that is not known to be deleted."""
        return bool(self.account) and not self.account.startswith(PSEUDONYM)

    @property
    def version(self) -> str:
        """The version that plays."""
        return self.versions[-1]

    @property
    def entrants(self) -> tuple[str, ...]:
        """The names of all its versions in results, in the order of `versions`."""
        return tuple(f"{self.bot}@{version}" for version in self.versions)

    @property
    def entrant(self) -> str:
        """The name of the playing version in results."""
        return f"{self.bot}@{self.version}"


@final
@dataclass(frozen=True, slots=True)
class Extension:
    """A later deadline of one account. Until then it may still enter versions."""

    account: str
    until_ms: int
    """Its end, in milliseconds since 1970."""
    zone: str
    """The IANA time zone in which the organiser wrote its end; empty for none."""
    reason: str
    """The reason, for organisers and the account."""
    granted_ms: int
    """The time when it was granted, in milliseconds since 1970."""

    @property
    def until(self) -> ZonedTime:
        """The end of the extension."""
        return ZonedTime.from_ms(self.until_ms, self.zone)


@final
@dataclass(frozen=True, slots=True)
class AwaitedEntry:
    """A submission that is to be entered once its check has passed."""

    asked: EntryChange
    """The change that asked for it."""
    left_out: EntryChange | None = None
    """The change that left it out; None while it may still be entered."""


@final
@dataclass(slots=True)
class Entries:
    """The sum of the changes."""

    changes: list[EntryChange] = field(default_factory=list)
    by_bot: dict[str, Entry] = field(default_factory=dict)
    """The entries by the bots' names, in the order of first entry."""
    frozen_ms: int | None = None
    """The time when the final began; None before that."""
    extensions: dict[str, Extension] = field(default_factory=dict)
    """The extensions that were not withdrawn, by account. A deleted account has none."""
    ever_extended: set[str] = field(default_factory=set)
    """The accounts that ever had one, without those that are known to be deleted."""
    withdrawn_ms: int = 0
    """The time of the last withdrawal of an extension, in milliseconds since 1970; 0 if there was none."""
    asked: dict[str, AwaitedEntry] = field(default_factory=dict)
    """The submissions that are to be entered, or were left out, by id, in the order of the requests."""
    settled_ms: int = 0
    """The time when the last of them was entered or left out; 0 if none was."""

    def add(self, changes: Iterable[EntryChange]) -> None:
        """Adds the next changes."""
        for change in changes:
            self.changes.append(change)
            if change.kind == FREEZE:
                self.frozen_ms = change.at_ms if self.frozen_ms is None else self.frozen_ms
            elif change.extends:
                self._extend(change)
            elif change.kind == AWAIT:
                self.asked.pop(change.submission, None)
                self.asked[change.submission] = AwaitedEntry(change)
            elif change.kind == LEAVE_OUT:
                self._leave_out(change)
            else:
                self._change(change)
                self._note_asked(change)

    def _extend(self, change: EntryChange) -> None:
        if change.kind == WITHDRAW_EXTENSION:
            self.extensions.pop(change.account, None)
            self.withdrawn_ms = change.at_ms
        elif not change.account.startswith(PSEUDONYM):
            terms = change.until_ms, change.zone, change.reason, change.at_ms
            self.extensions[change.account] = Extension(change.account, *terms)
            self.ever_extended.add(change.account)

    def _change(self, change: EntryChange) -> None:
        known = self.by_bot.get(change.bot)
        if change.kind in {DISQUALIFY, REINSTATE}:
            if known is not None:
                self.by_bot[change.bot] = _judged(known, change)
            return
        resumed = (known.resumed if known is not None else 0) + (_STATES[change.kind] == PLAYING)
        if change.kind == ENTER:
            before = known.versions if known is not None else ()
            versions = (
                *(earlier_version for earlier_version in before if earlier_version != change.version),
                change.version,
            )
            submissions = dict(known.submissions) if known is not None else {}
            stateless = known.stateless if known is not None else frozenset()
            late = known.late if known is not None else frozenset()
            needs = dict(known.needs) if known is not None else {}
            if change.submission:
                submissions[change.version], needs[change.version] = change.submission, change.needs
            if change.stateless:
                stateless |= {change.version}
            about = change.author, change.account, change.games
            entry = Entry(change.bot, versions, PLAYING, *about, resumed, submissions, stateless, needs)
            self.by_bot[change.bot] = replace(
                entry, late=late | {change.version} if change.late or change.in_time else late
            )
        elif known is not None:
            self.by_bot[change.bot] = replace(known, state=_STATES[change.kind], resumed=resumed)

    def _leave_out(self, change: EntryChange) -> None:
        if change.submission in self.asked:
            self.asked[change.submission] = replace(self.asked[change.submission], left_out=change)
            self.settled_ms = change.at_ms

    def _note_asked(self, change: EntryChange) -> None:
        """Drops the requests for a bot's submissions that a later change of its entry replaces.

        An entered submission replaces those that were asked for before it. Any other version, and leaving, pausing and
        disqualifying, replace all.
        """
        if change.kind in {RESUME, REINSTATE}:
            return
        of_bot = [submission for submission, awaited in self.asked.items() if awaited.asked.bot == change.bot]
        if change.kind == ENTER and change.submission in of_bot:
            of_bot = of_bot[: of_bot.index(change.submission) + 1]
            self.settled_ms = change.at_ms
        for submission in of_bot:
            del self.asked[submission]

    @property
    def awaited(self) -> list[EntryChange]:
        """The requests for submissions that may still be entered, in their order."""
        return [awaited.asked for awaited in self.asked.values() if awaited.left_out is None]

    def deadline_ms(self, account: str, ends_ms: int) -> int:
        """Returns the time until which an account may enter versions; 0 if there is none yet. `ends_ms` is the end of
        the season, or 0.
        """
        common = min((at_ms for at_ms in (ends_ms, self.frozen_ms) if at_ms), default=0)
        extension = self.extensions.get(account)
        return max(common, extension.until_ms) if common and extension is not None else common

    def owners(self) -> dict[str, Owned]:
        """Returns the owners of the bots that were ever entered or are to be, without accounts that are known to be
        deleted.
        """
        asked = {awaited.asked.bot: awaited.asked for awaited in self.asked.values() if awaited.asked.owned}
        known = asked | {entry.bot: entry for entry in self.by_bot.values() if entry.owned}
        return {bot: Owned(owner.author, owner.account) for bot, owner in known.items()}

    def note_owner(self, bot: str, owned: Owned) -> None:
        """Assigns a bot to an account, as if it had always been that account's."""
        self.changes = [change.of_owner(owned) if change.bot == bot else change for change in self.changes]
        if bot in self.by_bot:
            self.by_bot[bot] = replace(self.by_bot[bot], **owned._asdict())
        for submission, awaited in self.asked.items():
            if awaited.asked.bot == bot:
                self.asked[submission] = replace(awaited, asked=awaited.asked.of_owner(owned))

    def note_deleted(self, account: str, pseudonym: str) -> None:
        """Drops the extension of a deleted account, and names the account by its pseudonym in all changes."""
        self.changes = [change.of_deleted(account, pseudonym) for change in self.changes]
        self.extensions.pop(account, None)
        self.ever_extended.discard(account)

    def extended(self, now_ms: int) -> frozenset[str]:
        """Returns the accounts that have an extension now."""
        return frozenset(account for account, extension in self.extensions.items() if extension.until_ms > now_ms)

    @property
    def extended_ms(self) -> int:
        """The time when the last extension ends or was withdrawn, in milliseconds since 1970; 0 without any."""
        return max([self.withdrawn_ms, *(extension.until_ms for extension in self.extensions.values())])

    def playing(self) -> list[Entry]:
        """Returns the entries that take part now."""
        return [entry for entry in self.by_bot.values() if entry.state == PLAYING]


def _judged(entry: Entry, change: EntryChange) -> Entry:
    """Returns an entry after it was disqualified or reinstated."""
    if change.kind == DISQUALIFY:
        return replace(
            entry,
            state=DISQUALIFIED,
            state_before=entry.state_before or entry.state,
            disqualified_ms=change.at_ms,
            disqualified_because=change.reason,
        )
    before = entry.state_before or entry.state
    return replace(entry, state=before, state_before="", disqualified_ms=0, disqualified_because="")
