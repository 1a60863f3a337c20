"""Edits of a season of a standing arena: planned, stored, and taken in by every arena that plays or shows it."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, final

from fudaba.toml_lines import Path as KeyPath
from fudaba.toml_reading import Mistake
from fudaba.toml_setting import CannotSet, toml_text, with_value, without_value
from fudaba.zoned_time import ZonedTime
from fudaba_arena.errors import ArenaError
from fudaba_arena.play.service.accounts import check_accounts
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.tournaments.beginning import begun_as
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.entries import LEFT
from fudaba_arena.store.tournaments.season_files import SeasonFile
from fudaba_arena.tournament.contradictions import LISTS
from fudaba_arena.tournament.definition import Tournament, stored_tournament
from fudaba_arena.tournament.edits import Phase, file_changes, standings_changes, time_value, why_fixed
from fudaba_arena.tournament.file import BadTournament, Source
from fudaba_arena.tournament.season import ANYONE, LISTED, Season, Span, span_of
from fudaba_arena.tournament.terms import Change, Edit

__all__ = ["MAX_EDITS", "EditedMeanwhile", "FixedKeys", "PlannedEdit", "SeasonEdits", "SeasonOver", "TooManyEdits"]

MAX_EDITS: Final = 200
"""The number of edits that a season takes until it is closed. Each is read with the definition."""


@final
class EditedMeanwhile(Exception):
    """The file was edited since the version from which an edit was made. `changes` has what is known of that."""

    def __init__(self, changes: Sequence[Change]) -> None:
        super().__init__()
        self.changes = tuple(changes)


@final
class FixedKeys(Exception):
    """An edit changes keys that may not be changed. `mistakes` names each of them, and why."""

    def __init__(self, mistakes: Sequence[Mistake]) -> None:
        super().__init__()
        self.mistakes = tuple(mistakes)


@final
class TooManyEdits(Exception):
    """A season has been edited as often as it may be."""


@final
class SeasonOver(Exception):
    """A season is closed, so that no later result can be hidden."""


@final
@dataclass(frozen=True, slots=True)
class PlannedEdit:
    """The changes that an edit makes."""

    changes: tuple[Change, ...]
    phase: Phase
    etag: str
    """The version of the file after the edit; before it, if it is only planned."""
    outside: tuple[str, ...]
    """The entries that stay although their accounts could not enter them now."""


@final
class SeasonEdits:
    """The edits of one season."""

    def __init__(self, season: ArenaTournament, store: Store, service: ServiceClient) -> None:
        self._season = season
        self._store = store
        self._service = service

    async def file(self) -> tuple[str, str]:
        """Returns the text to edit, and its version. The text says when the season really begins and ends."""
        file = await self._file()
        closed = self._season.state.stored.closed
        return file.text if closed else _with_span(file.text, file.definition), file.etag

    async def edit(self, text: str, etag: str, *, preview: bool) -> PlannedEdit:
        """Replaces the file by another text that was made from a version of it, or says what that would change.

        Raises `EditedMeanwhile`, `FixedKeys`, `TooManyEdits`, `BadTournament`, `NotRegistered`, `ServiceError` and
        `StoreUnavailable`.
        """
        while True:
            file = await self._file()
            if etag != file.etag:
                raise EditedMeanwhile(_changes_since(file.definition, etag))
            await self._season.entered.catch_up()
            state = self._season.state
            phase, now_ms = _phase(state), int(time.time() * 1000)
            edited, changes = await self._read(file, text, phase, now_ms)
            if preview or text == file.text:
                return PlannedEdit(changes, phase, etag, _outside(state, edited.season))
            definition = file.definition
            if not phase.closed:
                definition = self._edited(definition, edited, now_ms, etag, changes)
            known = len(state.stored.entries.changes)
            async with self._season.editing:
                replaced = await self._store.season_files.replace(
                    self._season.name, file, text, definition, known, closed=phase.closed
                )
                if replaced:
                    await self._season.take_edits()
                    etag = (await self._file()).etag
                    return PlannedEdit(changes, phase, etag, _outside(self._season.state, edited.season))

    async def freeze(self, opens: ZonedTime | None) -> bool:
        """Freezes the standings of the season from now on, until `opens` or until they are opened. Of frozen ones it
        changes only when they open. Returns whether that changed anything.

        Raises `SeasonOver`, `TooManyEdits` and `StoreUnavailable`.
        """
        now_ms = int(time.time() * 1000)

        def frozen(season: Season, closed: bool) -> Season:
            if season.standings_frozen(now_ms):
                return season.with_standings(season.standings_freeze, opens)
            if closed:
                raise SeasonOver
            return season.with_standings(ZonedTime.from_ms(now_ms, ""), opens)

        return await self._set_standings(frozen)

    async def open(self) -> bool:
        """Opens the standings of the season, open or closed. Returns whether that changed anything.

        Raises `TooManyEdits` and `StoreUnavailable`.
        """
        return await self._set_standings(lambda season, _: season.with_standings(None, None))

    async def _set_standings(self, edited: Callable[[Season, bool], Season]) -> bool:
        """Stores what `edited` makes of the stored season, given whether it is closed. Returns whether that changed
        anything.
        """
        while True:
            file = await self._file()
            await self._season.entered.catch_up()
            closed, definition = self._season.state.stored.closed, file.definition
            before = Season.from_definition(definition["season"])
            after = edited(before, closed)
            if after == before:
                return False
            definition["season"] = after.definition()
            if not closed:
                if len(definition.get("edits", ())) >= MAX_EDITS:
                    raise TooManyEdits
                known = stored_tournament(self._season.name, file.definition, 1)
                edit = Edit(int(time.time() * 1000), file.etag, standings_changes(before, after), known.terms)
                definition["edits"] = [*definition.get("edits", ()), edit.definition()]
            changes = len(self._season.state.stored.entries.changes)
            async with self._season.editing:
                if await self._store.season_files.replace(
                    self._season.name, file, file.text, definition, changes, closed=closed
                ):
                    await self._season.take_edits()
                    return True

    async def _file(self) -> SeasonFile:
        file = await self._store.season_files.read(self._season.name)
        if file is None:
            raise ArenaError(f"the store has lost the file of {self._season.name}")
        return file

    async def _read(
        self, file: SeasonFile, text: str, phase: Phase, now_ms: int
    ) -> tuple[Tournament, tuple[Change, ...]]:
        """Reads the new text, and refuses what may not be changed."""
        if self._season.source is None:
            raise ArenaError(f"no standing arena plays {self._season.name}")
        real = span_of(file.definition)
        span = Span(real.number, names=real.names)
        old = replace(self._season.source, text=file.text, span=span if phase.closed else real)
        source = replace(old, text=text, span=span)
        before, after = old.read(), source.read()
        changes = tuple(file_changes(before, after))
        keys = {change.key for change in changes}
        if mistakes := [mistake for change in changes for mistake in _fixed(source, change, phase)]:
            raise FixedKeys(mistakes)
        source.read_new(now_ms if "season.ends" in keys else 0)
        freeze = after.season.standings_freeze if after.season is not None else None
        if "season.standings_freeze" in keys and freeze is not None and freeze.ms < now_ms:
            text = "was shown until now; write a later time, or freeze them now: fudaba ladder freeze"
            mistake = source.mistake([("season", "standings_freeze")], f"what the standings were at {freeze} {text}")
            raise BadTournament(source.file, [mistake])
        if after.season is not None and not keys.isdisjoint(LISTS):
            await check_accounts(after.season, self._service, source)
        if not phase.closed and len(file.definition.get("edits", ())) >= MAX_EDITS:
            raise TooManyEdits
        return after, changes

    def _edited(
        self, definition: Mapping[str, Any], edited: Tournament, now_ms: int, etag: str, changes: tuple[Change, ...]
    ) -> dict[str, Any]:
        """Returns the definition of a season after an edit."""
        before = stored_tournament(self._season.name, definition, edited.attempts)
        edit = Edit(now_ms, etag, tuple(change.noted() for change in changes), before.terms)
        return replace(begun_as(edited, definition), edits=(*before.edits, edit)).definition()


def _phase(state: ScheduledTournament) -> Phase:
    season, stored = state.tournament.season, state.stored
    begun = season is None or season.begins_ms <= time.time() * 1000
    return Phase(begun=begun, frozen=stored.entries.frozen_ms is not None, closed=stored.closed)


def _with_span(text: str, definition: Mapping[str, Any]) -> str:
    """Returns the text with the beginning and the end of a season that was begun by `fudaba ladder begin`."""
    season = Season.from_definition(definition["season"])
    real_times = {"begins": season.begins, "ends": season.ends}
    real_times |= {"standings_freeze": season.standings_freeze, "standings_open": season.standings_open}
    for key, real in real_times.items():
        path = ("season", key)
        if _written(text, key) == real:
            continue
        with suppress(CannotSet):  # the plan of an edit shows the difference
            text = with_value(text, path, toml_text(time_value(real))) if real else without_value(text, path)
    return text


def _written(text: str, key: str) -> ZonedTime | None:
    """Returns a time of a readable ladder's file; None if it has none."""
    value = tomllib.loads(text).get("season", {}).get(key)
    return ZonedTime.from_text(value) if isinstance(value, str) else value and ZonedTime.from_datetime(value)


def _fixed(source: Source, change: Change, phase: Phase) -> Iterator[Mistake]:
    """Yields the mistake of a change that may not be made."""
    if why := why_fixed(change.key, phase):
        table, *rest = change.key.split(".")
        if table == "bots":
            text = f"{change.key} cannot be changed: {why}"
        else:
            text = f"{change.key} is {change.before or 'not set'}, and cannot become {change.after or 'unset'}: {why}"
        paths: list[KeyPath] = [(table, *rest)]
        if table in {"games", "bots"} and rest:
            naming = "game" if table == "games" else "name"
            named = [entry.get(naming) for entry in tomllib.loads(source.text).get(table, ())]
            place = (table, named.index(rest[0])) if rest[0] in named else ()
            paths = [(*place, *rest[1:]), (*place, *rest[1:2]), place or (table,)]
        yield source.mistake(paths, text)


def _changes_since(definition: Mapping[str, Any], etag: str) -> list[Change]:
    """Returns the changes of the edits since a version; empty if they are not known."""
    edits = [Edit.from_definition(edit) for edit in definition.get("edits", ())]
    first = next((at for at, edit in enumerate(edits) if edit.etag == etag), len(edits))
    return [change for edit in edits[first:] for change in edit.changes]


def _outside(state: ScheduledTournament, season: Season | None) -> tuple[str, ...]:
    """Returns the bots of entries that stay although their accounts may not enter any."""
    if season is None or season.enter == ANYONE:
        return ()
    allowed = season.accounts if season.enter == LISTED else ()
    entries = [entry for entry in state.stored.entries.by_bot.values() if entry.state != LEFT]
    return tuple(sorted(entry.bot for entry in entries if entry.account and entry.account not in allowed))
