"""The matches to play: of all games, with all kinds of clocks, with house bots, invitations and open seats."""

from __future__ import annotations

import random
from typing import Final, NamedTuple, final

from fudaba.codec import option_to_proto
from fudaba.v1 import matches_pb2, record_pb2
from fudaba_games.registry import GAMES

__all__ = ["MatchPlan", "plan", "request_of", "sleeps"]

_HOUR_MS: Final = 3_600_000
_OPTIONS: Final[dict[str, dict[str, bool | int | str]]] = {
    "naga": {"deals": 3},
    "napoleon": {"deals": 1},
    "numbers_crush": {"deals": 1},
    "nerts": {"target": 0},
    "mokkaik": {"deals": 4},
    "tashot": {"deals": 2},
    "makkaik": {"deals": 6},
    "niekhi": {"deals": 2},
    "makhop": {"deals": 5},
    "namto": {"deals": 12},
    "houniek": {"deals": 2},
}
"""Options that make a match long enough for several faults. Other games use their defaults."""
_REAL_TIME: Final[dict[str, bool | int | str]] = {"pace": "realtime", "hand_ms": 60, "stuck_ms": 1000}
_MAX_SEATS: Final = 3
# A decision that costs a bot our time costs it the match, with either.
_CLOCKS: Final = (
    record_pb2.Clock(move_ms=8_000, max_timeouts=1, max_illegal=1, start_ms=_HOUR_MS),
    record_pb2.Clock(move_ms=5_000, bank_ms=20_000, increment_ms=100, max_timeouts=1, max_illegal=1, start_ms=_HOUR_MS),
)


_MATCHES_PER_SLEEPER: Final = 6
"""The number of matches among which one sleeps at times, because its bots take long for some decisions."""
_SLEEPY_CLOCK: Final = record_pb2.Clock(move_ms=120_000, max_timeouts=1, max_illegal=1, start_ms=_HOUR_MS)


@final
class MatchPlan(NamedTuple):
    """A match to play."""

    match_id: str
    game: str
    options: dict[str, bool | int | str]
    seats: tuple[str, ...]
    """The kind of each seat: `bot`, `watcher`, `house`, `invitation` or `open`. Bots take seats of the last two
    kinds.
    """
    clock: record_pb2.Clock


def plan(seed: str, number: int) -> MatchPlan:
    """Returns the match with this number. Equal seeds give equal matches."""
    chance = random.Random(f"{seed}/match/{number}")
    names = list(GAMES)
    game = names[number % len(names)]
    options, again = dict(_OPTIONS.get(game, {})), number // len(names)
    if game == "nerts" and again % 3 < 2:
        options |= _REAL_TIME
    if game in {"tashot", "numbers_crush"} and again % 3 < 2:
        # Numbers Crush has hundreds of windows in a match, Tashot some dozens.
        options["window_ms"] = chance.choice((100, 200, 400)) // (4 if game == "numbers_crush" else 1)
    rules = GAMES[game]
    seats = max(rules.min_seats, min(rules.max_seats, chance.choice((2, 2, _MAX_SEATS))))
    kinds = [chance.choice(("bot", "bot", "watcher")) for _ in range(seats)]
    way = chance.random()
    if way < 0.2:
        kinds[-1] = "house"
    elif way < 0.4:
        kinds[-1] = chance.choice(("invitation", "open"))
    chance.shuffle(kinds)
    if all(kind in {"house", "invitation", "open"} for kind in kinds):
        kinds[0] = "bot"
    clock, match_id = chance.choice(_CLOCKS), f"{seed.replace('/', '-')}-{number}"
    return MatchPlan(match_id, game, options, tuple(kinds), _SLEEPY_CLOCK if sleeps(match_id) else clock)


def sleeps(match_id: str) -> bool:
    """Returns whether bots take so long for some decisions of a match that the service lets it sleep."""
    return int(match_id.rpartition("-")[2]) % _MATCHES_PER_SLEEPER == _MATCHES_PER_SLEEPER - 1


def request_of(made: MatchPlan, names: list[str]) -> matches_pb2.CreateMatchRequest:
    """Returns the request for a match. `names` are the bots in assigned seats, in order."""
    rest = iter(names)
    seats = []
    for kind in made.seats:
        if kind in {"bot", "watcher"}:
            seats.append(matches_pb2.Seat(bot=record_pb2.Player(bot=next(rest))))
        elif kind == "house":
            seats.append(matches_pb2.Seat(house_bot="house-random"))
        elif kind == "invitation":
            seats.append(matches_pb2.Seat(invitation=matches_pb2.Seat.Invitation()))
        else:
            seats.append(matches_pb2.Seat(open=matches_pb2.Seat.Open()))
    return matches_pb2.CreateMatchRequest(
        match_id=made.match_id,
        game=made.game,
        options={name: option_to_proto(value) for name, value in made.options.items()},
        seats=seats,
        clock=made.clock,
    )
