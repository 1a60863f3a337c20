"""Whether a service works."""

from __future__ import annotations

from tests.support.service.bots import play_match
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service


async def works(service: Service) -> None:
    async with Organiser(service.address, service.token) as organiser:
        entrants = await organiser.entrant(), await organiser.entrant()
        match_id = await organiser.match(*entrants)
        await play_match(*organiser.by_chance(*entrants))
        await organiser.record(match_id)
