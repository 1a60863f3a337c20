"""Keeps a match's copy in step with its log, and notifies the followers of the match."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import final

from fudaba.v1 import record_pb2
from fudaba_service.sessions.alarm import Alarm
from fudaba_service.sessions.audience import Audience
from fudaba_service.sessions.changes import Propose, Reply
from fudaba_service.sessions.match_copy import MatchCopy
from fudaba_service.sessions.proposals import ready
from fudaba_service.sessions.session_host import SessionHost
from fudaba_service.store import Appended, StoredMatch

__all__ = ["LogFollower"]

log = logging.getLogger(__name__)


@final
class LogFollower:
    """Applies what the store holds: new entries, or another log than the known one."""

    __slots__ = ("_alarm", "_audience", "_check_time", "_copy", "_host", "_submit", "broken")

    def __init__(
        self,
        host: SessionHost,
        copy: MatchCopy,
        audience: Audience,
        alarm: Alarm,
        check_time: Callable[[], None],
        submit: Callable[[Propose, Reply], None],
    ) -> None:
        """`check_time` closes what is overdue and sets the alarm; `submit` is the session's."""
        self._host = host
        self._copy = copy
        self._audience = audience
        self._alarm = alarm
        self._check_time = check_time
        self._submit = submit
        self.broken = False
        """Whether the copy cannot be trusted. It is then rebuilt from the next reading."""

    def apply(self, entry: record_pb2.LogEntry, raw: bytes) -> None:
        """Applies the log's next entry."""
        self._copy.apply(entry, raw)
        self._audience.applied(entry)

    def apply_all(self, entries: Sequence[bytes]) -> None:
        """Applies the next entries of the log."""
        for raw in entries:
            self.apply(record_pb2.LogEntry.FromString(raw), raw)

    def catch_up(self, entries: Sequence[bytes]) -> None:
        """Applies entries that another replica appended after the known ones, and notifies everybody."""
        self.apply_all(entries)
        self.announce()

    def hear(self, news: Appended) -> bool:
        """Applies what another replica appended. Returns False if it does not fit, and the log must be read."""
        length, entries = self._copy.replay.length, news.entries
        if news.length == length and news.tail == self._copy.tail:
            self.apply_all(entries)
            return True
        return self._copy.log[news.length : news.length + len(entries)] == entries

    def take(self, stored: StoredMatch | None) -> None:
        """Applies what the store or the archive holds now."""
        copy = self._copy
        if stored is None:
            self._audience.silent = self.broken = False  # it is over here, from where it is being archived
        elif not self.broken and copy.sleeps_as(stored) and not self._audience.anywhere:
            return  # there is nothing new, and what was told before it fell asleep stands
        elif not (copy.is_of(stored) and copy.is_prefix_of(stored.entries)):
            log.warning("match %s is rolled back: the store lost a tail of its log", copy.match_id)
            self._host.rewound()
            self._build_anew(stored, rewound=True)
        elif self.broken:
            self._build_anew(stored, rewound=False)
        else:
            self._audience.ask_again()
            self.catch_up(stored.entries[copy.replay.length :])

    def announce(self) -> None:
        """Notifies everybody, and handles the match's times."""
        self._audience.announce()
        if self._copy.is_over:
            self._alarm.stop()
            self._audience.over()
            self._host.finished(self._copy.match_id)
        elif not self._alarm.fires_by(self._copy.clocks.due_at):
            self._check_time()

    def _build_anew(self, stored: StoredMatch, *, rewound: bool) -> None:
        """Rebuilds the match from the store, because the copy is broken or the store lost a tail that was known
        here.
        """
        copy, audience = self._copy, self._audience
        before, same, known = copy.replay, copy.is_of(stored), len(copy.log)
        copy.restart(stored)
        audience.silent = False
        self._check_time()
        # What is open now may have been answered before, or not been told: everybody gets the whole time again.
        copy.new_clocks()
        if rewound:
            audience.rewound(before, same=same)
        else:
            for raw in stored.entries[known:]:
                audience.applied(record_pb2.LogEntry.FromString(raw))
        for seat in audience.seats - copy.replay.ready:
            self._submit(ready(seat), lambda _: None)  # the store has forgotten that it is there, or never heard it
        self.announce()
        self.broken = False
