"""Checks that the service has the accounts listed in a ladder's file."""

from __future__ import annotations

from fudaba_arena.play.service.registration import NotRegistered
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.tournament.contradictions import LISTS
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import Season

__all__ = ["check_accounts"]


async def check_accounts(season: Season, service: ServiceClient, source: Source) -> None:
    """Checks that every account exists that may enter or challenge. Raises `NotRegistered` with all missing ones."""
    mistakes = []
    for key, names in zip(LISTS, (season.accounts, season.challengers), strict=True):
        for place, name in enumerate(names):
            if not await service.has_account(name):
                text = f"{key} has {name!r}, and the service has no such account; `fudaba account list` lists them"
                mistakes.append(source.mistake([(key, place), (key,)], text))
    if mistakes:
        raise NotRegistered(source.file, mistakes)
