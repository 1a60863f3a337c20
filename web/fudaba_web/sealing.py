"""Seals data that a browser keeps for the gateways between two requests: the browser can neither read nor forge it.

The key comes from a secret that all gateways share, so one can open what another has sealed, and none stores it.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from typing import Any, Final, final

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

__all__ = ["Seal"]

_KEY_BYTES: Final = 32


@final
class Seal:
    """Seals of one purpose, which are valid for some time. A seal of another purpose, or from another secret, cannot be
    opened.
    """

    def __init__(self, secret: str, purpose: str, seconds: int) -> None:
        derived = HKDF(SHA256(), _KEY_BYTES, salt=None, info=f"fudaba {purpose}".encode()).derive(secret.encode())
        self._fernet = Fernet(urlsafe_b64encode(derived))
        self.seconds = seconds
        """The time for which they are valid."""

    def close(self, content: dict[str, str]) -> str:
        """Returns a text sealed, in characters that a cookie may have."""
        return self._fernet.encrypt(json.dumps(content).encode()).decode().rstrip("=")

    def open(self, sealed: str) -> dict[str, str] | None:
        """Returns the sealed text; None if the seal is too old, or was not made here."""
        if not sealed.isascii():
            return None
        try:
            content: dict[str, Any] = json.loads(
                self._fernet.decrypt(sealed + "=" * (-len(sealed) % 4), ttl=self.seconds)
            )
        except InvalidToken:
            return None
        return content
