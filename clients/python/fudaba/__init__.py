"""Fudaba for authors of bots: a bot is a class with one method.

    import fudaba

    class MyBot(fudaba.Bot):
        def choose(self, decision):
            return decision.legal_moves[0]

`fudaba match local naga --bot mybot.py:MyBot --bot random` plays it here; `fudaba bot run mybot.py:MyBot` on a service.
Importing this module is cheap: gRPC and protobuf are loaded when something that needs them is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from fudaba._forking import guard

if TYPE_CHECKING:
    from fudaba._play_options import PlayOptions
    from fudaba._stream import play, run
    from fudaba.bot import Answer, Bot, Decision, MatchInfo, Refusal, Result
    from fudaba.client import AsyncClient, Client
    from fudaba.errors import BadAddress, BotNotLoaded, FudabaError, ServiceError
    from fudaba.local import play_local

__all__ = [
    "Answer",
    "AsyncClient",
    "BadAddress",
    "Bot",
    "BotNotLoaded",
    "Client",
    "Decision",
    "FudabaError",
    "MatchInfo",
    "PlayOptions",
    "Refusal",
    "Result",
    "ServiceError",
    "__version__",
    "play",
    "play_local",
    "run",
]

_HOMES: Final = {
    "Answer": "fudaba.bot",
    "AsyncClient": "fudaba.client",
    "BadAddress": "fudaba.errors",
    "Bot": "fudaba.bot",
    "BotNotLoaded": "fudaba.errors",
    "Client": "fudaba.client",
    "Decision": "fudaba.bot",
    "FudabaError": "fudaba.errors",
    "MatchInfo": "fudaba.bot",
    "PlayOptions": "fudaba._play_options",
    "Refusal": "fudaba.bot",
    "Result": "fudaba.bot",
    "ServiceError": "fudaba.errors",
    "play": "fudaba._stream",
    "play_local": "fudaba.local",
    "run": "fudaba._stream",
}

__version__: str

guard()  # gRPC reads what this sets when it is loaded


def __getattr__(name: str) -> object:
    """Loads a public name from its home when it is first used (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - reading the metadata costs more than this module

        value: object = version("fudaba")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    else:
        raise AttributeError(f"module 'fudaba' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
