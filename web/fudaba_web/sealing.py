"""Seals what a browser keeps for the gateways between two requests: it can neither read nor make that.

The key comes from a secret that all gateways have, so that one can open what another has sealed, and none holds it.
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
    """Seals of one purpose, which count for some time: those of another, or from another secret, open nothing."""

    def __init__(self, secret: str, purpose: str, seconds: int) -> None:
        derived = HKDF(SHA256(), _KEY_BYTES, salt=None, info=f"fudaba {purpose}".encode()).derive(secret.encode())
        self._fernet = Fernet(urlsafe_b64encode(derived))
        self.seconds = seconds
        """The time for which they count."""

    def close(self, content: dict[str, str]) -> str:
        """Seals something; only characters that a cookie may have."""
        return self._fernet.encrypt(json.dumps(content).encode()).decode().rstrip("=")

    def open(self, sealed: str) -> dict[str, str] | None:
        """Opens what was sealed; None for what is too old, or was not sealed here."""
        if not sealed.isascii():
            return None
        try:
            content: dict[str, Any] = json.loads(
                self._fernet.decrypt(sealed + "=" * (-len(sealed) % 4), ttl=self.seconds)
            )
        except InvalidToken:
            return None
        return content
