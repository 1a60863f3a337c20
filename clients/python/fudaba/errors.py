"""Errors outside the rules. `str()` of each is one line that says what is wrong and what to do."""

from __future__ import annotations

from typing import Final, final

__all__ = ["BadAddress", "BotNotLoaded", "FudabaError", "ServiceError"]

RETRYABLE: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "UNKNOWN", "CANCELLED", "DATA_LOSS"})
"""Codes of failures that may pass by themselves. The others recur until somebody changes something."""

# A message that says that nobody answered needs no code after it.
_SELF_EVIDENT: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "UNKNOWN"})


class FudabaError(Exception):
    """Base of the kit's errors."""


@final
class BadAddress(FudabaError):
    """A server address, a certificate file or a combination of these is unusable."""


@final
class BotNotLoaded(FudabaError):
    """The bot named to be run cannot be loaded: there is no such file or class, or it is not a bot."""


@final
class ServiceError(FudabaError):
    """A call that the service refused, or that did not reach it.

    `code` is the gRPC status, for example `NOT_FOUND`; `reason` is the contract's stable reason without its prefix,
    for example `MATCH_NOT_FOUND`, and empty when the failure did not come from the service itself.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        reason: str = "",
        rule: str = "",
        retry_after: float | None = None,
        violations: tuple[tuple[str, str], ...] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.message = message
        self.rule = rule
        """The rules' name for the fault, for the reason `ILLEGAL_MOVE`."""
        self.retry_after = retry_after
        """Seconds to wait before trying again, if the service said so."""
        self.violations = violations
        """All mistakes in the request, each with its place, for reasons that can cover several."""

    def __str__(self) -> str:
        name = self.reason or ("" if self.code in _SELF_EVIDENT else self.code)
        return f"{self.message} ({name})" if name else self.message

    @property
    def retryable(self) -> bool:
        """Whether the same call may succeed later without any change."""
        if self.retry_after is not None or self.code in RETRYABLE:
            return True
        # Without a reason it is gRPC's own: a message is too large, and will be the next time.
        return self.code == "RESOURCE_EXHAUSTED" and bool(self.reason)
