"""The parts of deploy/compose.yaml as processes of this machine: its Redis, service, arena, worker and Prometheus."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final, final
from urllib.parse import urlencode
from urllib.request import urlopen

from tests.support.deploy.deployment import ALERTS, DEPLOY, PROMETHEUS, compose, image_environment, read_yaml
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, wait_until
from tests.support.service.processes import FUDABA, Process, RedisServer, free_port
from tests.support.sizes import exhaustive

SCRAPE_SECONDS: Final = 1
BLOCKS: Final = 6 if exhaustive() else 3
"""The number of blocks of the demo's tournament for each game here: some seconds of play."""
METRICS: Final = {
    "fudaba": "FUDABA_METRICS",
    "fudaba-arena": "FUDABA_ARENA_METRICS",
    "fudaba-worker": "FUDABA_ARENA_WORKER_METRICS",
}
"""The variable that says where the targets of a job serve their metrics."""
GAMES: Final = ("naga", "napoleon")
"""The games that are played."""


def short(demo: str) -> str:
    """Returns a shorter tournament file than the demo's."""
    entries = re.split(r"^(?=\[\[)", demo, flags=re.MULTILINE)
    left_out = [
        entry for entry in entries if entry.startswith("[[games]]") and not any(f'"{game}"' in entry for game in GAMES)
    ]
    kept = "".join(entry for entry in entries if entry not in left_out)
    return re.sub(r"^blocks = \d+", f"blocks = {BLOCKS}", kept, flags=re.MULTILINE)


@final
class Prometheus(Process):
    """A Prometheus with the shipped rules and configuration, but for where its targets are and how often it looks."""

    def __init__(self, folder: Path, executable: Path, targets: Mapping[str, str]) -> None:
        super().__init__(folder, "prometheus")
        self._executable = executable
        self._port = free_port()
        config = read_yaml(PROMETHEUS)
        config["global"] = dict.fromkeys(("scrape_interval", "evaluation_interval"), f"{SCRAPE_SECONDS}s")
        for job in config["scrape_configs"]:
            job.pop("dns_sd_configs", None)
            job["static_configs"] = [{"targets": [targets.get(job["job_name"], f"127.0.0.1:{self._port}")]}]
        shutil.copy(ALERTS, folder)
        (folder / "prometheus.yml").write_text(json.dumps(config))  # which is YAML too

    def start(self) -> None:
        """Starts it, and returns when it answers."""
        self.launch([
            str(self._executable), f"--config.file={self.folder}/prometheus.yml",
            f"--storage.tsdb.path={self.folder}/prometheus-data", f"--web.listen-address=127.0.0.1:{self._port}",
        ])  # fmt: skip
        wait_until(self._ready, "the start of Prometheus")

    def _ready(self) -> bool:
        assert self.running, self.log
        try:
            with urlopen(f"http://127.0.0.1:{self._port}/-/ready", timeout=PATIENCE) as answer:
                return int(answer.status) == 200
        except (OSError, HTTPException):  # not yet, or it takes long to answer
            return False

    def ask(self, path: str, **parameters: object) -> Any:
        """Returns what its API answers."""
        url = f"http://127.0.0.1:{self._port}/api/v1/{path}?{urlencode(parameters)}"
        with urlopen(url, timeout=PATIENCE) as answer:
            found = json.load(answer)
        assert found["status"] == "success", found
        return found["data"]

    def values(self, expression: str, seconds: float) -> list[float]:
        """Returns every finite value that an expression had in the latest this many seconds."""
        now = time.time()
        series = self.ask("query_range", query=expression, start=now - seconds, end=now, step=SCRAPE_SECONDS)["result"]
        return [value for curve in series for _, text in curve["values"] if math.isfinite(value := float(text))]

    def up(self) -> set[str]:
        """Returns the jobs of which a target answered the latest time."""
        found = self.ask("query", query="up == 1")["result"]
        return {sample["metric"]["job"] for sample in found}

    def alerts(self) -> dict[str, str]:
        """Returns the states, pending or firing, of the alerts that have one."""
        return {alert["labels"]["alertname"]: alert["state"] for alert in self.ask("alerts")["alerts"]}


@final
@dataclass
class Stack:
    """The running parts."""

    redis: RedisServer
    service: Process
    prometheus: Prometheus
    start: Callable[[str], Process]
    """Starts another part, by its name in the compose file."""
    command: Callable[..., str]
    """Runs a command of `fudaba` as an organiser gives it in the service's container. Returns its output."""


@final
class _Containers:
    """The parts of the compose file as processes of this machine, which share a folder."""

    def __init__(self, services: Any, place: Path, redis: RedisServer, arena_redis: RedisServer) -> None:
        self._services = services
        self._place = place
        own = image_environment().values()
        self.listens = {address: f"127.0.0.1:{free_port()}" for address in own if ":" in address}
        """The address at which this machine has what a container has at its own."""
        self._found = (
            (services["service"]["environment"]["FUDABA_REDIS"], redis.url),
            (services["arena"]["environment"]["FUDABA_ARENA_REDIS"], arena_redis.url),
            ("/run/fudaba-arena", str(place)),
            ("/run/fudaba-gateway", str(place)),
            ("/run/fudaba", str(place)),
            ("/tournaments", str(place / "tournaments")),
            *self.listens.items(),
            ("service:7710", self.listens["0.0.0.0:7710"]),
            ("arena:7711", self.listens["0.0.0.0:7711"]),
        )

    def here(self, text: str) -> str:
        """Returns a value of the containers as this machine has it."""
        for there, found in self._found:
            text = text.replace(there, found)
        return text

    def environment(self, name: str) -> dict[str, str]:
        """Returns the environment of a part."""
        own = image_environment() | self._services[name]["environment"]
        # Each container has folders of its own under these paths.
        folders = {
            key: str(self._place / f"{name}-{Path(value).name}")
            for key, value in own.items()
            if value.startswith("/var/lib")
        }
        # Off by default: an operator who has backups tested turns it on, and is shown their age then.
        stamp = {"FUDABA_BACKUP_STAMP": str(self._place / "tested.json")} if name == "service" else {}
        return {key: self.here(value) for key, value in own.items()} | folders | stamp


@contextmanager
def stack(prometheus: Path) -> Iterator[Stack]:
    """Starts both Redis, service and Prometheus as compose.yaml says. All parts have ended when the block is left."""
    services = compose()["services"]
    with ExitStack() as ends:
        place = ends.enter_context(short_folder())

        def store(name: str) -> RedisServer:
            folder = ends.enter_context(short_folder())
            return ends.enter_context(RedisServer(folder, *_options(services[name]))).start()

        redis, arena_redis = store("redis"), store("arena-redis")
        shutil.copytree(DEPLOY.parent / "docs" / "examples", place / "tournaments")
        demo = place / "tournaments" / "demo.toml"
        demo.write_text(short(demo.read_text()))

        containers = _Containers(services, place, redis, arena_redis)

        def start(name: str) -> Process:
            process = ends.enter_context(Process(place, name))
            process.launch(
                [str(FUDABA), *map(containers.here, services[name]["command"])], containers.environment(name)
            )
            return process

        def command(*words: str) -> str:
            given = os.environ | containers.environment("service")
            done = subprocess.run(
                [FUDABA, *map(containers.here, words)], env=given, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, done.stderr
            return done.stdout

        watching = Prometheus(place, prometheus, {
            job: containers.listens[image_environment()[variable]] for job, variable in METRICS.items()
        })  # fmt: skip
        service = start("service")
        wait_until(lambda: "fudaba serves on" in service.log or not service.running, "the start of the service")
        assert service.running, service.log
        ends.enter_context(watching).start()
        yield Stack(redis, service, watching, start, command)


def _options(service: Any) -> list[str]:
    """Reads the options of a Redis in the compose file, but for its folder."""
    options = list(service["command"][1:])
    at = options.index("--dir")
    return options[:at] + options[at + 2 :]
