"""The folder of a process's sandboxes, and how another process removes the remains of a dead one.

```
ROOT/lock                 held for a moment by whoever adds an owner, or removes what one has left
DEFAULT/uids/UID          locked as long as a program runs under this uid; in the default root, as uids are the host's
ROOT/owners/OWNER/lock    locked as long as the process lives to which the folder belongs
    cgroups               the folders below which it makes control groups, whose names begin with fudaba-OWNER-
    N/                    one program: its uid, its first process, where folders are mounted for it, its socket
        kept              where its folder that lives on is mounted, of one that has such a folder
```

That is the one mount of a sandbox in the host's table. All others are in its own mount namespace, which ends with its
last process: killing the processes removes them.
"""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, Self, final

from fudaba_arena.sandbox import cgroups
from fudaba_arena.sandbox.folder_archive import unmount
from fudaba_arena.sandbox.sandbox import SandboxUnavailable

__all__ = [
    "KEPT_PLACE",
    "UIDS",
    "Home",
    "Uid",
    "default_root",
    "group_runs",
    "in_group",
    "note_process",
    "pids_of",
    "strike_uid",
    "sweep",
]

UIDS: Final = range(58_000, 60_000)
"""The uids and gids under which programs run. Nobody else on the host may have them."""
KEPT_PLACE: Final = "kept"
"""The mount point of a kept folder, see above."""
_POLL_SECONDS: Final = 0.005
_MAX_KILL_SECONDS: Final = 60.0
"""The time that killed processes have to end. On a busy disk one that reads or writes takes longer than ten seconds."""


def default_root() -> Path:
    """Returns the default folder of sandboxes."""
    if os.geteuid() == 0:
        return Path("/run/fudaba-sandbox")
    return Path(tempfile.gettempdir()) / f"fudaba-sandbox-{os.geteuid()}"


@final
class Uid:
    """A uid that no other program has until `free`."""

    def __init__(self, number: int, lock: int) -> None:
        self.number = number
        self._lock = lock

    def free(self) -> None:
        """Gives the uid back. Nothing may run under it any more."""
        os.close(self._lock)


@final
class Home:
    """The folder of this process's sandboxes, until `close`. A forked child does not keep it."""

    def __init__(self, root: Path, name: str, lock: int) -> None:
        self._lock = lock
        self._number = itertools.count()
        self.name = name
        """Unique among all that ever used the root."""
        self.folder = root / "owners" / name

    @classmethod
    def open(cls, root: Path | None = None, groups: Sequence[Path] = ()) -> Self:
        """Makes the folder. `groups` are the folders that will contain its control groups. Raises
        `SandboxUnavailable`.
        """
        root = root or default_root()
        name = f"{os.getpid()}-{secrets.token_hex(4)}"
        try:
            with _locked(root):
                folder = root / "owners" / name
                _make(folder)
                (folder / "cgroups").write_text("".join(f"{group}\n" for group in groups), encoding="utf-8")
                lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
                fcntl.flock(lock, fcntl.LOCK_EX)
        except OSError as error:
            raise SandboxUnavailable(f"the folder of sandboxes {root} cannot be used: {error}") from error
        return cls(root, name, lock)

    def place(self) -> Path:
        """Returns a new folder for one program."""
        place = self.folder / str(next(self._number))
        _make(place)
        return place

    def uid(self) -> Uid:
        """Returns a uid that is free now. Raises `SandboxUnavailable`."""
        uids = default_root() / "uids"
        _make(uids)
        first = secrets.randbelow(len(UIDS))
        for place in range(len(UIDS)):
            number = UIDS[(first + place) % len(UIDS)]
            lock = os.open(uids / str(number), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(lock)
                continue
            return Uid(number, lock)
        raise SandboxUnavailable(f"all {len(UIDS):,} uids of sandboxes are in use on this host")

    def close(self) -> None:
        """Removes the folder. Nothing may run any more."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.close(self._lock)


def sweep(root: Path | None = None) -> list[str]:
    """Kills and removes what dead processes left. Returns their names. Raises `OSError` if something stays."""
    root = root or default_root()
    if not (root / "owners").is_dir():
        return []
    swept = []
    with _locked(root):
        for folder in sorted((root / "owners").iterdir()):
            with contextlib.ExitStack() as stack:
                lock = os.open(folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
                stack.callback(os.close, lock)
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    continue  # the process still lives
                _remove(folder)
                swept.append(folder.name)
    return swept


def _remove(folder: Path) -> None:
    parents = _text(folder / "cgroups").splitlines()
    cgroups.remove(group for parent in parents for group in Path(parent).glob(f"fudaba-{folder.name}-*"))
    for place in folder.iterdir():
        pid, _, began = _text(place / "process").partition(" ")
        if pid and began == _began(int(pid)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(int(pid), signal.SIGKILL)
        if uid := _text(place / "uid"):
            _kill_uid(int(uid))
        if (place / KEPT_PLACE).is_dir():
            unmount(place / KEPT_PLACE)
    shutil.rmtree(folder)


def note_process(place: Path, pid: int) -> None:
    """Records a program's first process, so that it is found after this process has died."""
    (place / "process").write_text(f"{pid} {_began(pid)}", encoding="ascii")


def strike_uid(number: int) -> bool:
    """Sends one kill to all processes of a sandbox's uid. Returns whether there were none."""
    found = pids_of(number) if number in UIDS else []
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return not found


def _kill_uid(number: int) -> None:
    """Kills all processes of a sandbox's uid, and waits for their end. Raises `OSError` if one stays."""
    deadline = time.monotonic() + _MAX_KILL_SECONDS
    while not strike_uid(number):
        if time.monotonic() > deadline:
            raise OSError(f"processes {pids_of(number)} of uid {number} do not end")
        time.sleep(_POLL_SECONDS)


def in_group(pid: int, name: str) -> bool:
    """Returns whether a process is in a control group with this name."""
    return any(line.rpartition("/")[2] == name for line in _text(Path(f"/proc/{pid}/cgroup")).splitlines())


def pids_of(uid: int) -> list[int]:
    """Returns the processes that run under a uid."""
    return [pid for pid in (int(process.name) for process in Path("/proc").glob("[0-9]*")) if _uid_of(pid) == uid]


def group_runs(number: int) -> bool:
    """Returns whether a process of a process group runs. Zombies do not count."""
    for place in Path("/proc").glob("[0-9]*/stat"):
        state, _, group, *_ = [*_text(place).rpartition(")")[2].split(), "", "", ""]
        if group == str(number) and state not in {"Z", "X"}:
            return True
    return False


def _uid_of(pid: int) -> int:
    lines = _text(Path(f"/proc/{pid}/status")).splitlines()
    about = {line.partition(":")[0]: line.partition(":")[2].split() for line in lines}
    return int(about["Uid"][0]) if about.get("State", ["Z"])[0] not in {"Z", "X"} else -1


def _began(pid: int) -> str:
    """Returns the start time of a process in the kernel's ticks; empty if it does not exist. Process ids are reused."""
    return "".join(_text(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split(" ")[20:21])


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _make(folder: Path) -> None:
    """Makes a folder that sandboxed programs may pass through, but not list."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711)


@contextlib.contextmanager
def _locked(root: Path) -> Iterator[None]:
    _make(root)
    _make(root / "owners")
    lock = os.open(root / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)
