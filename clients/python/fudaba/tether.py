"""Starts a process that ends with the process that started it, even if that one is killed.

On Linux the kernel does it (`PR_SET_PDEATHSIG`). The kernel watches the *thread* that started the child, so call
`start` from a thread that lives as long as the child should. Elsewhere a small guardian process waits on a pipe whose
other end only the parent holds; when the pipe closes, it signals the child.

The child first runs `_tether_process.py` as a script (isolated, without site packages). The script ties itself to the
parent and then becomes the command. So nothing runs between fork and exec in the parent, which may have many threads.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

from fudaba import _tether_process

__all__ = ["how_ended", "start"]


def start(
    command: Sequence[str | os.PathLike[str]],
    *,
    end_with: signal.Signals = signal.SIGTERM,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    output: int | IO[bytes] | None = None,
    pass_fds: Sequence[int] = (),
    guardian: bool = sys.platform != "linux",
) -> subprocess.Popen[bytes]:
    """Starts a command in its own session, tied to this process.

    The command gets an empty standard input; standard output and error both go to `output`. If it cannot be executed,
    the process ends with status 127 and a line on `output`. Keep the returned object: with a guardian, dropping it
    ends the child.
    """
    method = _tether_process.BY_GUARDIAN if guardian else _tether_process.BY_KERNEL
    prefix = [sys.executable, "-I", "-S", _tether_process.__file__, method, str(int(end_with)), str(os.getpid()), "--"]
    return subprocess.Popen(
        [*prefix, *(os.fspath(part) for part in command)],
        stdin=subprocess.PIPE if guardian else subprocess.DEVNULL,
        stdout=output,
        stderr=None if output is None else subprocess.STDOUT,
        cwd=cwd,
        env=env,
        pass_fds=tuple(pass_fds),
        start_new_session=True,
    )


def how_ended(status: int) -> str:
    """Returns an exit status in words."""
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
