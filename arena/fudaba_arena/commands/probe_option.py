"""`fudaba arena worker --probe`."""

from __future__ import annotations

from dataclasses import asdict

from fudaba.cli.output import print_json, say, say_text, table
from fudaba.client import Endpoint
from fudaba.safe_text import safe_line
from fudaba_arena.sandbox.leftovers import sweep
from fudaba_arena.sandbox.pod_manifest import PodSettings
from fudaba_arena.sandbox.pod_probe import NOT_ENFORCED, probe_pods
from fudaba_arena.sandbox.probe import Finding, probe

__all__ = ["show_probe"]


async def show_probe(pods: PodSettings | None, service: Endpoint, *, as_json: bool) -> int:
    """Tries what this host or its cluster can enforce, and prints it. Returns the exit code."""
    found = await (probe_pods(pods, service) if pods is not None else _probe_host())
    holds = all(finding.holds for finding in found)
    if as_json:
        report = {"holds": holds, "findings": [asdict(finding) for finding in found]}
        print_json(report if pods is None else report | {"not_enforced": [*NOT_ENFORCED]})
    else:
        rows = [
            ["holds" if finding.holds else "FAILS", finding.name, finding.promise, safe_line(finding.detail)]
            for finding in found
        ]
        say_text(table(["", "what", "promise", "seen"], rows))
        where = "This host" if pods is None else "This cluster"
        say(f"{where} {'can' if holds else 'must not'} run programs from strangers.")
        if pods is not None:
            say(f"Not enforced on pods: {', '.join(NOT_ENFORCED)}; see docs/pods.md.")
    return 0 if holds else 1


async def _probe_host() -> list[Finding]:
    try:
        sweep()
    except OSError as error:
        say(f"what an earlier sandbox has left cannot be removed: {error}", err=True)
    return await probe()
