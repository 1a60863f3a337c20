"""Makes a process safe to fork: bots start programs and pools of processes beside gRPC and an event loop.

`import fudaba` sets it up, before the kit loads gRPC.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any, Final

__all__ = ["guard"]

_GRPC_FORK_SUPPORT: Final = "GRPC_ENABLE_FORK_SUPPORT"
_HELD_BACK: Final = frozenset({signal.SIGINT, signal.SIGTERM})
_before: Final = threading.local()


def guard() -> None:
    """Makes every later fork of this process skip gRPC's own handlers, and drop the event loop's signals.

    gRPC's handlers kill one child in three of a process with an event loop, by SIGSEGV or SIGABRT, even a child that
    only waits for its `exec`. Without them a child lives, but cannot use gRPC itself. If the variable is already set,
    it stays.
    """
    os.environ.setdefault(_GRPC_FORK_SUPPORT, "0")
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_hold_back, after_in_parent=_release, after_in_child=_forget_loop)


def _hold_back() -> None:
    """Blocks signals until the child has dropped what it inherited. Until then it would pass them to its parent."""
    _before.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _HELD_BACK)


def _release() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _before.mask)


def _forget_loop() -> None:
    """Forgets, in the child, the signal handling of the parent's event loop.

    The descriptor that wakes a loop is shared with the parent, which would take a signal of the child for its own; and
    a loop's handlers do nothing where no loop runs.
    """
    signal.set_wakeup_fd(-1)
    for number in signal.valid_signals():
        if _is_of_a_loop(signal.getsignal(number)):
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
    _release()


def _is_of_a_loop(handler: Any) -> bool:
    """Returns whether `asyncio`, uvloop or `fudaba.signals` has set a signal's handler."""
    if getattr(handler, "for_event_loop", False):
        return True
    uvloop = sys.modules.get("uvloop")
    if uvloop is not None and isinstance(getattr(handler, "__self__", None), uvloop.Loop):
        return True
    loops, runners = sys.modules.get("asyncio.unix_events"), sys.modules.get("asyncio.runners")
    if loops is not None and handler is getattr(loops, "_sighandler_noop", None):
        return True
    method = getattr(handler, "func", None)  # a runner's own for SIGINT is a partial of its method
    return runners is not None and isinstance(getattr(method, "__self__", None), runners.Runner)
