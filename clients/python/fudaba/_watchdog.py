"""Reports a call of a bot's code that does not return, with the line at which it is.

One daemon thread of the process watches all calls. It needs the interpreter: while a library holds Python's lock, as a
regular expression does, it cannot report. Within a block of `locks_reported`, Python's `faulthandler`, which has one
timer in a process, then prints the positions of the threads.
"""

from __future__ import annotations

import faulthandler
import linecache
import os
import signal
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Final, Self, final

from fudaba._reports import NOT_THE_BOTS
from fudaba.safe_text import safe_line
from fudaba.signals import stopped_by

__all__ = [
    "FIRST_SECONDS",
    "Call",
    "interruptible",
    "locks_reported",
    "say_where_it_stands",
    "stop_at_signal",
    "watched",
]

FIRST_SECONDS: Final = 5.0
"""A call that has not returned after this time is reported, then again after twice the time, and so on."""
_MAX_PAUSE_SECONDS: Final = 300.0
_MAX_DOUBLINGS: Final = 60
_POLL_SECONDS: Final = 0.5
_LOCKED_SECONDS: Final = 10.0
"""A look that is this late will not come: a library holds Python's lock."""
_MIN_HANG_AT_INTERRUPT_SECONDS: Final = 1.0
_GRACE_SECONDS: Final = 2.0
"""The time for which a bot's code that catches Ctrl-C may go on."""
_INTERRUPTED_STATUS: Final = 130
_MAX_SOURCE_CHARS: Final = 80
_DEBUGGERS: Final = ("bdb", "pydevd", "_pydevd")
_LIBRARIES: Final = ("stdlib", "platstdlib", "purelib", "platlib")


@final
class Call:
    """A call of a bot's code, from its beginning to the end of the `with` block."""

    __slots__ = (
        "_alone",
        "_began",
        "_blocked_since",
        "_bot",
        "_doing",
        "_entry",
        "_hint",
        "_patience",
        "_said",
        "awaited",
        "thread",
    )

    def __init__(self, bot: str, doing: str, patience: float, alone: bool, hint: str) -> None:
        self._bot = bot
        self._doing = doing
        self._patience = patience
        self._alone = alone
        self._blocked_since = 0.0
        self._hint = hint
        self._entry = 0
        self.thread = 0
        """The thread in which it runs."""
        self._said = 0
        self.awaited: Any = None
        """The coroutine that it has become, of an `async` bot."""
        self._began = 0.0

    def __enter__(self) -> Self:
        self._entry = id(sys._getframe(1))
        self.thread = threading.get_ident()
        self._began = time.monotonic()
        _calls[id(self)] = self
        if not _watching():
            _watch()
        return self

    def __exit__(self, *_: object) -> None:
        _calls.pop(id(self), None)

    @property
    def seconds(self) -> float:
        """The time since its beginning."""
        return time.monotonic() - self._began

    @property
    def blocks(self) -> bool:
        """Whether it blocks its thread. A waiting `async` bot leaves the thread to others."""
        return self.awaited is None or bool(getattr(self.awaited, "cr_running", False))

    def look(self) -> None:
        """Reports that it has not returned, when that is due: earlier for a call that blocks its thread."""
        now = time.monotonic()
        if not self.blocks:
            self._blocked_since = now
        if self.seconds >= _pause(self._patience, self._said) or (
            not self._alone and now - max(self._began, self._blocked_since) >= _pause(FIRST_SECONDS, self._said)
        ):
            self._said += 1
            self.say(self._hint if self._said == 1 and (self._alone or self.blocks) else "")

    def say(self, hint: str = "") -> None:
        """Reports where it is, unless a debugger holds it there."""
        frames = self._frames()
        if frames and any(frame.f_globals.get("__name__", "").startswith(_DEBUGGERS) for frame in frames):
            return
        where = f"; it is at {_place(frames)}" if frames else ""
        text = f"{self._bot} has not come back from {self._doing} for {self.seconds:.0f} s{where}"
        sys.stderr.write(f"{safe_line(text)}{f' ({hint})' if hint else ''}\n")
        sys.stderr.flush()

    def _frames(self) -> list[FrameType]:
        """Lists its running or waiting frames, innermost first."""
        awaited = self.awaited
        if awaited is not None and not getattr(awaited, "cr_running", False):
            return _waiting(awaited)
        frames: list[FrameType] = []
        outermost = getattr(awaited, "cr_frame", None)
        frame = sys._current_frames().get(self.thread)
        while frame is not None and id(frame) != self._entry:
            frames.append(frame)
            if frame is outermost:
                break
            frame = frame.f_back
        return frames


def watched(bot: str, doing: str, *, hint: str = "", patience: float = FIRST_SECONDS, alone: bool = True) -> Call:
    """Returns a call for a `with` block, in which it is made.

    It is reported on standard error after `patience` seconds, with `hint`, and then at growing intervals. `alone` is
    False if a call that blocks its thread delays others; then it is reported after `FIRST_SECONDS`.
    """
    return Call(bot, doing, patience, alone, hint)


def _pause(patience: float, said: int) -> float:
    """Returns the seconds until the next report of a call, given the number of earlier reports."""
    return min(patience * 2.0 ** min(said, _MAX_DOUBLINGS), patience + _MAX_PAUSE_SECONDS * said)


_calls: Final[dict[int, Call]] = {}
_thread: list[threading.Thread] = []
_telling_locks: list[int] = []
"""The descriptor to which Python writes when the watchdog cannot run; None if nobody requested that."""


def _watching() -> bool:
    return bool(_thread) and _thread[0].is_alive()  # in a forked child it is not


def _watch() -> None:
    _thread[:] = [threading.Thread(target=_look_after, name="fudaba-watchdog", daemon=True)]
    _thread[0].start()


def _look_after() -> None:
    if hasattr(signal, "pthread_sigmask"):  # a signal that came to this thread, or to one of its own, woke nobody
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    armed = False
    while True:
        for descriptor in _telling_locks:
            faulthandler.dump_traceback_later(_LOCKED_SECONDS, file=descriptor)  # unless the next look comes before
        if armed and not _telling_locks:  # the timer was armed as the block ended
            faulthandler.cancel_dump_traceback_later()
        armed = bool(_telling_locks)
        time.sleep(_POLL_SECONDS)
        for call in list(_calls.values()):
            call.look()


@contextmanager
def locks_reported() -> Iterator[None]:
    """Makes Python write the positions of its threads when a library holds its lock so long that no watchdog can run.

    It is for a process that runs only bots: it uses the one timer of `faulthandler.dump_traceback_later`.
    """
    try:
        descriptor = sys.__stderr__.fileno() if sys.__stderr__ is not None else -1
    except (OSError, ValueError):  # standard error is no file, as in a notebook
        descriptor = -1
    _telling_locks[:] = [descriptor] if descriptor >= 0 else []
    if not _watching():
        _watch()
    try:
        yield
    finally:
        _telling_locks.clear()
        faulthandler.cancel_dump_traceback_later()


def say_where_it_stands(*, thread: int | None = None) -> bool:
    """Reports each call that takes long, or those that block this thread. Returns whether there was one."""
    slow = [
        call
        for call in list(_calls.values())
        if call.seconds >= _MIN_HANG_AT_INTERRUPT_SECONDS
        and (thread is None or (call.thread == thread and call.blocks))
    ]
    for call in slow:
        call.say()
    return bool(slow)


@contextmanager
def stop_at_signal(stop: Callable[[signal.Signals], None]) -> Iterator[None]:
    """Makes the running event loop call `stop` when this process gets Ctrl-C or SIGTERM.

    Code of a bot that blocks the loop is interrupted, and its position is reported. Call it in the main thread.
    """
    thread = threading.get_ident()

    def interrupt() -> None:
        if say_where_it_stands(thread=thread):
            _end_soon(threading.Event())
            raise KeyboardInterrupt

    with stopped_by(stop, at_once=interrupt):
        yield


@contextmanager
def interruptible() -> Iterator[None]:
    """Makes Ctrl-C report the position of the bot's code, and end the block by `KeyboardInterrupt`.

    Code that catches that too gets two seconds; then the process ends with status 130. Outside of the main thread, and
    if Ctrl-C already has a handler, nothing changes.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield
        return
    over = threading.Event()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        say_where_it_stands()
        _end_soon(over)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        over.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end_soon(over: threading.Event) -> None:
    threading.Thread(target=_end_unless, args=(over,), daemon=True).start()


def _end_unless(over: threading.Event) -> None:
    if not over.wait(_GRACE_SECONDS):
        sys.stderr.write("interrupted; the bot's code does not let go, so the process ends\n")
        sys.stderr.flush()
        os._exit(_INTERRUPTED_STATUS)


def _waiting(awaited: Any) -> list[FrameType]:
    """Returns the frames of a waiting coroutine, innermost first."""
    frames: list[FrameType] = []
    while awaited is not None:
        if (coroutine := getattr(awaited, "get_coro", None)) is not None:  # a task
            awaited = coroutine()
        frame = getattr(awaited, "cr_frame", None) or getattr(awaited, "gi_frame", None)
        if frame is not None:
            frames.append(frame)
        awaited = getattr(awaited, "cr_await", None) or getattr(awaited, "gi_yieldfrom", None)
    return frames[::-1]


def _place(frames: list[FrameType]) -> str:
    """Returns the innermost line of the bot's own code, or else the innermost line."""
    own = next((frame for frame in frames if _is_the_bots(frame)), frames[0])
    path, line = own.f_code.co_filename, own.f_lineno
    source = linecache.getline(path, line).strip()[:_MAX_SOURCE_CHARS]
    shown = os.path.relpath(path) if Path(path).is_relative_to(Path.cwd()) else path
    return f"{shown}:{line}, in {own.f_code.co_name}{': ' + source if source else ''}"


def _is_the_bots(frame: FrameType) -> bool:
    path = frame.f_code.co_filename
    return not (path.startswith((*NOT_THE_BOTS, "<")) or os.path.realpath(path).startswith(_library_prefixes()))


@cache
def _library_prefixes() -> tuple[str, ...]:
    """Returns the prefixes of the paths of Python's own modules and of installed ones.

    Few bots hang, so the prefixes are looked up only then.
    """
    return tuple({f"{os.path.realpath(sysconfig.get_path(name))}{os.sep}" for name in _LIBRARIES})
