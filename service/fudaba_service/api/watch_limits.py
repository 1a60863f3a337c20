"""Limits the streams that follow matches, WatchSeat and WatchMatch: how many a caller may have open, and leave
unread.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, final

from fudaba_service.accounts.owner import Owner
from fudaba_service.refusals import Refused
from fudaba_service.sessions.watches import Watch, WatcherShare
from fudaba_service.settings import Settings
from fudaba_serving.grpc.credit import Pace
from fudaba_serving.grpc.rate_limit import GATEWAY

__all__ = ["Watchers"]

_BYTES_PER_MIB: Final = 1024 * 1024
_RETRY_SECONDS: Final = 15.0
_MESSAGES_PER_SECOND: Final = 500.0
"""The number of messages per second to all streams of a caller together. With more events, each message has more of
them.
"""
_MESSAGES_BURST: Final = 50.0


@final
class _Open:
    """The open streams of a caller here."""

    def __init__(self, share: WatcherShare) -> None:
        self.count = 0
        self.share = share


@final
class Watchers:
    """The streams of all callers on this replica: of accounts, bots without one, and addresses without a token."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._open: dict[str, _Open] = {}

    @contextmanager
    def counted(self, owner: Owner | None, address: str) -> Iterator[Watch]:
        """Counts a stream while it is open. Refuses too many; the organiser has no limit."""
        settings = self._settings
        if owner is not None and owner.organises:
            whose, most = f"token {owner.token_id}", 0
        elif owner is None or owner.payer == GATEWAY:
            whose, most = f"address {address}", settings.watches_per_address
        else:
            whose = f"account {owner.account}" if owner.account else owner.player
            most = settings.watches_per_account
        pace = Pace(_MESSAGES_PER_SECOND if most else 0.0, _MESSAGES_BURST)
        here = self._open.setdefault(whose, _Open(WatcherShare(settings.unread_mib * _BYTES_PER_MIB, pace)))
        if most and here.count >= most:
            advice = "end some first, or follow matches over one Play stream"
            raise Refused.quota("streams that follow matches", most, whose, advice, retry_seconds=_RETRY_SECONDS)
        here.count += 1
        watch = Watch(here.share)
        try:
            yield watch
        finally:
            watch.close()
            here.count -= 1
            if not here.count:
                del self._open[whose]
