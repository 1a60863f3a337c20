"""The limits of an account: what was set for it, else what was set for all, else the service's settings."""

from __future__ import annotations

from typing import Final, final

from fudaba.v1 import accounts_pb2
from fudaba_service.refusals import Refused
from fudaba_service.settings import Settings
from fudaba_service.store import Store

__all__ = ["Limits"]

_DEFAULTS: Final = ""
"""The name under which the store has what counts for every account of which nothing else is said."""
_MAX_LIMIT: Final = 1_000_000


@final
class Limits:
    """The limits of the service's accounts. They are read anew each time: another replica may have changed them."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self._settings = accounts_pb2.Quotas(
            bots=settings.bots_per_account,
            versions_per_day=settings.versions_per_day,
            unfinished_matches=settings.matches_per_account,
            streams=settings.streams_per_account,
            matches_per_hour=settings.matches_per_hour,
            records=settings.records_per_account,
        )

    async def for_account(self, account: str) -> accounts_pb2.Quotas:
        """Reads all limits that hold for an account; without a name, for every account that has none of its own."""
        limits = accounts_pb2.Quotas()
        limits.CopyFrom(self._settings)
        for raw in await self._store.accounts.limits(*dict.fromkeys((_DEFAULTS, account))):
            limits.MergeFromString(raw)
        return limits

    async def set_for(self, account: str) -> accounts_pb2.Quotas:
        """Reads the limits that were set for an account alone; without a name, for all."""
        [raw] = await self._store.accounts.limits(account)
        return accounts_pb2.Quotas.FromString(raw)

    async def change(self, account: str, limits: accounts_pb2.Quotas, *, reset: bool) -> None:
        """Sets limits for an account, or for all; `reset` forgets what was set before. Refuses what is no limit."""
        for field, value in limits.ListFields():
            if not 1 <= value <= _MAX_LIMIT:
                raise Refused.malformed(f"limits.{field.name} is {value}; it is 1 to {_MAX_LIMIT}")
        while True:
            [raw] = await self._store.accounts.limits(account)
            changed = accounts_pb2.Quotas() if reset else accounts_pb2.Quotas.FromString(raw)
            changed.MergeFrom(limits)
            if await self._store.accounts.swap_limits(account, raw, changed.SerializeToString(deterministic=True)):
                return
