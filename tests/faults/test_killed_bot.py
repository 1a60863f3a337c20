"""The process of a bot is killed in every phase of a match, and a new one, which knows nothing, plays on."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections.abc import Awaitable, Sequence
from pathlib import Path

import pytest

from fudaba_games.registry import GAMES
from tests.support.faults.bot_process import PHASES, read_notes
from tests.support.faults.checker import check_journal, check_record, stored_moves
from tests.support.faults.fleet import PLAYED
from tests.support.faults.scale import SCALE
from tests.support.forked import Forked
from tests.support.patience import PATIENCE
from tests.support.service import bots
from tests.support.service.bots import Bot, play_match
from tests.support.service.in_progress import started
from tests.support.service.journal import Journal
from tests.support.service.organiser import PATIENT, Entrant, Organiser
from tests.support.service.processes import Service

EVERY = [*itertools.product(PLAYED, PHASES)]
TOLD_NOTHING_SECONDS = 5
"""For so long a process that may have come too late stays, to see that it is told nothing."""
SOME = [(PLAYED[number % len(PLAYED)], phase) for number, phase in enumerate(PHASES)]


async def life(
    service: Service, match_id: str, entrant: Entrant, notes: Path, phase: str, over: Awaitable[bool]
) -> int:
    """Returns one process of a bot, from its start to its end; its status.

    `over` ends when its match is over, and says whether the process may have come too late: who knows of nothing by
    then is told nothing, and waits for a next match.
    """
    arguments = [service.address, entrant.token, str(notes), phase]
    process = Forked(arguments, notes.with_suffix(".log"), os.environ, main="tests.support.faults.bot_process:main")
    late = asyncio.ensure_future(over)
    ended = asyncio.ensure_future(asyncio.to_thread(process.wait))
    try:
        await asyncio.wait((late, ended), return_when=asyncio.FIRST_COMPLETED)
        if late.done() and await late:
            await asyncio.wait((ended,), timeout=TOLD_NOTHING_SECONDS)
            if (await asyncio.to_thread(read_notes, notes, match_id)).header is None:
                process.kill()
        await asyncio.wait_for(asyncio.shield(ended), PATIENCE)
    finally:
        late.cancel()
        await asyncio.gather(late, return_exceptions=True)
        process.kill()
        status = await ended
    return status


async def killed_and_restarted(service: Service, organiser: Organiser, folder: Path, game: str, phase: str) -> None:
    """Plays a match in which the bot of seat 0 is killed in a phase, and checks it.

    Naga can be won before the last battle; then another match is played.
    """
    for number in range(20):
        if await killed_in(service, organiser, folder / f"{game}-{PHASES.index(phase)}-{number}", game, phase):
            return
    raise AssertionError(f"no match of {game} came as far as: {phase}")


async def comes_late(organiser: Organiser, match_id: str, lives: Sequence[Journal]) -> bool:
    """Waits for the end of a match; whether those of a bot that lived before have given all the answers it needed."""
    await organiser.ended(match_id)
    needed = stored_moves(await organiser.record(match_id))[0].keys()
    return bool(lives) and needed <= lives[0].sent.keys()


async def killed_in(service: Service, organiser: Organiser, notes: Path, game: str, phase: str) -> bool:
    """Returns one match of `killed_and_restarted`; False when it was over before the phase."""
    victim, *others = [await organiser.entrant() for _ in range(GAMES[game].min_seats)]
    match_id = await organiser.match(victim, *others, game=game, clock=PATIENT)
    players = [Bot(service.address, e.token, bots.by_index, chance=n) for n, e in enumerate(others)]
    playing = asyncio.ensure_future(play_match(*players))
    lives: list[Journal] = []
    try:
        for number, ends_in in enumerate((phase, "")):
            ours = notes.with_name(f"{notes.name}-{number}")
            over = comes_late(organiser, match_id, lives)
            status = await life(service, match_id, victim, ours, ends_in, over)
            if ends_in == PHASES[-1] and status == 0:
                return False
            assert status == -signal.SIGKILL or not ends_in, f"{game}, {phase}: status {status}"
            lives.append(await asyncio.to_thread(read_notes, ours, match_id))
        await playing
    finally:
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    first, second = lives
    record = await organiser.record(match_id)
    moves = stored_moves(record)[0]
    check_journal(record, moves, first, whole=False)
    for decision_id, answers in first.sent.items():
        second.sent.setdefault(decision_id, []).extend(answers)
    came_late = second.header is None and moves.keys() <= first.sent.keys()
    check_record(record, [player.journals[match_id] for player in players] + [second] * (not came_late))
    return True


@pytest.mark.exhaustive
async def test_a_bot_that_is_killed_in_any_phase_of_a_match_can_be_started_again_and_finish_it(folder: Path) -> None:
    with started(folder) as service:
        async with Organiser(service.address, service.token) as organiser:
            notes = folder / "notes"
            notes.mkdir()
            cases = EVERY if SCALE.rounds > 1 else SOME
            # A few at a time: each is a process of its own.
            for at in range(0, len(cases), 4):
                async with asyncio.TaskGroup() as group:
                    for game, phase in cases[at : at + 4]:
                        group.create_task(killed_and_restarted(service, organiser, notes, game, phase))
