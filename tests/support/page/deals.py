"""The guided first deals of the page: records, and what the learner is shown of them.

    .venv/bin/python -m tests.support.page.deals makhop naga    # writes the positions of these records anew

A deal is kept as a record (seats, options, seed, and each seat's moves) with the learner's positions: one for each
decision that has more than one legal move, and the end. In a long deal the record names the moves that the learner is
`asked` for, by their numbers among all moves; the learner's others are played meanwhile. Prompts stand beside it in
each language.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from fudaba.codec import codec
from fudaba.v1 import play_pb2
from fudaba_games.match import Match
from fudaba_games.registry import game

__all__ = ["DEALS", "LEARNER_SEAT_NUMBER", "choices", "positions", "record_of"]

DEALS: Final = Path(__file__).resolve().parents[3] / "web/page/src/learn/deals"
LEARNER_SEAT_NUMBER: Final = 0


def record_of(game_id: str) -> dict[str, Any]:
    """Returns the whole file of a deal."""
    kept: dict[str, Any] = json.loads((DEALS / f"{game_id}.json").read_text(encoding="utf-8"))
    return kept


def positions(game_id: str, record: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns what the learner is shown: a `SeatUpdate` in base64, with the place of the record's move among the legal
    ones.

    Raises `IllegalMove` where a move of the record breaks the rules, and `AssertionError` where it does not end a deal.
    """
    rules, match = game(game_id), _dealt(game_id, record)
    shown = 0
    found: list[dict[str, Any]] = []
    for number, line in enumerate(record["moves"]):
        seat, text = int(line.partition(" ")[0]), line.partition(" ")[2]
        decision = match.open(seat)
        assert decision is not None, line
        move = rules.text.parse_move(text)
        match.check(seat, decision.id, move)
        legal = list(decision.legal)
        if _is_asked(record, number, seat, len(legal)):
            found.append({"update": _update(match, game_id, shown, legal), "move": legal.index(move)})
            shown = len(match.shown(LEARNER_SEAT_NUMBER))
        match.play(seat, move)
    assert match.over, "the record does not end"
    return [*found, {"update": _update(match, game_id, shown, None)}]


def choices(game_id: str, record: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yields, for each decision of the learner, the record's move, and the state that every legal move leads to, by its
    text.

    Where other seats choose at the same time, face down, they choose as in the record.
    """
    rules, match = game(game_id), _dealt(game_id, record)
    moves = [(int(seat), rules.text.parse_move(text)) for seat, _, text in map(_parted, record["moves"])]
    for number, (seat, move) in enumerate(moves):
        decision = match.open(seat)
        assert decision is not None
        if _is_asked(record, number, seat, len(decision.legal)):
            asked = len(match.open_decisions()) - 1
            answers = moves[number + 1 : number + 1 + asked]
            states = {
                rules.text.format_move(choice): _after(match, [(seat, choice), *answers]) for choice in decision.legal
            }
            yield rules.text.format_move(move), states
        match.play(seat, move)


def _is_asked(record: dict[str, Any], number: int, seat: int, legal_count: int) -> bool:
    return seat == LEARNER_SEAT_NUMBER and legal_count > 1 and number in record.get("asked", [number])


def _after(match: Match[Any, Any, Any, Any], moves: list[tuple[int, Any]]) -> Any:
    state = match.state.clone()
    for seat, move in moves:
        if match.game.outcome(state) is None:
            match.game.apply(state, seat, move)
    return state


def _dealt(game_id: str, record: dict[str, Any]) -> Match[Any, Any, Any, Any]:
    rules = game(game_id)
    return Match(rules, record["seats"], rules.resolve_options(record["options"]), bytes.fromhex(record["seed"]))


def _parted(line: str) -> tuple[str, str, str]:
    return line.partition(" ")


def _update(match: Match[Any, Any, Any, Any], game_id: str, shown: int, legal: list[Any] | None) -> str:
    speaks = codec(game_id)
    update = play_pb2.SeatUpdate()
    for event in match.shown(LEARNER_SEAT_NUMBER)[shown:]:
        speaks.event_to_proto(event, update.events.add())
    view = match.view(LEARNER_SEAT_NUMBER)
    if legal is None:
        speaks.view_to_proto(view, update.view)
    else:
        speaks.view_to_proto(view, update.decision.view)
        update.decision.legal_count = len(legal)
        for move in legal:
            speaks.move_to_proto(move, update.decision.legal_moves.add())
    return base64.b64encode(update.SerializeToString(deterministic=True)).decode()


def main() -> None:
    """Writes positions anew."""
    for game_id in sys.argv[1:]:
        kept = record_of(game_id)
        kept["positions"] = positions(game_id, kept["record"])
        (DEALS / f"{game_id}.json").write_text(f"{json.dumps(kept, indent=2)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
