"""The interface of a sandbox: what it starts, how that ends, and what it used."""

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
"""The path of the socket for a program in a sandbox with its own file system; see `RunningProgram.socket`."""
KEPT: Final = Path("/kept")
"""The path of such a program's lasting folder."""
KEPT_VARIABLE: Final = "FUDABA_KEPT"
"""The variable that tells any program that path."""


@final
class SandboxUnavailable(ArenaError):
    """No sandbox can run here. The text says why and what to do."""


@final
class Cause(StrEnum):
    """The reason for the end of a run. If there are several, it is the first in this order that the sandbox saw."""

    EXIT = "exit"
    """It ended by itself, with an exit code."""
    SIGNAL = "signal"
    """A signal that did not come from the sandbox ended it: it crashed, or killed itself."""
    MEMORY = "memory"
    PROCESSES = "processes"
    CPU = "cpu"
    WALL = "wall"
    OUTPUT = "output"
    TRAFFIC = "traffic"
    MESSAGES = "messages"
    """It exceeded the limit of that name and was killed."""
    KILLED = "killed"
    """The caller that started the run ended it."""
    FAILED = "failed"
    """It could not start: the program does not exist, or the sandbox itself failed. `Ending.why` gives the reason."""
    HOST = "host"
    """The host failed, not the program: no machine had room, or its machine died. `Ending.why` gives the reason. The
    run should be tried again, here or elsewhere.
    """


@final
@dataclass(frozen=True, slots=True)
class Usage:
    """The resources that a run used; None for those that this host does not measure."""

    cpu: float | None = None
    """The processor time of all its processes, in seconds."""
    memory: int | None = None
    """The most bytes at any time."""
    wall: float = 0.0
    """The wall time in seconds."""
    throttled: int | None = None
    """The number of times that it had to wait after it used its share of the cores."""
    processes: int | None = None
    """The largest simultaneous number that was seen, threads included."""
    output: int = 0
    """The bytes that it wrote to standard output and error."""


@final
@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a run."""

    cause: Cause
    code: int | None
    """The exit code, if it ended by itself."""
    signal: int | None
    """The signal that ended it, if one did. As in a shell, exit codes above 128 count as signals."""
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
    """The program's environment except PATH, HOME and TMPDIR, which have default values, and `KEPT_VARIABLE` for a
    program with a lasting folder.
    """
    writable: Mapping[Path, Path] = field(default_factory=dict)
    """Single files that it may write, likewise. The limit on the size of a file says how much."""
    env: Mapping[str, str] = field(default_factory=dict)
    """All of its environment except PATH, HOME and TMPDIR, which have default values, and `KEPT_VARIABLE` for a program
    with a lasting folder.
    """
    cwd: Path | None = None
    """The folder in which it starts, as the program sees it; None for its temporary folder."""
    socket: Path | None = None
    """A unix socket that it may connect to."""
    kept: KeptFiles | None = None
    """The files that it finds in its lasting folder and may change there; None for no such folder. Two simultaneous
    programs need two. They are up to date when the run is over, unless it was cancelled.
    """
    limits: Limits = field(default_factory=Limits)
    cores: Sequence[int] = ()
    """The cores that it alone runs on; empty for those that all programs share."""
    sealed: bool = False
    """Whether it is kept from the ways in which programs of one host could communicate, if the implementation can.
    Players are sealed. Builds are not, since compilers lock files.
    """
    freezes: bool = False
    """Whether it is to be frozen at times, if the implementation can."""
    waits: Waits = field(default_factory=Waits)
    """The record of the times when others kept it from the cores, as far as the sandbox sees them."""
    one_output: bool = False
    """Whether its standard error comes with its standard output, in the order of writing."""
    heard: Callable[[bytes], None] = lambda _: None
    """The callback for its output as it is written, which may be more than is kept. A cluster reports output with a
    delay.
    """
    name: str = "bot"
    """The name in messages."""


class RunningProgram(ABC):
    """A program that runs or ran in a sandbox."""

    freezer: Freezer | None = None
    """The freezer of the program; None if the program cannot be frozen."""
    waits_to_begin = False
    """Whether it may begin long after its start, as `begun_at` says."""
    begun_at: float | None = None
    """The monotonic time when a run that waits to begin began; None before that."""

    @property
    @abstractmethod
    def socket(self) -> Path | None:
        """The path where the program finds its socket."""

    @abstractmethod
    async def wait(self) -> Ending:
        """Returns how it ended, once nothing of it is left. It may be cancelled and called again."""

    @abstractmethod
    async def kill(self, cause: Cause = Cause.KILLED) -> Ending:
        """Ends it and everything that it started. Does nothing if it has ended."""

    @property
    @abstractmethod
    def stdout(self) -> bytes:
        """The excerpt of its standard output."""

    @property
    @abstractmethod
    def stderr(self) -> bytes:
        """The excerpt of its standard error; empty if that comes with standard output."""


class Sandbox(ABC):
    """Starts programs."""

    isolated: bool
    """Whether it is safe for programs from strangers."""
    enforces: frozenset[str]
    """The names of the limits that it enforces."""
    freezes = False
    """Whether programs can be frozen."""
    sockets = True
    """Whether programs reach sockets of this host. If not, they reach the service over the network, and nothing
    else.
    """
    service_address = ""
    """The address at which they reach it in that case."""

    @property
    def rules(self) -> tuple[str, ...]:
        """The sorted names of the rules that it can enforce on a ladder's bots; see `BotLimits.rules`.

        Workers play no more matches at once than they have cores for. So a seat has its cores if no bot can take more
        than its own.
        """
        beside = [CORES_PER_SEAT] if "cores" in self.enforces else []
        return tuple(sorted([*self.enforces, *beside, *([PONDER] if self.freezes else [])]))

    @property
    def kind(self) -> str:
        """The name of this implementation in results."""
        return type(self).__name__.lower()

    version = ""
    """The version of the sandbox, for readers who judge results by it; empty if it has none."""

    @abstractmethod
    def new_socket(self) -> Path:
        """Returns a path where a program's socket may be made, as `Relay` does. It is removed with the sandbox.

        Do not call it if programs reach no sockets.
        """

    @abstractmethod
    def start(self, job: Job) -> RunningProgram:
        """Starts a program. Call it in the main thread, with a running event loop.

        It awaits nothing, so that it cannot be cancelled halfway. Raises `SandboxUnavailable`.
        """

    @abstractmethod
    async def close(self) -> None:
        """Kills what still runs, and removes everything."""
