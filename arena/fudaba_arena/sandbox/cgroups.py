"""Control groups, version 2 or 1: they limit, count and end all processes of a bot together.

All groups are below this process's own group, so its limits hold for the bots, too.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, final

from fudaba_arena.sandbox.freezer import STATE_V1, STATE_V2, Freezer, thaw
from fudaba_arena.tournament.limits import Limits

__all__ = ["Cgroups", "Counts", "Group", "remove"]

_PERIOD_US: Final = 100_000
_WANTED: Final = ("memory", "pids", "cpu", "cpuacct")
_CPUSET: Final = "cpuset"
"""The controller that assigns cores. Without it, no limit is missing."""
_FREEZER: Final = "freezer"
"""The controller that freezes groups. Version 2 freezes without a controller, even where version 1 has all others."""
_V2: Final = "v2"
_LEAF: Final = "fudaba-host"
_OWN_PROCESS_COUNT: Final = 4
"""Processes of the sandbox that are in a bot's group: bubblewrap's two, and what starts it."""
_POLL_SECONDS: Final = 0.002
_MAX_KILL_SECONDS: Final = 60.0
"""The time that killed processes have to end. On a busy disk one that reads or writes takes longer than ten seconds."""


class Counts(NamedTuple):
    """The resources that a control group has used. A value is None if the group's controllers do not report it."""

    cpu: float | None
    memory: int | None
    out_of_memory: int
    out_of_processes: int
    throttled: int | None
    processes: int | None
    """The largest simultaneous number that was seen, threads included."""


@final
@dataclass(frozen=True, slots=True)
class Cgroups:
    """The controllers that are usable here, each with the folder below which groups may be made."""

    version: str
    """`v2`, `v1`, or empty if there is none."""
    parents: Mapping[str, Path]
    why_not: str = ""
    """The reason why some are missing, and the remedy."""
    why_not_frozen: str = ""
    """The reason why no group can be frozen, and the remedy; empty if groups can be frozen."""

    @classmethod
    def find(cls) -> Cgroups:
        """Finds the usable controllers by making a group in each."""
        found: dict[str, Path] = {}
        problems: list[str] = []
        freezers: list[Path] = []
        version = ""
        for kind, controllers, folder in _own_groups():
            if kind == _V2:
                available = set(_read(folder / "cgroup.controllers").split()) & {*_WANTED, _CPUSET}
                problem = _enable(folder, available) if available else ""
                usable = available if not problem else set()
            else:
                usable = set(controllers) & {*_WANTED, _CPUSET}
                problem = _trial(folder) if usable else ""
                usable = usable if not problem else set()
            if problem:
                problems.append(problem)
            if usable and not version:
                version = kind
            found |= {controller: folder for controller in usable if controller not in found}
            if kind == _V2 or _FREEZER in controllers:
                freezers.append(folder)
        missing = [
            controller
            for controller in _WANTED
            if controller not in found and not (controller == "cpuacct" and version == _V2)
        ]
        why = ""
        if missing:
            causes = "; ".join(dict.fromkeys(problems)) or "the kernel or the container does not offer them"
            why = f"no control group for {', '.join(missing)}: {causes}"
        # A process frozen by version 2 can still be killed, so version 2 is preferred.
        tried = {folder: _trial(folder, STATE_V2, STATE_V1) for folder in reversed(freezers)}
        able = [folder for folder, problem in tried.items() if not problem]
        if able:
            return cls(version, found | {_FREEZER: able[0]}, why)
        causes = (
            "; ".join(tried.values()) or "mount control groups of version 2, or the controller freezer of version 1"
        )
        return cls(version, found, why, f"no control group can be frozen: {causes}")

    @property
    def pins(self) -> bool:
        """Whether a group can be bound to cores."""
        return _CPUSET in self.parents

    @property
    def freezes(self) -> bool:
        """Whether a group can be frozen."""
        return _FREEZER in self.parents

    def group(self, name: str, cores: Sequence[int] = (), *, freezes: bool = False) -> Group:
        """Returns a group with this name, not made yet. If cores are given, it is bound to them.

        `freezes` says whether it is to be frozen.
        """
        left_out = {*([] if cores else [_CPUSET]), *([] if freezes else [_FREEZER])}
        wanted = {controller: parent for controller, parent in self.parents.items() if controller not in left_out}
        return Group(self.version, {controller: parent / name for controller, parent in wanted.items()}, cores)


@final
class Group:
    """A bot's group: a folder, or for version 1 one folder for each controller."""

    def __init__(self, version: str, folders: Mapping[str, Path], cores: Sequence[int] = ()) -> None:
        self._version = version
        self._folders = folders
        self._most_processes = 0
        self._cores = cores

    @property
    def folders(self) -> list[Path]:
        """The folders of the group, without duplicates."""
        return list(dict.fromkeys(self._folders.values()))

    def make(self, limits: Limits) -> None:
        """Makes the group and sets its limits. Raises `OSError`."""
        for folder in self.folders:
            folder.mkdir(parents=True, exist_ok=True)
        quota, processes = round(limits.cores * _PERIOD_US), limits.processes + _OWN_PROCESS_COUNT
        v2 = self._version == _V2
        if "memory" in self._folders:
            folder = self._folders["memory"]
            _write(folder / ("memory.max" if v2 else "memory.limit_in_bytes"), limits.memory)
            swap = folder / ("memory.swap.max" if v2 else "memory.memsw.limit_in_bytes")
            if swap.exists():  # absent where the kernel does not count swap
                _write(swap, 0 if v2 else limits.memory)
            if v2:
                _write(folder / "memory.oom.group", 1)
        if "pids" in self._folders:
            _write(self._folders["pids"] / "pids.max", processes)
        if _CPUSET in self._folders:
            folder = self._folders[_CPUSET]
            if not v2:  # in version 1, a new group has no memory nodes of its own
                _write(folder / "cpuset.mems", _read(folder.parent / "cpuset.mems").strip())
            _write(folder / "cpuset.cpus", ",".join(map(str, self._cores)))
        if "cpu" in self._folders and v2:
            _write(self._folders["cpu"] / "cpu.max", f"{quota} {_PERIOD_US}")
        elif "cpu" in self._folders:
            _write(self._folders["cpu"] / "cpu.cfs_period_us", _PERIOD_US)
            _write(self._folders["cpu"] / "cpu.cfs_quota_us", quota)

    @property
    def entrances(self) -> list[Path]:
        """The files that move a process and its later children into the group when it writes 0 to them."""
        return [folder / "cgroup.procs" for folder in self.folders]

    def counts(self) -> Counts:
        """Reads what it has used until now."""
        v2 = self._version == _V2
        memory = throttled = processes = None
        killed = refused = 0
        cpu = self._cpu_seconds()
        if "cpu" in self._folders:
            throttled = _numbers(self._folders["cpu"] / "cpu.stat").get("nr_throttled", 0)
        if "memory" in self._folders:
            folder = self._folders["memory"]
            memory = _number(folder / ("memory.peak" if v2 else "memory.max_usage_in_bytes")) or None
            killed = _numbers(folder / ("memory.events" if v2 else "memory.oom_control")).get("oom_kill", 0)
        if "pids" in self._folders:
            folder = self._folders["pids"]
            refused = _numbers(folder / "pids.events").get("max", 0)
            # Older kernels do not note the most; then what each look saw counts.
            now = _number(folder / "pids.peak") or _number(folder / "pids.current")
            self._most_processes = max(self._most_processes, now)
            processes = max(1, self._most_processes - _OWN_PROCESS_COUNT)
        return Counts(cpu, memory, killed, refused, throttled, processes)

    @property
    def freezer(self) -> Freezer | None:
        """The freezer of the group; None if the group needs none, or none can be frozen here."""
        return Freezer(self._folders[_FREEZER], self._cpu_seconds) if _FREEZER in self._folders else None

    def _cpu_seconds(self) -> float | None:
        """Returns the processor time of every process that was ever in it."""
        if self._version == _V2 and "cpu" in self._folders:
            return _numbers(self._folders["cpu"] / "cpu.stat").get("usage_usec", 0) / 1e6
        return _number(self._folders["cpuacct"] / "cpuacct.usage") / 1e9 if "cpuacct" in self._folders else None

    @property
    def threads(self) -> Sequence[int]:
        """Returns the ids of all threads in it, as the host numbers them."""
        name = "cgroup.threads" if self._version == _V2 else "tasks"
        return [int(thread_id) for folder in self.folders[:1] for thread_id in _read(folder / name).split()]

    def kill(self) -> bool:
        """Sends one kill to all processes in it. Returns whether it is empty."""
        return _kill(self.folders)

    def remove(self) -> None:
        """Removes it, once it is empty. Raises `OSError`."""
        for folder in self.folders:
            with contextlib.suppress(FileNotFoundError):
                folder.rmdir()


def remove(folders: Iterable[Path]) -> None:
    """Kills the processes in groups, and removes these with all groups below them. Raises `OSError` if a group
    stays.
    """
    folders = list(folders)
    for folder in folders:  # what is frozen in one of them does not leave the others before it is thawed
        _kill([folder])
    for folder in folders:
        deadline = time.monotonic() + _MAX_KILL_SECONDS
        for each in [*sorted(folder.rglob("*/"), key=lambda subfolder: -len(subfolder.parts)), folder]:
            while each.is_dir():
                with contextlib.suppress(OSError):
                    if _kill([each]):
                        each.rmdir()
                        break
                if time.monotonic() > deadline:
                    raise OSError(errno.EBUSY, "a control group does not get empty", str(each))
                time.sleep(_POLL_SECONDS)


def _kill(folders: Sequence[Path]) -> bool:
    empty = True
    for folder in folders:
        if (folder / "cgroup.kill").exists():
            with contextlib.suppress(OSError):
                _write(folder / "cgroup.kill", 1)
        elif (folder / "pids.max").exists():
            with contextlib.suppress(OSError):
                _write(folder / "pids.max", 0)  # a process that starts during the kill would be missed
        for pid in _read(folder / "cgroup.procs").split():
            empty = False
            if pid != "0":  # the process belongs to another process namespace
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
        thaw(folder)  # a killed process dies only after it is thawed, and can do nothing else then
    return empty


def _own_groups() -> Iterator[tuple[str, Sequence[str], Path]]:
    """Yields the groups of this process: `v2` or `v1`, the controllers of the latter, and the folder."""
    mounts: list[tuple[str, set[str], str, Path]] = []
    for line in _read(Path("/proc/self/mountinfo")).splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.partition(" ")
        if kind in {"cgroup", "cgroup2"}:
            top, place = before.split()[3:5]
            mounts.append((kind, set(options.split()[-1].split(",")), top, Path(place)))
    for line in _read(Path("/proc/self/cgroup")).splitlines():
        _, names, path = line.split(":", 2)
        for system, known, root, point in mounts:
            if (system == "cgroup2") != (not names) or (names and not set(names.split(",")) <= known):
                continue
            # In a container the mount may show only a part of the whole, and the path may be that of the whole.
            inside = path.removeprefix(root) if root != "/" and path.startswith(root) else path
            folder = point / inside.lstrip("/")
            yield (_V2 if not names else "v1"), names.split(","), folder if folder.is_dir() else point
            break


def _enable(folder: Path, controllers: set[str]) -> str:
    """Enables counting and limits in the groups below a group of version 2. Returns the obstacle, if any."""
    switch = folder / "cgroup.subtree_control"
    wanted = " ".join(f"+{controller}" for controller in sorted(controllers))
    try:
        try:
            _write(switch, wanted)
        except OSError as error:
            if error.errno not in {errno.EBUSY, errno.EOPNOTSUPP}:
                raise
            # A group that has processes itself hands no controller on: they move into one of their own.
            leaf = folder / _LEAF
            leaf.mkdir(exist_ok=True)
            for pid in _read(folder / "cgroup.procs").split():
                with contextlib.suppress(ProcessLookupError):
                    _write(leaf / "cgroup.procs", pid)
            _write(switch, wanted)
    except OSError as error:
        return _error_text(folder, error)
    return _trial(folder)


def _trial(folder: Path, *one_of: str) -> str:
    """Returns the obstacle to making a group that has one of these files, if any."""
    place = folder / f"fudaba-trial-{os.getpid()}"
    try:
        place.mkdir()
        there = not one_of or any((place / name).exists() for name in one_of)
        place.rmdir()
    except OSError as error:
        return _error_text(folder, error)
    return "" if there else f"{folder} has no {' or '.join(one_of)}; use a kernel from 5.2 on"


def _error_text(folder: Path, error: OSError) -> str:
    todo = {
        errno.EROFS: "have the container see its control groups writable",
        errno.EACCES: "run the worker as root, or as a service of systemd with Delegate=yes",
        errno.EPERM: "run the worker as root, or as a service of systemd with Delegate=yes",
    }.get(error.errno or 0, "see docs/workers.md")
    return f"{folder}: {error.strerror}; {todo}"


def _write(path: Path, value: object) -> None:
    path.write_text(f"{value}\n", encoding="ascii")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def _number(path: Path) -> int:
    text = _read(path).strip()
    return int(text) if text.isdecimal() else 0


def _numbers(path: Path) -> dict[str, int]:
    """Parses the lines `NAME NUMBER` of a file."""
    pairs = (line.split() for line in _read(path).splitlines())
    return {pair[0]: int(pair[1]) for pair in pairs if len(pair) == 2 and pair[1].isdecimal()}
