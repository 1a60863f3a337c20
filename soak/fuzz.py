"""Sends hostile messages and broken frames to every method of a running service, and reports the result."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence

from tests.support.folders import short_folder
from tests.support.hostile.campaign import Campaign, Finding
from tests.support.hostile.messages import METHODS
from tests.support.service.processes import Service

_MAX_GROWTH_MB = 32
_MESSAGES_PER_MISUSE = 10
"""One message in this many is sent with rights, and as many more in broken frames."""


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Returns the options of the command line."""
    parser = argparse.ArgumentParser(prog="scripts/soak fuzz", description=__doc__)
    parser.add_argument("--messages", type=int, default=100_000, help="messages to each method (default: 100,000)")
    parser.add_argument(
        "--method", action="append", choices=sorted(METHODS), help="send to this method only; repeatable"
    )
    parser.add_argument("--seed", type=int, help="seed of the messages; a run with the same seed sends the same ones")
    return parser.parse_args(arguments)


def say(line: str) -> None:
    """Prints the progress."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def report(label: str, campaign: Campaign, began: float) -> None:
    """Prints the outcome of a part."""
    summary = ", ".join(f"{outcome} {count}" for outcome, count in campaign.outcomes.most_common())
    seconds = time.monotonic() - began
    say(f"{label}: {seconds:.0f} s, {campaign.memory()} MB, {campaign.files()} files: {summary}")


async def fuzz(service: Service, names: Sequence[str], messages: int, seed: int) -> int:
    """Runs all parts. Returns the exit status."""
    async with Campaign(service, seed) as campaign:
        for name in names:
            # Whatever is built at first use is not growth.
            await campaign.strike(METHODS[name], max(200, messages // 20))
            await campaign.break_frames(METHODS[name], 200)
        before, files = campaign.memory(), campaign.files()
        say(f"seed {seed}; after the warm-up {before} MB, {files} files")
        for name in names:
            campaign.outcomes = Counter()
            began = time.monotonic()
            await campaign.strike(METHODS[name], messages - messages // _MESSAGES_PER_MISUSE)
            await campaign.break_frames(METHODS[name], messages // _MESSAGES_PER_MISUSE)
            report(name, campaign, began)
        for name in names:
            campaign.outcomes = Counter()
            began = time.monotonic()
            await campaign.misuse(METHODS[name], messages // _MESSAGES_PER_MISUSE)
            report(f"{name} with rights", campaign, began)
        after = campaign.memory()
        say(f"memory {before} MB -> {after} MB, files {files} -> {campaign.files()}")
        if after - before > _MAX_GROWTH_MB:
            say(f"the service has grown by more than {_MAX_GROWTH_MB} MB")
            return 1
    return 0


def main() -> int:
    """Starts a service and attacks it."""
    given = options()
    seed = random.SystemRandom().getrandbits(32) if given.seed is None else given.seed
    with contextlib.ExitStack() as stack:
        place = stack.enter_context(short_folder())
        # Rate limits would make most of the messages wait.
        service = Service(place, "--calls-per-second", "0", "--messages-per-second", "0")
        stack.enter_context(service)
        service.start()
        try:
            return asyncio.run(fuzz(service, given.method or sorted(METHODS), given.messages, seed))
        except* Finding as found:
            for finding in found.exceptions[:3]:
                say(f"found, with seed {seed}: {finding}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
