"""Reads a tournament of a standing arena: follows it, or asks for its tables there and in the arena's folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fudaba.v1 import arena_pb2
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE

FORMS = (
    ("standings",),
    ("standings", "--json"),
    ("standings", "--csv"),
    ("matches",),
    ("matches", "--json"),
    ("matches", "--void"),
    ("matches", "--void", "--json"),
    ("blocks",),
    ("blocks", "--json"),
)
"""All that is read of a tournament, in each form."""
WHOLE_FORMS = (("standings", "--json"), ("matches", "--json"), ("blocks", "--json"))
"""The forms that leave nothing out."""


def watched(arena: Arena, name: str, seen: int = 0) -> Iterator[arena_pb2.WatchTournamentResponse]:
    """Follows a tournament from what was `seen`, without a token. Yields the messages until it is closed."""
    with arena.client("") as client:
        request = arena_pb2.WatchTournamentRequest(tournament=name, seen=seen)
        yield from client.arena.WatchTournament(request, timeout=PATIENCE)


def check_same_from_the_folder(arena: Arena, *names: str, forms: Sequence[Sequence[str]] = FORMS) -> None:
    """Reading from the arena and from its folder gives the same tables, JSON and CSV."""
    folder = {"FUDABA_ARENA_DATA": str(arena.folder / "data"), "FUDABA_ARENA": ""}
    for words in forms:
        for name in names:
            there = arena.command("arena", *words, "--tournament", name)
            here = arena.command("arena", *words, "--tournament", name, **folder)
            assert there.returncode == 0, there.stderr
            assert there.stdout == here.stdout
