"""A cluster for tests: the part of Kubernetes' API that pods need, over HTTPS, which runs each pod's container as a
process of this machine.

It is no Kubernetes. What it accepts it judges by the published schemas of the API, its answers have the form of those
of a real one, and a container has the mounts, the uid, the memory and the read-only root that its pod asks for. It has
no runtime classes (but knows the name `gvisor`), and network policies are kept and not enforced.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import kubernetes_validate

from fudaba_arena.sandbox.cgroups import Cgroups, Group, remove
from fudaba_arena.sandbox.probe import own_python
from fudaba_arena.tournament.limits import Limits

NAMESPACE: Final = "bots"
IMAGE: Final = "fudaba-test"
CLAIM: Final = "programs"
TOKEN: Final = secrets.token_hex(8)
SCHEMAS: Final = "1.30"
_HIDDEN: Final = {"proc", "dev", "tmp", "run", "sys", "root", "home", "work", "mnt", "lost+found"}
_CHECKOUT: Final = Path(__file__).resolve().parents[4]
_MAX_LOG_BYTES: Final = 16_000_000


class Refusal(Exception):
    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class Pod:
    """A pod, and the process that is its container."""

    def __init__(self, manifest: dict[str, Any]) -> None:
        self.manifest = manifest
        self.log = bytearray()
        self.ended = False
        self.killed = ""
        self.process: subprocess.Popen[bytes] | None = None
        self.group: Group | None = None

    @property
    def name(self) -> str:
        return str(self.manifest["metadata"]["name"])


class SmallCluster:
    """The API server, and the one node."""

    def __init__(self, folder: Path, shared: Path, cert: Path, key: Path) -> None:
        self.folder = folder
        self.shared = shared
        self.pods: dict[str, Pod] = {}
        self.policies: dict[str, Any] = {}
        self.away = False
        """Whether every connection is refused an answer."""
        self._version = 1
        self._events: list[tuple[int, str, dict[str, Any]]] = []
        self._news = threading.Condition()
        self._cgroups = Cgroups.find()
        cluster = self

        class Handler(_Handler):
            small_cluster = cluster

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self._server.server_address[1]
        self.url = f"https://localhost:{self.port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    @property
    def limits_memory(self) -> bool:
        return "memory" in self._cgroups.parents

    def stop(self) -> None:
        """Stops; no container runs any more when this returns."""
        for pod in list(self.pods.values()):
            self._kill(pod, "Stopped")
        with self._news:
            self._news.wait_for(lambda: all(pod.ended for pod in self.pods.values()))
        self._server.shutdown()
        self._server.server_close()

    # --- the API

    def create(self, manifest: dict[str, Any]) -> dict[str, Any]:
        try:
            kubernetes_validate.validate(manifest, SCHEMAS, strict=True)
        except kubernetes_validate.ValidationError as error:
            raise Refusal(422, "Invalid", str(error)) from error
        runtime = manifest["spec"].get("runtimeClassName", "")
        if runtime not in {"", "gvisor"}:
            raise Refusal(403, "Forbidden", f'pod rejected: RuntimeClass "{runtime}" not found')
        pod = Pod(manifest)
        with self._news:
            if pod.name in self.pods:
                raise Refusal(409, "AlreadyExists", f'pods "{pod.name}" already exists')
            self.pods[pod.name] = pod
            manifest["metadata"] |= {"uid": secrets.token_hex(8), "creationTimestamp": _now()}
            self._note("ADDED", pod, {"phase": "Pending"})
        threading.Thread(target=self._run, args=[pod], daemon=True).start()
        return manifest

    def delete(self, name: str) -> dict[str, Any]:
        with self._news:
            pod = self.pods.get(name)
            if pod is None:
                raise Refusal(404, "NotFound", f'pods "{name}" not found')
            pod.manifest["metadata"]["deletionTimestamp"] = _now()
            self._note("MODIFIED", pod)
        self._kill(pod, "Deleted")
        threading.Thread(target=self._remove, args=[pod], daemon=True).start()
        return pod.manifest

    def listed(self, labels: Mapping[str, str]) -> dict[str, Any]:
        with self._news:
            items = [json.loads(json.dumps(pod.manifest)) for pod in self.pods.values() if _has(pod.manifest, labels)]
            return {"kind": "PodList", "metadata": {"resourceVersion": str(self._version)}, "items": items}

    def watched(self, labels: Mapping[str, str], version: int) -> Iterator[dict[str, Any]]:
        while not self.away:
            with self._news:
                self._news.wait_for(lambda: self._version > version or self.away, timeout=1.0)  # noqa: B023  # at once
                events = [event for event in self._events if event[0] > version]
            for number, kind, manifest in events:
                version = number
                if _has(manifest, labels):
                    yield {"type": kind, "object": manifest}

    def log(self, name: str) -> Iterator[bytes]:
        pod = self.pods.get(name)
        if pod is None or ("running" not in str(pod.manifest["status"]) and not pod.ended):
            raise Refusal(400, "BadRequest", f'container "bot" in pod "{name}" is waiting to start')
        sent = 0
        while not self.away:
            with self._news:
                self._news.wait_for(lambda: len(pod.log) > sent or pod.ended, timeout=1.0)  # noqa: B023  # at once
                piece, ended = bytes(pod.log[sent:]), pod.ended
            sent += len(piece)
            if piece:
                yield piece
            elif ended:
                return

    def apply(self, name: str, manifest: dict[str, Any]) -> dict[str, Any]:
        try:
            kubernetes_validate.validate(manifest, SCHEMAS, strict=True)
        except kubernetes_validate.ValidationError as error:
            raise Refusal(422, "Invalid", str(error)) from error
        self.policies[name] = manifest
        return manifest

    def set_status(self, name: str, **status: Any) -> None:
        """Sets the status as a node would, or whatever else is to blame."""
        with self._news:
            self._note("MODIFIED", self.pods[name], status)

    def _note(self, kind: str, pod: Pod, status: Mapping[str, Any] | None = None) -> None:
        self._version += 1
        pod.manifest["status"] = pod.manifest.get("status", {}) | dict(status or {})
        pod.manifest["metadata"]["resourceVersion"] = str(self._version)
        self._events.append((self._version, kind, json.loads(json.dumps(pod.manifest))))
        self._news.notify_all()

    # --- the node

    def _run(self, pod: Pod) -> None:
        container = pod.manifest["spec"]["containers"][0]
        problem = self._problem(pod)
        if problem:
            with self._news:
                pod.ended = True
                self._note("MODIFIED", pod, problem)
            return
        message = self.folder / f"{pod.name}.message"
        message.touch()
        message.chmod(0o666)
        pod.group = self._cgroups.group(f"fudaba-{pod.name}")
        pod.group.make(Limits(memory=int(container["resources"]["limits"]["memory"]), processes=10_000, cores=1_000))
        enter = " && ".join([*(f"printf 0 >{entrance}" for entrance in pod.group.entrances), 'exec "$@"'])
        command = ["/bin/sh", "-c", enter, "node", *_wrapped(pod.manifest, self.shared, message)]
        pod.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        started = _now()
        with self._news:
            self._note("MODIFIED", pod, {"phase": "Running", **_state({"running": {"startedAt": started}})})
        if pod.killed:
            self._kill(pod, pod.killed)
        threading.Thread(target=self._look_after_memory, args=[pod], daemon=True).start()
        assert pod.process.stdout is not None
        with pod.process.stdout as output:
            while piece := os.read(output.fileno(), 65_536):
                with self._news:
                    pod.log += piece[: _MAX_LOG_BYTES - len(pod.log)]
                    self._news.notify_all()
        self._over(pod, pod.process.wait(), message, started)

    def _problem(self, pod: Pod) -> dict[str, Any]:
        spec = pod.manifest["spec"]
        image = spec["containers"][0]["image"]
        if image != IMAGE:
            waiting = {"reason": "ImagePullBackOff", "message": f'Back-off pulling image "{image}"'}
            return {"phase": "Pending", **_state({"waiting": waiting})}
        claims = [
            volume["persistentVolumeClaim"]["claimName"]
            for volume in spec["volumes"]
            if "persistentVolumeClaim" in volume
        ]
        if claims not in ([], [CLAIM]):
            why = f'0/1 nodes are available: persistentvolumeclaim "{claims[0]}" not found.'
            condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": why}
            return {"phase": "Pending", "conditions": [condition]}
        return {}

    def _over(self, pod: Pod, status: int, message: Path, started: str) -> None:
        assert pod.group is not None
        out_of_memory = pod.group.counts().out_of_memory > 0
        while not pod.group.kill():
            time.sleep(0.01)
        remove(pod.group.folders)
        code = status if status >= 0 else 128 - status
        reason = "OOMKilled" if out_of_memory else "Completed" if code == 0 else "Error"
        ended = {"exitCode": code, "reason": reason, "startedAt": started, "finishedAt": _now()}
        ended["message"] = message.read_text(errors="replace")[:4_096]
        with self._news:
            pod.ended = True
            if "reason" not in pod.manifest["status"]:
                phase = "Succeeded" if code == 0 else "Failed"
                self._note("MODIFIED", pod, {"phase": phase, **_state({"terminated": ended})})
            self._news.notify_all()

    def _look_after_memory(self, pod: Pod) -> None:
        """Kills one process as the kernel does, and ends the container as the node does."""
        assert pod.group is not None
        while not pod.ended:
            if pod.group.counts().out_of_memory:
                self._kill(pod, "OOMKilled")
                return
            time.sleep(0.05)

    def _kill(self, pod: Pod, why: str) -> None:
        pod.killed = why
        if pod.process is not None and not pod.ended:
            with contextlib.suppress(ProcessLookupError):
                pod.process.kill()
            if pod.group is not None and not pod.ended:
                pod.group.kill()

    def _remove(self, pod: Pod) -> None:
        with self._news:
            self._news.wait_for(lambda: pod.ended)
            if self.pods.pop(pod.name, None) is not None:
                self._note("DELETED", pod)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    small_cluster: SmallCluster

    def do_GET(self) -> None:  # the library's name
        self._answered()

    def do_POST(self) -> None:
        self._answered()

    def do_PATCH(self) -> None:
        self._answered()

    def do_DELETE(self) -> None:
        self._answered()

    def log_message(self, *_: object) -> None:
        """Tests have no use for it."""

    def _answered(self) -> None:
        if self.small_cluster.away:
            self.close_connection = True
            return
        try:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer = self._answer(json.loads(body) if body else {})
        except Refusal as refusal:
            status = {"kind": "Status", "status": "Failure", "code": refusal.status, "reason": refusal.reason}
            self._send(refusal.status, json.dumps(status | {"message": str(refusal)}).encode())
            return
        with contextlib.suppress(OSError):
            if isinstance(answer, dict):
                self._send(200, json.dumps(answer).encode())
            else:
                self._stream(answer)

    def _answer(self, body: dict[str, Any]) -> dict[str, Any] | Iterator[bytes]:
        if self.headers.get("Authorization") != f"Bearer {TOKEN}":
            raise Refusal(401, "Unauthorized", "Unauthorized")
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        words = parts.path.strip("/").split("/")
        labels = dict(label.split("=") for label in query.get("labelSelector", "").split(",") if label)
        pods = ["api", "v1", "namespaces", NAMESPACE, "pods"]
        match self.command, words[: len(pods)] == pods, words[len(pods) :]:
            case "POST", True, []:
                return self.small_cluster.create(body)
            case "GET", True, [] if query.get("watch") == "true":
                events = self.small_cluster.watched(labels, int(query["resourceVersion"]))
                return (json.dumps(event).encode() + b"\n" for event in events)
            case "GET", True, []:
                return self.small_cluster.listed(labels)
            case "GET", True, [name, "log"]:
                log = self.small_cluster.log(name)
                first = next(log, b"")
                return (piece for pieces in ([first] if first else [], log) for piece in pieces)
            case "DELETE", True, [name]:
                return self.small_cluster.delete(name)
        if self.command == "PATCH" and words[-2] == "networkpolicies":
            assert self.headers["Content-Type"] == "application/apply-patch+yaml"
            return self.small_cluster.apply(words[-1], body)
        raise Refusal(404, "NotFound", f"the server could not find {self.command} {parts.path}")

    def _send(self, status: int, content: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _stream(self, pieces: Iterator[bytes]) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        for piece in pieces:
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            self.wfile.flush()
        if self.small_cluster.away:
            self.close_connection = True  # cut off, without an end
        else:
            self.wfile.write(b"0\r\n\r\n")


def _wrapped(manifest: Mapping[str, Any], shared: Path, message: Path) -> list[str]:
    """Returns what starts the container of a pod: with its mounts, its read-only root and its uid, and with
    variables that an image and a cluster would add.
    """
    spec = manifest["spec"]
    container, volumes = (
        spec["containers"][0],
        {listed_volume["name"]: listed_volume for listed_volume in spec["volumes"]},
    )
    command = ["bwrap", "--unshare-pid", "--unshare-ipc", "--die-with-parent", "--clearenv"]
    for path in sorted(Path("/").iterdir()):
        if path.name in _HIDDEN:
            continue
        command += (
            ["--symlink", str(path.readlink()), str(path)] if path.is_symlink() else ["--ro-bind", str(path), str(path)]
        )
    command += ["--proc", "/proc", "--dev", "/dev", "--bind", str(message), "/dev/termination-log"]
    binds: list[tuple[str, str, str]] = []
    for mount in container["volumeMounts"]:
        volume = volumes[mount["name"]]
        if "emptyDir" in volume:
            size = volume["emptyDir"]["sizeLimit"]
            command += ["--perms", "1777", "--size", size, "--tmpfs", mount["mountPath"]]
        else:
            place = str(shared / mount["subPath"])
            binds.append(("--ro-bind" if mount["readOnly"] else "--bind", place, mount["mountPath"]))
    binds = [*(("--ro-bind", str(path), str(path)) for path in sorted({*own_python(), _CHECKOUT})), *binds]
    for parent in sorted({parent for _, _, inside in binds for parent in Path(inside).parents}):
        if parent.parts[1:2] and parent.parts[1] in _HIDDEN - {"tmp", "dev"}:
            command += ["--perms", "0755", "--dir", str(parent)]
    command += [part for bind in binds for part in bind]
    command += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", container["workingDir"]]
    for name, value in {"PATH": os.environ["PATH"], "IMAGE": "its own", "KUBERNETES_SERVICE_HOST": "10.0.0.1"}.items():
        command += ["--setenv", name, value]
    uid = str(spec["securityContext"]["runAsUser"])
    drop = [
        "--reuid",
        uid,
        "--regid",
        uid,
        "--clear-groups",
        "--no-new-privs",
        "--bounding-set=-all",
        "--inh-caps=-all",
    ]
    return [*command, "--", "setpriv", *drop, "--", *container["command"], *container["args"]]


def _state(state: Mapping[str, Any]) -> dict[str, Any]:
    return {"containerStatuses": [{"name": "bot", "state": state}]}


def _has(manifest: Mapping[str, Any], labels: Mapping[str, str]) -> bool:
    return labels.items() <= dict(manifest["metadata"]["labels"]).items()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
