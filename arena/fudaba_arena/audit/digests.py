"""Digests of results: of each match, and of all matches together. `docs/verifying.md` defines them in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

__all__ = ["match_digest", "results_digest"]

_MATCH_TAG: Final = b"fudaba-result-v1"
_ALL_TAG: Final = b"fudaba-results-v1"


def match_digest(
    match_id: str,
    deal_seed: bytes,
    bots: Sequence[str],
    scores: Sequence[int],
    forfeited_by: str = "",
    forfeit_cause: str = "",
    ended_ms: int = 0,
) -> bytes:
    """Returns the 32 bytes that fix how a match ended. `scores` is empty if it has no result.

    Raises `ValueError` for names with a comma or a line break, which valid names never contain.
    """
    names = [match_id, *bots, forfeited_by, forfeit_cause]
    if any("," in name or "\n" in name for name in names):
        raise ValueError("a name has a comma or a line's end")
    fields = [
        match_id,
        deal_seed.hex(),
        ",".join(bots),
        ",".join(map(str, scores)),
        forfeited_by,
        forfeit_cause,
        str(ended_ms),
    ]
    return sha256(_MATCH_TAG + "\n".join(fields).encode()).digest()


def results_digest(digests: Iterable[bytes]) -> bytes:
    """Returns the 32 bytes that fix all results of an export, computed from its matches' digests in order."""
    whole = sha256(_ALL_TAG)
    for digest in digests:
        whole.update(digest)
    return whole.digest()
