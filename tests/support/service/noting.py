"""Bots that note something at each decision."""

from __future__ import annotations

from fudaba.v1 import matches_pb2, play_pb2
from tests.support.service.bots import Bot, Choose, bearer
from tests.support.service.journal import Journal
from tests.support.service.organiser import Organiser


def noting(words: str) -> Choose:
    """Plays the default move and notes these words, and how many decisions there were."""

    async def choose(bot: Bot, journal: Journal, decision: play_pb2.Decision) -> None:
        note = f"{words} {len(journal.decisions)}" if words else ""
        await bot.send(journal, decision, index=0, note=note)

    return choose


async def notes(organiser: Organiser, match_id: str, token: str) -> list[tuple[int, str]]:
    """Returns the seats and texts of the notes that a token gets."""
    request = matches_pb2.GetNotesRequest(match_id=match_id)
    found = await organiser.matches.GetNotes(request, metadata=bearer(token) if token else ())
    assert found.match_id == match_id
    return [(note.seat, note.text) for note in found.notes]
