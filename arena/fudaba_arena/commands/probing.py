"""`fudaba arena worker --probe`."""

from __future__ import annotations

from dataclasses import asdict

from fudaba.cli.output import print_json, say, say_text, table
from fudaba.safe_text import safe_line
from fudaba_arena.sandbox.leftovers import sweep
from fudaba_arena.sandbox.probe import probe

__all__ = ["show_probe"]


async def show_probe(*, as_json: bool) -> int:
    """Tries what this host can enforce and prints it; the exit code."""
    try:
        sweep()
    except OSError as error:
        say(f"what an earlier sandbox has left cannot be removed: {error}", err=True)
    found = await probe()
    holds = all(one.holds for one in found)
    if as_json:
        print_json({"holds": holds, "findings": [asdict(one) for one in found]})
    else:
        rows = [["holds" if one.holds else "FAILS", one.name, one.promise, safe_line(one.detail)] for one in found]
        say_text(table(["", "what", "promise", "seen"], rows))
        say(
            "This host can run programs from strangers." if holds else "This host must not run programs from strangers."
        )
    return 0 if holds else 1
