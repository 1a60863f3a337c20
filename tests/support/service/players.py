"""The views that players are shown."""

from __future__ import annotations

from fudaba.replay import Replay
from fudaba.v1 import game_pb2, record_pb2
from tests.support.service.bots import play_match
from tests.support.service.organiser import Entrant, Organiser


async def played(organiser: Organiser, match_id: str, *entrants: Entrant) -> record_pb2.MatchRecord:
    """Returns the record of a match, played to its end by chance."""
    await play_match(*organiser.by_chance(*entrants))
    return await organiser.record(match_id)


def shown(record: record_pb2.MatchRecord, seat: int | None) -> list[game_pb2.Event]:
    """Returns the events of a match that a seat, or a spectator, may see, by the rules."""
    replay = Replay(record.header, record.seed)
    for entry in record.log:
        replay.apply(entry)
    events = [game_pb2.Event() for _ in replay.match.shown(seat)]
    for event, message in zip(replay.match.shown(seat), events, strict=True):
        replay.codec.event_to_proto(event, message)
    return events
