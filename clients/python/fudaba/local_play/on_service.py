"""Plays matches on a service. Each started bot is a new process for each match, as on a ladder."""

from __future__ import annotations

import asyncio
import logging
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, final

from fudaba import records
from fudaba.bot_program import MAX_LOG_BYTES, BotLog, BotProgram, environment
from fudaba.client import AsyncClient, Endpoint
from fudaba.codec import option_to_proto
from fudaba.errors import ServiceError
from fudaba.local_play.contestants import Contestant, ContestantKind, program_of
from fudaba.local_play.faults import read_seats
from fudaba.local_play.heard import OutputTail
from fudaba.local_play.plan import PlannedMatch
from fudaba.local_play.results import BotFault, PlayedMatch, Seated
from fudaba.safe_text import safe_line
from fudaba.tether import how_ended
from fudaba.v1 import accounts_pb2, bots_pb2, matches_pb2, record_pb2
from fudaba_games.game import OptionValue

__all__ = ["Setting", "play_on_service"]

log = logging.getLogger(__name__)

_ANSWER_TIMEOUT_SECONDS: Final = 30.0
_MAX_AWAIT_MS: Final = 20_000
_LEAVE_TIMEOUT_SECONDS: Final = 2.0
"""The time in which a program may end by itself after its match."""
_ACCOUNT: Final = "local"


@final
@dataclass(frozen=True, slots=True)
class Setting:
    """The settings of the matches."""

    game: str
    options: dict[str, OptionValue]
    clock: record_pb2.Clock
    """The clock, including the time to connect."""
    bots: tuple[Contestant, ...]
    folder: Path
    """The folder for records and bots' output."""
    at_once: int


@final
class _NotThere(Exception):
    """A bot did not connect, so nothing can be played with it."""


async def play_on_service(
    setting: Setting, endpoint: Endpoint, matches: Iterable[PlannedMatch], after_each: Callable[[PlayedMatch], None]
) -> bool:
    """Plays the matches, several at once. Returns whether all were played. It ends early if a bot does not connect.

    Each match is reported, and its record stored, as soon as it is over.
    """
    async with AsyncClient(endpoint.address, endpoint.token) as client:
        names = _names(setting.bots)
        author = await _register(client, setting.bots, names)
        async with AsyncClient(endpoint.address, author) as own:
            table = _Table(setting, names, client, own, after_each)
            waiting, complete = iter(matches), True
            try:
                async with asyncio.TaskGroup() as tasks:
                    for _ in range(setting.at_once):
                        tasks.create_task(table.play_each(waiting))
            except* _NotThere:
                complete = False
            return complete


def _names(bots: Sequence[Contestant]) -> list[str]:
    """Returns the names under which the bots are registered, in order. House bots have the service's names."""
    names: list[str] = []
    for number, bot in enumerate(bots, 1):
        path = Path(bot.spec if Path(bot.spec).exists() else bot.spec.split()[-1])
        words = re.sub(r"[^a-z0-9]+", "-", path.resolve().name.lower()).strip("-")
        bare = f"bot-{words}" if not words[:1].isalpha() or words.startswith("house") else words
        names.append(bot.house or (bare[:36] if bare[:36] not in names else f"{bare[:36]}-{number}"))
    return names


async def _register(client: AsyncClient, bots: Sequence[Contestant], names: Sequence[str]) -> str:
    """Registers the started bots. Returns their author's token."""
    account = accounts_pb2.CreateAccountRequest(name=_ACCOUNT)
    token = (await client.accounts.CreateAccount(account, timeout=_ANSWER_TIMEOUT_SECONDS)).token
    for bot, name in zip(bots, names, strict=True):
        if not bot.house:
            await client.bots.CreateBot(
                bots_pb2.CreateBotRequest(name=name, account=_ACCOUNT), timeout=_ANSWER_TIMEOUT_SECONDS
            )
    return token


@final
@dataclass(slots=True)
class _Started:
    """The process of a seat."""

    seat: int
    token: str
    log: BotLog
    heard: OutputTail
    running: asyncio.Task[int]
    fault: BotFault | None = field(default=None)


@final
class _Table:
    """A table at which matches are played one after another."""

    def __init__(
        self,
        setting: Setting,
        names: Sequence[str],
        client: AsyncClient,
        own: AsyncClient,
        after_each: Callable[[PlayedMatch], None],
    ) -> None:
        self._setting = setting
        self._names = names
        self._client = client
        self._own = own
        self._after_each = after_each
        self._note_faults: set[tuple[str, str]] = set()

    async def play_each(self, waiting: Iterator[PlannedMatch]) -> None:
        """Plays the remaining matches. Raises `_NotThere`."""
        for match in waiting:
            played = await self._play(match)
            self._after_each(played)
            if played.scores is None:
                raise _NotThere

    async def _play(self, match: PlannedMatch) -> PlayedMatch:
        await self._client.matches.CreateMatch(self._request(match), timeout=_ANSWER_TIMEOUT_SECONDS)
        started: list[_Started] = []
        try:
            for seat in range(len(match.order)):
                if not self._bot(match, seat).house:
                    await self._start(match, seat, started)
            over = await self._over(match, started)
            if over.end.HasField("outcome"):
                await _leave(started)
            return await self._played(match, over, started)
        finally:
            for seat_run in started:
                seat_run.running.cancel()
            await asyncio.gather(*(started_seat.running for started_seat in started), return_exceptions=True)
            for seat_run in started:
                seat_run.log.close()

    def _bot(self, match: PlannedMatch, seat: int) -> Contestant:
        return self._setting.bots[match.order[seat]]

    def _request(self, match: PlannedMatch) -> matches_pb2.CreateMatchRequest:
        setting = self._setting
        request = matches_pb2.CreateMatchRequest(
            match_id=match.match_id,
            game=setting.game,
            options={name: option_to_proto(value) for name, value in setting.options.items()},
            clock=setting.clock,
            seed=match.seed,
        )
        for number in match.order:
            name = self._names[number]
            if setting.bots[number].house:
                request.seats.append(matches_pb2.Seat(house_bot=name))
            else:
                request.seats.append(matches_pb2.Seat(bot=record_pb2.Player(bot=name)))
        return request

    async def _start(self, match: PlannedMatch, seat: int, started: list[_Started]) -> None:
        setting, bot = self._setting, self._bot(match, seat)
        request = accounts_pb2.CreateMatchTokenRequest(match_id=match.match_id, seat=seat)
        token = (await self._client.accounts.CreateMatchToken(request, timeout=_ANSWER_TIMEOUT_SECONDS)).token
        log = BotLog(setting.folder / f"{match.match_id}.seat{seat}.log")
        env = environment(os.environ, Endpoint(self._client.endpoint.address), token)
        command, folder = program_of(bot.spec, setting.game)
        heard = OutputTail(log, match.match_id)
        program = BotProgram(command, heard, cwd=folder, env=env)
        started.append(_Started(seat, token, log, heard, asyncio.create_task(program.run())))

    async def _over(self, match: PlannedMatch, started: Sequence[_Started]) -> matches_pb2.Match:
        """Returns the match once it is over. A program that ends earlier has resigned, or the match ends without
        play.
        """
        ended = asyncio.create_task(self._ended(match.match_id))
        alive = {started_seat.running: started_seat for started_seat in started}
        try:
            while not ended.done():
                await asyncio.wait({ended, *alive}, return_when=asyncio.FIRST_COMPLETED)
                for running in [running for running in alive if running.done()]:
                    await self._left(match, alive.pop(running), running.result())
            return ended.result()
        finally:
            ended.cancel()

    async def _left(self, match: PlannedMatch, started_seat: _Started, status: int) -> None:
        """Handles a program's end. If its match is not over, the fault is noted, and the match is ended."""
        request = matches_pb2.GetMatchRequest(match_id=match.match_id)
        found = (await self._client.matches.GetMatch(request, timeout=_ANSWER_TIMEOUT_SECONDS)).match
        if found.HasField("end"):
            return
        ending = f"ended with {how_ended(status)}"
        if not found.HasField("start_time"):
            started_seat.fault = BotFault("not_connected", f"did not connect: it {ending}")
            abort = matches_pb2.AbortMatchRequest(match_id=match.match_id, message="a bot has ended")
            await self._client.matches.AbortMatch(abort, timeout=_ANSWER_TIMEOUT_SECONDS)
            return
        started_seat.fault = BotFault("ended", f"{ending} before its match was over")
        try:
            async with AsyncClient(self._client.endpoint.address, started_seat.token) as its:
                resign = matches_pb2.ResignMatchRequest(match_id=match.match_id)
                await its.matches.ResignMatch(resign, timeout=_ANSWER_TIMEOUT_SECONDS)
        except ServiceError as error:
            if error.reason != "MATCH_OVER":  # another seat's end was faster
                raise

    async def _ended(self, match_id: str) -> matches_pb2.Match:
        request = matches_pb2.AwaitMatchRequest(match_id=match_id, wait_ms=_MAX_AWAIT_MS)
        while True:
            found = (
                await self._client.matches.AwaitMatch(request, timeout=_ANSWER_TIMEOUT_SECONDS + _MAX_AWAIT_MS / 1000)
            ).match
            if found.HasField("end"):
                return found

    async def _played(self, match: PlannedMatch, over: matches_pb2.Match, started: Sequence[_Started]) -> PlayedMatch:
        end = over.end
        if not end.HasField("outcome"):
            seats = tuple(Seated() for _ in match.order)
            self._note_absent(over, started)
        else:
            seats = read_seats(await self._keep_record(match.match_id, noted=bool(started)))
        for seat_run in started:
            seated = seats[seat_run.seat]
            self._tell_note_faults(self._bot(match, seat_run.seat), seat_run.heard.note_faults)
            if seat_run.fault is not None:
                seated.faults.append(seat_run.fault)
            elif end.HasField("forfeited_seat") and end.forfeited_seat == seat_run.seat and self._raised(match, over):
                seated.faults.append(BotFault("exception", "raised an exception, and so resigned"))
            if errors := seat_run.heard.own_errors.decisions:
                text = f"its own error at decision {errors[0]}, for which the default move was played"
                seated.faults.append(BotFault("exception", text, len(errors), words=seat_run.heard.own_errors.words))
            if seat_run.log.written > MAX_LOG_BYTES:
                text = f"printed {seat_run.log.written / 1e6:.1f} MB, of which the last are kept"
                seated.faults.append(BotFault("output", text))
            seated.log = str(seat_run.log.path)
            seated.faults = [
                replace(
                    fault,
                    words=seat_run.heard.between(*fault.when_ms)
                    if fault.when_ms
                    else fault.words or seat_run.log.said(),
                )
                for fault in seated.faults
            ]
        scores = tuple(end.outcome.scores) if end.HasField("outcome") else None
        moves = sum(played_seat.decisions for played_seat in seats)
        return PlayedMatch(match, scores, tuple(end.outcome.placements), moves, seats)

    def _tell_note_faults(self, bot: Contestant, faults: Sequence[str]) -> None:
        """Reports what was wrong with a bot's notes, once each. They cost no move, and are not faults."""
        for fault in faults:
            if (bot.label, fault) not in self._note_faults:
                self._note_faults.add((bot.label, fault))
                log.warning("%s: %s", safe_line(bot.label), safe_line(fault))

    def _raised(self, match: PlannedMatch, over: matches_pb2.Match) -> bool:
        """Returns whether a Python class resigned a match, which it does only after an exception."""
        if over.end.forfeit_cause != record_pb2.FORFEIT_CAUSE_RESIGNED:
            return False
        return self._bot(match, over.end.forfeited_seat).kind is ContestantKind.CLASS

    def _note_absent(self, over: matches_pb2.Match, started: Sequence[_Started]) -> None:
        seconds = self._setting.clock.start_ms / 1000
        for seat_run in started:
            if seat_run.seat in over.end.absent_seats and seat_run.fault is None:
                seat_run.fault = BotFault("not_connected", f"did not connect within {seconds:g} s")

    async def _keep_record(self, match_id: str, *, noted: bool) -> record_pb2.MatchRecord:
        """Fetches the record of a match, and bots' notes, into the folder."""
        request = matches_pb2.GetRecordRequest(match_id=match_id)
        record = (await self._client.matches.GetRecord(request, timeout=_ANSWER_TIMEOUT_SECONDS)).record
        path = self._setting.folder / f"{match_id}{records.SUFFIX}"
        path.write_bytes(records.pack(record))
        if not noted:
            return record
        notes = await self._own.matches.GetNotes(
            matches_pb2.GetNotesRequest(match_id=match_id), timeout=_ANSWER_TIMEOUT_SECONDS
        )
        if notes.notes:
            from google.protobuf import json_format  # noqa: PLC0415 - few bots write notes

            text = json_format.MessageToJson(notes, preserving_proto_field_name=True, ensure_ascii=False)
            records.notes_file(path).write_text(text, encoding="utf-8")
        return record


async def _leave(started: Sequence[_Started]) -> None:
    """Gives the programs of a finished match a moment to end by themselves."""
    if started:
        await asyncio.wait([seat_run.running for seat_run in started], timeout=_LEAVE_TIMEOUT_SECONDS)
