"""Reads and checks the definitions of tournaments and ladders in calls. Refuses a definition with all its mistakes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from fudaba.errors import ServiceError
from fudaba.refusals import Refused, Violation
from fudaba.text_files import plain
from fudaba.toml_reading import Mistake
from fudaba.v1 import arena_pb2, errors_pb2
from fudaba_arena.api.checks.bots_from_ladder import with_ladder_seeds
from fudaba_arena.api.ratings import Ratings
from fudaba_arena.errors import ArenaError
from fudaba_arena.forms import BadStored
from fudaba_arena.play.service.registration import NotRegistered
from fudaba_arena.play.standing_arena.season_edits import (
    MAX_EDITS,
    EditedMeanwhile,
    FixedKeys,
    PlannedEdit,
    SeasonEdits,
    TooManyEdits,
)
from fudaba_arena.play.standing_arena.tournament_registry import DEFINITION, TournamentRegistry
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.file import BadTournament, Source

__all__ = ["checked", "checked_text", "edited", "with_bots"]

_MAX_DEFINITION_BYTES: Final = 262_144
_SERVICE_TIMEOUT_SECONDS: Final = 20.0


def checked_text(text: str) -> str:
    """Returns the text of a definition, without what an editor put around it. Refuses a text that is too long."""
    size = len(text.encode())
    if size > _MAX_DEFINITION_BYTES:
        raise Refused.malformed(f"definition has {size} bytes; at most {_MAX_DEFINITION_BYTES} are taken")
    return plain(text)


async def with_bots(text: str, registry: TournamentRegistry, ratings: Ratings) -> str:
    """Returns the text of a definition with the bots of the ladder from which it takes them. Refuses a request for bots
    that has mistakes, or that the ladder cannot meet.
    """
    try:
        return await with_ladder_seeds(text, registry, ratings)
    except BadTournament as error:
        raise _refused_at(errors_pb2.REASON_BAD_TOURNAMENT, error.mistakes) from error


async def checked(registry: TournamentRegistry, source: Source) -> Tournament:
    """Returns the tournament of a definition. Refuses a definition that has mistakes, and names all of them."""
    try:
        async with asyncio.timeout(_SERVICE_TIMEOUT_SECONDS):
            return await registry.checked(source)
    except (BadTournament, NotRegistered) as error:
        raise _refused_at(errors_pb2.REASON_BAD_TOURNAMENT, error.mistakes) from error
    except BadStored:
        raise
    except ArenaError as error:
        raise _refused(errors_pb2.REASON_BAD_TOURNAMENT, [Violation(DEFINITION, str(error))]) from error
    except (ServiceError, TimeoutError) as error:
        why = str(error) or "it does not answer"
        raise Refused(errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{why}; nothing was changed, try again") from error


async def edited(edits: SeasonEdits, request: arena_pb2.EditLadderRequest) -> PlannedEdit:
    """Edits a season, or plans that. Refuses an edit that cannot be made, with all that is in its way."""
    text = checked_text(request.definition)
    try:
        async with asyncio.timeout(_SERVICE_TIMEOUT_SECONDS):
            return await edits.edit(text, request.etag, preview=request.validate_only)
    except FixedKeys as error:
        raise _refused_at(errors_pb2.REASON_LADDER_FIXED, error.mistakes) from error
    except EditedMeanwhile as error:
        changes = [f"{change.key} was {change.before}, is {change.after}" for change in error.changes]
        since = f": {'; '.join(changes)}" if changes else ""
        raise Refused(
            errors_pb2.REASON_LADDER_EDITED,
            f"{request.ladder} was edited since the version that you edit{since}; nothing was changed, edit it anew",
        ) from error
    except TooManyEdits as error:
        raise Refused(
            errors_pb2.REASON_QUOTA_EXCEEDED,
            f"this season of {request.ladder} was edited {MAX_EDITS} times, and takes no more; begin the next one",
        ) from error
    except (BadTournament, NotRegistered) as error:
        raise _refused_at(errors_pb2.REASON_BAD_TOURNAMENT, error.mistakes) from error
    except (ServiceError, TimeoutError) as error:
        why = str(error) or "it does not answer"
        raise Refused(
            errors_pb2.REASON_SERVICE_UNAVAILABLE, f"{why}; look with `fudaba ladder show` what has changed"
        ) from error


def _refused_at(reason: errors_pb2.Reason.ValueType, mistakes: Iterable[Mistake]) -> Refused:
    """Returns the refusal of a definition with mistakes, each at its line."""
    return _refused(reason, [Violation(f"{DEFINITION}:{mistake.line}", mistake.text) for mistake in mistakes])


def _refused(reason: errors_pb2.Reason.ValueType, violations: list[Violation]) -> Refused:
    first = violations[0]
    more = f"; the details list all {len(violations)} mistakes" if len(violations) > 1 else ""
    return Refused(reason, f"{first.field}: {first.description}{more}", violations=violations)
