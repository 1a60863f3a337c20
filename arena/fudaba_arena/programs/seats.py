"""Runs a program in one seat of one match: a fresh process in a sandbox, with the service as its one way out.

A process that ends in mid-match is restarted a few times and finds its match as it left it. In a trial match it is not
restarted, nor after it exceeds a limit: the limits of a match count all of its processes.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Protocol, final

from fudaba.client import Endpoint
from fudaba.excerpts import excerpt
from fudaba_arena.programs.building import OVER, describe_ending
from fudaba_arena.programs.explanations import hint
from fudaba_arena.programs.match_log import end_of_log, own_line, printed_lines
from fudaba_arena.programs.memory import memory_options
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.resource_use import Used
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.programs.threads import thread_counts
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.pondering import Pondering
from fudaba_arena.sandbox.relay import Relay
from fudaba_arena.sandbox.sandbox import SOCKET, Cause, Ending, Job, RunningProgram, Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.waits import Waits
from fudaba_arena.store.usage.seat_use import SeatUse
from fudaba_arena.tournament.limits import LIMITS, PONDER, Limits

__all__ = ["Log", "SeatRun"]

_MAX_STARTS: Final = 3
"""The number of ends in one match after which a program is given up."""
_FOLDER: Final = Path("/bot")
_AUTHORITY: Final = Path("/run/fudaba/ca.pem")
_MIN_CPU_SECONDS: Final = 0.1
_MAX_QUOTED_BYTES: Final = 2_000
_MAX_LOG_CHARS: Final = 16_000


class Log(Protocol):
    """The destination of a program's output."""

    def write(self, output: bytes, /) -> None:
        """Takes output."""

    def note(self, text: str, /) -> None:
        """Adds a line that the program did not print."""


@final
class SeatRun:
    """A seat. `run` ends when the program is given up; cancel it when the match is over."""

    def __init__(
        self,
        sandbox: Sandbox,
        service: Endpoint,
        program: Program,
        runtime: Runtime,
        folder: Path,
        limits: Limits,
        log: Log,
        cores: Sequence[int] = (),
        kept: KeptFiles | None = None,
        starts: int = _MAX_STARTS,
        heard: Callable[[bytes], None] = lambda _: None,
        *,
        ponder: bool = True,
    ) -> None:
        """`cores` are its own cores; `kept` is the content of its lasting folder, if it has one. `ponder` says whether
        it may run while it owes no decision.

        `starts` is the highest number of starts; `heard` receives what its processes write, as they write it.
        """
        self._sandbox = sandbox
        self._service = service
        self._program = program
        self._runtime = runtime
        self._folder = folder
        self._limits = limits
        self._cores = cores
        self._log = log
        self._kept = kept
        self._starts = starts
        self._heard = heard
        self._ponder = ponder
        self.pondering = None if ponder or not sandbox.freezes else Pondering()
        """The pondering control of its bot; None if it may compute at any time, or cannot be frozen."""
        self._over = asyncio.Event()
        self._opened: Relay | None = None
        self._first: RunningProgram | None = None
        """Its first process."""
        self._first_at = 0.0
        """The monotonic time at which that process was started."""
        self.used = Used()
        self.waits = Waits()
        """The times when others kept it from the cores, over all its processes."""
        self.last = b""
        """The end of what its last process said, for its author."""
        self.said = ""
        """The end of what all its processes said, and how each ended, see `match_log`."""

    @property
    def runtime(self) -> Runtime:
        """The runtime that runs it."""
        return self._runtime

    def seat_use(self, seat: int) -> SeatUse:
        """Describes its run for the result of its match; call it when the match is over."""
        return SeatUse(
            seat=seat,
            runtime=self._runtime.name,
            sandbox=self._sandbox.kind,
            not_enforced=self._not_enforced(),
            memory_limit=self._limits.memory,
            cpu_ms=round(self.used.cpu * 1000),
            wall_ms=round(self.used.wall * 1000),
            memory=self.used.memory,
            starts=self.used.starts,
            own_cores=bool(self._cores),
        )

    def _not_enforced(self) -> tuple[str, ...]:
        """Returns the names of the limits that were not enforced on it."""
        frozen = self._ponder or self._sandbox.freezes
        return (*(name for name in LIMITS if name not in self._sandbox.enforces), *(() if frozen else (PONDER,)))

    async def run(self, token: str) -> Ending:
        """Plays a seat with its token. Returns how the last process ended, once no more are started.

        Raises `SandboxUnavailable`, and `OSError`.
        """
        relay = await self._relay(token)
        try:
            while True:
                ending = await self._once(relay, token)
                if ending.cause is Cause.HOST:
                    raise SandboxUnavailable(ending.why)
                again = ending.cause not in OVER and ending.cause is not Cause.FAILED
                if again and self._starts > 1 and ending.cause is Cause.EXIT and ending.code == 0:
                    await self._over.wait()  # the bot has left, and its match is over, or will be by its clock
                if self.over or not again or self.used.starts >= self._starts:
                    return ending
        finally:
            if relay is not None:
                await relay.close()

    async def _relay(self, token: str) -> Relay | None:
        """Opens its way to the service. Returns None if programs reach the service over the network."""
        if not self._sandbox.sockets:
            return None
        self._opened = await Relay.open(self._service, self._sandbox.new_socket(), self._limits, token, self.pondering)
        return self._opened

    def why_kept_away(self, until: float, seconds: float) -> str:
        """Returns why a program could not connect in time, if it is not to blame; empty if it could.

        It should have had this many seconds before a monotonic time, and a way to the service.
        """
        first = self._first
        if first is None:
            return "its program had not been started"
        begun_at = first.begun_at if first.waits_to_begin else self._first_at
        if begun_at is None:
            return "its program had not begun to run"
        if until - begun_at < seconds:
            return f"its program began {max(0.0, until - begun_at):.1f} s before the end of its time to connect"
        if self._opened is not None and self._opened.unreached:
            return f"the service could not be reached for it: {self._opened.unreached}"
        return ""

    def match_over(self) -> None:
        """Does not start the program again. `run` ends when the program does."""
        self._over.set()
        if self.pondering is not None:
            self.pondering.release()

    @property
    def over(self) -> bool:
        """Whether its match is over."""
        return self._over.is_set()

    async def _once(self, relay: Relay | None, token: str) -> Ending:
        running = self._sandbox.start(self._job(relay, token))
        self.used.starts += 1
        if self._first is None:
            self._first, self._first_at = running, time.monotonic()
        tasks: set[asyncio.Task[Ending]] = set()
        if relay is not None:
            relay.over = lambda: tasks.add(asyncio.create_task(running.kill(relay.cause)))
        if self.pondering is not None:
            self.pondering.started(running.freezer)
        try:
            return await running.wait()
        finally:
            if self.pondering is not None:
                self.pondering.ended()
            self._ended(running, await running.kill())

    def _ended(self, running: RunningProgram, ending: Ending) -> None:
        self.used.add(ending)
        self.last = excerpt(running.stdout, _MAX_QUOTED_BYTES)
        description = f"{self._program.bot} {self._describe_ending(ending)}; {self.used.summary()}"
        if self._kept is not None and self._kept.note:
            description += f"; {self._kept.note}"
        if self.pondering is not None and self.pondering.freezes:
            description += f"; {self.pondering.summary()}"
        if running.stdout:
            self._log.write(running.stdout)
        self._log.note(description)
        self.said = end_of_log(self.said + printed_lines(running.stdout) + own_line(description), _MAX_LOG_CHARS)

    def _describe_ending(self, ending: Ending) -> str:
        if ending.cause is Cause.KILLED:
            return "played to the end of its match" if self.over else "was ended by its worker in mid-match"
        return f"{describe_ending(ending)}{hint(ending, self.last)}"

    def _job(self, relay: Relay | None, token: str) -> Job:
        isolated, manifest = self._sandbox.isolated, self._program.manifest
        folder = _FOLDER if isolated else self._folder
        server, shown = self._way(relay)
        counts = thread_counts(self._limits.cores)
        counts |= memory_options(self._runtime.language, self._limits.memory)
        env = {**counts, **self._runtime.env, **server, "FUDABA_TOKEN": token, "PYTHONUNBUFFERED": "1"}
        left = max(_MIN_CPU_SECONDS, self._limits.cpu - self.used.cpu)
        return Job(
            command=manifest.start,
            read_only={**self._runtime.shown, **shown, folder: self._folder},
            env=env,
            cwd=folder,
            socket=relay.path if relay is not None else None,
            kept=self._kept,
            limits=replace(self._limits, cpu=left),
            cores=self._cores,
            sealed=True,
            freezes=self.pondering is not None,
            waits=self.waits,
            one_output=True,
            heard=self._heard,
            name=self._program.bot,
        )

    def _way(self, relay: Relay | None) -> tuple[dict[str, str], dict[Path, Path]]:
        """Returns the variables that name the service, and the files needed to reach it."""
        if relay is not None:
            return {"FUDABA_SERVER": f"unix:{SOCKET if self._sandbox.isolated else relay.path}"}, {}
        env = {"FUDABA_SERVER": self._sandbox.service_address, "FUDABA_TLS": "1"}
        if not self._service.ca_cert:
            return env, {}
        return env | {"FUDABA_CA_CERT": str(_AUTHORITY)}, {_AUTHORITY: Path(self._service.ca_cert)}
