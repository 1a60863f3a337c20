"""The modules that `forked.py` has imported before it forks: those of services and arenas, and all games.

And it has looked up what each of them would look up as it starts.
"""

from __future__ import annotations

import gc
import os
from functools import cache
from importlib import import_module, metadata

# As `fudaba` does before it loads gRPC; and no threads of numpy's, which a fork would lose.
os.environ |= {"GRPC_VERBOSITY": "NONE", "OPENBLAS_NUM_THREADS": "1"}

gc.disable()  # no garbage comes of imports
# What is installed stays so while the tests run. Modules that import these by name come below.
metadata.version = cache(metadata.version)
for name in (
    "fudaba_arena.commands.audit",
    "fudaba_arena.commands.cli",
    "fudaba_arena.commands.reports",
    "fudaba_arena.commands.run",
    "fudaba_arena.commands.serve_command",
    "fudaba_arena.api.server",
    "fudaba_arena.commands.worker_process",
    "fudaba_service.cli",
    "fudaba_service.processes.several",
    "fudaba_service.startup.server",
    "fudaba_web.logins",
    "fudaba_web.server",
    "uvloop",
):
    import_module(name)
for game in import_module("fudaba_games.registry").GAMES.values():
    import_module(f"fudaba.codec.{game.id}")
for distribution in ("fudaba", "redis"):
    metadata.version(distribution)
import_module("fudaba.cli._added_commands").added_commands(import_module("fudaba.cli._group").ENTRY_POINTS)
import_module("fudaba_service.sessions.snapshot").release()
gc.freeze()  # what is imported stays: no process that is forked looks through it
gc.enable()
