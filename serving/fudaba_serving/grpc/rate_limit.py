"""Rate limits: a caller that sends too much is slowed, then cut off, and no other caller notices.

Each decision pays for its answer, so a bot that only answers is never slowed, however fast it is. Time pays for
everything else. A bot pays for itself, on any connection. Callers that show no known token pay together with the others
of their host. The organiser pays nothing.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, Protocol, TypeVar, final

from fudaba.refusals import Refused
from fudaba.v1 import errors_pb2, play_pb2
from fudaba_serving.grpc.credit import Credit, Pace
from fudaba_serving.grpc.hosts import CallerHosts

__all__ = ["GATEWAY", "Caller", "Callers", "Limits", "Slowed", "replay_cost", "too_many_begun"]

log = logging.getLogger(__name__)

T = TypeVar("T")

GATEWAY: Final = "gateway"
"""The owner of a gateway's token. Its calls use the rate limits of the client whose address it names."""
_CALLS_BURST_SECONDS: Final = 10.0
"""The burst of calls that may follow a pause, in seconds of their rate."""
_PEAK_RATIO: Final = 5.0
"""The pace of a caller's burst, as a multiple of its rate: the whole burst at once would hold up others."""
_MAX_CALLS_AT_ONCE: Final = 100.0
"""The number of calls, by their cost, that a caller with a token may make at once."""
_MAX_STRANGERS_CALLS_AT_ONCE: Final = 40.0
"""The same for all unidentified callers of a host together."""
_MESSAGES_BURST_SECONDS: Final = 50.0
"""The burst of messages that may follow a pause, in seconds of their rate."""
_MAX_WAIT_SECONDS: Final = 2.0
_QUOTA_AGAIN_SECONDS: Final = 10.0
"""A caller that a quota refuses again within this many seconds gets its answer later."""
_LOOKS: Final = "tokens"
"""The purse of a host that pays for lookups of tokens."""
_MAX_READ_AT_ONCE: Final = 16
"""The number of a caller's requests that are read at once; each of them may have the largest size of a message."""
_MAX_READ_LATER: Final = 48
"""The number of strangers' requests that wait to be read: when their client is gone, all of them end at one moment."""
_MAX_CALLERS_KEPT: Final = 10_000
_WARN_AGAIN_SECONDS: Final = 60.0
"""The time in seconds after which the log names the same sender and fault again."""
_MIN_WARNING_SECONDS: Final = 1.0
"""The least time in seconds between two warnings: many senders must not fill the log."""
_BYTES_PER_CALL: Final = 1024
"""Each of these many bytes of a request costs as much as a call."""
_UPLOAD: Final = "/fudaba.v1.ArenaService/WriteSubmission"
_UPLOAD_BYTES: Final = 16 * 1024
"""The number of bytes of an upload that cost 1 more: they are only written, and quotas limit them by the day."""
_VERIFY: Final = "/fudaba.v1.MatchService/VerifyRecord"
_SUBMIT: Final = "/fudaba.v1.PlayService/SubmitMove"
"""The method that has no pace: many matches may have decisions at the same moment, and their clocks run."""
_REPLAY_SHARE: Final = 0.01
"""The number of whole matches that each allowed call lets a caller replay, to verify a record or to show it again."""
_BYTES_PER_REPLAY: Final = 16 * 1024
"""The number of bytes of a record that count as one record more."""


class Limits(Protocol):
    """The limits in the settings. A rate of 0 sets no limit."""

    @property
    def calls_per_second(self) -> float:
        """The calls that a caller may make in a second."""

    @property
    def concurrent_calls(self) -> int:
        """The number of calls that a caller may have open."""

    @property
    def messages_per_second(self) -> float:
        """The messages that a bot may send on Play in a second, besides its answers."""


class Slowed(Protocol):
    """The metrics that count slowed senders."""

    def slow(self, kind: str) -> None:
        """Counts a `call` or a `message` that must wait because its sender is too fast."""


@final
class Warnings:
    """The log's warnings about callers that send too much: rare for each caller and fault, and few in total."""

    def __init__(self) -> None:
        self._warned: OrderedDict[str, float] = OrderedDict()
        self._next = 0.0

    def warn(self, whose: str, consequence: str) -> None:
        """Logs that a bot or a host sends too much, and the consequence; skips a warning that comes too soon."""
        now, about = time.monotonic(), f"{whose}: {consequence}"
        if now < self._next or now < self._warned.get(about, 0.0):
            return
        self._next = now + _MIN_WARNING_SECONDS
        _keep(self._warned, about, now + _WARN_AGAIN_SECONDS)
        log.warning("%s sends too much: %s", whose, consequence)


def too_many_begun() -> Refused:
    """Returns the refusal of a call if too many of its caller's requests have begun and not arrived."""
    message = "too many requests are incomplete, and no more are allowed at once; send each request whole"
    return Refused(errors_pb2.REASON_TOO_FAST, message, retry_seconds=1.0)


@final
class Caller:
    """A caller: a bot, or all callers of one host that show no known token."""

    __slots__ = (
        "_most_to_read", "_quota_at", "_to_read", "at_once", "credit", "pace", "reading", "replays", "trying", "turn",
    )  # fmt: skip

    def __init__(self, rate: float, whose: str, *, stranger: bool = True) -> None:
        self.credit = Credit(rate, _CALLS_BURST_SECONDS, whose)
        self.pace = Pace(rate * _PEAK_RATIO, _MAX_STRANGERS_CALLS_AT_ONCE if stranger else _MAX_CALLS_AT_ONCE)
        self.replays = Credit(rate * _REPLAY_SHARE, _CALLS_BURST_SECONDS, whose)
        self.turn = asyncio.Lock()
        """The lock of the one call for which a match is replayed, or will be next."""
        self.trying = asyncio.Lock()
        """The lock of the one call that tries moves."""
        self.at_once = 0
        self.reading = asyncio.Semaphore(_MAX_READ_AT_ONCE)
        """The semaphore of the calls whose requests are read."""
        self._to_read = 0
        self._most_to_read = _MAX_READ_AT_ONCE + _MAX_READ_LATER if stranger else None
        self._quota_at: float | None = None

    @contextmanager
    def to_read(self) -> Iterator[None]:
        """Counts a call whose request has not arrived.

        Refuses a stranger's call if too many of their requests have not arrived.
        """
        if self._most_to_read is not None and self._to_read >= self._most_to_read:
            raise too_many_begun()
        self._to_read += 1
        try:
            yield
        finally:
            self._to_read -= 1

    async def over_quota(self) -> None:
        """Records that a quota refuses the caller, and waits if one did so within `_QUOTA_AGAIN_SECONDS` seconds
        before.

        A caller that tries again at once does not deserve an answer at once.
        """
        now, before = time.monotonic(), self._quota_at
        self._quota_at = now
        if before is not None and now < before + _QUOTA_AGAIN_SECONDS:
            await asyncio.sleep(_MAX_WAIT_SECONDS)

    def answered(self, response: play_pb2.SubmitMoveResponse) -> None:
        """Adds the worth of a decision that a call answered, to pay for the call; a repeated call adds nothing."""
        if not response.repeated_call:
            self.credit.earn()


@final
class Callers:
    """The callers that have made calls recently."""

    def __init__(self, limits: Limits, metrics: Slowed, hosts: CallerHosts | None = None) -> None:
        self.hosts = hosts or CallerHosts()
        """The origin of calls."""
        self._limits = limits
        self._metrics = metrics
        self._callers: OrderedDict[str, Caller] = OrderedDict()
        self._messages: OrderedDict[str, Credit] = OrderedDict()
        self._owners: OrderedDict[str, str] = OrderedDict()
        self._warnings = Warnings()

    def know(self, authorization: str, owner: str) -> None:
        """Records that a token is valid, and that `owner` has it; `owner` is empty for an owner without limits.

        No other caller may spend the owner's credit.
        """
        _keep(self._owners, authorization, owner)

    def forget(self, authorization: str) -> None:
        """Records that a token is wrong, or is no longer valid."""
        self._owners.pop(authorization, None)

    def knows(self, authorization: str) -> bool:
        """Returns whether the owner of a token is known."""
        return authorization in self._owners

    def is_gateway(self, authorization: str) -> bool:
        """Returns whether a token is known to be a gateway's."""
        return self._owners.get(authorization) == GATEWAY

    def messages(self, owner: str) -> Credit:
        """Returns a bot's credit for messages on all its Play streams together."""
        credit = self._messages.get(owner) or Credit(self._limits.messages_per_second, _MESSAGES_BURST_SECONDS, owner)
        _keep(self._messages, owner, credit)
        return credit

    async def slow(self, credit: Credit) -> None:
        """Waits until a bot's messages are paid for. Refuses a bot that goes on for too long."""
        try:
            slowed = await credit.wait()
        except Refused:
            self._warnings.warn(credit.whose, "its stream is cut: too many messages for too long")
            raise
        if slowed:
            self._metrics.slow("message")
            self._warnings.warn(credit.whose, "its messages have to wait: too many answer no decision")

    @contextmanager
    def call(self, authorization: str, host: str, client: str = "") -> Iterator[Caller | None]:
        """Counts a call for as long as it runs. Refuses a call beyond the limit; yields None for a caller without
        limits.

        `client` is the address of a gateway's client, which then uses the limits of that host.
        """
        owner = self._owners.get(authorization)
        if owner == GATEWAY:
            owner = client
        if owner == "" or not self._limits.calls_per_second:
            yield None
            return
        with self._counted(owner or host, stranger=not owner) as caller:
            yield caller

    @contextmanager
    def host(self, host: str, purse: str = "", most: int | None = None) -> Iterator[Caller | None]:
        """Counts a call for which its host pays, whatever token it shows, from a separate purse if one is named.

        At most `most` calls of a purse may be open, and never more than the limits allow. Yields None if the settings
        set no limit.
        """
        if not self._limits.calls_per_second:
            yield None
            return
        with self._counted(f"{host} {purse}".rstrip(), stranger=True, most=most) as caller:
            yield caller

    @asynccontextmanager
    async def look(self, host: str, looks: int = 1, through: str = "") -> AsyncIterator[None]:
        """Counts the lookup of a token that was never seen, for as long as it runs. A lookup may count as several.

        The host pays, from a separate purse: strangers must not keep out callers with a token. There is one purse for
        each way `through` which calls come.
        """
        with self.host(host, f"{_LOOKS} {through}".rstrip()) as caller:
            if caller is not None:
                await self.pay(caller, "", 0, looks, base_cost=1.0)
            yield

    @contextmanager
    def _counted(self, name: str, *, stranger: bool, most: int | None = None) -> Iterator[Caller]:
        caller = self._callers.get(name) or Caller(self._limits.calls_per_second, name, stranger=stranger)
        _keep(self._callers, name, caller)
        most = min(self._limits.concurrent_calls, most or self._limits.concurrent_calls)
        if caller.at_once >= most:
            message = f"{most} calls are open, and no more are allowed at once; wait until some are answered"
            self._warnings.warn(name, "it has too many open calls, and more are refused")
            raise Refused(errors_pb2.REASON_TOO_FAST, message, retry_seconds=1.0)
        caller.at_once += 1
        try:
            yield caller
        finally:
            caller.at_once -= 1

    async def pay(self, caller: Caller, method: str, size: int, calls: int = 1, *, base_cost: float) -> None:
        """Pays for a call with a request of `size` bytes: waits if need be, or refuses it if that would take long.

        `base_cost` is the cost in the method's policy; a record to verify is charged by its length instead. The call
        may stand for several `calls`, and then costs as much as they do. Their cost beyond a whole burst is charged
        after the wait; a single call never costs more than a burst.
        """
        if method == _VERIFY:
            advice = "long ones count as several; use `fudaba record verify FILE`"
            await self._spend(caller.replays, replay_cost(size), " records to verify", advice)
        else:
            each = _UPLOAD_BYTES if method == _UPLOAD else _BYTES_PER_CALL
            cost = max(1, calls) * base_cost + size / each
            await self._spend(caller.credit, cost, "", "wait, and play over one Play stream", several=calls > 1)
            # At this pace, the last call of a whole burst waits for two seconds.
            if method != _SUBMIT and (seconds := caller.pace.turn(min(cost, caller.credit.burst))):
                self._metrics.slow("call")
                await asyncio.sleep(seconds)

    async def pay_for_replay(self, caller: Caller, size: int) -> None:
        """Pays to show again a match whose record has `size` bytes: waits or refuses, as for a call."""
        advice = "long ones count as several; wait, or read records with `fudaba record get`"
        await self._spend(caller.replays, replay_cost(size), " archived matches to show again", advice)

    async def _spend(self, credit: Credit, cost: float, unit: str, advice: str, *, several: bool = False) -> None:
        later = max(0.0, cost - credit.burst) if several else 0.0
        cost = min(cost, credit.burst)
        credit.left -= cost
        if credit.left < 0:
            await self._wait(credit, cost, unit, advice)
        credit.left -= later

    async def _wait(self, credit: Credit, cost: float, unit: str, advice: str) -> None:
        """Waits until a call is paid for; its cost was taken off before.

        Gives the cost back and refuses the call if the wait would be longer than `_MAX_WAIT_SECONDS`.
        """
        seconds = credit.refill()
        if not seconds:
            return
        self._metrics.slow("call")
        if seconds > _MAX_WAIT_SECONDS:
            self._warnings.warn(credit.whose, "its calls are refused: there are too many")
            credit.left += cost
            # The refusal waits, too: a caller that tries again at once does not deserve an answer at once.
            await asyncio.sleep(_MAX_WAIT_SECONDS)
            message = f"too many calls: {credit.rate:g}{unit} a second are allowed; {advice}"
            raise Refused(errors_pb2.REASON_TOO_FAST, message, retry_seconds=seconds)
        await asyncio.sleep(seconds)


def replay_cost(size: int) -> float:
    """Returns the number of replays that the replay of a record with `size` bytes counts as."""
    return 1.0 + size / _BYTES_PER_REPLAY


def _keep(kept: OrderedDict[str, T], name: str, value: T) -> None:
    """Keeps a value as the newest; drops the oldest if there are too many."""
    kept[name] = value
    kept.move_to_end(name)
    if len(kept) > _MAX_CALLERS_KEPT:
        kept.popitem(last=False)
