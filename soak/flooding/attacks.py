"""The attacks of one client, each in its own process.

`python -m soak.flooding.attacks NAME TARGET SECONDS RATE` prints the calls or frames that it sent per second, and the
replies that it got, with their counts. A rate of 0 is as fast as possible.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from typing import Final

from soak.flooding.attacking import Attack, Attacker, Target
from soak.flooding.by_calls import BY_CALLS
from soak.flooding.by_frames import BY_FRAMES
from soak.flooding.by_matches import BY_MATCHES
from soak.flooding.on_arena import ON_ARENA

__all__ = ["ATTACKS"]

ATTACKS: Final[dict[str, Attack]] = BY_CALLS | BY_MATCHES | BY_FRAMES | ON_ARENA


async def _attack(name: str, attacker: Attacker, seconds: float) -> None:
    try:
        async with asyncio.timeout(seconds):
            await ATTACKS[name](attacker)
    except TimeoutError:
        pass


def main() -> None:
    """Runs one attack."""
    name, target, seconds, rate = sys.argv[1:]
    # It would say of every write to a connection that is cut that it is.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    attacker = Attacker(Target(**json.loads(target)), float(rate))
    asyncio.run(_attack(name, attacker, float(seconds)))
    sys.stdout.write(json.dumps({"rate": attacker.acts / float(seconds), "replies": attacker.replies}))


if __name__ == "__main__":
    main()
