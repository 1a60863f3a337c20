"""What can go wrong outside the rules. `str()` of each is one line that says what, and what to do."""

from __future__ import annotations

from typing import Final, final

__all__ = ["BadAddress", "BotNotLoaded", "FudabaError", "ServiceError"]

RETRYABLE: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN", "CANCELLED", "DATA_LOSS"})
"""Codes of failures that may pass by themselves. The others come again until somebody changes something."""

# A message that says that nobody answered needs no code after it.
_SELF_EVIDENT: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "UNKNOWN"})


class FudabaError(Exception):
    """Base of the kit's errors."""


@final
class BadAddress(FudabaError):
    """A server address, a certificate file or a combination of them that cannot be used."""


@final
class BotNotLoaded(FudabaError):
    """A bot that was named for running cannot be: no such file, no such class, or it is no bot."""


@final
class ServiceError(FudabaError):
    """A call that the service refused, or that did not reach it.

    `code` is the gRPC status, for example `NOT_FOUND`; `reason` is the contract's stable reason without its prefix,
    for example `MATCH_NOT_FOUND`, and empty when the failure did not come from the service itself.
    """

    def __init__(
        self, code: str, message: str, *, reason: str = "", rule: str = "", retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.rule = rule
        """What the rules call it, for the reason `ILLEGAL_MOVE`."""
        self.retry_after = retry_after
        """Seconds after which the service wants to be asked again, if it said so."""

    def __str__(self) -> str:
        name = self.reason or ("" if self.code in _SELF_EVIDENT else self.code)
        return f"{self.message} ({name})" if name else self.message

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later without anybody changing anything."""
        if self.retry_after is not None or self.code == "RESOURCE_EXHAUSTED":
            return True
        return self.code in RETRYABLE
