"""Lists of matches, and matches that end for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fudaba.v1 import matches_pb2
from tests.support.service.organiser import Entrant, Organiser
from tests.support.service.processes import Service

ANYBODY: tuple[tuple[str, str], ...] = ()


async def listed(organiser: Organiser, metadata: Any = ANYBODY, size: int = 100, **fields: Any) -> list[str]:
    """Returns the ids of the matches in a list, page by page."""
    found: list[str] = []
    token = ""
    while True:
        request = matches_pb2.ListMatchesRequest(page_size=size, page_token=token, **fields)
        page = await organiser.matches.ListMatches(request, metadata=metadata)
        found += [match.header.match_id for match in page.matches]
        token = page.next_page_token
        if not token:
            return found


async def ended(organiser: Organiser, *pair: Entrant, **fields: Any) -> str:
    """Returns a match that was aborted, which is the quickest way into the archive."""
    match_id = await organiser.match(*pair, **fields)
    request = matches_pb2.AbortMatchRequest(match_id=match_id)
    await organiser.matches.AbortMatch(request, metadata=organiser.metadata)
    return match_id


def record_of(service: Service, match_id: str) -> list[Path]:
    return list((service.data / "archive").glob(f"*/{match_id}.fudaba"))
