"""Runs Dramatiq tasks that do nothing, as `python -m bench.empty_tasks REDIS COUNT`, and prints the CPU time of each.

They are sent and processed in this process, with the arena's broker, and with Dramatiq's default number of threads. The
CPU time is in seconds.
"""

from __future__ import annotations

import sys
import time

import dramatiq

from fudaba_arena.play.workers.block_queue import BlockQueue

_QUEUE = "nothing"


def _nothing(tournament: str, block: int, attempt: int) -> None:
    pass


def main(url: str, tasks: int) -> None:
    """Prints the CPU time."""
    broker = BlockQueue(url).broker
    actor = dramatiq.actor(actor_name="nothing", queue_name=_QUEUE, broker=broker)(_nothing)
    actor.send("begin", 0, 0)  # connects
    worker = dramatiq.Worker(broker, worker_timeout=100)
    begun = time.process_time()
    for number in range(tasks):
        actor.send("bench", number, 0)
    worker.start()
    broker.join(_QUEUE)
    used = time.process_time() - begun
    worker.stop()
    broker.close()
    print(used / tasks, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
