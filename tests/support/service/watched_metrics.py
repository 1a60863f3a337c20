"""Metrics watched while a test runs."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.support.patience import PATIENCE
from tests.support.service.processes import Service, free_port


class Watched:
    """A service whose metrics are read."""

    def __init__(self, folder: Path, *options: str) -> None:
        self._port = free_port()
        self.service = Service(folder, "--metrics", f"127.0.0.1:{self._port}", *options)

    def samples(self) -> dict[str, float]:
        """Returns every sample, by its name and its labels' values in the order of the labels' names."""
        with urlopen(f"http://127.0.0.1:{self._port}/metrics", timeout=PATIENCE) as answer:
            text = answer.read().decode()
        return {
            ",".join([sample.name, *(value for _, value in sorted(sample.labels.items()))]): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def value(self, name: str) -> float:
        return self.samples()[name]


def store_pid(service: Service) -> int:
    """Returns the process of a service's embedded store."""
    import redis as client

    with client.Redis(unix_socket_path=str(service.data / "store" / "valkey.sock")) as store:
        return int(store.info("server")["process_id"])
