"""Matches that are over."""

from __future__ import annotations

from tests.support.service.bots import play_match
from tests.support.service.organiser import Organiser


async def finished(organiser: Organiser) -> str:
    """Returns a match of two new bots, played to its end."""
    pair = await organiser.entrant(), await organiser.entrant()
    match_id = await organiser.match(*pair)
    await play_match(*organiser.by_chance(*pair))
    return match_id
