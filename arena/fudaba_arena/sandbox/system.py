"""The part of this host that a sandboxed program sees: programs and libraries, and of `/etc`, `/proc` and `/dev` only
what it needs.

Much of `/proc` counts what the whole host does, so a sealed program finds its own or empty files there. Only the
entries that are known to reveal nothing stay, whatever a future kernel may add. The entries below a process's number
cannot be replaced.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Final, final

__all__ = ["USER_ID_INSIDE", "System"]

USER_ID_INSIDE: Final = 1000
"""The uid that the program sees as its own, whatever its uid on the host."""
_ETC: Final = {
    "passwd": f"bot:x:{USER_ID_INSIDE}:{USER_ID_INSIDE}::/tmp:/bin/sh\n",
    "group": f"bot:x:{USER_ID_INSIDE}:\n",
    "hosts": "127.0.0.1 localhost\n",
    "nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}
_PROC: Final = Path("/proc")
_TELLS_NOTHING: Final = frozenset({
    "acpi", "bus", "cmdline", "config.gz", "consoles", "devices", "dma", "execdomains",
    "filesystems", "iomem", "ioports", "kallsyms", "misc", "mtrr", "sysvipc", "tty", "version",
})  # fmt: skip
"""The entries of `/proc` that no program changes, or that belong to the sandbox. Each of the others needs a mount."""
_SETTINGS: Final = (
    "kernel/cap_last_cap", "kernel/ngroups_max", "kernel/osrelease", "kernel/ostype", "kernel/overflowgid",
    "kernel/overflowuid", "kernel/pid_max", "kernel/randomize_va_space", "kernel/threads-max", "kernel/version",
    "vm/max_map_count", "vm/overcommit_memory", "vm/overcommit_ratio", "vm/swappiness",
    "net/core/somaxconn", "fs/nr_open", "fs/pipe-max-size",
)  # fmt: skip
"""The files below `/proc/sys` that runtimes read."""
_STILL: Final = {
    "loadavg": "0.00 0.00 0.00 1/1 1\n",
    "uptime": "0.00 0.00\n",
}
_MEMINFO: Final = """\
MemTotal:       {kilobytes:8} kB
MemFree:        {kilobytes:8} kB
MemAvailable:   {kilobytes:8} kB
Buffers:               0 kB
Cached:                0 kB
SwapCached:            0 kB
SwapTotal:             0 kB
SwapFree:              0 kB
HugePages_Total:       0
HugePages_Free:        0
Hugepagesize:       2048 kB
"""


@final
class System:
    """The files of all sandboxes of a worker, in a folder that everybody may pass through."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._nothing, self._empty = folder / "nothing", folder / "empty"
        self._empty.mkdir(mode=0o555)
        self._own = {name: self._written(name, text) for name, text in _STILL.items()}
        self._own["cpuinfo"] = self._written("cpuinfo", (_PROC / "cpuinfo").read_text(encoding="utf-8"))
        self._own["stat"] = self._written("stat", _still_stat())
        self._own["sys"] = folder / "sys"
        self._written("nothing", "")
        for name, text in _ETC.items():
            self._written(f"etc/{name}", text)
        self._written("sys/kernel/hostname", "bot\n")
        for name in _SETTINGS:
            with contextlib.suppress(FileNotFoundError):
                self._written(f"sys/{name}", (_PROC / "sys" / name).read_text(encoding="utf-8"))

    def _written(self, name: str, text: str) -> Path:
        path = self._folder / name
        path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o444)
        return path

    def options(self, *, sealed: bool, memory: int) -> Iterator[str]:
        """Yields the options of bwrap for a program with this memory limit in bytes."""
        yield from ("--ro-bind", "/usr", "/usr")
        for name in ("bin", "sbin", "lib", "lib32", "lib64"):
            path = Path("/", name)
            if path.is_symlink():
                yield from ("--symlink", str(path.readlink()), str(path))
            elif path.is_dir():
                yield from ("--ro-bind", str(path), str(path))
        for name in _ETC:
            yield from ("--ro-bind", str(self._folder / "etc" / name), f"/etc/{name}")
        for name in ("/etc/ld.so.cache", "/etc/alternatives"):
            yield from ("--ro-bind-try", name, name)
        # All sandboxes share the host's limited number of terminals, and no bot needs one.
        yield from ("--dev", "/dev", "--perms", "0555", "--tmpfs", "/dev/pts", "--remount-ro", "/dev/pts")
        yield from ("--proc", str(_PROC))
        if sealed:
            for name, instead in self._instead(memory):
                yield from ("--ro-bind", str(instead), str(_PROC / name))

    def _instead(self, memory: int) -> Iterator[tuple[str, Path]]:
        """Yields the replacements of the entries of this host's `/proc` that a sealed program could read."""
        own = self._own | {"meminfo": self._meminfo(memory)}
        with os.scandir(_PROC) as entries:
            for entry in entries:
                if entry.name.isdigit() or entry.name in _TELLS_NOTHING or entry.is_symlink():
                    continue
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name, own.get(entry.name, self._empty)
                elif entry.stat(follow_symlinks=False).st_mode & stat.S_IROTH:
                    yield entry.name, own.get(entry.name, self._nothing)

    def _meminfo(self, memory: int) -> Path:
        path = self._folder / f"meminfo-{memory}"
        return path if path.exists() else self._written(path.name, _MEMINFO.format(kilobytes=memory // 1024))


def _still_stat() -> str:
    """Makes a file with as many processors as the host has, all of them unused."""
    found = (_PROC / "stat").read_text(encoding="utf-8").splitlines()
    processors = [f"{line.split()[0]:<4} 0 0 0 0 0 0 0 0 0 0" for line in found if line.startswith("cpu")]
    rest = ("intr 0", "ctxt 0", "btime 0", "processes 1", "procs_running 1", "procs_blocked 0", "softirq 0")
    return "\n".join([*processors, *rest, ""])
