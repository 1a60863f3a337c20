"""Display names: which of them people could confuse, and which are reserved."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from fudaba_service.accounts.bots import GUEST
from fudaba_service.accounts.house_bots import HOUSE
from fudaba_service.refusals import Refused
from fudaba_serving.names.likeness import likeness

__all__ = ["DELETED", "check_reserved"]

DELETED: Final = "deleted-"
"""The prefix of the pseudonyms of deleted accounts, and of no other names."""
_RESERVED: Final = frozenset(
    {
        *(
            "admin",
            "administrator",
            "arena",
            "fudaba",
            "gateway",
            "guest",
            "house",
            "moderator",
            "organiser",
            "organizer",
        ),
        *("root", "service", "staff", "system", "主催者", "運営", "管理者", "札場"),
    }
)
"""Names that readers would take for the service, its organiser or its own bots."""
_RESERVED_BEGINNINGS: Final = (HOUSE, GUEST, DELETED)
_MARKS: Final = re.compile(r"[\W_]+")


def check_reserved(field: str, name: str) -> None:
    """Refuses a name that readers would take for the service or its organiser."""
    alike = likeness(name)
    if _MARKS.sub("", alike) in _reserved():
        raise Refused.malformed(
            f"{field} {name!r} is reserved: it would pass for the service's own; choose another one"
        )
    for beginning in _RESERVED_BEGINNINGS:
        if alike.startswith(likeness(beginning)):
            raise Refused.malformed(
                f"{field} {name!r}: names that begin with {beginning} are reserved; choose another one"
            )


@cache
def _reserved() -> frozenset[str]:
    return frozenset(_MARKS.sub("", likeness(name)) for name in _RESERVED)
