"""The values of an arena's metrics."""

from __future__ import annotations

import http.client
import urllib.request

from tests.support.patience import PATIENCE, wait_until


def scrape(port: int) -> str:
    """Returns the page; empty where there is none yet, or none any more."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
            return str(answer.read().decode())
    except (OSError, http.client.HTTPException):
        return ""


def value(scraped: str, name: str) -> float:
    [found] = _values(scraped, name)
    return found


def value_at(port: int, name: str) -> float:
    """Returns a value of the page as it is now, once there is one."""
    [found] = wait_until(lambda: _values(scrape(port), name), f"the metrics tell {name}")
    return float(found)


def _values(scraped: str, name: str) -> list[float]:
    return [float(line.split()[-1]) for line in scraped.splitlines() if line.startswith(f"{name} ")]
