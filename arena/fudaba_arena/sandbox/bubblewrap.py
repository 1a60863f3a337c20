"""Programs in a sandbox of this host's kernel: their own uid, namespaces, a control group, filtered system calls.

A shell enters the control group and execs setpriv (the uid), prlimit (limits of each process) and bwrap, which makes
the namespaces and the file system and starts the program. bwrap gets an empty environment, and its options through a
file descriptor: the sandbox's first process is bwrap's own, and the program can read its arguments.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shlex
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self, final

from fudaba_arena.sandbox.cgroups import Cgroups, Counts, Group, remove
from fudaba_arena.sandbox.folder_archive import KeptFiles, mount_sized, unmount
from fudaba_arena.sandbox.leftovers import (
    KEPT_PLACE,
    Home,
    Uid,
    default_root,
    in_group,
    note_process,
    pids_of,
    strike_uid,
)
from fudaba_arena.sandbox.output import Output
from fudaba_arena.sandbox.sandbox import KEPT, KEPT_VARIABLE, SOCKET, Cause, Job, Sandbox, SandboxUnavailable
from fudaba_arena.sandbox.seccomp import filter_program
from fudaba_arena.sandbox.supervised import Supervised, decoded
from fudaba_arena.sandbox.system import USER_ID_INSIDE, System
from fudaba_arena.tournament.limits import LIMITS

__all__ = ["Bubblewrap", "Wrapped"]

_TOOLS: Final = {"bwrap": "bubblewrap", "setpriv": "util-linux", "prlimit": "util-linux", "unshare": "util-linux",
                 "mount": "mount", "sh": "dash", "tar": "tar"}  # fmt: skip
_OLDEST: Final = (0, 8)
_NAMESPACES: Final = ("user", "pid", "net", "ipc", "uts", "cgroup")
_MAX_STATUS_BYTES: Final = 65_536
_PRIVATE_MOUNTS: Final = ("--mount", "--propagation", "private", "--")
_CLOSED_DEVICES: Final = ("-o", "remount,bind,ro", "/dev")
"""Everybody may write to `/dev/null`, and so set its times, which everybody sees. A mount like this prevents it."""
_UNPACKED: Final = "unpacked"
"""The file that marks a kept folder as completely unpacked. Without it, the folder's content means nothing."""


@final
class Bubblewrap(Sandbox):
    """Starts programs with bubblewrap. Without control groups, the limits on memory, processors and processes do not
    hold: `enforces` leaves them out, and `cgroups.why_not` says why.
    """

    isolated = True

    def __init__(
        self, home: Home, cgroups: Cgroups, tools: Mapping[str, str], filters: tuple[bytes, bytes], version: str
    ) -> None:
        self._home = home
        self.version = version
        self.cgroups = cgroups
        self._tools = tools
        self.filters = filters
        """The filters of system calls: of programs that are not sealed, and of those that are."""
        self.shared_cores: Sequence[int] = ()
        """The cores for programs without cores of their own; empty for all cores that this process may use."""
        self.freezes = cgroups.freezes
        self._running: set[Wrapped] = set()
        self._system = System(home.place())
        self.closes_devices = _can_close_devices(tools)
        """Whether the devices of sealed programs are mounted read-only: they can still be written to."""
        by_group = {"memory": {"memory"}, "pids": {"processes"}, "cpu": {"cores"}, "cpuacct": {"cpu"}}
        missing = set().union(*(names for controller, names in by_group.items() if controller not in cgroups.parents))
        if cgroups.version == "v2" and "cpu" in cgroups.parents:
            missing.discard("cpu")
        self.enforces = frozenset(set(LIMITS) - missing)

    @classmethod
    def open(cls, root: Path | None = None) -> Self:
        """Prepares the sandbox. Raises `SandboxUnavailable`. Only a start shows whether it works, see `probe.py`."""
        if sys.platform != "linux":
            raise SandboxUnavailable("the sandbox needs Linux: run this worker there")
        if os.geteuid() != 0:
            raise SandboxUnavailable(
                "the worker does not run as root, so it cannot give each program a uid of its own; start it as root"
            )
        tools = {name: _found(name, package) for name, package in _TOOLS.items()}
        said = subprocess.run([tools["bwrap"], "--version"], capture_output=True, text=True, check=False).stdout
        version = re.search(r"(\d+)\.(\d+)(\.\d+)*", said)
        if version is None or (int(version[1]), int(version[2])) < _OLDEST:
            raise SandboxUnavailable(f"{tools['bwrap']} is {said.strip() or 'broken'}; install bubblewrap 0.8 or newer")
        try:
            filters = filter_program(), filter_program(sealed=True)
        except ValueError:
            raise SandboxUnavailable(
                f"there is no list of system calls for {platform.machine()}; use a machine with x86_64 or aarch64"
            ) from None
        cgroups = Cgroups.find()
        root = root or default_root()
        root.mkdir(mode=0o711, parents=True, exist_ok=True)
        if not _reachable(root / "owners"):
            raise SandboxUnavailable(f"{root} is in a folder that is closed to others; give sandboxes another folder")
        home = Home.open(root, list(dict.fromkeys(cgroups.parents.values())))
        return cls(home, cgroups, tools, filters, version[0])

    def new_socket(self) -> Path:
        """Returns a path where a program's socket may be made."""
        return self._home.place() / "s"

    def start(self, job: Job) -> Wrapped:
        """Starts a program."""
        place = self._home.place()
        with contextlib.ExitStack() as undo:
            undo.callback(shutil.rmtree, place, ignore_errors=True)
            uid = self._home.uid()
            undo.callback(uid.free)
            (place / "uid").write_text(str(uid.number), encoding="ascii")
            cores = job.cores or self.shared_cores
            group = self.cgroups.group(f"fudaba-{self._home.name}-{place.name}", cores, freezes=job.freezes)
            undo.callback(remove, group.folders)
            try:
                group.make(job.limits)
                if job.socket is not None:
                    os.chown(job.socket, uid.number, uid.number)
                    job.socket.chmod(0o600)
                for here in job.writable.values():
                    os.chown(here, uid.number, uid.number)
                if job.kept is not None:
                    (place / KEPT_PLACE).mkdir()
                    undo.callback(unmount, place / KEPT_PLACE)
                    mount_sized(place / KEPT_PLACE, job.kept.room(job.limits), uid.number)
                parts = self._launch(job, place, group, uid)
            except OSError as error:
                raise SandboxUnavailable(f"{job.name} cannot be started: {error}") from error
            running = Wrapped(job, parts, _Held(place, group, uid, lambda: self._running.discard(running)))
            self._running.add(running)
            undo.pop_all()
        return running

    def _launch(self, job: Job, place: Path, group: Group, uid: Uid) -> _Parts:
        mounted = list(_staged(job, place))
        script = ["set -eu", "printf 1000 >/proc/self/oom_score_adj"]
        script += [f"printf 0 >{shlex.quote(str(entrance))}" for entrance in group.entrances]
        closed = job.sealed and self.closes_devices
        script += [shlex.join([self._tools["mount"], *_CLOSED_DEVICES])] if closed else []
        for here, stage in mounted:
            script.append(shlex.join([self._tools["mount"], "--bind", str(here), str(stage)]))
        if job.kept is not None:
            script += self._unpacking(job.kept, place, uid)
        with contextlib.ExitStack() as its, contextlib.ExitStack() as ours:  # its files, and ours if it does not start
            options = _memory(_options(job, dict(mounted), place, self._system))
            its.callback(os.close, options)
            seccomp = _memory(self.filters[job.sealed])
            its.callback(os.close, seccomp)
            reader, writer = os.pipe2(os.O_CLOEXEC)
            ours.callback(os.close, reader)
            its.callback(os.close, writer)
            outputs = _output(job, ours), _output(job, ours)
            wrap = [self._tools["bwrap"], "--args", str(options), "--seccomp", str(seccomp)]
            wrap += ["--json-status-fd", str(writer)]
            command = [*self._drop(uid), *self._each_process(job), *wrap, "--", *job.command]
            script.append(f"exec {shlex.join(command)}")
            shell = [self._tools["sh"], "-c", "\n".join(script)]
            if mounted or closed:
                shell = [self._tools["unshare"], *_PRIVATE_MOUNTS, *shell]
            process = subprocess.Popen(
                shell,
                stdin=subprocess.DEVNULL,
                stdout=outputs[0].writer,
                stderr=outputs[0 if job.one_output else 1].writer,
                env={},
                cwd="/",
                pass_fds=(options, seccomp, writer),
                start_new_session=True,
            )
            ours.pop_all()
        note_process(place, process.pid)
        return _Parts(process, outputs, reader)

    def _unpacking(self, kept: KeptFiles, place: Path, uid: Uid) -> list[str]:
        """Returns the command that fills a program's lasting folder: as its uid and in its control group, as if the
        program wrote it.
        """
        if not kept.archive.exists():
            return [f": >{shlex.quote(str(place / _UNPACKED))}"]
        tar = [*self._drop(uid), self._tools["tar"], "-xf", "-", "-C", str(place / KEPT_PLACE)]
        fill = f"{shlex.join(tar)} <{shlex.quote(str(kept.archive))}"
        return [fill, f": >{shlex.quote(str(place / _UNPACKED))}"]

    def _drop(self, uid: Uid) -> list[str]:
        number = str(uid.number)
        return [self._tools["setpriv"], "--reuid", number, "--regid", number, "--clear-groups", "--inh-caps=-all"]

    def _each_process(self, job: Job) -> list[str]:
        limits = {
            "fsize": job.limits.file_size,
            "nofile": job.limits.open_files,
            "core": 0,
            "msgqueue": 0,
            # The control group counts; these are for where there is none, and hold each process only.
            "nproc": job.limits.processes + 8,
            **({} if "memory" in self.enforces else {"data": job.limits.memory}),
            **({} if "cpu" in self.enforces else {"cpu": max(1, round(job.limits.cpu))}),
        }
        return [self._tools["prlimit"], *(f"--{name}={value}" for name, value in limits.items())]

    async def close(self) -> None:
        """Kills what still runs, and removes everything."""
        for running in list(self._running):
            await running.kill()
        self._home.close()


@final
@dataclass(frozen=True, slots=True)
class _Parts:
    process: subprocess.Popen[bytes]
    outputs: tuple[Output, Output]
    status: int
    """The file to which bwrap writes how the program ended."""


@final
@dataclass(frozen=True, slots=True)
class _Held:
    """The resources that a program holds while it runs."""

    place: Path
    group: Group
    uid: Uid
    ended: Callable[[], None]


@final
class Wrapped(Supervised):
    """A program in a bubblewrap sandbox."""

    def __init__(self, job: Job, parts: _Parts, held: _Held) -> None:
        self._held = held
        self._status = parts.status
        self.freezer = held.group.freezer
        super().__init__(job, parts.process, parts.outputs)

    @property
    def socket(self) -> Path | None:
        """The path where the program finds its socket."""
        return None if self.job.socket is None else SOCKET

    def remains(self) -> list[str]:
        """Returns what is left of it now."""
        held, found = self._held, []
        group = next((folder.name for folder in held.group.folders), "")
        # Where there are no groups, its uid is all that is known of them; another program may have it by now.
        found += [f"process {pid}" for pid in pids_of(held.uid.number) if not group or in_group(pid, group)]
        found += [f"control group {folder}" for folder in held.group.folders if folder.exists()]
        found += [f"folder {held.place}"] if held.place.exists() else []
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
        return found + ([f"mounts below {held.place}"] if f"{held.place}/" in mounts else [])

    def counts(self) -> Counts:
        """Reads what it has used until now."""
        return self._held.group.counts()

    def threads(self) -> Sequence[int]:
        """Returns the ids of its threads."""
        return self._held.group.threads

    def _kept_folder(self) -> Path | None:
        return self._held.place / KEPT_PLACE if (self._held.place / _UNPACKED).exists() else None

    def _strike(self) -> bool:
        self._process.poll()
        with contextlib.suppress(ProcessLookupError):
            if self._process.returncode is None:
                self._process.kill()
        if self._held.group.folders:
            return self._held.group.kill()
        return strike_uid(self._held.uid.number)

    def _ended_how(self) -> tuple[Cause, int | None, int | None, str]:
        found = re.search(rb'"exit-code": *(\d+)', os.read(self._status, _MAX_STATUS_BYTES))
        if found is None:
            said = self.stdout if self.job.one_output else self.stderr
            last = said.decode(errors="replace").strip().rpartition("\n")[2]
            return (
                Cause.FAILED,
                None,
                None,
                f"the sandbox could not start {self.job.name}: {last or 'it does not say why'}",
            )
        return decoded(int(found[1]))

    def _release(self) -> None:
        os.close(self._status)
        self._held.group.remove()
        if self.job.kept is not None:
            unmount(self._held.place / KEPT_PLACE)
        self._held.uid.free()
        shutil.rmtree(self._held.place, ignore_errors=True)
        self._held.ended()


def _found(name: str, package: str) -> str:
    found = shutil.which(name)
    if found is None:
        raise SandboxUnavailable(f"{name} is not on PATH; install the package {package}")
    return found


def _can_close_devices(tools: Mapping[str, str]) -> bool:
    """Returns whether this worker may mount. In some containers it may not, and sandboxes still work."""
    attempt = [tools["unshare"], *_PRIVATE_MOUNTS, tools["mount"], *_CLOSED_DEVICES]
    return subprocess.run(attempt, capture_output=True, check=False, env={}).returncode == 0


def _output(job: Job, stack: contextlib.ExitStack) -> Output:
    output = Output(job.limits.output_kept)
    stack.callback(output.end)
    return output


def _memory(content: bytes) -> int:
    """Returns a file descriptor from which these bytes can be read."""
    fd = os.memfd_create("fudaba-sandbox")
    try:
        with os.fdopen(fd, "wb", closefd=False) as file:
            file.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _staged(job: Job, place: Path) -> Iterator[tuple[Path, Path]]:
    """Finds the paths that the program's uid cannot reach because a folder above is closed, and where to mount them."""
    wanted = [*job.read_only.values(), *job.writable.values(), *([job.socket] if job.socket else [])]
    for number, here in enumerate(dict.fromkeys(wanted)):
        if _reachable(here):
            continue
        stage = place / f"mount-{number}"
        if here.is_dir():
            stage.mkdir()
        else:
            stage.touch()
        yield here, stage


def _reachable(path: Path) -> bool:
    """Returns whether everybody may pass through the folders above."""
    above = (folder for folder in path.resolve().parents if folder.exists())
    return all(stat.S_IMODE(folder.stat().st_mode) & stat.S_IXOTH for folder in above)


def _options(job: Job, staged: Mapping[Path, Path], place: Path, system: System) -> bytes:
    """Returns the options of bwrap, in the form that it reads from a file."""
    options = [part for name in _NAMESPACES for part in (f"--unshare-{name}",)]
    options += ["--disable-userns", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    options += ["--uid", str(USER_ID_INSIDE), "--gid", str(USER_ID_INSIDE), "--hostname", "bot"]
    options += system.options(sealed=job.sealed, memory=job.limits.memory)
    for folder in ("/tmp", "/dev/shm"):  # noqa: S108  # the folders of the sandbox
        options += ["--perms", "1777", "--size", str(job.limits.disk), "--tmpfs", folder]
    for inside, here in job.read_only.items():
        options += ["--ro-bind", str(staged.get(here, here)), str(inside)]
    for inside, here in job.writable.items():
        options += ["--bind", str(staged.get(here, here)), str(inside)]
    if job.kept is not None:
        options += ["--bind", str(place / KEPT_PLACE), str(KEPT)]
    if job.socket is not None:
        options += ["--ro-bind", str(staged.get(job.socket, job.socket)), str(SOCKET)]
    # In /proc a program could set its own oom_score_adj back: only a worker with CAP_SYS_RESOURCE sets a floor with it.
    options += [part for folder in ("/proc", "/dev", "/") for part in ("--remount-ro", folder)]
    options += ["--chdir", str(job.cwd or "/tmp")]  # noqa: S108
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108
    env |= {KEPT_VARIABLE: str(KEPT)} if job.kept is not None else {}
    for name, value in (env | dict(job.env)).items():
        options += ["--setenv", name, value]
    return b"".join(os.fsencode(option) + b"\0" for option in options)
