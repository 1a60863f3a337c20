"""The interface of a sandbox: what is started in it, how that ends, and what it used."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, final

from fudaba_arena.errors import ArenaError
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.freezer import Freezer
from fudaba_arena.sandbox.waits import Waits
from fudaba_arena.tournament.limits import CORES_PER_SEAT, PONDER, Limits

__all__ = [
    "KEPT",
    "KEPT_VARIABLE",
    "SOCKET",
    "Cause",
    "Ending",
    "Job",
    "RunningProgram",
    "Sandbox",
    "SandboxUnavailable",
    "Usage",
]

SOCKET: Final = Path("/run/fudaba/service.sock")
"""The path where a program in a sandbox with a file system of its own finds its socket; see `RunningProgram.socket`."""
KEPT: Final = Path("/kept")
"""The path where such a program finds its lasting folder."""
KEPT_VARIABLE: Final = "FUDABA_KEPT"
"""The variable that says to any program where that is."""


@final
class SandboxUnavailable(ArenaError):
    """No sandbox can be run here; the text says why and what to do."""


@final
class Cause(StrEnum):
    """The reason why a run is over. If several hold, it is the first in this order that the sandbox saw."""

    EXIT = "exit"
    """It ended by itself, with an exit code."""
    SIGNAL = "signal"
    """A signal ended it that did not come from the sandbox: it crashed, or killed itself."""
    MEMORY = "memory"
    PROCESSES = "processes"
    CPU = "cpu"
    WALL = "wall"
    OUTPUT = "output"
    TRAFFIC = "traffic"
    MESSAGES = "messages"
    """It went over the limit of that name and was killed."""
    KILLED = "killed"
    """The starter of the run ended it."""
    FAILED = "failed"
    """It could not be started: there is no such program, or the sandbox itself failed. `Ending.why` says what."""
    HOST = "host"
    """The host failed, by no fault of the program: no machine had room, or its machine died. `Ending.why` says what.
    The run is to be tried again, here or elsewhere."""


@final
@dataclass(frozen=True, slots=True)
class Usage:
    """The resources that a run used; None for those that this host does not measure."""

    cpu: float | None = None
    """Seconds of processor time, of all its processes."""
    memory: int | None = None
    """Bytes, the most at any time."""
    wall: float = 0.0
    """Seconds."""
    throttled: int | None = None
    """The number of times that it had to wait because it had used its share of the cores."""
    processes: int | None = None
    """The largest number at once, threads included, as far as that was seen."""
    output: int = 0
    """Bytes that it wrote to standard output and error."""


@final
@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a run."""

    cause: Cause
    code: int | None
    """The exit code, where it ended by itself."""
    signal: int | None
    """The signal that ended it, where one did. As a shell does, exit codes above 128 are taken for signals."""
    usage: Usage
    why: str = ""
    """A further description, in words."""


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A program to run."""

    command: Sequence[str]
    """The program, by its full path or one found in PATH, and its arguments."""
    read_only: Mapping[Path, Path] = field(default_factory=dict)
    """Files and folders: where the program finds them, and where they are here. What is in them has to be readable for
    everybody; the folders above need not be."""
    writable: Mapping[Path, Path] = field(default_factory=dict)
    """Single files that it may write, likewise; how much, its limit of the size of a file says."""
    env: Mapping[str, str] = field(default_factory=dict)
    """All of its environment but PATH, HOME and TMPDIR, which have values of their own where they are not given, and
    `KEPT_VARIABLE` of one that has such a folder."""
    cwd: Path | None = None
    """The folder in which it starts, among those that it finds; None for its folder for temporary files."""
    socket: Path | None = None
    """A unix socket that it may connect to."""
    kept: KeptFiles | None = None
    """The files that it finds in its lasting folder and may change there; None for no such folder. Two programs that
    run at once need two. They are up to date when the run is over, unless that was broken off."""
    limits: Limits = field(default_factory=Limits)
    cores: Sequence[int] = ()
    """The cores that it runs on alone; empty for those that all programs share."""
    sealed: bool = False
    """Whether it is kept from what programs of one host could tell each other by, where the implementation can: what
    plays is sealed, what builds is not, since compilers lock files."""
    freezes: bool = False
    """Whether it is to be frozen now and then, where the implementation can."""
    waits: Waits = field(default_factory=Waits)
    """The record of the times when others kept it from the cores, as far as the sandbox sees that."""
    one_output: bool = False
    """Whether its standard error comes with its standard output, all of it in the order in which it was written."""
    heard: Callable[[bytes], None] = lambda _: None
    """The callback for its output, as it writes it: that may be more than is kept. A cluster reports output with a
    delay."""
    name: str = "bot"
    """The name in messages."""


class RunningProgram(ABC):
    """A program that runs in a sandbox, or did."""

    freezer: Freezer | None = None
    """The freezer of the program; None if the program cannot be frozen."""
    waits_to_begin = False
    """Whether it may begin long after it was started, as `begun_at` says."""
    begun_at: float | None = None
    """The time when a run that waits to begin began, by the monotonic clock; None before."""

    @property
    @abstractmethod
    def socket(self) -> Path | None:
        """The path where the program finds its socket."""

    @abstractmethod
    async def wait(self) -> Ending:
        """Returns how it ended, once nothing of it is left. May be cancelled and called again."""

    @abstractmethod
    async def kill(self, cause: Cause = Cause.KILLED) -> Ending:
        """Ends it with all that it has started; does nothing to one that has ended."""

    @property
    @abstractmethod
    def stdout(self) -> bytes:
        """The excerpt of its standard output."""

    @property
    @abstractmethod
    def stderr(self) -> bytes:
        """The excerpt of its standard error; empty where that comes with standard output."""


class Sandbox(ABC):
    """Starts programs."""

    isolated: bool
    """Whether it is safe for programs from strangers."""
    enforces: frozenset[str]
    """The limits by name that it holds programs to."""
    freezes = False
    """Whether programs can be frozen."""
    sockets = True
    """Whether programs reach sockets of this host. Where they do not, they reach the service over the network, and
    nothing else."""
    service_address = ""
    """The address at which they reach it then."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules by name that it can hold a ladder's bots to, sorted; see `BotLimits.rules`.

        Workers play no more matches at once than there are cores for. So a seat has its cores where a bot can take no
        more than its own.
        """
        beside = [CORES_PER_SEAT] if "cores" in self.enforces else []
        return tuple(sorted([*self.enforces, *beside, *([PONDER] if self.freezes else [])]))

    @property
    def kind(self) -> str:
        """The name of this implementation in results."""
        return type(self).__name__.lower()

    version = ""
    """The version of the sandbox, for readers who judge results by it; empty where there is none."""

    @abstractmethod
    def new_socket(self) -> Path:
        """Returns where a socket for a program may be made, such as `Relay` makes; removed with the sandbox.

        Not where programs reach no sockets.
        """

    @abstractmethod
    def start(self, job: Job) -> RunningProgram:
        """Starts a program; to be called in the main thread, with an event loop running.

        It awaits nothing, so that it cannot be cancelled halfway. Raises `SandboxUnavailable`.
        """

    @abstractmethod
    async def close(self) -> None:
        """Kills what still runs, and removes everything."""
