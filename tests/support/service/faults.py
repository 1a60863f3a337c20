"""Errors that nobody foresaw, raised in a running service at a chosen place: in the rules, the codec, the store.

They are raised by code that the service's process runs before everything else.
"""

from __future__ import annotations

import contextlib
import json
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.support.patience import until
from tests.support.service.in_progress import MatchInProgress
from tests.support.service.processes import RedisServer, Service, free_port

_SPOILING: Final = '''
import functools, importlib, json, os, pathlib

ORDER = pathlib.Path(os.environ["FAULTS"])
ALWAYS = 0

def strike(place, arguments):
    """Raises if that was ordered of this place, for calls with this argument; as often as was ordered."""
    try:
        order = json.loads(ORDER.read_text())
    except FileNotFoundError:
        return
    ordered = order.get(place)
    if ordered is None or (ordered["argument"] is not None and ordered["argument"] not in arguments[1:]):
        return
    if ordered["times"] != ALWAYS:
        ordered["times"] -= 1
        if not ordered["times"]:
            del order[place]
        beside = ORDER.with_suffix(".new")
        beside.write_text(json.dumps(order))
        beside.replace(ORDER)
    raise TypeError("what nobody foresaw in " + place)

def spoil(place):
    module, name, function = place.split(":")
    owner = getattr(importlib.import_module(module), name)
    real = getattr(owner, function)

    @functools.wraps(real)
    def before(*arguments, **more):
        strike(place, arguments)
        return real(*arguments, **more)

    @functools.wraps(real)
    def after(*arguments, **more):
        result = real(*arguments, **more)
        strike(place, arguments)
        return result

    setattr(owner, function, after if function == "apply" else before)

for place in json.loads(os.environ["PLACES"]):
    spoil(place)
'''

CHECK: Final = "fudaba_games.naga.rules:Naga:check"
"""An answer is judged. Called with the state, the seat and the move."""
TO_ENTRY: Final = "fudaba.codec.naga:NagaCodec:move_to_proto"
"""An entry is made."""
DEADLINE: Final = "fudaba_service.sessions.match_copy:MatchCopy:look_after_ms"
"""An entry is ready to be sent to the store."""
APPLY: Final = "fudaba_games.naga.rules:Naga:apply"
"""A stored entry is applied; the state is changed when this fails."""
TELL: Final = "fudaba.codec.naga:NagaCodec:view_to_proto"
"""A seat is told what is new."""
TAIL: Final = "fudaba_service.store.matches:Matches:tail"
"""A log's newest entries are read. Called with the match's id."""
LOAD: Final = "fudaba_service.store.matches:Matches:load"
"""A whole match is read. Called with the match's id."""
ARCHIVE: Final = "fudaba_service.archive:Archive:write"
"""A record is archived."""
_PLACES: Final = (CHECK, TO_ENTRY, DEADLINE, APPLY, TELL, TAIL, LOAD, ARCHIVE)


class Spoilt:
    """A service in which things go wrong when they are ordered to."""

    def __init__(self, service: Service, orders: Path) -> None:
        self.service = service
        self._orders = orders

    def order(self, place: str, times: int = 1, argument: object = None) -> None:
        """Makes the next calls of this place that have this argument fail; with 0, all until `heal`."""
        order = json.loads(self._orders.read_text()) if self._orders.exists() else {}
        order[place] = {"times": times, "argument": argument}
        beside = self._orders.with_suffix(".ordered")
        beside.write_text(json.dumps(order))
        beside.replace(self._orders)

    def heal(self) -> None:
        """Ends all faults."""
        self._orders.write_text("{}")

    @property
    def struck(self) -> bool:
        """Whether all that was ordered has happened."""
        return not json.loads(self._orders.read_text())

    async def strike(self, place: str, times: int = 1, argument: object = None) -> None:
        """Orders, and returns when it has happened."""
        self.order(place, times, argument)
        await until(lambda: self.struck, f"a fault in {place}")

    @property
    def faults(self) -> int:
        """The number of faults in matches that the service has counted."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.service.metrics_port}/metrics") as answer:
            lines = answer.read().decode().splitlines()
        [line] = [line for line in lines if line.startswith('fudaba_task_errors_total{task="match"}')]
        return int(float(line.split()[1]))

    def check_told(self, faults: int) -> None:
        """Checks that this many faults were counted, and logged with their traceback."""
        assert self.faults == faults
        assert self.service.log.count("TypeError: what nobody foresaw") == faults, self.service.log
        assert self.service.log.count("Traceback") == faults, self.service.log


def internal(table: MatchInProgress) -> list[str]:
    """Returns the messages of the refusals that the seats of a match were told; each is INTERNAL."""
    refusals = [refusal for player in table.players for refusal in player.journal(table.match_id).refusals]
    assert {refusal.reason for refusal in refusals} <= {"INTERNAL"}
    return [refusal.message for refusal in refusals]


@contextlib.contextmanager
def spoilt(folder: Path, redis: RedisServer | None = None, name: str = "spoilt") -> Iterator[Spoilt]:
    """Yields a service of this test's own in which things go wrong when they are ordered to."""
    orders, port = folder / f"{name}.json", free_port()
    orders.write_text("{}")
    environment = {"FAULTS": str(orders), "PLACES": json.dumps(_PLACES)}
    options = ["--redis", redis.url] if redis is not None else []
    metrics = f"127.0.0.1:{port}"
    with Service(folder, *options, "--metrics", metrics, name=name, data=folder / "data") as service:
        service.metrics_port = port
        service.start(environment=environment, first=_SPOILING)
        yield Spoilt(service, orders)
        assert service.terminate() == 0, service.log
