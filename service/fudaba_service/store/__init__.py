"""The store: live matches, bots and tokens in Redis."""

from fudaba_service.store.appends import Answer, Append
from fudaba_service.store.connection import StoreFull, StoreLost, StoreUnavailable, retry_until_answered
from fudaba_service.store.keys import match_keys, note_field
from fudaba_service.store.loop_turns import LoopTurns
from fudaba_service.store.match_index import Premiere, Showing
from fudaba_service.store.matches import MatchGone, StoredMatch
from fudaba_service.store.news import Appended, offer_news
from fudaba_service.store.outages import Outage
from fudaba_service.store.places import Admission, There
from fudaba_service.store.play_streams import Opening
from fudaba_service.store.redis_store import Store
from fudaba_service.store.silence import Silence
from fudaba_serving.redis.server_settings import CLOCK, EMPTY, SettingFinding, WrongSettings, tell

__all__ = [
    "CLOCK",
    "EMPTY",
    "Admission",
    "Answer",
    "Append",
    "Appended",
    "LoopTurns",
    "MatchGone",
    "Opening",
    "Outage",
    "Premiere",
    "SettingFinding",
    "Showing",
    "Silence",
    "Store",
    "StoreFull",
    "StoreLost",
    "StoreUnavailable",
    "StoredMatch",
    "There",
    "WrongSettings",
    "match_keys",
    "note_field",
    "offer_news",
    "retry_until_answered",
    "tell",
]
