"""The entries with which a season begins, given those of the season before."""

from __future__ import annotations

import pytest

from fudaba_arena.play.seasons.first_entries import first_entries
from fudaba_arena.store.tournaments.entries import (
    DISQUALIFIED,
    DISQUALIFY,
    ENTER,
    LEAVE,
    LEFT,
    PAUSE,
    PAUSED,
    PLAYING,
    REINSTATE,
    Entries,
    EntryChange,
)


def entries(*changes: EntryChange) -> Entries:
    found = Entries()
    found.add(changes)
    return found


@pytest.mark.parametrize(("change", "state"), [(None, PLAYING), (PAUSE, PAUSED), (LEAVE, LEFT)])
def test_an_entry_is_disqualified_in_the_next_season_too_and_the_undoing_restores_what_it_was_before(
    change: str | None, state: str
) -> None:
    made = [EntryChange(ENTER, 1, "robot", "1"), *([EntryChange(change, 2, "robot")] if change else [])]
    earlier = entries(*made, EntryChange(DISQUALIFY, 3, "robot", reason="a copy"))
    later = entries(*first_entries((), earlier))
    assert (later.by_bot["robot"].state, later.by_bot["robot"].disqualified_because) == (DISQUALIFIED, "a copy")
    later.add([EntryChange(REINSTATE, 4, "robot", reason="wrongly")])
    assert later.by_bot["robot"].state == state


def test_who_has_left_does_not_enter_the_next_season() -> None:
    earlier = entries(EntryChange(ENTER, 1, "robot", "1"), EntryChange(LEAVE, 2, "robot"))
    assert first_entries((), earlier) == []
