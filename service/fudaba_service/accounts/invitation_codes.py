"""Codes that people type: for a seat in a match, for a new account, and for signing in."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Final

__all__ = ["code_digest", "new_code"]

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford's: no I, L, O, U
_GROUP_CHARS: Final = 4
_LOOKALIKES: Final = str.maketrans("ILO", "110")


def new_code(groups: int = 3) -> str:
    """Returns a new code in groups of four unmistakable characters, with 20 random bits in each group."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(_GROUP_CHARS)) for _ in range(groups))


def code_digest(code: str) -> str:
    """Returns the stored form of a code.

    Case, blanks, hyphens and letters that look like digits make no difference.
    """
    plain = "".join(code.upper().translate(_LOOKALIKES).replace("-", " ").split())
    return sha256(plain.encode()).hexdigest()
