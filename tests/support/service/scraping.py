"""A service's metrics, once they have settled."""

from __future__ import annotations

import asyncio
import time
from urllib.request import urlopen

from prometheus_client.parser import text_string_to_metric_families

from tests.support.patience import PATIENCE
from tests.support.service.processes import Service


def fetch(service: Service) -> str:
    with urlopen(f"http://127.0.0.1:{service.metrics_port}/metrics") as response:
        return str(response.read().decode())


async def scrape(service: Service) -> dict[str, float]:
    """Returns every sample, summed over the games: its labels without the game in its name."""
    found: dict[str, float] = {}
    for family in text_string_to_metric_families(await asyncio.to_thread(fetch, service)):
        for sample in family.samples:
            labels = ",".join(value for key, value in sample.labels.items() if key not in {"game", "le"})
            if "le" not in sample.labels:
                name = f"{sample.name}{{{labels}}}" if labels else sample.name
                found[name] = found.get(name, 0) + sample.value
    return found


async def settled(service: Service | list[Service], name: str, value: float, *, other: bool = False) -> None:
    """Waits until a metric, or its sum over several services, has a value, or any other one."""
    services = service if isinstance(service, list) else [service]
    deadline = time.monotonic() + PATIENCE
    while True:
        found = sum([(await scrape(each)).get(name, 0) for each in services])
        if (found == value) != other:
            return
        assert time.monotonic() < deadline, f"{name} is {found} and never became {'another' if other else value}"
        await asyncio.sleep(0.05)
