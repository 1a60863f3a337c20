"""Matches of the house bots that the start page shows where there is no other match: records, and what is seen of them.

    .venv/bin/python -m tests.support.page.house_matches          # plays them all anew
    .venv/bin/python -m tests.support.page.house_matches makhop   # writes the positions of this record anew

A match is kept as a record (seats, options, seed, and each seat's moves) with its positions as a spectator sees them: a
`StreamPositionsResponse` in base64, as the service answers for the replay of any other match.
"""

from __future__ import annotations

import base64
import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from fudaba.codec import codec
from fudaba.v1 import matches_pb2
from fudaba_games.match import Match
from fudaba_games.registry import GAMES, game

__all__ = ["HOUSE_MATCHES", "house_match", "seen_positions"]

HOUSE_MATCHES: Final = Path(__file__).resolve().parents[3] / "web/page/src/parts/home/house_matches"
_SEED: Final = bytes(31) + b"\x07"
_SEATS: Final = {"makkaik": 3, "namto": 3, "mokkaik": 3}
"""More seats than the fewest, where there is more to see with them."""
_OPTIONS: Final[dict[str, dict[str, Any]]] = {"nerts": {"max_deals": 1}, "tashot": {"deals": 5}}
_FEW_DEALS: Final = frozenset({"houniek", "naga", "napoleon", "numbers_crush"})
"""Games of which one deal is enough to look at."""


def house_match(game_id: str) -> dict[str, Any]:
    """Returns the file of a game's match."""
    kept: dict[str, Any] = json.loads((HOUSE_MATCHES / f"{game_id}.json").read_text(encoding="utf-8"))
    return kept


def seen_positions(game_id: str, record: dict[str, Any]) -> str:
    """Returns what a spectator sees from the deal to the end of the record.

    Raises `IllegalMove` where a move of the record breaks the rules, and `AssertionError` where its end is missing.
    """
    rules, match = game(game_id), _dealt(game_id, record)
    response = matches_pb2.StreamPositionsResponse()
    shown = _add(response, game_id, match, 0)
    for line in record["moves"]:
        seat_text, _, text = line.partition(" ")
        if text == "":
            match.pass_time()
        else:
            decision = match.open(int(seat_text))
            assert decision is not None, line
            move = rules.text.parse_move(text)
            match.check(int(seat_text), decision.id, move)
            match.play(int(seat_text), move)
        shown = _add(response, game_id, match, shown)
    assert match.over, "the record does not end"
    return base64.b64encode(response.SerializeToString(deterministic=True)).decode()


def _dealt(game_id: str, record: dict[str, Any]) -> Match[Any, Any, Any, Any]:
    rules = game(game_id)
    return Match(rules, record["seats"], rules.resolve_options(record["options"]), bytes.fromhex(record["seed"]))


def _add(
    response: matches_pb2.StreamPositionsResponse, game_id: str, match: Match[Any, Any, Any, Any], shown: int
) -> int:
    """Adds a position, unless nobody can see that something has happened. Returns how many events were shown then."""
    events = match.shown(None)
    if len(events) > shown or not response.positions:
        position = response.positions.add(entries=len(response.positions))
        for event in events[shown:]:
            codec(game_id).event_to_proto(event, position.events.add())
        codec(game_id).view_to_proto(match.view(None), position.view)
    return len(events)


def _played(game_id: str) -> dict[str, Any]:
    """Returns a match of sensible bots, as a record."""
    rules = game(game_id)
    choose = import_module(f"fudaba.bots.{game_id}").choose_sensible
    options = _OPTIONS.get(game_id) or {"deals": 1 if game_id in _FEW_DEALS else 3}
    record = {"seats": _SEATS.get(game_id, rules.min_seats), "options": options, "seed": _SEED.hex()}
    match = _dealt(game_id, record)
    moves: list[str] = []
    while not match.over:
        asked = match.open_decisions()
        if not asked:
            match.pass_time()
            moves.append("")
            continue
        for decision in asked:
            if match.open(decision.seat) is decision:
                move = choose(match.view(decision.seat), decision.seat, list(decision.legal))
                moves.append(f"{decision.seat} {rules.text.format_move(move)}")
                match.play(decision.seat, move)
    return record | {"moves": moves}


def main() -> None:
    """Writes matches, or their positions, anew."""
    for game_id in sys.argv[1:] or GAMES:
        record = house_match(game_id)["record"] if len(sys.argv) > 1 else _played(game_id)
        kept = {"record": record, "positions": seen_positions(game_id, record)}
        (HOUSE_MATCHES / f"{game_id}.json").write_text(f"{json.dumps(kept, indent=2)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
