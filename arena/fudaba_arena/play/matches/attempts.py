"""Attempts at blocks whose matches are played in this process, several at once."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Coroutine, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, final

from fudaba_arena.play.matches.absences import Absences
from fudaba_arena.play.matches.block_spec import BlockSpec
from fudaba_arena.play.matches.executor import AttemptFailed, AttemptLeft, AttemptPlayed, End
from fudaba_arena.play.matches.other_hosts import NoOtherHosts, OtherHosts
from fudaba_arena.play.service.maintenance import InMaintenance
from fudaba_arena.schedule.blocks import PlannedMatch
from fudaba_arena.store.blocks.closed_block import MatchResult

__all__ = ["Attempt", "Attempts", "StartOrder"]


@final
@dataclass(slots=True, eq=False)
class Attempt:
    """An attempt at a block, with some of its matches in play."""

    spec: BlockSpec
    waiting: deque[PlannedMatch]
    """The matches that have not started yet, in order."""
    running: dict[str, PlannedMatch] = field(default_factory=dict)
    """The matches in play, by match id."""
    end: End | None = None
    """Its end, as soon as it is known."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    over: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when none of its matches is in play."""
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    results: dict[str, MatchResult] = field(default_factory=dict)
    """The results of its matches that have one, by match id."""
    weights: dict[str, int] = field(default_factory=dict)
    """The weights of its matches, as far as they were computed."""
    going: Collection[str] = ()
    """The ids of unfinished matches that another process began."""
    ours_until: float = inf
    """The monotonic time until which this process alone plays the attempt. It begins no match after it."""
    may_leave: bool = False
    """Whether another host may continue it between two sittings."""
    sat: set[int] = field(default_factory=set)
    """The deals that submitted bots have played since the attempt came here, or since no other host had room for it."""
    absences: Absences = field(init=False)

    def __post_init__(self) -> None:
        self.absences = Absences(self.ended)
        for result in self.results.values():
            self.absences.note(result)

    @classmethod
    def at(
        cls,
        spec: BlockSpec,
        going: Collection[str] = (),
        results: Mapping[str, MatchResult] | None = None,
        *,
        may_leave: bool = False,
    ) -> Attempt:
        """Makes an attempt that begins here, with the given matches in play and the given results.

        Matches in play come first, since they use the room of bots with little capacity. If a bot was submitted, the
        sittings of a deal are then spaced as far apart as the block's deals allow.
        """
        matches = _spread(spec.matches) if any(bot.submission for bot in spec.bots.values()) else spec.matches
        known = dict(results or {})
        waiting = [match for match in matches if match.match_id not in known]
        waiting.sort(key=lambda match: match.match_id not in going)
        return cls(spec, deque(waiting), results=known, going=going, may_leave=may_leave)

    def submitted(self, match: PlannedMatch) -> int:
        """Returns how many bots of a match run in a worker's sandbox."""
        return self.spec.submitted(match)

    def cores(self, match: PlannedMatch) -> float:
        """Returns the number of cores that the submitted bots of a match use at once, or may use if seats share
        cores.
        """
        limits = self.spec.limits
        return self.submitted(match) * (limits.cores_per_seat or limits.usual.cores)

    def other_sitting_comes_first(self, match: PlannedMatch) -> bool:
        """Returns whether a match waits for another sitting at its deal, because submitted bots play in both.

        It does if that sitting is played here, or was in play when this attempt began here.
        """
        if not self.submitted(match):
            return False
        begun = [*self.running.values()]
        if match.match_id not in self.going:
            begun += [other for other in self.waiting if other.match_id in self.going]
        return any(other.deal == match.deal and self.submitted(other) for other in begun)

    def sat_here(self, match: PlannedMatch) -> bool:
        """Returns whether another host should play a match, because submitted bots have already played its deal here.

        Matches in play when this attempt began here stay here.
        """
        return self.may_leave and match.deal in self.sat and match.match_id not in self.going

    @property
    def between_sittings(self) -> bool:
        """Whether it has no match in play, and only matches left that another host should play."""
        return bool(self.waiting) and not self.running and all(map(self.sat_here, self.waiting))

    def ends(self, end: End) -> None:
        """Notes how it ended, unless that is already known."""
        if self.end is None:
            self.end = end
            self.ended.set()

    async def wait_for_end(self) -> End:
        """Returns how it ended, once that is known."""
        while self.end is None:
            await self.ended.wait()
        return self.end


@final
class StartOrder:
    """Chooses the next match to start: from the blocks in the order of their arrival, as far as there is room.

    Matches of a total weight have room at once, and of a bot in a tournament as many as it plays at once. A match that
    would never have room is played alone; a match without weight needs no room.

    If a ladder gives each seat of a submitted bot its own cores, as many matches are played at once as there are cores
    for. All submitted bots count then, those of other ladders by what they may use. A match that wants more cores than
    exist is played alone, too. A match that waits for cores precedes all later ones that want some; otherwise a match
    of many seats would wait for ever.

    The sittings of a deal that submitted bots play follow each other: their sandboxes share a host, and programs that
    share a host can always tell each other something, if only by how busy it is. Other matches are played in between:
    after one sitting, the next begins once another match has begun, or if none can.

    If other hosts play such bots too, the next sitting goes to them: an attempt with nothing in play, and only further
    sittings of already played deals left, goes to a host with room. If none has room, it is continued here.
    """

    def __init__(
        self,
        room: int | Callable[[], int],
        weight: Callable[[BlockSpec, PlannedMatch], int] = lambda _, __: 1,
        cores: float = inf,
        others: OtherHosts | None = None,
        rests: Callable[[], bool] = lambda: False,
    ) -> None:
        self._room: Callable[[], int] = room if callable(room) else lambda: room
        self._cores = cores
        self._weight = weight
        self._others = others or NoOtherHosts()
        self._rests = rests
        """Returns whether no match begins for the time being."""
        self._playing: Counter[tuple[str, str]] = Counter()
        self._just_sat: set[tuple[Attempt, int]] = set()
        """The deals in which a sitting has ended since the last match began."""
        self.taken = 0
        """The weight of the matches being played."""
        self.attempts: list[Attempt] = []
        self.held = False
        """Whether no more matches are to be started."""

    @property
    def running(self) -> int:
        """The number of matches being played."""
        return sum(len(attempt.running) for attempt in self.attempts)

    @property
    def has_room(self) -> bool:
        """Whether a match could be started if there were one."""
        return not self.held and self.taken < self._room()

    @property
    def waiting(self) -> int:
        """The number of matches that wait for nothing but room."""
        return sum(self._is_free(attempt, match) for attempt in self.attempts for match in attempt.waiting)

    def leaves_to(self, attempt: Attempt) -> str:
        """Returns the address of workers on another host that should continue an attempt now; empty if none has room.

        Call it for an attempt between two sittings. If no other host has room, the next sittings are played here.
        """
        to = self._others.with_room(attempt.spec)
        if not to:
            attempt.sat.clear()
        return to

    def start_next(self) -> tuple[Attempt, PlannedMatch] | None:
        """Returns the match to start now, noted as running; None if none fits."""
        if self.held or self._rests():
            return None
        at_once = None
        for attempt, match in self._fitting():
            if (attempt, match.deal) not in self._just_sat:
                return self._begin(attempt, match)
            at_once = at_once or (attempt, match)
        return self._begin(*at_once) if at_once is not None else None

    def _fitting(self) -> Iterator[tuple[Attempt, PlannedMatch]]:
        """Yields the matches that could begin now, in order."""
        now, first_for_cores = time.monotonic(), True
        for attempt in self.attempts:
            for match in attempt.waiting if now < attempt.ours_until else ():
                if not self._fits(attempt, match):
                    continue
                if attempt.submitted(match):
                    first_for_cores = first_for_cores and self._has_cores(attempt, match)
                if first_for_cores or not attempt.submitted(match):
                    yield attempt, match

    def _begin(self, attempt: Attempt, match: PlannedMatch) -> tuple[Attempt, PlannedMatch]:
        attempt.waiting.remove(match)
        attempt.running[match.match_id] = match
        if attempt.submitted(match):
            attempt.sat.add(match.deal)
        self._playing.update((attempt.spec.tournament, bot) for bot in match.bots)
        self.taken += self._weighed(attempt, match)
        self._just_sat.clear()
        return attempt, match

    def ended(self, attempt: Attempt, match: PlannedMatch) -> None:
        """Notes that a match is over, however it ended."""
        self._leave(attempt, match)
        if attempt.submitted(match):
            self._just_sat.add((attempt, match.deal))

    def put_back(self, attempt: Attempt, match: PlannedMatch) -> None:
        """Notes that a started match has not begun on the service. It waits again, unless its attempt is over."""
        self._leave(attempt, match)
        if attempt.end is None:
            attempt.waiting.appendleft(match)
        if not any(planned.deal == match.deal for planned in attempt.spec.matches if planned not in attempt.waiting):
            attempt.sat.discard(match.deal)

    def _leave(self, attempt: Attempt, match: PlannedMatch) -> None:
        del attempt.running[match.match_id]
        self._playing.subtract((attempt.spec.tournament, bot) for bot in match.bots)
        self.taken -= self._weighed(attempt, match)

    def _has_cores(self, attempt: Attempt, match: PlannedMatch) -> bool:
        """Returns whether there are free cores for the submitted bots of a match."""
        playing = [(other, planned) for other in self.attempts for planned in other.running.values()]
        playing = [(other, planned) for other, planned in playing if other.submitted(planned)]
        if not any(other.spec.limits.cores_per_seat for other, _ in [*playing, (attempt, match)]):
            return True
        return not playing or sum(other.cores(each) for other, each in [*playing, (attempt, match)]) <= self._cores

    def _weighed(self, attempt: Attempt, match: PlannedMatch) -> int:
        """Returns the weight of a match.

        The weight is checked whenever another match has ended, for as long as this match waits.
        """
        weight = attempt.weights.get(match.match_id)
        if weight is None:
            weight = attempt.weights[match.match_id] = self._weight(attempt.spec, match)
        return weight

    def _fits(self, attempt: Attempt, match: PlannedMatch) -> bool:
        weight = self._weighed(attempt, match)
        if weight and self.taken and self.taken + weight > self._room():
            return False
        return self._is_free(attempt, match)

    def _is_free(self, attempt: Attempt, match: PlannedMatch) -> bool:
        """Returns whether a match waits neither for another sitting nor for a bot of little capacity."""
        if attempt.other_sitting_comes_first(match) or (
            attempt.sat_here(match) and self._others.can_play(attempt.spec)
        ):
            return False
        for name in match.bots:
            capacity = attempt.spec.bots[name].capacity
            if capacity and self._playing[attempt.spec.tournament, name] >= capacity:
                return False
        return True


def _spread(matches: Iterable[PlannedMatch]) -> list[PlannedMatch]:
    """Orders matches by sitting: the first sittings of all deals, then the second ones, and so on."""
    sittings: Counter[int] = Counter()
    placed = []
    for match in matches:
        placed.append((sittings[match.deal], match))
        sittings[match.deal] += 1
    return [match for _, match in sorted(placed, key=lambda placed_match: placed_match[0])]


@final
class Attempts:
    """Plays the matches of attempts in tasks of a group, in the order of a `StartOrder`.

    `play` plays a match. It returns the result, or the reason why there is none; None if the match is no longer wanted.
    It may raise `InMaintenance`: then the match waits again.
    """

    def __init__(
        self,
        order: StartOrder,
        tasks: asyncio.TaskGroup,
        play: Callable[[Attempt, PlannedMatch], Coroutine[Any, Any, MatchResult | AttemptFailed | None]],
    ) -> None:
        self.order = order
        self._tasks = tasks
        self._play = play

    def begin(self, attempt: Attempt) -> None:
        """Plays an attempt."""
        self.order.attempts.append(attempt)
        self.start()
        self.settle(attempt)

    def settle(self, attempt: Attempt) -> None:
        """Closes an attempt if it is over. Call it when waiting matches are left out."""
        if attempt.over.is_set() or attempt.running:
            return
        to = ""
        if attempt.waiting and not self.order.held:
            if not attempt.between_sittings:
                return
            to = self.order.leaves_to(attempt)
            if not to:
                self.start()
                return
        self.order.attempts.remove(attempt)
        attempt.over.set()
        attempt.ends(AttemptLeft(to) if attempt.waiting else AttemptPlayed(attempt.results))

    def settle_all(self) -> None:
        """Begins all matches that can begin now, or leaves them to other hosts.

        Call it when something other than the end of a match makes room.
        """
        self.start()
        for attempt in list(self.order.attempts):
            self.settle(attempt)

    def fail(self, attempt: Attempt, why: AttemptFailed) -> None:
        """Ends an attempt as failed. No more of its matches start. It is over when none is in play."""
        attempt.waiting.clear()
        attempt.ends(why)
        self.settle(attempt)

    async def drop(self, attempt: Attempt, end: End) -> None:
        """Ends an attempt in mid-play, unless it has ended. Its players stop."""
        attempt.waiting.clear()
        attempt.ends(end)
        tasks = list(attempt.tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for match in list(attempt.running.values()):  # the task was cancelled before its first step
            self.order.ended(attempt, match)
        self.start()
        self.settle(attempt)

    def hold(self) -> None:
        """Starts no more matches."""
        self.order.held = True
        for attempt in list(self.order.attempts):
            self.settle(attempt)

    def start(self) -> None:
        """Begins what can begin now."""
        while (started := self.order.start_next()) is not None:
            attempt, planned = started
            task = self._tasks.create_task(self._run(attempt, planned))
            attempt.tasks.add(task)
            task.add_done_callback(attempt.tasks.discard)

    async def _run(self, attempt: Attempt, planned: PlannedMatch) -> None:
        end, leaves = None, self.order.ended
        try:
            end = await self._play(attempt, planned)
        except InMaintenance:
            leaves = self.order.put_back
        finally:
            leaves(attempt, planned)
        if isinstance(end, MatchResult):
            attempt.results[end.match_id] = end
        elif isinstance(end, AttemptFailed) and attempt.end is None:
            self.fail(attempt, end)
        self.start()
        self.settle(attempt)
