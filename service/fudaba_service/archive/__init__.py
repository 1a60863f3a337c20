"""The archive: the records of finished matches, one file each, and their index."""

from fudaba_service.archive.index import ArchiveIndex, Arrivals, IndexQuery
from fudaba_service.archive.listing import Listed, ended_match, listed_as, places, time_of
from fudaba_service.archive.records import INDEX, MATCH_ID, NEW_MATCH_ID, Archive, ArchiveUnavailable, DamagedRecord

__all__ = [
    "INDEX",
    "MATCH_ID",
    "NEW_MATCH_ID",
    "Archive",
    "ArchiveIndex",
    "ArchiveUnavailable",
    "Arrivals",
    "DamagedRecord",
    "IndexQuery",
    "Listed",
    "ended_match",
    "listed_as",
    "places",
    "time_of",
]
