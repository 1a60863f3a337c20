"""Writes what seats learn of the deals of played matches, for the tests of the verification in the browser.

    .venv/bin/python web/page/test/deals.py

It covers two matches of each game, one with the fewest seats and one with the most. Each match has a record without its
log, and for each seat the events of its deals, as a `SeatUpdate`; all in base64.
"""

from __future__ import annotations

import base64
import json
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

from fudaba.codec import codec, option_to_proto
from fudaba.v1 import play_pb2, record_pb2
from fudaba_games.game import Game
from fudaba_games.match import Match
from fudaba_games.registry import GAMES

_PLAYED_DEALS: Final = 3
_FEW: Final[dict[str, dict[str, Any]]] = {"nerts": {"target": 1000, "max_deals": 2}}


def main() -> None:
    """Plays the matches and writes the file."""
    chance = Random(1)  # noqa: S311 - moves of a test
    found = []
    for name, rules in GAMES.items():
        found += [_played(name, rules, seats, chance) for seats in sorted({rules.min_seats, rules.max_seats})]
    text = json.dumps(found, indent=2)
    (Path(__file__).parent / "positions" / "deals.json").write_text(f"{text}\n", encoding="utf-8")


def _played(name: str, rules: Game[Any, Any, Any, Any], seats: int, chance: Random) -> dict[str, Any]:
    known = {option.name for option in rules.options}
    given = {"deals": _PLAYED_DEALS, "first_dealer": 1} | _FEW.get(name, {})
    options = rules.resolve_options({key: value for key, value in given.items() if key in known})
    seed, salt, match_id = chance.randbytes(32), chance.randbytes(16), f"{name}-{seats}"
    match: Match[Any, Any, Any, Any] = Match(rules, seats, options, seed)
    while not match.over:
        asked = match.open_decisions()
        if not asked:
            match.pass_time()
            continue
        seat = chance.choice(asked).seat
        match.play(seat, rules.random_move(match.state, seat, chance))
    record = record_pb2.MatchRecord(seed=seed, salt=salt)
    record.header.match_id, record.header.game = match_id, name
    record.header.commitment = sha256(b"fudaba-commit-v1" + salt + seed + match_id.encode()).digest()
    for key, value in options.items():
        record.header.options[key].CopyFrom(option_to_proto(value))
    for seat in range(seats):
        record.header.players.add(bot=f"bot-{seat}")
    return {"record": _text(record), "updates": [_text(_dealing(name, match, seat)) for seat in range(seats)]}


def _dealing(name: str, match: Match[Any, Any, Any, Any], seat: int) -> play_pb2.SeatUpdate:
    """Returns the events of a seat that belong to a deal, or that show its own cards."""
    update = play_pb2.SeatUpdate()
    for event in match.shown(seat):
        codec(name).event_to_proto(event, update.events.add())
        if getattr(update.events[-1], name).WhichOneof("kind") not in {"dealt", "received"}:
            del update.events[-1]
    return update


def _text(message: Any) -> str:
    return base64.b64encode(message.SerializeToString(deterministic=True)).decode()


if __name__ == "__main__":
    main()
