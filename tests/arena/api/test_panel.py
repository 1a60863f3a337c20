"""A panel plays along in a ladder of a standing arena, and its ratings stay fixed."""

from __future__ import annotations

from pathlib import Path

from fudaba.v1 import arena_pb2
from fudaba_arena.tournament.panel import measured_panels
from tests.support.arena.api.ladders import author, call, create, get, playing, register, rows, stored_standings, until
from tests.support.arena.commands.tournaments import PATIENT_CLOCK
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena

LADDER = """\
name = "{name}"
zero = "panel"
game = "mokkaik"
names = "shown"
provisional_blocks = 3
narrow = 0
rank_half = 0
clock = {clock}

[season]
final_blocks = 3
"""


async def test_a_bot_alone_meets_the_panel_and_is_ranked_against_its_fixed_strengths(
    hosted: Service, arena: Arena, tmp_path: Path
) -> None:
    created = create(arena, LADDER.format(name="panelled", clock=PATIENT_CLOCK))
    measured = measured_panels()["mokkaik"].panel
    ratings = {bot.bot: bot.rating for panel in created.definition.panels for bot in panel.bots}
    assert ratings == {bot.name: bot.rating for bot in measured.bots}
    token = author(hosted, "of-lonely")
    register(hosted, token, "lonely")
    with playing(hosted, tmp_path, token, "lonely", "2", program="random"):
        call(arena, "EnterLadder", arena_pb2.EnterLadderRequest(ladder="panelled", bot="lonely", version="2"), token)
        until(
            arena, lambda: "lonely@2" in (found := rows(arena, "panelled")) and found["lonely@2"].rank, "it has a rank"
        )
    found = rows(arena, "panelled")
    for name, rating in ratings.items():
        row = found[f"{name}@1"]
        assert (round(row.rating, 6), row.panel, row.HasField("rank"), row.provisional) == (rating, True, False, False)
    assert found["lonely@2"].rank == 1
    assert not found["lonely@2"].panel
    assert get(arena, "panelled").definition.panels == created.definition.panels
    (stored,) = await stored_standings(arena, "panelled.1")
    assert {row.bot for row in stored.rows if row.panel} == {f"{name}@1" for name in ratings}
