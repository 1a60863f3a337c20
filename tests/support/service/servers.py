"""The servers that a store may run on: the wheel's Valkey, which is everybody's default, and what is on PATH."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from fudaba_serving.redis import server_executable

_REDIS: Final = "redis-server"


def store_server() -> Path:
    """Returns the server for a test that does not care which one it is: the wheel's, or else the best on PATH."""
    return server_executable._in_wheel() or server_executable.executable()


def each_server(options: Iterable[str] = ()) -> list[Any]:
    """Parameters for what runs on Valkey and on Redis, with each of the options; `executable_of` reads them.

    A sample is content with Valkey. Redis is left out where it is absent, and counted (`tests/support/tools.py`);
    with CI=true such a test fails.
    """
    on_redis = (pytest.mark.also_on(_REDIS), pytest.mark.exhaustive)
    return [
        pytest.param("-".join(filter(None, (kind, option))), marks=marks)
        for kind, marks in (("valkey", ()), ("redis", on_redis))
        for option in (list(options) or [""])
    ]


def executable_of(parameter: str) -> Path:
    """Returns the executable for a parameter of `each_server`."""
    if not parameter.startswith("redis"):
        return store_server()
    found = shutil.which(_REDIS)
    if found is None:
        pytest.fail(f"{_REDIS} is not on PATH; with CI=true every tool has to be there")
    return Path(found)
