"""Whatever is done to the entries of a ladder, it plays as long as two connected bots are entered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.arena.api.changing import changing_ladder
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.sizes import some

SEED = 28


@pytest.mark.exhaustive
def test_a_ladder_of_two_connected_bots_plays_whatever_was_done_to_its_entries(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    with changing_ladder(hosted, arena, tmp_path, "changing", 4, SEED) as ladder:
        played = 0
        for _ in range(some(60, 12)):
            ladder.change()
            if ladder.plays:
                ladder.wait_for_block()
                played += 1
        assert played > 2, ladder.done
