"""Programs in pods of a Kubernetes cluster, one pod each, isolated by gVisor.

Unix sockets do not cross pods. So a program reaches the service by its TLS address, and a network policy lets it reach
nothing else. Its files are on a volume that workers and pods share. `Pods.enforces` omits the limits that a pod cannot
enforce.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import re
import secrets
import shutil
import socket
import time
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self, final

from fudaba.address import parse_host_port
from fudaba.client import Endpoint
from fudaba.excerpts import Excerpt
from fudaba_arena.errors import Say
from fudaba_arena.sandbox.cluster import Access, Cluster, ClusterFault
from fudaba_arena.sandbox.leftovers import UIDS
from fudaba_arena.sandbox.pod_manifest import (
    CONTAINER,
    ROLE,
    WORKER,
    Mount,
    Named,
    Object,
    PodSettings,
    abandoned,
    judged,
    pod,
    policy,
    removed,
    started,
)
from fudaba_arena.sandbox.sandbox import Cause, Ending, Job, RunningProgram, Sandbox, SandboxUnavailable, Usage
from fudaba_serving.process.background import restarted

__all__ = ["InPod", "Pods"]

_MANAGER: Final = "fudaba-worker"
_POLL_SECONDS: Final = 0.25
_RETRY_SECONDS: Final = 1.0
_LAST_OUTPUT_SECONDS: Final = 10.0
"""The time in which the rest of the output may arrive after a program has ended."""
_GONE_SECONDS: Final = 60.0
_COPIES: Final = "pods"
"""The folder on the shared volume with copies of files from elsewhere."""


@final
class Pods(Sandbox):
    """Starts programs as pods."""

    isolated = True
    sockets = False
    enforces = frozenset({"memory", "cores", "wall", "file_size", "open_files", "disk", "output", "output_kept"})

    def __init__(self, cluster: Cluster, settings: PodSettings, service: Endpoint, worker: str, say: Say) -> None:
        self.settings = settings
        self.version = settings.runtime_class
        self._cluster = cluster
        self.service_address = settings.service_address or service.address
        self._say = say
        self.worker = worker
        """The label of its pods."""
        self._owner = _own_pod()
        self._copies = settings.shared / _COPIES / worker
        self._run = secrets.token_hex(3)
        self._number = itertools.count()
        self._running: dict[str, InPod] = {}
        self._watching: asyncio.Task[None] | None = None
        self._hosts: dict[str, str] = {}
        self._applied: tuple[str, ...] = ()

    @classmethod
    async def open(cls, access: Access, settings: PodSettings, service: Endpoint, say: Say, worker: str = "") -> Self:
        """Prepares: removes what an earlier run of this worker left, and applies the network policy.

        `worker` names the worker; two at the same time need two names. The default is the name of the worker's own pod.
        Raises `SandboxUnavailable`.
        """
        if not service.secure:
            raise SandboxUnavailable("programs in pods reach the service over the network: use TLS, and give --tls")
        worker = worker or (os.environ["HOSTNAME"] if _own_pod() else f"worker-{secrets.token_hex(6)}")
        made = cls(Cluster(access), settings, service, re.sub(r"[^a-z0-9-]", "-", worker.lower())[:40].strip("-"), say)
        try:
            await made._sweep()
            await made.allow_service()
            made._copies.mkdir(parents=True, exist_ok=True)
        except BaseException as error:
            await made._cluster.close()
            if isinstance(error, ClusterFault | OSError):
                raise SandboxUnavailable(f"pods cannot be used: {error}") from error
            raise
        return made

    def new_socket(self) -> Path:
        """Raises, since pods have no sockets: see `Sandbox.sockets`."""
        raise SandboxUnavailable("a program in a pod reaches no socket of this host")

    def start(self, job: Job) -> InPod:
        """Starts a program."""
        if job.socket is not None or job.kept is not None:
            limitation = "reaches no socket of this host" if job.socket is not None else "has no folder that lives on"
            raise SandboxUnavailable(f"{job.name} cannot be started: a program in a pod {limitation}")
        number = next(self._number)
        copies = self._copies / f"{self._run}-{number}"
        try:
            mounts = list(self._mounts(job, copies))
        except OSError as error:
            shutil.rmtree(copies, ignore_errors=True)
            raise SandboxUnavailable(f"the files of {job.name} cannot be put where pods find them: {error}") from error
        name = f"fudaba-{self.worker}-{self._run}-{number}"
        if self._watching is None:
            watching = restarted("pods of this worker", self._keep_watching)
            self._watching = asyncio.create_task(watching, name="pods of this worker")
        named = Named(name, self.worker, secrets.choice(UIDS), self._owner)

        def manifest() -> Object:
            return pod(job, self.settings, named, mounts, self._hosts)

        running = self._running[name] = InPod(self, job, name, manifest, copies)
        return running

    def _mounts(self, job: Job, copies: Path) -> Iterator[Mount]:
        """Yields the mounts of a program. Files on no shared volume are in the pods' image, or are copied."""
        shared = self.settings.shared.resolve()
        for inside, here in job.read_only.items():
            place = here.resolve()
            if not place.is_relative_to(shared):
                if inside == here:
                    continue  # the image is the worker's own
                copy = copies / str(len(list(copies.iterdir())) if copies.exists() else 0)
                copy.parent.mkdir(parents=True, exist_ok=True)
                place = shutil.copytree(place, copy) if place.is_dir() else Path(shutil.copyfile(place, copy))
            yield Mount(inside, place.resolve().relative_to(shared), writable=False)
        for inside, here in job.writable.items():
            if not here.resolve().is_relative_to(shared):
                raise OSError(f"{here} is not in {shared}")
            here.chmod(0o666)  # whatever uid the program gets
            yield Mount(inside, here.resolve().relative_to(shared), writable=True)

    async def close(self) -> None:
        """Ends what still runs, and removes everything."""
        try:
            await asyncio.gather(*(program.kill() for program in list(self._running.values())))
            if self._watching is not None:
                self._watching.cancel()
                await asyncio.wait([self._watching])
        finally:
            shutil.rmtree(self._copies, ignore_errors=True)
            await self._cluster.close()

    # --- what the cluster is asked for

    async def allow_service(self) -> None:
        """Lets the network policy allow only the present addresses of the service."""
        host, port = parse_host_port(self.service_address)
        try:
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
        except OSError as error:
            if self._applied:
                return  # the pod keeps its earlier addresses
            raise ClusterFault(f"{host}, the service, has no address: {error}") from error
        addresses = tuple(sorted({str(resolved[4][0]) for resolved in found}))
        if addresses != self._applied:
            await self._cluster.apply_policy(policy(addresses, port, self.settings.service_labels), _MANAGER)
            self._applied = addresses
        self._hosts = {} if host in addresses else {host: addresses[0]}

    async def _sweep(self) -> None:
        """Removes the pods of an earlier run of this worker, and other pods past their deadline."""
        pods, _ = await self._cluster.pods(ROLE)
        now = datetime.now(UTC)
        for found_pod in pods:
            own = found_pod["metadata"]["labels"].get(WORKER) == self.worker
            if own or abandoned(found_pod, now):
                await self._cluster.delete_pod(found_pod["metadata"]["name"])
                if own:
                    self._say(
                        f"removed pod {found_pod['metadata']['name']}, which an earlier run of this worker has left"
                    )
        if self._copies.exists():
            shutil.rmtree(self._copies)

    async def create(self, manifest: Object) -> None:
        """Creates a pod. Raises `ClusterFault`."""
        await self._cluster.create_pod(manifest)

    async def delete(self, name: str) -> None:
        """Removes a pod. Raises `ClusterFault`."""
        await self._cluster.delete_pod(name)

    def log(self, name: str) -> AsyncGenerator[bytes, None]:
        """Reads what a pod's program prints."""
        return self._cluster.log(name, CONTAINER)

    def forget(self, name: str) -> None:
        """Notes that a pod has gone."""
        self._running.pop(name, None)

    async def _keep_watching(self) -> None:
        """Passes the changes of each pod to its program, until cancelled."""
        selector, last_fault = f"{ROLE},{WORKER}={self.worker}", ""
        while True:
            try:
                waiting = [program for program in self._running.values() if program.created]
                pods, version = await self._cluster.pods(selector)
                there = {str(listed_pod["metadata"]["name"]): listed_pod for listed_pod in pods}
                for waiting_program in waiting:
                    waiting_program.hear(there.get(waiting_program.name))
                async with contextlib.aclosing(self._cluster.watch(selector, version)) as changes:
                    async for kind, pod_state in changes:
                        if kind == "ERROR":
                            break  # the watch asked for a version that is too old
                        if (heard := self._running.get(str(pod_state["metadata"]["name"]))) is not None:
                            heard.hear(None if kind == "DELETED" else pod_state)
                last_fault = ""
            except ClusterFault as fault:
                if str(fault) != last_fault:
                    last_fault = str(fault)
                    self._say(f"nothing is heard of pods: {fault}; trying again")
                await asyncio.sleep(_RETRY_SECONDS)


@final
class InPod(RunningProgram):
    """A program that runs as a pod."""

    waits_to_begin = True

    def __init__(self, pods: Pods, job: Job, name: str, manifest: Callable[[], Object], copies: Path) -> None:
        self.job = job
        self.name = name
        """The name of the pod."""
        self.created = False
        """Whether there is, or was, a pod."""
        self._pods = pods
        self._manifest = manifest
        self._copies = copies
        self._asked = False
        self._status: Object = {}
        self._gone = False
        self._news = asyncio.Event()
        self._cause: Cause | None = None
        self._output = Excerpt(job.limits.output_kept)
        self._began = time.monotonic()
        self._reading: asyncio.Task[None] | None = None
        self._task = asyncio.create_task(self._supervise(), name=f"pod of {job.name}")

    @property
    def socket(self) -> Path | None:
        """The path of the socket. A pod has none."""
        return None

    @property
    def stdout(self) -> bytes:
        """The excerpt of its output. A cluster merges standard output and standard error."""
        return self._output.text

    @property
    def stderr(self) -> bytes:
        """Empty: see `stdout`."""
        return b""

    async def wait(self) -> Ending:
        """Returns how it ended, once its pod has gone."""
        return await asyncio.shield(self._task)

    async def kill(self, cause: Cause = Cause.KILLED) -> Ending:
        """Ends it."""
        if self._cause is None and not self._task.done():
            self._cause = cause
        self._news.set()
        return await self.wait()

    def hear(self, pod_object: Object | None) -> None:
        """Takes the present state of its pod; None if it has gone."""
        self._gone = pod_object is None
        self._status = pod_object if pod_object is not None else self._status
        self._news.set()

    async def _supervise(self) -> Ending:
        try:
            ending = await self._until_over()
        except ClusterFault as fault:
            ending = self._ending(Cause.HOST, why=str(fault))
        finally:
            await self._remove()
        return ending

    async def _until_over(self) -> Ending:
        """Returns how it ended, or why it must end. Raises `ClusterFault`."""
        await self._pods.allow_service()
        if self._cause is not None:
            return self._ending(self._cause)
        self._asked = True
        await self._pods.create(self._manifest())
        self.created = True
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_POLL_SECONDS):
                    await self._news.wait()
            self._news.clear()
            if started(self._status) and self._reading is None:
                self.begun_at = time.monotonic()
                self._reading = asyncio.create_task(self._read())
            if self._cause is None:
                self._cause = self._over()
            if self._cause is not None:
                return self._ending(self._cause)
            if self._gone or removed(self._status):
                return self._ending(Cause.HOST, why="somebody else has removed its pod, or the cluster has")
            if (verdict := judged(self._status)) is not None:
                if self._reading is not None and verdict.cause is not Cause.HOST:
                    await asyncio.wait([self._reading], timeout=_LAST_OUTPUT_SECONDS)
                return self._ending(verdict.cause, verdict.code, verdict.signal, verdict.why)
            if self._reading is None and time.monotonic() - self._began > self._pods.settings.start_seconds:
                return self._ending(Cause.HOST, why=f"its pod did not start: {_why_waiting(self._status)}")

    def _over(self) -> Cause | None:
        if self._output.total > self.job.limits.output:
            return Cause.OUTPUT
        since = self.begun_at
        return Cause.WALL if since is not None and time.monotonic() - since > self.job.limits.wall else None

    async def _read(self) -> None:
        """Reads its output. After a broken connection, it reads from the beginning and skips what it has."""
        while True:
            skip = self._output.total
            with contextlib.suppress(ClusterFault):
                async with contextlib.aclosing(self._pods.log(self.name)) as pieces:
                    async for piece in pieces:
                        self._output.add(piece[skip:])
                        self.job.heard(piece[skip:])
                        skip = max(0, skip - len(piece))
                        if self._over() is Cause.OUTPUT:
                            self._news.set()
                            return
                return
            if self._gone:
                return
            await asyncio.sleep(_RETRY_SECONDS)

    async def _remove(self) -> None:
        """Removes the pod, and waits until the cluster says that none of it runs."""
        deadline = time.monotonic() + _GONE_SECONDS
        try:
            if self._reading is not None:
                self._reading.cancel()
                await asyncio.wait([self._reading])  # else its connection might outlive the cluster's client
            if self._asked:
                await self._pods.delete(self.name)
            while self.created and not self._gone and time.monotonic() < deadline:
                self._news.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_RETRY_SECONDS):
                        await self._news.wait()
        except ClusterFault:
            pass  # the cluster ends it by its deadline, and the next run of this worker removes it
        finally:
            self._pods.forget(self.name)
            shutil.rmtree(self._copies, ignore_errors=True)

    def _ending(self, cause: Cause, code: int | None = None, number: int | None = None, why: str = "") -> Ending:
        wall = time.monotonic() - (self.begun_at or self._began)
        return Ending(cause, code, number, Usage(wall=wall, output=self._output.total), why)


def _why_waiting(pod_object: Object) -> str:
    """Returns why a pod does not start, from its status."""
    status: Mapping[str, object] = pod_object.get("status", {})
    conditions = pod_object.get("status", {}).get("conditions", ())
    reasons = [
        str(condition["message"])
        for condition in conditions
        if condition.get("status") == "False" and condition.get("message")
    ]
    return reasons[0] if reasons else f"it is {str(status.get('phase', 'not known')).lower()}"


def _own_pod() -> Object | None:
    """Returns the worker's own pod, as the owner of the pods that it makes.

    Returns None if the worker's pod does not identify itself.
    """
    name, uid = os.environ.get("HOSTNAME", ""), os.environ.get("FUDABA_POD_UID", "")
    return {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": uid} if name and uid else None
