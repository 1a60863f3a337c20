"""Runtimes as workers tell of them: which there are, until when, and what is in each."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final, Self, final

__all__ = ["KnownRuntime", "needs_of"]

_DIGEST_DIGITS: Final = 16


def needs_of(language: str, runtime: str = "") -> str:
    """Returns the needs of a program of a language, which may ask for a runtime by its name: `LANGUAGE/`,
    `LANGUAGE/RUNTIME`.
    """
    return f"{language}/{runtime}"


@final
@dataclass(frozen=True, slots=True)
class KnownRuntime:
    """A runtime of a worker."""

    name: str
    language: str
    version: str
    until: str
    """The last day on which it may be used, such as `2027-01-31`; empty while that is not known."""
    digest: str
    """The digest of its contents: two runtimes with the same one have the same in them."""
    contents: Sequence[tuple[str, str]] = field(default=(), compare=False)
    """Names and versions, in the order of the names; empty where they were not asked for."""

    @classmethod
    def with_contents(
        cls, name: str, language: str, version: str, until: str, contents: Collection[tuple[str, str]]
    ) -> Self:
        """Returns a runtime with its contents."""
        ordered = sorted(contents)
        digest = sha256(json.dumps(ordered).encode()).hexdigest()[:_DIGEST_DIGITS]
        return cls(name, language, version, until, digest, ordered)

    def ended(self, today: str) -> bool:
        """Returns whether its last day is before this one."""
        return bool(self.until) and self.until < today

    @property
    def meets(self) -> tuple[str, str]:
        """The needs of programs that it meets."""
        return needs_of(self.language), needs_of(self.language, self.name)

    def fields(self) -> list[str]:
        """Returns the fields that a worker reports of it every second."""
        return [self.name, self.language, self.version, self.until, self.digest]

    def contents_text(self) -> str:
        """Writes its contents in their stored form."""
        return json.dumps(list(self.contents))

    @classmethod
    def read(cls, fields: Sequence[str], contents: Mapping[str, str] | None = None) -> Self:
        """Reads what a worker says, and of what is stored under the digests its contents."""
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
