"""Clocks that jump and disks that are full are so for the processes that meet them; what is the bots' own is theirs."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from soak.chaos.clocks import Clock, compile_shim
from soak.chaos.lag import Lag
from soak.chaos.links import Away, LinkFault, LinkHistory
from soak.chaos.searching import logged_faults

SHOWS_CLOCKS = "import sys, time\nfor _ in sys.stdin: print(time.time(), time.monotonic(), flush=True)"
FILLS_A_DISK = """
import sys
from pathlib import Path
from soak.chaos.disks import Disk, own_mounts
disk = Disk(Path(sys.argv[1]), 2, mounts=own_mounts())
if not disk.can_fill:
    sys.exit(77)
disk.fill()
try:
    (disk.folder / "one").write_bytes(b"x" * 10)
except OSError as error:
    print(error.strerror)
disk.free()
(disk.folder / "one").write_bytes(b"x" * 10)
print((disk.folder / "one").stat().st_size)
"""


def test_a_wall_clock_jumps_while_its_process_runs_and_the_monotonic_one_does_not(
    tmp_path: Path, need_tool: Callable[[str], Path]
) -> None:
    need_tool("gcc")
    clock = Clock(tmp_path / "clock", compile_shim(tmp_path))
    assert clock.can_jump
    with subprocess.Popen(
        [sys.executable, "-c", SHOWS_CLOCKS], env=clock.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None

        def shown() -> tuple[float, float]:
            """Returns by how much the child's clocks differ from ours."""
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.write(b"\n")
            child.stdin.flush()
            wall, monotonic = map(float, child.stdout.readline().split())
            return wall - time.time(), monotonic - time.monotonic()

        for offset in (0.0, 120.0, -120.0):
            clock.set(offset)
            wall, monotonic = shown()
            assert abs(wall - offset) < 60
            assert abs(monotonic) < 60
        child.stdin.close()


def test_a_full_disk_takes_nothing_until_it_is_freed(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FILLS_A_DISK, str(tmp_path / "disk")], capture_output=True, text=True, check=False
    )
    if done.returncode == 77:
        pytest.skip("no file system may be mounted")
    assert done.stdout.splitlines() == ["No space left on device", "10"], done.stderr


def test_lateness_counts_that_lies_in_a_span_even_in_part() -> None:
    lag = Lag()
    lag.late = [(1.0, 2.0), (5.0, 5.5), (9.0, 9.1)]
    assert lag.within(5.2, 8.0) == 0.5
    assert lag.within(2.5, 4.0) == 0
    assert lag.within(0.0, 10.0) == pytest.approx(1.6)


def test_time_in_which_the_bots_own_link_was_struck_is_the_bots() -> None:
    links = LinkHistory([LinkFault(0, 10.0, 11.0)])
    assert links.own(30.0, 31.0, []) == 0
    assert links.own(9.0, 10.5, []) >= 0.5
    away = Away(0, 10.5, 13.0)
    assert links.own(9.0, 20.0, [away]) >= 3.0
    other_replica, much_later = Away(1, 10.5, 13.0), Away(0, 15.0, 18.0)
    assert links.own(9.0, 20.0, [other_replica, much_later]) < 3.0


AT = "2026-11-29 02:00:00,123"
REFUSED = "the store does not take an entry of match m-1"


def test_a_traceback_in_a_log_is_found_with_what_it_was(tmp_path: Path) -> None:
    (tmp_path / "replica-0.log").write_text(
        "fudaba serves on 127.0.0.1:1\nERROR fudaba: fault 1a2b3c4d\n"
        "Traceback (most recent call last):\n  File x\nKeyError: 3\n"
    )
    [found] = logged_faults(tmp_path)
    assert found.endswith("KeyError: 3")


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        (f"{AT} ERROR fudaba_service.house.seats: an answer came late", True),
        ("02:00:00 CRITICAL Consumer encountered a connection error: refused", True),
        (f"{AT} ERROR fudaba_service: match m-1 is in neither the store nor the archive", False),
        (
            f"{AT} ERROR fudaba_service: {REFUSED}: command not allowed when used memory",
            False,
        ),
        (
            f"{AT} ERROR fudaba_service: {REFUSED}: Connection closed by server.",
            True,
        ),
        (f"{AT} WARNING fudaba_serving.process.tasks: ERROR is only said here", False),
        ("17:M 29 Nov 2026 02:00:00.123 # Error moving temp append only file", False),
    ],
)
def test_an_error_in_a_log_counts_as_a_fault_unless_the_faults_are_meant_to_bring_it_about(
    tmp_path: Path, line: str, counts: bool
) -> None:
    (tmp_path / "replica-0.log").write_text(f"fudaba serves on 127.0.0.1:1\n{line}\nall is well\n")
    found = logged_faults(tmp_path)
    assert len(found) == counts
    assert all(fault.startswith(f"replica-0.log:2: {line}") for fault in found)
