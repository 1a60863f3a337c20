"""Writes positions of played matches for the tests of the boards: what a seat sees, with its legal moves.

    .venv/bin/python web/page/test/positions.py naga napoleon numbers_crush nerts
    .venv/bin/python web/page/test/positions.py --each 40 --bytes 5000000 --into DIR numbers_crush

Players draw their moves. At most `--each` positions of each kind (by phase and other differences between boards) are
kept, so that rare kinds are included. A position is a `SeatUpdate` in base64. Lists of over 300 legal moves are cut to
300 random ones; `legal_count` has the whole number.
"""

from __future__ import annotations

import argparse
import base64
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from fudaba.codec import codec
from fudaba.v1 import play_pb2
from fudaba_games.match import Match
from fudaba_games.registry import game

_MAX_LISTED_MOVES = 300
_OPTIONS: dict[str, list[dict[str, Any]]] = {
    "houniek": [{"deals": 2}, {"deals": 1, "hand": "twelve"}],
    "makhop": [{"deals": 1}, {"deals": 1, "max_roads": 48}],
    "makkaik": [{"deals": 2}],
    "mokkaik": [{"deals": 2}],
    "naga": [{"deals": 2}],
    "namto": [{"deals": 2}, {"deals": 4, "stack": 30, "entry": 9}],
    "niekhi": [{"deals": 2}],
    "tashot": [{"deals": 2}],
    "napoleon": [{"deals": 2}],
    "numbers_crush": [{"deals": 2}],
    "nerts": [{"target": 0}, {"target": 30, "max_deals": 2}, {"target": 0, "pace": "realtime"}],
}


def main() -> None:
    """Plays matches and writes the positions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--matches", type=int, default=60)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--bytes", type=int, default=56_000, help="the most that a game's file may have")
    parser.add_argument("--into", type=Path, default=Path(__file__).parent / "positions")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    chosen.into.mkdir(parents=True, exist_ok=True)
    for name in chosen.games:
        chance = Random(chosen.seed)  # noqa: S311 - moves of a test
        kept: list[dict[str, Any]] = []
        counts: Counter[Any] = Counter()
        size = 0
        for number in range(chosen.matches):
            for key, position in _positions(name, number, chance):
                length = len(position["update"]) + 40
                if counts[key] < chosen.each and size + length <= chosen.bytes and chance.random() < 0.2:
                    counts[key] += 1
                    size += length
                    kept.append(position)
        text = json.dumps(kept, indent=2)
        (chosen.into / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")
        sys.stdout.write(f"{name}: {len(kept)} positions of {len(counts)} kinds, {size} bytes\n")


def _positions(name: str, number: int, chance: Random) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yields the positions of a match, each with its kind."""
    rules = game(name)
    seats = rules.min_seats + number % (rules.max_seats - rules.min_seats + 1)
    given = _OPTIONS[name][number % len(_OPTIONS[name])]
    match: Match[Any, Any, Any, Any] = Match(rules, seats, rules.resolve_options(given), chance.randbytes(32))
    events_seen = [0] * seats
    while not match.over:
        asked = match.open_decisions()
        if not asked:
            match.pass_time()
            continue
        decision = chance.choice(asked)
        seat = decision.seat
        events = match.shown(seat)[events_seen[seat] :]
        events_seen[seat] = len(match.shown(seat))
        yield _update(name, match, seat, events, decision, chance)
        if chance.random() < 0.02:
            yield _update(name, match, None, match.shown(None)[-5:], None, chance)
        waiting = [open_seat for open_seat in range(seats) if match.open(open_seat) is None]
        if waiting and chance.random() < 0.05:
            waiting_seat = chance.choice(waiting)
            yield _update(name, match, waiting_seat, match.shown(waiting_seat)[-5:], None, chance)
        match.play(seat, rules.random_move(match.state, seat, chance))
    for waiting_seat in (None, *range(seats)):
        yield _update(name, match, waiting_seat, match.shown(waiting_seat)[-3:], None, chance)


def _update(
    name: str, match: Match[Any, Any, Any, Any], seat: int | None, events: Any, decision: Any, chance: Random
) -> tuple[Any, dict[str, Any]]:
    speaks = codec(name)
    update = play_pb2.SeatUpdate()
    for event in events:
        speaks.event_to_proto(event, update.events.add())
    view = match.view(seat)
    speaks.view_to_proto(view, update.decision.view if decision else update.view)
    kinds: tuple[str, ...] = ()
    if decision:
        legal = decision.legal
        update.decision.legal_count = len(legal)
        listed = list(legal) if len(legal) <= _MAX_LISTED_MOVES else _drawn(match, seat, chance)
        for move in listed:
            speaks.move_to_proto(move, update.decision.legal_moves.add())
        kinds = tuple(sorted({match.game.text.move_kind(move) for move in listed}))
        if any({"as", "foot"} & set(match.game.text.format_move(move).split()) for move in listed):
            kinds += ("read in several ways",)
    text = base64.b64encode(update.SerializeToString()).decode()
    key = (seat is None, match.over, kinds, *_sort_of(view))
    return key, {"seat": seat, "seats": match.seats, "update": text}


def _drawn(match: Match[Any, Any, Any, Any], seat: Any, chance: Random) -> list[Any]:
    """Returns some of very many legal moves, each once."""
    rules = match.game
    return list(dict.fromkeys(rules.random_move(match.state, seat, chance) for _ in range(60)))


def _sort_of(view: Any) -> tuple[Any, ...]:
    """Returns the features by which boards of the game differ."""
    names = ("phase", "bind", "joker_lock", "place")
    flags = ("pending", "king_penalty", "thrown_in", "stock_turns", "committed", "buried", "chosen")
    jokers = getattr(view, "hand", 0) >> 52 if hasattr(view, "bind") else 0
    return (
        *(getattr(view, name, None) for name in names),
        *(bool(getattr(view, name, None)) for name in flags),
        jokers,
        any(getattr(view, "shown", ())),
    )


if __name__ == "__main__":
    main()
