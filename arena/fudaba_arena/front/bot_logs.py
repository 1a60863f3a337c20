"""The part of ArenaService in which authors read what their submitted bots printed: see arena.proto."""

from __future__ import annotations

from fudaba.serving.refusals import Refused
from fudaba.v1 import errors_pb2, submissions_pb2
from fudaba_arena.front.guard import Context
from fudaba_arena.front.submissions import SubmissionServicer

__all__ = ["BotLogServicer"]


class BotLogServicer(SubmissionServicer):
    """See arena.proto."""

    async def ListBotLogs(
        self, request: submissions_pb2.ListBotLogsRequest, context: Context
    ) -> submissions_pb2.ListBotLogsResponse:
        """See arena.proto."""
        bot = await self._own_bot(request.bot, await self._door.caller(context))
        told = submissions_pb2.ListBotLogsResponse(version=await self._version(bot, request.version))
        for match_id, at_ms in await self._host.store.bot_logs.matches(bot.name, told.version):
            told.logs.add(match_id=match_id).end_time.FromMilliseconds(at_ms)
        return told

    async def GetBotLog(
        self, request: submissions_pb2.GetBotLogRequest, context: Context
    ) -> submissions_pb2.GetBotLogResponse:
        """See arena.proto."""
        bot = await self._own_bot(request.bot, await self._door.caller(context))
        version = await self._version(bot, request.version)
        text = await self._host.store.bot_logs.get(bot.name, version, request.match_id)
        if text is None:
            name = f"{bot.name}@{version}"
            raise Refused(
                errors_pb2.REASON_LOG_NOT_FOUND,
                f"nothing is kept of {name} in {request.match_id!r}; `fudaba bot logs {name}` lists the matches of "
                "which something is",
            )
        return submissions_pb2.GetBotLogResponse(text=text)
