"""Reads and checks the definitions of tournaments and ladders in calls. Refuses a definition with all its mistakes."""

from __future__ import annotations

import asyncio
from typing import Final

from fudaba.errors import ServiceError
from fudaba.refusals import Refused, Violation
from fudaba.text_files import plain
from fudaba.v1 import errors_pb2
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.play.service.registration import NotRegistered
from fudaba_arena.play.standing_arena.tournament_registry import DEFINITION, TournamentRegistry
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.file import BadTournament, Source

__all__ = ["checked", "checked_text"]

_MAX_DEFINITION_BYTES: Final = 262_144
_SERVICE_TIMEOUT_SECONDS: Final = 20.0


def checked_text(text: str) -> str:
    """Returns the text of a definition, without what an editor put around it. Refuses a text that is too long."""
    size = len(text.encode())
    if size > _MAX_DEFINITION_BYTES:
        raise Refused.malformed(f"definition has {size} bytes; at most {_MAX_DEFINITION_BYTES} are taken")
    return plain(text)


async def checked(registry: TournamentRegistry, source: Source) -> Tournament:
    """Returns the tournament of a definition. Refuses a definition that has mistakes, and names all of them."""
    try:
        async with asyncio.timeout(_SERVICE_TIMEOUT_SECONDS):
            return await registry.checked(source)
    except (BadTournament, NotRegistered) as error:
        raise _bad([Violation(f"{DEFINITION}:{mistake.line}", mistake.text) for mistake in error.mistakes]) from error
    except BadStored:
        raise
    except ArenaError as error:
        raise _bad([Violation(DEFINITION, str(error))]) from error
    except (ServiceError, TimeoutError) as error:
        why = str(error) or "it does not answer"
        raise Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{why}; nothing was changed, try again") from error


def _bad(violations: list[Violation]) -> Refused:
    first = violations[0]
    more = f"; the details list all {len(violations)} mistakes" if len(violations) > 1 else ""
    return Refused(errors_pb2.REASON_BAD_TOURNAMENT, f"{first.field}: {first.description}{more}", violations=violations)
