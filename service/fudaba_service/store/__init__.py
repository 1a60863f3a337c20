"""The store: live matches, bots and tokens in Redis."""

from fudaba_service.store.commits import Answer, Append
from fudaba_service.store.keys import match_keys
from fudaba_service.store.news import Appended
from fudaba_service.store.redis_store import MatchGone, Store, StoredMatch, StoreUnavailable
from fudaba_service.store.silence import Silence

__all__ = [
    "Answer",
    "Append",
    "Appended",
    "MatchGone",
    "Silence",
    "Store",
    "StoreUnavailable",
    "StoredMatch",
    "match_keys",
]
