"""Programs in pods, whatever happens to a pod or to the cluster; on the small one."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio

from fudaba.client import Endpoint
from fudaba.v1 import matches_pb2
from fudaba_arena.errors import ArenaError
from fudaba_arena.programs.program import Program
from fudaba_arena.programs.runtimes import Runtime
from fudaba_arena.programs.seats import SeatRun
from fudaba_arena.programs.trial_match import NoLog
from fudaba_arena.sandbox.cluster import Access
from fudaba_arena.sandbox.folder_archive import KeptFiles
from fudaba_arena.sandbox.pod import Pods
from fudaba_arena.sandbox.pod_manifest import PodSettings
from fudaba_arena.sandbox.pod_probe import NOT_ENFORCED, findings_of
from fudaba_arena.sandbox.sandbox import Cause, Job, SandboxUnavailable
from fudaba_arena.submissions.manifest import Manifest
from fudaba_arena.tournament.limits import LIMITS, Limits
from tests.support.arena.sandbox.bots import BOT
from tests.support.arena.sandbox.sandboxes import CLUSTER, done, opened, python, said
from tests.support.arena.sandbox.small_cluster import SmallCluster
from tests.support.folders import short_folder
from tests.support.patience import until
from tests.support.service.bots import bearer
from tests.support.service.organiser import PATIENT, Organiser, kinds
from tests.support.service.processes import Service, free_port

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(bool(CLUSTER), reason="what is tried here happens in no cluster that works"),
]

SETTINGS = PodSettings(image="i", claim="c", shared=Path("/shared"))
RUNTIME = Runtime("python-3", "python", path=[str(Path(sys.prefix) / "bin")])
STAYS = "import time; print('here', flush=True); time.sleep(100_000)"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def here(cluster: SmallCluster, certificate: tuple[Path, Path]) -> AsyncIterator[Pods]:
    async with opened(cluster, certificate[0]) as opened_pods:
        yield opened_pods


async def test_what_is_no_kubernetes_holds_programs_to_what_pods_promise_and_the_probe_sees_what_it_does_not(
    cluster: SmallCluster, here: Pods
) -> None:
    found = [finding async for finding in findings_of(here, here.settings, [("127.0.0.1", cluster.port)])]
    assert {finding.name for finding in found} >= here.enforces - {"cores", "output_kept"}
    assert not {*NOT_ENFORCED} & here.enforces
    assert {*NOT_ENFORCED} | here.enforces == LIMITS.keys()
    # It has no gVisor, and no network policies; and its programs may go last when the host's memory is short.
    expected = {"gvisor", "network", "writing"} | (set() if cluster.limits_memory else {"memory"})
    assert {finding.name for finding in found if not finding.holds} == expected, found
    assert f"('127.0.0.1', {cluster.port})" in next(finding.detail for finding in found if finding.name == "network")


async def test_whatever_a_program_needs_on_this_host_is_refused_or_copied(here: Pods, tmp_path: Path) -> None:
    for job in (Job(command=["x"], socket=tmp_path / "s"), Job(command=["x"], kept=KeptFiles(tmp_path / "k"))):
        with pytest.raises(SandboxUnavailable, match="a program in a pod"):
            here.start(job)
    with pytest.raises(SandboxUnavailable, match="cannot be put where pods find them"):
        here.start(Job(command=["x"], writable={Path("/out"): tmp_path / "out"}))
    (tmp_path / "one").write_text("one file")
    (tmp_path / "all").mkdir(mode=0o755)
    (tmp_path / "all" / "one").write_text("one file")
    shown = {Path("/run/fudaba/one"): tmp_path / "one", Path("/all"): tmp_path / "all"}
    job = Job(command=["/bin/cat", "/run/fudaba/one", "/all/one"], read_only=shown)
    _, output = await done(here.start(job))
    assert output == "one fileone file"
    assert not list((here.settings.shared / "pods").rglob("one"))


async def test_a_build_writes_its_one_file(here: Pods) -> None:
    out = here.settings.shared / "built"
    out.touch(mode=0o600)
    job = Job(command=["/bin/sh", "-c", "echo made >/run/out"], writable={Path("/run/out"): out})
    ending, output = await done(here.start(job))
    assert ending.code == 0, output
    assert out.read_text() == "made\n"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"image": "nothing-of-the-kind"}, "ImagePullBackOff: Back-off pulling image"),
        ({"runtime_class": "kata"}, 'RuntimeClass "kata" not found'),
        ({"claim": "nothing-of-the-kind", "start_seconds": 0.5}, "persistentvolumeclaim .* not found"),
    ],
)
async def test_a_pod_that_cannot_run_is_the_clusters_fault(
    cluster: SmallCluster, certificate: tuple[Path, Path], tmp_path: Path, changes: dict[str, Any], why: str
) -> None:
    (tmp_path / "f").touch()
    async with opened(cluster, certificate[0], **changes) as pods:
        ending = await pods.start(Job(command=["/bin/true"], read_only={Path("/f"): tmp_path / "f"})).wait()
    assert ending.cause is Cause.HOST
    assert re.search(why, ending.why), ending.why


async def test_a_pod_that_somebody_else_removes_is_the_clusters_fault(cluster: SmallCluster, here: Pods) -> None:
    running = here.start(python(STAYS))
    await said(running, "here")
    cluster.delete(running.name)
    ending = await running.wait()
    assert (ending.cause, ending.why) == (Cause.HOST, "somebody else has removed its pod, or the cluster has")


async def test_a_cluster_that_does_not_answer_for_a_while_disturbs_no_program(
    cluster: SmallCluster, here: Pods
) -> None:
    code = "import time\nfor number in range(30): print(number, flush=True); time.sleep(0.1)"
    running = here.start(python(code))
    await said(running, "3\n")
    cluster.away = True
    await asyncio.sleep(1.5)
    cluster.away = False
    ending, output = await done(running)
    assert ending.cause is Cause.EXIT
    assert output.split() == [str(number) for number in range(30)]


async def test_pods_that_an_earlier_run_of_the_worker_has_left_are_removed_and_no_others(
    cluster: SmallCluster, certificate: tuple[Path, Path]
) -> None:
    async with opened(cluster, certificate[0], "one") as earlier, opened(cluster, certificate[0], "two") as other:
        left, stays = earlier.start(python(STAYS)), other.start(python(STAYS))
        for program in (left, stays):
            await said(program, "here")
        old = cluster.pods[stays.name].manifest
        async with opened(cluster, certificate[0], "one"):
            await until(lambda: left.name not in cluster.pods, "its pod is gone")
            assert stays.name in cluster.pods
        old["metadata"]["creationTimestamp"] = "2020-01-01T00:00:00Z"
        async with opened(cluster, certificate[0], "three"):
            await until(lambda: stays.name not in cluster.pods, "a pod past its deadline is gone")


async def test_of_programs_killed_at_random_moments_no_pod_is_left(cluster: SmallCluster, here: Pods) -> None:
    async def ended(number: int) -> None:
        running = here.start(python(STAYS))
        await asyncio.sleep(number * 0.05)
        assert (await running.kill()).cause is Cause.KILLED

    await asyncio.gather(*(ended(number) for number in range(10)))
    assert not cluster.pods
    assert not list((here.settings.shared / "pods").glob("*/*"))


async def test_a_worker_without_tls_or_without_leave_says_what_is_missing(
    cluster: SmallCluster, certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(SandboxUnavailable, match="give --tls"):
        async with opened(cluster, certificate[0], service=Endpoint("localhost:7710")):
            pass
    (tmp_path / "token").write_text("of nobody")
    access = Access(cluster.url, "bots", certificate[0], tmp_path / "token")
    with pytest.raises(SandboxUnavailable, match=r"pods cannot be used: the cluster's API refuses \(401\)"):
        await Pods.open(access, SETTINGS, Endpoint("localhost:7710", tls=True), print)
    with pytest.raises(SandboxUnavailable, match="does not run in a pod with a service account"):
        Access.in_cluster()


async def test_a_submitted_bot_plays_a_match_from_its_pod(
    cluster: SmallCluster, certificate: tuple[Path, Path]
) -> None:
    cert, key = certificate
    program = Program(
        "s-1", "good", "bot.tar.gz", "0" * 64, Manifest("good", ("naga",), "python", ("python3", "bot.py"))
    )
    folder = cluster.shared / "0000"
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    port = free_port()
    options = ("--tls-cert", str(cert), "--tls-key", str(key), "--seats-listen", f"127.0.0.1:{port}")
    with short_folder() as place, Service(place, *options) as service:
        address = f"localhost:{service.start().address.rpartition(':')[2]}"
        endpoint = Endpoint(address, ca_cert=str(cert))
        async with (
            opened(cluster, cert, service=endpoint, service_address=f"localhost:{port}") as pods,
            Organiser(address, service.token, grpc.ssl_channel_credentials(cert.read_bytes())) as organiser,
        ):
            entrant = await organiser.entrant("good")
            run = SeatRun(pods, endpoint, program, RUNTIME, folder, Limits(), NoLog())
            seats = [matches_pb2.Seat(caller=matches_pb2.Seat.Caller()), matches_pb2.Seat(house_bot="house-random")]
            request = matches_pb2.CreateMatchRequest(game="naga", seats=seats, clock=PATIENT)
            made = await organiser.matches.CreateMatch(request, metadata=bearer(entrant.token))
            token = await organiser.match_token(made.match.header.match_id, 0)
            task = asyncio.create_task(run.run(token))
            record = await organiser.record(made.match.header.match_id)
            task.cancel()
            await asyncio.wait([task])
            assert set(kinds(record, 0)) == {"ready", "move"}, (kinds(record), run.said)
            [allowed] = [policy["spec"]["egress"][0]["ports"][0]["port"] for policy in cluster.policies.values()]
            assert allowed == port, "it reaches the port for seats, and no other"
    assert not cluster.pods


async def test_a_seat_whose_pod_the_cluster_ends_is_no_fault_of_the_bots(cluster: SmallCluster, here: Pods) -> None:
    program = Program(
        "s-1", "good", "bot.tar.gz", "1" * 64, Manifest("good", ("naga",), "python", ("python3", "bot.py"))
    )
    folder = cluster.shared / "1111"
    folder.mkdir()
    (folder / "bot.py").write_text(STAYS)
    run = SeatRun(here, Endpoint("localhost:1", tls=True), program, RUNTIME, folder, Limits(), NoLog())
    task = asyncio.create_task(run.run("token"))
    await until(
        lambda: any("running" in json.dumps(pod.manifest.get("status")) for pod in cluster.pods.values()), "it runs"
    )
    [name] = cluster.pods
    cluster.set_status(name, phase="Failed", reason="Evicted", message="The node was low on resource: memory.")
    with pytest.raises(ArenaError, match="low on resource"):
        await task
