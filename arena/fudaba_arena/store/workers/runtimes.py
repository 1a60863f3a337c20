"""Runtimes as workers report them: their names, last days, and contents."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Self, final

__all__ = ["KnownRuntime", "needs_of"]

_DIGEST_DIGITS: Final = 16


def needs_of(language: str, runtime: str = "") -> str:
    """Returns the needs of a program of a language that may name a runtime: `LANGUAGE/`, `LANGUAGE/RUNTIME`."""
    return f"{language}/{runtime}"


@final
@dataclass(frozen=True, slots=True)
class KnownRuntime:
    """A runtime of a worker."""

    name: str
    language: str
    version: str
    until: str
    """The last day on which it may be used, such as `2027-01-31`; empty if it is unknown."""
    digest: str
    """The digest of its contents. Runtimes with equal digests have equal contents."""
    contents: Sequence[tuple[str, str]] = field(default=(), compare=False)
    """Names and versions, ordered by name; empty if they were not requested."""

    @classmethod
    def with_contents(
        cls, name: str, language: str, version: str, until: str, contents: Collection[tuple[str, str]]
    ) -> Self:
        """Returns a runtime with its contents."""
        ordered = sorted(contents)
        digest = sha256(json.dumps(ordered).encode()).hexdigest()[:_DIGEST_DIGITS]
        return cls(name, language, version, until, digest, ordered)

    def ended(self, today: str) -> bool:
        """Returns whether its last day is before this day."""
        return bool(self.until) and self.until < today

    @property
    def meets(self) -> tuple[str, str]:
        """The needs of programs that it meets."""
        return needs_of(self.language), needs_of(self.language, self.name)

    def fields(self) -> list[str]:
        """Returns the fields that a worker reports of it every second."""
        return [self.name, self.language, self.version, self.until, self.digest]

    def contents_text(self) -> str:
        """Returns the stored form of its contents."""
        return json.dumps(list(self.contents))

    @classmethod
    def read(cls, fields: Sequence[str], contents: Mapping[str, str] | None = None) -> Self:
        """Reads a worker's report, and the contents stored under the digests."""
        name, language, version, until, digest, *_ = fields  # a later release may add others
        text = (contents or {}).get(digest, "[]")
        return cls(
            name,
            language,
            version,
            until,
            digest,
            [(part, version_of_part) for part, version_of_part, *_ in json.loads(text)],
        )
