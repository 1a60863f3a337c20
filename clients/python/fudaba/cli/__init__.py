"""The command `fudaba`.

The kit's own commands are listed in `_group.py`, those of other packages are found by entry points; all are loaded when
used.
"""

from __future__ import annotations

import os

from fudaba.cli._group import cli

__all__ = ["cli", "main"]


def main() -> None:
    """Runs the command line."""
    # gRPC's own log tells on standard error what the commands tell better. It reads this when it is loaded.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    cli(prog_name="fudaba")
