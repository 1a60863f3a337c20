"""The part of a Kubernetes cluster's API that pods for programs need: only its documented REST interface."""

from __future__ import annotations

import asyncio
import json
import os
import ssl
from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Self, final

import httpx

from fudaba_arena.errors import ArenaError
from fudaba_arena.sandbox.pod_manifest import Object
from fudaba_arena.sandbox.sandbox import SandboxUnavailable

__all__ = ["Access", "Cluster", "ClusterFault"]

_ACCOUNT: Final = Path("/var/run/secrets/kubernetes.io/serviceaccount")
_ANSWER_TIMEOUT_SECONDS: Final = 20.0
_WATCH_SECONDS: Final = 240
"""The time after which a watch ends by itself and starts again."""
_MAX_TRIES: Final = 5
_FIRST_PAUSE_SECONDS: Final = 0.2
_MAX_CONNECTIONS: Final = 500
"""The number of connections. Each pod's output needs one."""


@final
class ClusterFault(ArenaError):
    """The cluster's API refused, or cannot be reached."""

    def __init__(self, text: str, status: int = 0) -> None:
        super().__init__(text)
        self.status = status
        """The HTTP status; 0 when there was no answer."""


@final
@dataclass(frozen=True, slots=True)
class Access:
    """The access to the API."""

    server: str
    """`https://HOST:PORT`; plain `http` to this machine only, such as to `kubectl proxy`."""
    namespace: str
    ca: Path | None = None
    """The PEM file of trusted authorities; None for the host's own."""
    token: Path | None = None
    """The file with the token. It is read again for each request, since it is replaced at intervals."""

    @classmethod
    def in_cluster(cls, namespace: str = "") -> Self:
        """Makes the access from within a pod. Raises `SandboxUnavailable`."""
        host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
        try:
            namespace = namespace or (_ACCOUNT / "namespace").read_text(encoding="utf-8").strip()
        except OSError:
            host = None
        if not host:
            raise SandboxUnavailable(
                "this worker does not run in a pod with a service account, so it cannot start pods; see docs/pods.md"
            )
        server = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
        return cls(server, namespace, _ACCOUNT / "ca.crt", _ACCOUNT / "token")


@final
class Cluster:
    """The requests. They raise `ClusterFault`."""

    def __init__(self, access: Access) -> None:
        """Raises `SandboxUnavailable`."""
        self._access = access
        try:
            trust: ssl.SSLContext | bool = True
            if access.server.startswith("https:"):
                trust = ssl.create_default_context(cafile=access.ca)
        except (OSError, ssl.SSLError) as error:
            raise SandboxUnavailable(f"{access.ca}, for the cluster's API, cannot be used: {error}") from error
        self._client = httpx.AsyncClient(
            base_url=access.server,
            verify=trust,
            timeout=httpx.Timeout(_ANSWER_TIMEOUT_SECONDS),
            limits=httpx.Limits(max_connections=_MAX_CONNECTIONS, max_keepalive_connections=10),
            trust_env=False,
        )
        self._pods = f"/api/v1/namespaces/{access.namespace}/pods"

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def create_pod(self, manifest: Object) -> None:
        """Creates a pod under the manifest's name. If a pod of that name exists, it is taken to be that pod."""
        try:
            await self._ask("POST", self._pods, json=manifest)
        except ClusterFault as fault:
            if fault.status != HTTPStatus.CONFLICT:
                raise

    async def delete_pod(self, name: str) -> None:
        """Ends and removes a pod, which may take a moment. A pod that does not exist is no error."""
        try:
            await self._ask("DELETE", f"{self._pods}/{name}")
        except ClusterFault as fault:
            if fault.status != HTTPStatus.NOT_FOUND:
                raise

    async def pods(self, selector: str) -> tuple[list[Object], str]:
        """Returns the pods with these labels, and the version from which a watch goes on."""
        found = await self._ask("GET", self._pods, params={"labelSelector": selector})
        return list(found["items"]), str(found["metadata"].get("resourceVersion", ""))

    async def watch(self, selector: str, version: str) -> AsyncGenerator[tuple[str, Object], None]:
        """Yields changes of these pods for some minutes: the API's type of change, and the pod."""
        params = {
            "labelSelector": selector,
            "watch": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        seconds = httpx.Timeout(_ANSWER_TIMEOUT_SECONDS, read=_WATCH_SECONDS + _ANSWER_TIMEOUT_SECONDS)
        try:
            async with self._client.stream(
                "GET", self._pods, params=params, headers=self._headers(), timeout=seconds
            ) as answer:
                await _check(answer)
                async for line in answer.aiter_lines():
                    event = json.loads(line)
                    yield event["type"], event["object"]
        except (httpx.HTTPError, ValueError) as error:
            raise _no_answer(error) from error

    async def log(self, name: str, container: str) -> AsyncGenerator[bytes, None]:
        """Yields what a container has printed and prints, until it ends."""
        params = {"container": container, "follow": "true"}
        seconds = httpx.Timeout(_ANSWER_TIMEOUT_SECONDS, read=None)
        try:
            async with self._client.stream(
                "GET", f"{self._pods}/{name}/log", params=params, headers=self._headers(), timeout=seconds
            ) as answer:
                await _check(answer)
                async for piece in answer.aiter_bytes():
                    yield piece
        except httpx.HTTPError as error:
            raise _no_answer(error) from error

    async def apply_policy(self, manifest: Object, manager: str) -> None:
        """Applies a network policy from its manifest."""
        path = f"/apis/networking.k8s.io/v1/namespaces/{self._access.namespace}/networkpolicies"
        await self._ask(
            "PATCH",
            f"{path}/{manifest['metadata']['name']}",
            params={"fieldManager": manager, "force": "true"},
            content=json.dumps(manifest).encode(),
            headers={"Content-Type": "application/apply-patch+yaml"},  # JSON is YAML
        )

    async def _ask(self, method: str, path: str, headers: Mapping[str, str] | None = None, **more: Any) -> Any:
        """Repeats a request some times until it is answered. Every request may be repeated."""
        pause = _FIRST_PAUSE_SECONDS
        for left in reversed(range(_MAX_TRIES)):
            try:
                answer = await self._client.request(
                    method, path, headers={**self._headers(), **(headers or {})}, **more
                )
                await _check(answer)
                return answer.json()
            except (httpx.HTTPError, ValueError) as error:
                fault = _no_answer(error)
            except ClusterFault as refused:
                fault = refused
                busy = refused.status == HTTPStatus.TOO_MANY_REQUESTS
                if not busy and refused.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                    raise
            if not left:
                raise fault
            await asyncio.sleep(pause)
            pause *= 2
        raise AssertionError("the last try raises")

    def _headers(self) -> dict[str, str]:
        if self._access.token is None:
            return {}
        try:
            return {"Authorization": f"Bearer {self._access.token.read_text(encoding='ascii').strip()}"}
        except OSError as error:
            raise ClusterFault(f"the token for the cluster's API cannot be read: {error}") from error


async def _check(answer: httpx.Response) -> None:
    """Raises `ClusterFault` for a refusal, with what the API says."""
    if answer.is_success:
        return
    text = (await answer.aread()).decode(errors="replace")
    try:
        text = str(json.loads(text)["message"])
    except (ValueError, KeyError, TypeError):
        text = text[:200] or answer.reason_phrase
    raise ClusterFault(f"the cluster's API refuses ({answer.status_code}): {text}", answer.status_code)


def _no_answer(error: Exception) -> ClusterFault:
    return ClusterFault(f"the cluster's API does not answer: {str(error) or type(error).__name__}")
