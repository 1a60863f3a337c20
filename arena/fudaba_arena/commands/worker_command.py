"""`fudaba arena worker`."""

from __future__ import annotations

import asyncio
import logging
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fudaba.address import is_host_port
from fudaba.cli.connection import Connection, connection_options
from fudaba_serving.commands.process_count import cores

if TYPE_CHECKING:
    from fudaba_arena.sandbox.pod_manifest import PodSettings

__all__ = ["worker"]

_CORES = os.cpu_count() or 1
_HELP_TOKEN = "make one of scope arena: fudaba token create --scope arena --output worker.token"  # noqa: S105  # how to


def _labels(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Parses labels, given as `KEY=VALUE`."""
    labels = dict(label.split("=", 1) for label in given if "=" in label)
    if len(labels) != len(given):
        raise click.BadParameter("write KEY=VALUE, each key once, for example app=fudaba")
    return labels


def _host(_: click.Context, __: click.Parameter, given: str) -> str:
    """Returns the name of a host."""
    if not re.fullmatch(r"[A-Za-z0-9._:-]{0,64}", given):
        raise click.BadParameter("write at most 64 of letters, digits, '.', '_', ':' and '-', for example rack-1")
    return given


@click.command(epilog="Exit codes: 0 stopped, 1 cannot start, 2 wrong usage.", short_help="Play blocks for an arena.")
@connection_options
@click.option("--redis", envvar="FUDABA_ARENA_REDIS", show_envvar=True, metavar="URL",
              help="The URL of the arena's Redis, as given to `fudaba arena serve --redis`.")  # fmt: skip
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), envvar="FUDABA_ARENA_DATA", show_envvar=True,
              help="On the arena's machine: the arena's data folder, with the store that it runs. With --redis: only "
              "the folder for logs.")  # fmt: skip
@click.option("--blocks", type=click.IntRange(1, 1000), default=32, show_default=True,
              envvar="FUDABA_ARENA_WORKER_BLOCKS", show_envvar=True, help="The number of blocks played at once."
              )  # fmt: skip
@click.option("--bots", type=click.IntRange(1, 10_000), default=8 * _CORES, envvar="FUDABA_ARENA_WORKER_BOTS",
              show_envvar=True, help="The number of seats in which bots that the worker starts play at once. Remote "
              "bots do not count.  [default: 8 for each core]")  # fmt: skip
@click.option("--cores", type=click.FloatRange(0.1, 1024), default=cores(), envvar="FUDABA_ARENA_WORKER_CORES",
              show_envvar=True, help="The number of cores for submitted bots on ladders that give each seat its own "
              "cores (cores_per_seat). It limits how many such matches are played at once. Workers on one machine "
              "share its cores.  [default: the cores that the worker may run on]")  # fmt: skip
@click.option("--commands", type=click.Path(path_type=Path, file_okay=False, exists=True, resolve_path=True),
              envvar="FUDABA_ARENA_COMMANDS", show_envvar=True, metavar="FOLDER",
              help="Start the bots that tournaments give as commands, in this folder; see `fudaba arena serve "
              "--help`. Without this option, other workers play blocks with such bots.")  # fmt: skip
@click.option("--submissions", envvar="FUDABA_ARENA_SUBMISSIONS", show_envvar=True, metavar="PLACE",
              help="Where the arena keeps submissions: a folder, or a URL.  [default: `submissions` in --data; "
              "otherwise the place that the arena announces]")  # fmt: skip
@click.option("--programs", type=click.Path(path_type=Path, file_okay=False), envvar="FUDABA_ARENA_PROGRAMS",
              show_envvar=True, help="The folder in which submissions are unpacked and built.  [default: `programs` "
              "in --data; fudaba-programs without it]")  # fmt: skip
@click.option("--program-megabytes", type=click.IntRange(1), default=20_000, show_default=True, metavar="MB",
              envvar="FUDABA_ARENA_PROGRAM_MEGABYTES", show_envvar=True,
              help="The maximum size of that folder. The programs used longest ago are removed first, but never one "
              "that is in use."
              )  # fmt: skip
@click.option("--config", type=click.Path(path_type=Path, dir_okay=False, exists=True, resolve_path=True),
              envvar="FUDABA_ARENA_WORKER_CONFIG", show_envvar=True, metavar="FILE",
              help="The worker's file, which adds runtimes to those that the worker finds; see "
              "docs/workers.md.")  # fmt: skip
@click.option("--host", default="", envvar="FUDABA_ARENA_WORKER_HOST", show_envvar=True, metavar="NAME", callback=_host,
              help="The name of the machine whose caches this worker shares. The next sitting of a deal with "
              "submitted bots goes to a worker with another name, if one has room; see docs/workers.md.  [default: "
              "the kernel's id, the same in all its containers; unknown with --pod-image]")  # fmt: skip
@click.option("--pod-image", default="", envvar="FUDABA_ARENA_POD_IMAGE", show_envvar=True, metavar="IMAGE",
              help="Run each submitted bot in a pod of the worker's Kubernetes cluster, with this image, which is the "
              "worker's own. See docs/pods.md.")  # fmt: skip
@click.option("--pod-claim", default="", envvar="FUDABA_ARENA_POD_CLAIM", show_envvar=True, metavar="NAME",
              help="The volume claim of the folder --programs, which all nodes can mount.")  # fmt: skip
@click.option("--pod-runtime-class", default="gvisor", show_default=True, envvar="FUDABA_ARENA_POD_RUNTIME_CLASS",
              show_envvar=True, metavar="NAME", help="What isolates the pods.")  # fmt: skip
@click.option("--pod-service-label", "pod_service_labels", multiple=True, metavar="KEY=VALUE",
              envvar="FUDABA_ARENA_POD_SERVICE_LABEL", show_envvar=True, callback=_labels,
              help="A label of the service's pods, if the service runs in the same cluster; repeatable. Bots can "
              "reach only these pods.")  # fmt: skip
@click.option("--pod-server", default="", envvar="FUDABA_ARENA_POD_SERVER", show_envvar=True, metavar="HOST:PORT",
              help="The only address of the service that bots in pods can reach: its --seats-listen, which serves "
              "only their seats.  [default: --server]")  # fmt: skip
@click.option("--unsafe-no-sandbox", is_flag=True, help="Run submitted bots UNPROTECTED, with all rights of this "
              "worker. Use it only to try things on your own machine, with a service that runs there.")  # fmt: skip
@click.option("--logs", type=click.Path(path_type=Path, file_okay=False), envvar="FUDABA_ARENA_WORKER_LOGS",
              show_envvar=True, help="The folder for the output of the bots that the worker starts.  [default: "
              "logs/workers in --data; fudaba-worker without it]")  # fmt: skip
@click.option("--log-days", type=click.FloatRange(0), default=30.0, show_default=True,
              envvar="FUDABA_ARENA_WORKER_LOG_DAYS", show_envvar=True, metavar="DAYS",
              help="How long to keep a bot's output from a match; 0: forever.")  # fmt: skip
@click.option("--log-megabytes", type=click.IntRange(0), default=1024, show_default=True,
              envvar="FUDABA_ARENA_WORKER_LOG_MEGABYTES", show_envvar=True, metavar="MB",
              help="The maximum size of that output; the oldest is removed first. 0: no limit.")  # fmt: skip
@click.option("--late", type=click.FloatRange(0.01, 3600), default=1.0, show_default=True, metavar="SECONDS",
              envvar="FUDABA_ARENA_WORKER_LATE", show_envvar=True,
              help="How long the probe bot, which answers at once, may take before its answer counts as late. While "
              "its answers stay late, the worker stops. Lower it for clocks of few seconds a move.")  # fmt: skip
@click.option("--metrics", envvar="FUDABA_ARENA_WORKER_METRICS", show_envvar=True, metavar="HOST:PORT",
              help="Serve Prometheus metrics at this address, under /metrics.")  # fmt: skip
@click.option("--grace", type=click.FloatRange(0, 3600), default=10.0, show_default=True, metavar="SECONDS",
              help="How long matches in play may take to end after a stop.")  # fmt: skip
@click.option("--heartbeat", type=click.FloatRange(0.5, 3600), default=15.0, show_default=True, metavar="SECONDS",
              envvar="FUDABA_ARENA_WORKER_HEARTBEAT", show_envvar=True,
              help="How long a worker may be silent before it counts as dead. All workers need the same value."
              )  # fmt: skip
@click.option("--probe", is_flag=True, help="Play nothing. Try which limits this host enforces on a program in a "
              "sandbox, and print a line for each. Needs no token.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the results of --probe as JSON.")
def worker(
    connection: Connection,
    redis: str | None,
    data: Path | None,
    metrics: str | None,
    *,
    submissions: str | None,
    programs: Path | None,
    program_megabytes: int,
    config: Path | None,
    pod_image: str,
    pod_claim: str,
    pod_runtime_class: str,
    pod_service_labels: dict[str, str],
    pod_server: str,
    unsafe_no_sandbox: bool,
    probe: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Play blocks for an arena that was started with --workers. Any number of workers may run, on any machines.

    Needs a token of scope arena. Stop it with Ctrl-C or SIGTERM (twice: at once); other workers finish its blocks.
    With --probe the exit code is 0 if everything holds, 1 if anything does not.

    \b
    Examples:
      fudaba arena worker --server play.example.org:7710 --tls --redis rediss://example.org --token-file worker.token
      fudaba arena worker --data ~/fudaba-arena --token-file worker.token
      fudaba arena worker --probe
      fudaba arena worker --probe --server play:7710 --tls --programs /p --pod-claim programs --pod-image fudaba:1
    """
    pods = _pods(pod_image, pod_claim, pod_runtime_class, pod_service_labels, programs, connection.server, pod_server)
    if probe:
        sys.exit(_probe(connection, pods, as_json=as_json))
    _check(connection, redis, data, pods, unsafe=unsafe_no_sandbox, as_json=as_json)
    from fudaba_arena.workers.sandbox_setup import SandboxSettings

    home = data if redis is None else None
    given["sandbox"] = SandboxSettings(
        folder=(programs or (data / "programs" if data is not None else Path("fudaba-programs"))).resolve(),
        most_bytes=program_megabytes * 1_000_000,
        submissions=submissions or (str(home / "submissions") if home is not None else ""),
        unsafe=unsafe_no_sandbox,
        file=config,
        pods=pods,
    )
    given["logs"] = given["logs"] or (data / "logs" / "workers" if data is not None else Path("fudaba-worker"))
    given["heartbeat_seconds"], given["late_seconds"] = given.pop("heartbeat"), given.pop("late")
    given["grace_seconds"] = given.pop("grace")
    sys.exit(_play(connection, redis, home, metrics, given))


def _probe(connection: Connection, pods: PodSettings | None, *, as_json: bool) -> int:
    """Tries what this host can enforce. Returns the command's exit code."""
    from fudaba.client import Endpoint
    from fudaba_arena.commands.probe_option import show_probe

    endpoint = Endpoint(connection.server, tls=connection.tls, ca_cert=connection.ca_cert)
    return asyncio.run(show_probe(pods, endpoint, as_json=as_json))


def _play(
    connection: Connection, redis: str | None, data: Path | None, metrics: str | None, given: dict[str, Any]
) -> int:
    """Plays until stopped, see `work`. Returns the command's exit code."""
    from fudaba_serving.process import open_files
    from fudaba_serving.process.runner import log_to_stderr, runner

    log_to_stderr(logging.INFO)
    for name in ("dramatiq", "dramatiq.worker"):
        logging.getLogger(name).setLevel(logging.ERROR)
    open_files.raise_limit()
    with runner("fudaba_arena.commands.worker_process") as loop:
        from fudaba_arena.commands.worker_process import work

        return loop.run(work(connection, redis, data, metrics, given))


def _check(
    connection: Connection,
    redis: str | None,
    data: Path | None,
    pods: PodSettings | None,
    *,
    unsafe: bool,
    as_json: bool,
) -> None:
    """Refuses options that a playing worker lacks, and those that it cannot use."""
    if as_json:
        raise click.UsageError("--json goes with --probe: a worker that plays prints nothing for programs")
    _check_store(redis, data)
    if not connection.token:
        raise click.UsageError(f"a worker needs a token: give --token-file, or set FUDABA_TOKEN; {_HELP_TOKEN}")
    if unsafe:
        _check_unsafe(connection.server, pods)


def _check_store(redis: str | None, data: Path | None) -> None:
    """Refuses a store that the worker cannot reach."""
    if redis is not None and redis.startswith("unix:"):
        raise click.UsageError(
            "a store on a unix socket can be reached on its own machine only. There, name the arena's folder with"
            " --data; for other machines start `fudaba arena serve` with --redis and the URL of a server that they can"
            " reach"
        )
    if redis is None and data is None:
        raise click.UsageError(
            "name the arena's store: give --redis URL, the same as for `fudaba arena serve`; or, on the same machine, "
            "--data with the arena's folder"
        )


def _check_unsafe(server: str, pods: PodSettings | None) -> None:
    """Refuses --unsafe-no-sandbox with pods, and with a service on another machine."""
    if pods is not None:
        raise click.UsageError("--unsafe-no-sandbox and --pod-image are two ways to run bots: give one of them")
    if not _is_here(server):
        raise click.UsageError(
            "--unsafe-no-sandbox is for a service on this machine: name one on 127.0.0.1, localhost or a unix socket"
        )


def _pods(
    image: str,
    claim: str,
    runtime_class: str,
    labels: dict[str, str],
    programs: Path | None,
    server: str,
    pod_server: str,
) -> PodSettings | None:
    """Returns the settings for running bots in pods; None if they run elsewhere."""
    from fudaba_arena.sandbox.pod_manifest import PodSettings

    if not image:
        if claim or labels or pod_server:
            raise click.UsageError("--pod-claim, --pod-service-label and --pod-server go with --pod-image")
        return None
    if not claim or programs is None:
        raise click.UsageError(
            "--pod-image needs a volume that workers and pods share: give --pod-claim and --programs"
        )
    if pod_server and not is_host_port(pod_server):
        raise click.UsageError(
            f"--pod-server {pod_server}: write HOST:PORT, the service's --seats-listen as pods see it"
        )
    for address in filter(None, (server, pod_server)):
        if _is_here(address):
            raise click.UsageError(f"no pod reaches a service at {address}: name it by its network address, with --tls")
    return PodSettings(
        image=image,
        claim=claim,
        shared=programs.resolve(),
        runtime_class=runtime_class,
        service_labels=labels,
        service_address=pod_server,
    )


def _is_here(server: str) -> bool:
    """Returns whether a service is on this machine, judging by its address."""
    return server.startswith(("unix:", "127.0.0.1:", "localhost:", "[::1]:"))
