"""The limits of an account: its own, otherwise those set for all accounts, otherwise the service's settings."""

from __future__ import annotations

from typing import Final, final

from fudaba.v1 import accounts_pb2
from fudaba_service.refusals import Refused
from fudaba_service.settings import Settings
from fudaba_service.store import Store

__all__ = ["Limits"]

_DEFAULTS: Final = ""
"""The stored name for the limits of all accounts without their own."""
_MAX_LIMIT: Final = 1_000_000


@final
class Limits:
    """The limits of the service's accounts. They are read each time, since another replica may have changed them."""

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
        """Reads all limits of an account. Without a name, reads those of the accounts that have none of their own."""
        limits = accounts_pb2.Quotas()
        limits.CopyFrom(self._settings)
        for raw in await self._store.accounts.limits(*dict.fromkeys((_DEFAULTS, account))):
            limits.MergeFromString(raw)
        return limits

    async def set_for(self, account: str) -> accounts_pb2.Quotas:
        """Reads the limits that were set for one account; without a name, for all accounts."""
        [raw] = await self._store.accounts.limits(account)
        return accounts_pb2.Quotas.FromString(raw)

    async def change(self, account: str, limits: accounts_pb2.Quotas, *, reset: bool) -> None:
        """Sets limits for one account or for all; `reset` removes earlier ones. Refuses unknown limits."""
        for field, value in limits.ListFields():
            if not 1 <= value <= _MAX_LIMIT:
                raise Refused.malformed(f"limits.{field.name} is {value}; it is 1 to {_MAX_LIMIT}")
        while True:
            [raw] = await self._store.accounts.limits(account)
            changed = accounts_pb2.Quotas() if reset else accounts_pb2.Quotas.FromString(raw)
            changed.MergeFrom(limits)
            if await self._store.accounts.swap_limits(account, raw, changed.SerializeToString(deterministic=True)):
                return
