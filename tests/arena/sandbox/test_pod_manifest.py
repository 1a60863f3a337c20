"""Programs as pods: what a cluster is asked for, and what its answers mean."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest

from fudaba_arena.sandbox.pod_manifest import Named, PodSettings, PodVerdict, abandoned, judged, pod, policy
from fudaba_arena.sandbox.sandbox import Cause, Job
from fudaba_arena.tournament.limits import Limits
from tests.support.arena.sandbox.small_cluster import SCHEMAS

SETTINGS = PodSettings(image="i", claim="c", shared=Path("/shared"))
NAMED = Named("fudaba-w-1", "w", 58_001)


def manifest(**limits: float) -> dict[str, Any]:
    job = Job(command=["./bot"], env={"A": "1"}, cwd=Path("/bot"), limits=Limits.parse(limits))
    return pod(job, SETTINGS, NAMED, [], {"play": "10.0.0.9"})


def test_a_pod_has_nothing_that_a_program_could_use_and_is_what_the_api_takes() -> None:
    made = manifest()
    kubernetes_validate.validate(made, SCHEMAS, strict=True)
    spec, container = made["spec"], made["spec"]["containers"][0]
    assert spec["runtimeClassName"] == "gvisor"
    assert not spec["automountServiceAccountToken"]
    assert not spec["enableServiceLinks"]
    assert (spec["dnsPolicy"], spec["dnsConfig"]) == ("None", {"nameservers": ["127.0.0.1"]})
    assert spec["securityContext"] == {
        "runAsNonRoot": True,
        "runAsUser": 58_001,
        "runAsGroup": 58_001,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "privileged": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert not {"hostNetwork", "hostPID", "hostIPC", "serviceAccountName"} & spec.keys()
    assert all("emptyDir" in volume for volume in spec["volumes"])


def test_limits_are_a_pods_limits() -> None:
    made = manifest(memory=100_000_000, cores=0.5, wall=60.0, disk=70_000, output=1_000_000)
    [container], volumes = made["spec"]["containers"], made["spec"]["volumes"]
    limits = {"cpu": "500m", "memory": "100000000", "ephemeral-storage": "17000000"}
    assert container["resources"] == {"requests": limits, "limits": limits}
    assert [volume["emptyDir"] for volume in volumes] == 2 * [{"medium": "Memory", "sizeLimit": "70000"}]
    assert made["spec"]["activeDeadlineSeconds"] == 60 + 300 + 120
    assert made["spec"]["terminationGracePeriodSeconds"] == 1


def test_the_network_policy_lets_programs_reach_the_service_and_nobody_reach_programs() -> None:
    made = policy(["10.0.0.9", "fd00::9"], 7710, {"app": "fudaba"})
    kubernetes_validate.validate(made, SCHEMAS, strict=True)
    assert made["spec"]["podSelector"] == {"matchLabels": {"fudaba/role": "bot"}}
    assert made["spec"]["policyTypes"] == ["Ingress", "Egress"]
    assert made["spec"]["ingress"] == []
    [egress] = made["spec"]["egress"]
    assert egress["ports"] == [{"protocol": "TCP", "port": 7710}]
    assert egress["to"] == [
        {"ipBlock": {"cidr": "10.0.0.9/32"}},
        {"ipBlock": {"cidr": "fd00::9/128"}},
        {"namespaceSelector": {}, "podSelector": {"matchLabels": {"app": "fudaba"}}},
    ]


def terminated(**fields: Any) -> dict[str, Any]:
    return {"phase": "Failed", "containerStatuses": [{"name": "bot", "state": {"terminated": fields}}]}


def waiting(reason: str) -> dict[str, Any]:
    state = {"waiting": {"reason": reason, "message": "more of it"}}
    return {"phase": "Pending", "containerStatuses": [{"name": "bot", "state": state}]}


@pytest.mark.parametrize(
    ("status", "verdict"),
    [
        ({}, None),
        ({"phase": "Running"}, None),
        (waiting("ContainerCreating"), None),
        (waiting("ErrImagePull"), None),
        (waiting("ImagePullBackOff"), PodVerdict(Cause.HOST, why="ImagePullBackOff: more of it")),
        (waiting("CreateContainerConfigError"), PodVerdict(Cause.HOST, why="CreateContainerConfigError: more of it")),
        (terminated(exitCode=0, reason="Completed"), PodVerdict(Cause.EXIT, 0)),
        (terminated(exitCode=3, reason="Error"), PodVerdict(Cause.EXIT, 3)),
        (terminated(exitCode=139, reason="Error"), PodVerdict(Cause.SIGNAL, None, 11)),
        (terminated(exitCode=0, signal=9, reason="Error"), PodVerdict(Cause.SIGNAL, None, 9)),
        (terminated(exitCode=137, reason="OOMKilled"), PodVerdict(Cause.MEMORY)),
        (
            terminated(exitCode=128, reason="StartError", message="no such file"),
            PodVerdict(Cause.FAILED, why="no such file"),
        ),
        (terminated(exitCode=127, reason="Error", message="fudaba: none"), PodVerdict(Cause.FAILED, why="none")),
        (terminated(exitCode=127, reason="Error", message="its own"), PodVerdict(Cause.EXIT, 127)),
        (
            {"phase": "Failed", "reason": "DeadlineExceeded", "message": "Pod was active on the node longer"},
            PodVerdict(Cause.WALL, why="Pod was active on the node longer"),
        ),
        (
            {"phase": "Failed", "reason": "Evicted", "message": "Pod ephemeral local storage usage exceeds the limit"},
            PodVerdict(Cause.OUTPUT, why="Pod ephemeral local storage usage exceeds the limit"),
        ),
        (
            {"phase": "Failed", "reason": "Evicted", "message": "The node was low on resource: memory."},
            PodVerdict(Cause.HOST, why="the cluster ended its pod: Evicted The node was low on resource: memory."),
        ),
    ],
)
def test_what_a_pods_status_says_of_its_programs_end(status: Mapping[str, Any], verdict: PodVerdict | None) -> None:
    assert judged({"metadata": {"name": "p"}, "status": status}) == verdict


def test_a_pod_is_abandoned_when_it_is_past_its_deadline() -> None:
    made = manifest(wall=10.0)
    made["metadata"]["creationTimestamp"] = "2030-01-01T00:00:00Z"
    deadline = datetime(2030, 1, 1, tzinfo=UTC) + timedelta(seconds=10 + 300 + 120)
    assert not abandoned(made, deadline)
    assert abandoned(made, deadline + timedelta(seconds=1))
