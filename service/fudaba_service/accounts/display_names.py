"""Display names: which of them people take for the same, and which nobody may have."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from fudaba_service.accounts.bots import GUEST
from fudaba_service.house_names import HOUSE
from fudaba_service.refusals import Refused

__all__ = ["DELETED", "check_reserved", "likeness"]

DELETED: Final = "deleted-"
"""What the pseudonyms of deleted accounts begin with, and no names of others."""
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
"""Names by which the service, its organiser or its own bots would be understood."""
_RESERVED_BEGINNINGS: Final = (HOUSE, GUEST, DELETED)
_SPACES: Final = re.compile(r"[\s\u00ad\u2800]+")
_DASHES: Final = re.compile(r"[\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d_-]+")
_MARKS: Final = re.compile(r"[\W_]+")
_LOOK_ALIKE: Final = str.maketrans(
    "авекмнорстухіјѕһԁԛԝӏ" + "αβγεζηικμνορτυχ" + "օսհոց" + "ıɑɡ",
    "abekmhopctyxijshdqwl" + "abyezhikmvoptux" + "ouhng" + "iag",
)
"""Letters of Cyrillic, Greek, Armenian and of phonetics, small or capital ones of which look like a Latin letter.

Unicode's UTS 39 has thousands of pairs; these are of the alphabets that keyboards have."""


def likeness(name: str) -> str:
    """What is the same for names that look alike: neither case, width, spaces nor alphabet tell two names apart.

    Compatibility forms are Unicode's (NFKC), case is folded, spaces of any kind are left out, all dashes are one, and
    letters that look like a Latin one are that.
    """
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return _DASHES.sub("-", _SPACES.sub("", folded)).translate(_LOOK_ALIKE)


def check_reserved(field: str, name: str) -> None:
    """Refuses a name by which readers would take an author for the service or its organiser."""
    alike = likeness(name)
    if _MARKS.sub("", alike) in _RESERVED:
        raise Refused.malformed(
            f"{field} {name!r} is reserved: it would pass for the service's own; choose another one"
        )
    for beginning in _RESERVED_BEGINNINGS:
        if alike.startswith(beginning):
            raise Refused.malformed(
                f"{field} {name!r}: names that begin with {beginning} are reserved; choose another one"
            )
