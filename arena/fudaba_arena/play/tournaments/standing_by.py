"""Notices that this arena stands by because another one on the same store plays its tournaments."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final, final

from fudaba_arena.errors import Say
from fudaba_arena.play.tournaments.claim import CLAIM_SECONDS
from fudaba_arena.store.arenas.arenas import named_arena
from fudaba_arena.store.data_folder import DataFolder
from fudaba_arena.store.store import StoreUnavailable
from fudaba_games.wording import counted

__all__ = ["StandingBy"]

_MAX_NAMES_SHOWN: Final = 3
"""The number of tournaments that are named. The others are only counted."""


@final
class StandingBy:
    """Looks which arenas play, and reports other ones."""

    def __init__(self, home: DataFolder, tournaments: Callable[[], Collection[str]], say: Say) -> None:
        """`tournaments` are the names of unfinished tournaments that this arena would play."""
        self._home = home
        self._tournaments = tournaments
        self._say = say
        self._named: dict[str, str] = {}
        """The name of each of the other arenas that play, by their owners."""
        self._plays = False

    @property
    def stands_by(self) -> bool:
        """Whether at the last look another arena played and this one played nothing."""
        return bool(self._named) and not self._plays

    async def refresh(self) -> None:
        """Reports each arena that has begun to play here since the last look, and each that has stopped."""
        arenas = self._home.store.arenas
        try:
            players = await arenas.players(sorted(self._tournaments()))
            owners = set(players.values()) - {self._home.owner}
            known = await arenas.known(owners - self._named.keys())
        except StoreUnavailable:
            return  # the last known state stays; the tournaments report that the store is away
        self._plays = self._home.owner in players.values()
        for owner in sorted(owners - self._named.keys()):
            self._named[owner] = named_arena(known.get(owner))
            names = [name for name, player in players.items() if player == owner]
            self._say(_begun(self._named[owner], names, shared=self._plays))
        for owner in sorted(self._named.keys() - owners):
            self._say(
                f"{self._named.pop(owner)} plays nothing on this store now: this arena plays what is to be played"
            )


def _begun(arena: str, names: list[str], *, shared: bool) -> str:
    more = f" and {counted(len(names) - _MAX_NAMES_SHOWN, 'other')}" if len(names) > _MAX_NAMES_SHOWN else ""
    plays = f"{arena} on the same store plays {', '.join(names[:_MAX_NAMES_SHOWN])}{more}"
    if shared:
        return f"{plays}, and this arena others: either plays all within {CLAIM_SECONDS:g} s of the other's end"
    return (
        f"{plays}: this arena stands by. It shows and steers"
        f" all tournaments, and plays on within {CLAIM_SECONDS:g} s of that one's end. Stop one of the two if no second"
        " arena is wanted; if this one is to have tournaments of its own, give it another store with --data or --redis"
    )
