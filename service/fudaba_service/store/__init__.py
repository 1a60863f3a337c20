"""The store: live matches, bots and tokens in Redis."""

from fudaba_service.store.commits import Append
from fudaba_service.store.redis_store import MatchGone, Store, StoredMatch, StoreUnavailable

__all__ = ["Append", "MatchGone", "Store", "StoreUnavailable", "StoredMatch"]
