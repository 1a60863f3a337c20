"""An account counts as deleted only when the service has lacked it for a while, since that cannot be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba_arena.play.standing_arena import shown_authors
from fudaba_arena.play.standing_arena.arena_tournament import ArenaTournament
from fudaba_arena.play.standing_arena.shown_authors import ShownAuthors
from fudaba_arena.play.standing_arena.tournament_registry import TournamentRegistry
from fudaba_arena.play.tournaments.beginning import begin
from fudaba_arena.store.store import Store
from fudaba_arena.store.tournaments.entries import EXTEND, PSEUDONYM, EntryChange
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.season import Span
from fudaba_serving.redis.valkey import EmbeddedValkey
from tests.support.arena.hosting import alone
from tests.support.folders import short_folder

SEASON = "open.1"
FILE = """\
name = "open"
game = "naga"

[season]
begins = 2100-01-01T00:00:00Z
ends = 2101-01-01T00:00:00Z

[[bots]]
name = "first"
builtin = "first"
"""


async def test_a_service_that_lacks_an_account_for_a_moment_has_not_deleted_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with short_folder() as place, EmbeddedValkey(place / "store") as server:
        store = Store(server.url)
        arena = alone(store, tmp_path)
        source = Source(FILE, "definition", None, hosted=True, span=Span())
        await store.steering.store_source(SEASON, FILE)
        season = ArenaTournament(arena, await begin(source.read(), store), source, "paused")
        extension = EntryChange(EXTEND, 1, account="ada", reason="ill", until_ms=4_200_000_000_000)
        await season.entered.change(lambda _: [extension])
        registry = TournamentRegistry(arena, None)
        registry._tournaments[SEASON] = season
        has_account = False

        async def answered(account: str) -> bool:
            assert account == "ada"
            return has_account

        monkeypatch.setattr(registry, "has_account", answered)
        monkeypatch.setattr(shown_authors, "_MIN_MISSED_SECONDS", 3600.0)
        authors = ShownAuthors(registry)
        for _ in range(2):
            await authors._look()
        assert season.state.stored.entries.ever_extended == {"ada"}
        has_account = True
        await authors._look()
        has_account = False
        await authors._look()
        assert season.state.stored.entries.ever_extended == {"ada"}
        monkeypatch.setattr(shown_authors, "_MIN_MISSED_SECONDS", 0.0)
        await authors._look()
        assert season.state.stored.entries.ever_extended == set()
        [noted] = [change for change in season.state.stored.entries.changes if change.kind == EXTEND]
        assert noted.account.startswith(PSEUDONYM)
        await arena.service.close()
        await store.close()
