"""The process that thinks for the house bots: `python -m fudaba_service.house.worker`, or a fork of the service.

It reads decisions from standard input, or a fork's socket, and writes answers to standard output, or the same socket,
each as the contract's message after its length in four bytes. It ends at the end of its input, so it never outlives the
service.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from typing import BinaryIO

from fudaba.answers import MessageSource, fill_answer, match_info
from fudaba.bot import Bot, Decision
from fudaba.bots import built_in
from fudaba.v1 import play_pb2
from fudaba_service.accounts.house_bots import HOUSE

__all__ = ["answer", "main", "run"]


def answer(update: play_pb2.SeatUpdate) -> play_pb2.Answer:
    """Lets a house bot answer a decision. If the bot fails, it returns the default move and reports to standard
    error.
    """
    asked = update.decision
    reply = play_pb2.Answer(match_id=update.match_id, decision_id=asked.decision_id, index=0)
    try:
        info = match_info(update.started, update.seat)
        bot: Bot = built_in(info.players[info.seat].bot.removeprefix(HOUSE))()
        source = MessageSource(info.game, asked, (), bot)
        decision = Decision(info, asked.decision_id, source, required=asked.required, legal_count=asked.legal_count)
        fill_answer(reply, decision, bot.choose(decision))
    except Exception:  # noqa: BLE001 - one bot's fault in one decision must not end all their matches
        sys.stderr.write(f"a house bot failed in match {update.match_id}; it plays the default move\n")
        traceback.print_exc()
        sys.stderr.flush()
        reply.index = 0
    return reply


def main(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers until the requests end."""
    while len(size := requests.read(4)) == 4:
        update = play_pb2.SeatUpdate.FromString(requests.read(int.from_bytes(size, "big")))
        raw = answer(update).SerializeToString()
        answers.write(len(raw).to_bytes(4, "big") + raw)
        answers.flush()


def run(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers until the requests end, as all that this process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the service's, which ends this process in its own time
    try:
        main(requests, answers)
    except ConnectionError:
        # The service has gone, and nobody hears any more. What is left in the buffer cannot be written at the exit.
        os._exit(0)


if __name__ == "__main__":
    run(sys.stdin.buffer, sys.stdout.buffer)
