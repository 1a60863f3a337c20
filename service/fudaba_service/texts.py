"""What a text that others are shown may be."""

from __future__ import annotations

from fudaba.safe_text import fault_of
from fudaba_service.refusals import Refused

__all__ = ["check_text"]


def check_text(field: str, text: str, most: int) -> None:
    """Refuses a text of more than `most` characters, and one that cannot be shown as it is."""
    if len(text) > most:
        raise Refused.malformed(f"{field} has {len(text)} characters; at most {most} are allowed")
    fault = fault_of(text)
    if fault:
        raise Refused.malformed(f"{field}: {fault}")
