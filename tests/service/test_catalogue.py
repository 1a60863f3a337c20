"""What the catalogue tells those who have nothing else: the games, their rules, and the rules that all share."""

from __future__ import annotations

import pytest

from fudaba.v1 import catalog_pb2, catalog_pb2_grpc
from fudaba_games.registry import GAMES
from tests.support.links import dead_links
from tests.support.service.organiser import Organiser


@pytest.mark.parametrize("game_id", GAMES)
async def test_every_link_of_a_rule_page_is_answered_in_the_same_response(organiser: Organiser, game_id: str) -> None:
    stub = catalog_pb2_grpc.CatalogServiceStub(organiser.channel)
    found = await stub.GetGame(catalog_pb2.GetGameRequest(game=game_id))
    shared = {page.name: page.text for page in found.shared_rules}
    assert set(shared) == {"README.md", "kamikisen.md"}
    assert dead_links({f"{game_id}.md": found.rules, **shared}) == []
    assert "](README.md)" in found.rules
    for rule in ("G2.4", "G3.1", "G4.1"):
        assert f"**{rule}** " in shared["README.md"]
    assert "**K1.3** " in shared["kamikisen.md"]
