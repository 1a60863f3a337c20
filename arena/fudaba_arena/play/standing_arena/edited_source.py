"""The file by which an arena plays a tournament. Edits of a season replace it, whichever arena made them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, final

from fudaba_arena.play.tournaments.beginning import begun_as
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.store import Store
from fudaba_arena.tournament.edits import with_times
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import span_of

__all__ = ["EditedSource"]


@final
class EditedSource:
    """The source of a tournament; `latest` is None if this arena only follows it."""

    def __init__(
        self, name: str, store: Store, source: Source | None, state: Callable[[], ScheduledTournament]
    ) -> None:
        self._name = name
        self._store = store
        self._state = state
        self.latest = source
        """The source with the edits that are known here."""
        self.editing = asyncio.Lock()
        """Held while a season is edited, and while it may end by its date, which an edit may move."""
        self._edits_taken = 0
        """The number of edits whose file is known here. The file of a season without edits is not read again."""
        self._definition: Mapping[str, Any] | None = None
        """The definition after these edits; None until some were taken in."""

    def knows(self, edits: int) -> bool:
        """Returns whether the file is known here to which this many edits led."""
        return edits == self._edits_taken

    def lacks(self, edits: int) -> bool:
        """Returns whether the file, or the state of the season, lacks some of this many edits."""
        state = self._state()
        if not self.knows(edits):
            return True
        # The state may have been read just before the last edit.
        if state.stored.closed:  # its definition does not count edits
            return self._definition is not None and state.stored.definition != self._definition
        return len(state.tournament.edits) < edits

    async def take(self) -> bool:
        """Reads the edited file of a season, and amends the state. Returns whether there is such a file.

        Raises `StoreUnavailable`, and `BadTournament` if this release or its options cannot read the file.
        """
        file = await self._store.season_files.read(self._name)
        if file is None or self.latest is None:
            return False
        definition = file.definition
        source = replace(self.latest, text=file.text, span=span_of(definition))
        edited = begun_as(source.read(), definition)
        state = self._state()
        if not state.stored.closed:
            state.amend(edited)
            await self._store.store_attempts(self._name, edited.attempts)
        else:
            state.amend(with_times(state.tournament, definition))
        self._state().stored.definition = self._definition = definition
        self.latest, self._edits_taken = source, file.edits
        return True
