"""One time for all replicas, whatever becomes of Redis's clock and of theirs."""

from __future__ import annotations

from itertools import pairwise
from typing import final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fudaba_service.store.shared_time import TOLERANCE_MS, ClockReading, SharedTime

START_MS = 1_800_000_000_000


@final
class World:
    """Redis's clock, what is kept in Redis, and the replicas; all under one monotonic clock."""

    def __init__(self, replicas: int = 1) -> None:
        self.seconds = 50.0
        self.redis_is_ahead_ms = 0.0
        self.correction: int | None = None
        self.stood_still = [0.0] * replicas
        self.replicas: list[SharedTime] = []
        self.beats = [0] * replicas
        for number in range(replicas):
            self.replicas.append(SharedTime(lambda number=number: self.seconds - self.stood_still[number]))  # type: ignore[misc]  # mypy cannot infer a lambda with a default
            self.begin(number)

    def reading(self, number: int, took_ms: float = 0.0) -> ClockReading:
        """Returns what a replica reads: Redis looks at its clock in the middle of the time that it takes."""
        asked = self.replicas[number].clock_ms()
        redis_ms = START_MS + self.seconds * 1000 + self.redis_is_ahead_ms + took_ms / 2
        self.seconds += took_ms / 1000
        others = max((at for other, at in enumerate(self.beats) if other != number), default=0)
        return ClockReading(asked, self.replicas[number].clock_ms(), redis_ms, self.correction, others)

    def begin(self, number: int, *, believed: bool = True, took_ms: float = 0.0) -> None:
        """A replica starts."""
        reading = self.reading(number, took_ms)
        self.correction = self.replicas[number].begin(reading, max(self.beats), believed=believed)
        self.beats[number] = self.now(number)

    def go_on(self, number: int, other: int, took_ms: float = 0.0) -> None:
        """A replica starts on another one's machine, and takes the time over from it."""
        reading = self.reading(number, took_ms)
        changed = self.replicas[number].go_on(reading, self.now(other), self.replicas[other].open_ms)
        if changed is not None:
            self.correction = changed
        self.beats[number] = self.now(number)

    def beat(self, number: int = 0, took_ms: float = 0.0) -> None:
        """A replica compares its time with Redis's."""
        changed = self.replicas[number].compare(self.reading(number, took_ms))
        if changed is not None:
            self.correction = changed
        self.beats[number] = self.now(number)

    def now(self, number: int = 0) -> int:
        return self.replicas[number].now_ms()

    @property
    def truth_ms(self) -> float:
        """The time if no clock is ever set."""
        return START_MS + self.seconds * 1000


@pytest.mark.parametrize("jump_ms", [-7_200_000, -120_000, -500, 500, 120_000, 7_200_000])
def test_when_redis_clock_is_set_the_time_goes_on_as_before_on_every_replica(jump_ms: float) -> None:
    world = World(replicas=3)
    world.redis_is_ahead_ms = jump_ms
    for number in (2, 0, 1, 1, 2, 0):
        world.seconds += 0.25
        world.beat(number)
        assert [world.now(n) for n in range(3)] == pytest.approx([world.truth_ms] * 3, abs=5)


def test_when_redis_clock_is_set_and_set_right_again_no_correction_is_left() -> None:
    world = World()
    for ahead_ms in (120_000, 0):
        world.redis_is_ahead_ms = ahead_ms
        world.seconds += 0.25
        world.beat()
    assert world.correction == pytest.approx(0, abs=5)


def test_a_replica_that_begins_later_has_the_time_of_the_others() -> None:
    world = World(replicas=2)
    world.redis_is_ahead_ms = 120_000
    world.beat(0)
    world.begin(1)
    assert world.now(1) == pytest.approx(world.truth_ms, abs=5)


def test_a_replica_that_begins_before_the_others_have_seen_that_redis_clock_was_set_has_their_time() -> None:
    world = World(replicas=2)
    world.beat(0)
    world.redis_is_ahead_ms = 120_000
    world.begin(1, believed=False)
    for number in (0, 1):
        world.beat(number)
        assert world.now(number) == pytest.approx(world.truth_ms, abs=5)


def test_the_time_of_a_new_service_does_not_go_back_behind_the_last_heartbeat() -> None:
    world = World(replicas=2)
    world.beat(0)
    last = world.now(0)
    world.redis_is_ahead_ms = -120_000
    world.begin(1)
    assert last <= world.now(1) <= last + 5


def test_a_replica_that_stood_still_takes_over_the_time_of_the_others_and_they_keep_theirs() -> None:
    world = World(replicas=2)
    world.stood_still[0] = 5.0
    world.seconds += 5
    world.beat(1)
    world.beat(0)
    world.beat(1)
    assert [world.now(n) for n in range(2)] == pytest.approx([world.truth_ms] * 2, abs=5)


def test_a_store_that_has_forgotten_the_correction_is_told_it_again() -> None:
    world = World()
    world.redis_is_ahead_ms = 120_000
    world.beat()
    world.correction = None
    world.beat()
    assert world.correction == pytest.approx(-120_000, abs=5)


def test_an_answer_that_took_long_moves_neither_the_time_nor_the_correction() -> None:
    world = World()
    before = world.correction
    world.beat(took_ms=3_000)
    assert world.correction == before
    assert world.now() == pytest.approx(world.truth_ms, abs=5)


@pytest.mark.parametrize("slow", [[], [2_000.0, 400.0]])
def test_a_replica_that_began_over_a_slow_link_is_set_right_by_a_quick_answer_though_the_others_are_silent(
    slow: list[float],
) -> None:
    world = World(replicas=2)
    correction = world.correction
    world.begin(1, took_ms=3_000)
    for took_ms in slow:
        world.seconds += 1
        world.beat(1, took_ms)
    world.seconds += 2
    world.beat(1)
    assert world.now(1) == pytest.approx(world.truth_ms, abs=5)
    assert world.correction == correction


@pytest.mark.parametrize("took_ms", [0.0, 400.0])
def test_a_replica_that_took_over_what_a_slow_link_left_open_is_set_right_with_its_neighbour(took_ms: float) -> None:
    world = World(replicas=3)
    correction = world.correction
    world.begin(1, took_ms=3_000)
    assert world.replicas[1].open_ms == 3_000
    world.go_on(2, 1, took_ms)
    for number in (2, 1, 2):
        world.seconds += 0.25
        world.beat(number)
        assert world.correction == correction
    assert [world.now(n) for n in (1, 2)] == pytest.approx([world.truth_ms] * 2, abs=5)


def test_a_jump_is_none_of_a_slow_link_any_more_once_a_quick_answer_has_come() -> None:
    world = World(replicas=2)
    world.begin(1, took_ms=3_000)
    world.beat(1)
    world.redis_is_ahead_ms = 1_000
    world.beat(1)
    assert world.now(1) == pytest.approx(world.truth_ms, abs=5)


steps = st.lists(
    st.tuples(
        st.integers(0, 2),  # who beats
        st.floats(0.01, 2.0),  # after how many seconds
        st.sampled_from([0.0, 0.0, 0.0, 1.0, 30.0, 150.0, 2_000.0]),  # how long the answer takes, in ms
        st.sampled_from([0.0, 0.0, 0.0, -120_000.0, -3_000.0, -50.0, 50.0, 3_000.0, 120_000.0]),  # the jump
    ),
    max_size=60,
)


@given(steps)
def test_the_time_never_goes_back_and_no_jump_moves_it_by_more_than_a_fifth_of_a_second(
    course: list[tuple[int, float, float, float]],
) -> None:
    world = World(replicas=3)
    readings = [[world.now(n)] for n in range(3)]
    moved = 0.0
    for number, seconds, took_ms, jump_ms in course:
        world.seconds += seconds
        world.redis_is_ahead_ms += jump_ms
        moved += abs(jump_ms) if abs(jump_ms) <= TOLERANCE_MS else 0
        world.beat(number, took_ms)
        for n in range(3):
            readings[n].append(world.now(n))
            # What is slower than a jump is followed, as the drift of a clock is.
            assert abs(readings[n][-1] - world.truth_ms) <= 200 + moved
    for times in readings:
        assert all(a <= b for a, b in pairwise(times))
