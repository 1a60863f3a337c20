"""Of very many legal moves the first are listed; the contract says how many."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from fudaba.codec import codec
from fudaba.replay import Replay
from fudaba.v1 import matches_pb2, play_pb2, record_pb2
from fudaba_games.registry import game
from fudaba_service.sessions import followers
from fudaba_service.sessions.followers import MAX_LISTED_MOVES, Delivery, SeatFollower

ROOT: Final = Path(__file__).resolve().parents[2]


class Dealt:
    """A match of Naga in which seat 1 has six places to designate."""

    match_id = "m"

    def __init__(self) -> None:
        header = record_pb2.MatchHeader(match_id="m", game="naga", rules_version=game("naga").rules_version)
        self.replay = Replay(header_with_players(header), bytes(32))
        for seat in (0, 1):
            self.replay.apply(record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready()))

    def time_left_ms(self, seat: int) -> int:
        return 1000 + seat

    def fill_match(self, into: matches_pb2.Match) -> None:
        into.header.CopyFrom(self.replay.header)


def header_with_players(header: record_pb2.MatchHeader) -> record_pb2.MatchHeader:
    for name in ("one", "two"):
        header.players.add(bot=name, version="1")
    return header


def decision(listing: play_pb2.LegalMoveFormat.ValueType) -> play_pb2.Decision:
    """Returns what seat 1 is asked first."""
    update = play_pb2.SeatUpdate()
    delivery = Delivery(play_pb2.Delivery(legal_moves=listing))
    follower = SeatFollower(1, delivery, 0, lambda: (update, update), lambda *_: None, lambda: 0.0)
    follower.announce(Dealt())
    return update.decision


@pytest.mark.parametrize("most", [6, 3])
def test_no_more_than_so_many_moves_are_listed_and_their_number_is_told(
    monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(followers, "MAX_LISTED_MOVES", most)
    rules, texts = game("naga"), [f"designate {place}" for place in (1, 2, 3, 5, 6, 7)]
    typed = decision(play_pb2.LEGAL_MOVE_FORMAT_TYPED)
    assert typed.legal_count == 6
    assert [rules.text.format_move(codec("naga").move_from_proto(move)) for move in typed.legal_moves] == texts[:most]
    written = decision(play_pb2.LEGAL_MOVE_FORMAT_TEXT)
    assert written.legal_count == 6
    assert list(written.legal_texts) == texts[:most]


def test_the_contract_and_its_page_say_how_many() -> None:
    contract = " ".join((ROOT / "proto/fudaba/v1/play.proto").read_text(encoding="utf-8").replace("//", "").split())
    stated = re.findall(r"If there are more than (\d+), only the first (\d+) are listed", contract)
    assert stated == [(str(MAX_LISTED_MOVES), str(MAX_LISTED_MOVES))]
    for page in ("contract.md", "bots.md"):
        assert f"{MAX_LISTED_MOVES:,}" in (ROOT / "docs" / page).read_text(encoding="utf-8")
