"""The findings of a check of an installation."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import final

__all__ = ["Finding", "State"]


class State(StrEnum):
    """How a part of an installation is, the best first."""

    OK = "ok"
    WARNING = "warning"
    """It works, and will hurt or has a risk that somebody may have accepted."""
    FAILED = "failed"


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """The state of a part of an installation."""

    name: str
    """The subject, such as `disk of /var/lib/fudaba`."""
    state: State
    text: str
    """The observation."""
    remedy: str = ""
    """The remedy; empty if none is needed."""

    def as_dict(self) -> dict[str, str]:
        """Returns it for JSON."""
        return {"name": self.name, "state": self.state.value, "text": self.text, "remedy": self.remedy}
