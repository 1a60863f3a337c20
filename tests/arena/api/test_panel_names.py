"""A bot of somebody's with the name of a bot of a panel, from before these names were reserved."""

from __future__ import annotations

from fudaba.v1 import arena_pb2, bots_pb2
from tests.support.arena.running import Service
from tests.support.arena.standing import Arena
from tests.support.patience import PATIENCE


def test_a_ladder_with_a_panel_is_refused_where_somebody_has_the_name_of_a_bot_of_it(
    hosted: Service, arena: Arena
) -> None:
    with hosted.client() as organiser:
        request = bots_pb2.CreateBotRequest(name="panel-random", author="Ann")
        organiser.bots.CreateBot(request, timeout=PATIENCE)
    definition = '\n\nname = "taken"\nzero = "panel"\ngame = "mokkaik"\n'
    refused = arena.refusal("CreateLadder", arena_pb2.CreateLadderRequest(definition=definition))
    [(place, text)] = refused.violations
    assert place == "definition:4"
    assert "bot panel-random of the panel: the service has a bot of that name by Ann" in text
    assert 'leave out zero = "panel"' in text
