"""A program as a pod: the request to the cluster, and the program's end in a pod's status.

A pod runs one program and nothing else: no service account, no name service, no capability, no file system but the
image's, read-only, and the mounts below. docs/pods.md says which of this the cluster enforces.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, NamedTuple, final

from fudaba_arena.sandbox.sandbox import Cause, Job
from fudaba_arena.sandbox.supervised import decoded

__all__ = [
    "CONTAINER",
    "ROLE",
    "WORKER",
    "Mount",
    "Named",
    "Object",
    "PodSettings",
    "PodVerdict",
    "abandoned",
    "judged",
    "pod",
    "policy",
    "removed",
    "started",
]

Object = Mapping[str, Any]
"""An object of the cluster's API, as JSON has it."""
CONTAINER: Final = "bot"
ROLE: Final = "fudaba/role=bot"
"""The label of every pod that runs a program."""
WORKER: Final = "fudaba/worker"
"""The label with the name of the worker."""
_POLICY: Final = "fudaba-bots"
_NOT_THERE: Final = "fudaba: "
_SCRIPT: Final = f"""\
PATH=$1 file_blocks=$2 open_files=$3 cpu=$4
shift 4
for word in "$@"; do case $word in *=*) ;; *) break;; esac; done
if ! command -v -- "$word" >/dev/null; then
    printf '{_NOT_THERE}there is no program %s' "$word" >/dev/termination-log
    exit 127
fi
ulimit -c 0 && ulimit -f "$file_blocks" && ulimit -n "$open_files" && ulimit -t "$cpu" || exit 126
exec /usr/bin/env -i "$@"
"""
"""Limits each process, and starts the program without any variable of the image or of the cluster."""
_BLOCK_BYTES: Final = 512
_SPARE_SECONDS: Final = 120
"""The extra lifetime of a pod beyond its program's, including its start. Then the cluster ends it, in case the worker
has gone.
"""
_SPARE_BYTES: Final = 16_000_000
_NEVER_STARTS: Final = frozenset(
    {"ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError", "CreateContainerError",
     "RunContainerError"}
)  # fmt: skip
_BROKEN_START: Final = frozenset({"ContainerCannotRun", "StartError"})


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PodSettings:
    """The settings with which a worker runs programs in pods."""

    image: str
    """The image of the pods: the worker's own, so that its runtimes are there."""
    claim: str
    """The volume claim with the folder of programs, which all nodes can mount."""
    shared: Path
    """The path where the volume is mounted here."""
    runtime_class: str = "gvisor"
    """The container runtime that isolates programs; empty for the cluster's default, which shares its kernel."""
    service_labels: Mapping[str, str] = field(default_factory=dict)
    """The labels of the service's pods, if the service runs in this cluster."""
    service_address: str = ""
    """The address at which programs reach the service, such as its port for seats only; empty for the worker's own."""
    namespace: str = ""
    """The namespace of the pods; empty for the worker's own namespace."""
    start_seconds: float = 300.0
    """The time that a pod may take until its program runs."""


class Mount(NamedTuple):
    """A file or folder below the shared one, and its path for a program."""

    inside: Path
    part: Path
    """The path relative to the shared folder."""
    writable: bool


@final
@dataclass(frozen=True, slots=True)
class Named:
    """The identity of a pod."""

    pod: str
    worker: str
    uid: int
    owner: Object | None = None
    """The worker's own pod. When that has gone, the cluster removes this one."""


@final
@dataclass(frozen=True, slots=True)
class PodVerdict:
    """The end of a program, as its pod reports it."""

    cause: Cause
    code: int | None = None
    signal: int | None = None
    why: str = ""


def pod(
    job: Job,
    settings: PodSettings,
    named: Named,
    mounts: Sequence[Mount],
    hosts: Mapping[str, str],
) -> dict[str, Any]:
    """Returns the manifest of a pod. `hosts` maps the names that the program uses to addresses."""
    limits = job.limits
    in_memory = {"emptyDir": {"medium": "Memory", "sizeLimit": str(limits.disk)}}
    volumes = [{"name": "tmp", **in_memory}, {"name": "shm", **in_memory}]
    if mounts:
        volumes.append({"name": "shared", "persistentVolumeClaim": {"claimName": settings.claim}})
    role = ROLE.split("=")
    metadata: dict[str, Any] = {"name": named.pod, "labels": {role[0]: role[1], WORKER: named.worker}}
    if named.owner is not None:
        metadata["ownerReferences"] = [named.owner]
    spec: dict[str, Any] = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "hostname": "bot",
        "dnsPolicy": "None",
        "dnsConfig": {"nameservers": ["127.0.0.1"]},
        "hostAliases": [{"ip": address, "hostnames": [host]} for host, address in hosts.items()],
        "activeDeadlineSeconds": math.ceil(limits.wall + settings.start_seconds) + _SPARE_SECONDS,
        "terminationGracePeriodSeconds": 1,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": named.uid,
            "runAsGroup": named.uid,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_container(job, settings.image, mounts)],
        "volumes": volumes,
    }
    if settings.runtime_class:
        spec["runtimeClassName"] = settings.runtime_class
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _container(job: Job, image: str, mounts: Sequence[Mount]) -> dict[str, Any]:
    """Returns the container of a pod, with the program and its limits."""
    limits = job.limits
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108
    env |= dict(job.env)
    each = [
        env["PATH"],
        str(limits.file_size // _BLOCK_BYTES),
        str(limits.open_files),
        str(max(1, math.ceil(limits.cpu))),
    ]
    sized = {
        "cpu": f"{math.ceil(1000 * limits.cores)}m",
        "memory": str(limits.memory),
        "ephemeral-storage": str(limits.output + _SPARE_BYTES),
    }
    return {
        "name": CONTAINER,
        "image": image,
        "imagePullPolicy": "IfNotPresent",
        "command": ["/bin/sh", "-c", _SCRIPT, job.name],
        "args": [*each, *(f"{key}={value}" for key, value in env.items()), *job.command],
        "workingDir": str(job.cwd or "/tmp"),  # noqa: S108
        "resources": {"requests": sized, "limits": sized},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "privileged": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [
            {"name": "tmp", "mountPath": "/tmp"},  # noqa: S108
            {"name": "shm", "mountPath": "/dev/shm"},  # noqa: S108
            *(
                {
                    "name": "shared",
                    "mountPath": str(mount.inside),
                    "subPath": str(mount.part),
                    "readOnly": not mount.writable,
                }
                for mount in mounts
            ),
        ],
    }


def policy(addresses: Sequence[str], port: int, service_labels: Mapping[str, str]) -> dict[str, Any]:
    """Returns the network policy of all programs: nothing reaches them, and they reach only the service."""
    to: list[dict[str, Any]] = [
        {"ipBlock": {"cidr": f"{address}/{128 if ':' in address else 32}"}} for address in sorted(addresses)
    ]
    if service_labels:
        to.append({"namespaceSelector": {}, "podSelector": {"matchLabels": dict(service_labels)}})
    role = ROLE.split("=")
    return {
        "apiVersion": "networking.k8s.io/v1",
        "kind": "NetworkPolicy",
        "metadata": {"name": _POLICY},
        "spec": {
            "podSelector": {"matchLabels": {role[0]: role[1]}},
            "policyTypes": ["Ingress", "Egress"],
            "ingress": [],
            "egress": [{"to": to, "ports": [{"protocol": "TCP", "port": port}]}],
        },
    }


def abandoned(pod_object: Object, now: datetime) -> bool:
    """Returns whether a pod is past its deadline. Its worker would have removed it long ago."""
    made = datetime.fromisoformat(pod_object["metadata"]["creationTimestamp"])
    return now > made + timedelta(seconds=int(pod_object["spec"].get("activeDeadlineSeconds", 0)))


def removed(pod_object: Object) -> bool:
    """Returns whether the removal of a pod was requested."""
    return "deletionTimestamp" in pod_object.get("metadata", {})


def started(pod_object: Object) -> bool:
    """Returns whether the program of a pod runs or has run, so that there is output."""
    state = _state(pod_object)
    return "running" in state or "terminated" in state


def judged(pod_object: Object) -> PodVerdict | None:
    """Returns how the program of a pod ended; None while it may still run."""
    status = pod_object.get("status", {})
    reason, message = str(status.get("reason", "")), str(status.get("message", ""))
    if reason == "DeadlineExceeded":
        return PodVerdict(Cause.WALL, why=message)
    if reason == "Evicted" and "ephemeral" in message:
        return PodVerdict(Cause.OUTPUT, why=message)
    state = _state(pod_object)
    if "terminated" in state:
        return _ended(state["terminated"])
    waiting = state.get("waiting", {})
    if waiting.get("reason") in _NEVER_STARTS:
        return PodVerdict(Cause.HOST, why=f"{waiting['reason']}: {waiting.get('message', 'the cluster says no more')}")
    if status.get("phase") in {"Failed", "Succeeded"}:
        return PodVerdict(Cause.HOST, why=f"the cluster ended its pod: {reason} {message}".strip())
    return None


def _ended(state: Object) -> PodVerdict:
    """Reads the state of an ended container."""
    reason, message, code = state.get("reason"), str(state.get("message", "")), int(state.get("exitCode", 0))
    if reason == "OOMKilled":
        return PodVerdict(Cause.MEMORY)
    if reason in _BROKEN_START:
        return PodVerdict(Cause.FAILED, why=message)
    if code == 127 and message.startswith(_NOT_THERE):
        return PodVerdict(Cause.FAILED, why=message.removeprefix(_NOT_THERE))
    if number := int(state.get("signal", 0)):
        return PodVerdict(Cause.SIGNAL, signal=number)
    return PodVerdict(*decoded(code))


def _state(pod_object: Object) -> Object:
    """Returns the state of the only container."""
    for container_status in pod_object.get("status", {}).get("containerStatuses", ()):
        if container_status.get("name") == CONTAINER:
            found: Object = container_status.get("state", {})
            return found
    return {}
