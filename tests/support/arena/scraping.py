"""The values of an arena's metrics."""

from __future__ import annotations

import http.client
import urllib.request

from tests.support.patience import PATIENCE


def scrape(port: int) -> str:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as answer:
            return str(answer.read().decode())
    except (OSError, http.client.HTTPException):  # not yet, or no longer
        return ""


def value(scraped: str, name: str) -> float:
    return next(float(line.split()[-1]) for line in scraped.splitlines() if line.startswith(f"{name} "))
