"""Measures how long a small Python bot waits from the end of its upload until it may play, beside its bare matches."""

from __future__ import annotations

import asyncio
import io
import tarfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Final

import click

from bench.sandbox import BOT, Setting, bare_match, timed
from bench.standing import Standing, standing
from fudaba.client import AsyncClient, Endpoint
from fudaba.v1 import accounts_pb2, bots_pb2
from fudaba.v1 import submissions_pb2 as pb
from fudaba_arena.play.service.service_client import ServiceClient
from fudaba_games.registry import GAMES

_POLL_SECONDS: Final = 0.05
_TIMEOUT_SECONDS: Final = 600.0
_MANIFEST: Final = b'name = "small"\ngames = "all"\nlanguage = "python"\nstart = ["python3", "bot.py"]\n'


def _archive(number: int) -> bytes:
    """Returns the bot's folder. Each number gives different content that no worker knows yet."""
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w:gz") as tar:
        for name, content in (("bot.toml", _MANIFEST), ("bot.py", f"{BOT}# {number}\n".encode())):
            about = tarfile.TarInfo(name)
            about.size = len(content)
            tar.addfile(about, io.BytesIO(content))
    return into.getvalue()


async def _checked(client: AsyncClient, raw: bytes) -> float:
    """Returns the seconds from the end of an upload until its version is accepted."""
    create = pb.CreateSubmissionRequest(bot="small", file="bot.tar.gz", size=len(raw), sha256=sha256(raw).digest())
    upload_id = (await client.arena.CreateSubmission(create, timeout=_TIMEOUT_SECONDS)).submission.submission_id
    await client.arena.WriteSubmission(
        pb.WriteSubmissionRequest(submission_id=upload_id, content=raw), timeout=_TIMEOUT_SECONDS
    )
    begin = time.perf_counter()
    now = (
        await client.arena.FinishSubmission(
            pb.FinishSubmissionRequest(submission_id=upload_id), timeout=_TIMEOUT_SECONDS
        )
    ).submission
    while now.state == pb.SUBMISSION_STATE_CHECKING:
        await asyncio.sleep(_POLL_SECONDS)
        now = (
            await client.arena.GetSubmission(pb.GetSubmissionRequest(submission_id=upload_id), timeout=_TIMEOUT_SECONDS)
        ).submission
    if now.state != pb.SUBMISSION_STATE_ACCEPTED:
        raise RuntimeError(f"the bot was refused: {now}")
    return time.perf_counter() - begin


async def _bare(setup: Setting, number: int, raw: bytes) -> float:
    """Returns the seconds for a match of each game, one after another, without a sandbox, on the deals of the check."""
    digest = sha256(raw).hexdigest()
    seeds = {game: sha256(f"{digest} {game}".encode()).digest() for game in GAMES}
    return sum([await timed(bare_match(setup, game, number, seeds[game])) for game in GAMES])


@asynccontextmanager
async def _author(arena: Standing) -> AsyncIterator[AsyncClient]:
    async with AsyncClient(arena.address, arena.token) as client:
        account = accounts_pb2.CreateAccountRequest(name="author")
        token = (await client.accounts.CreateAccount(account, timeout=_TIMEOUT_SECONDS)).token
        for name, owner in (("small", "author"), ("bench", "")):
            request = bots_pb2.CreateBotRequest(name=name, account=owner, version="1")
            await client.bots.CreateBot(request, timeout=_TIMEOUT_SECONDS)
    async with AsyncClient(arena.arena_address, token) as client:
        yield client


async def measure(setup: Setting, runs: int) -> None:
    """Prints both results, in turn."""
    with standing() as arena:
        arena.add_worker("--programs", str(arena.folder / "programs"))
        service = ServiceClient(Endpoint(arena.address, arena.token), print)
        async with _author(arena) as author:
            ratios = []
            beside = Setting(setup.sandbox, service, setup.program, setup.runtime, setup.folder)
            for number in range(runs):
                raw = _archive(number)
                ours, bare = await _checked(author, raw), await _bare(beside, number, raw)
                ratios.append(ours / bare)
                click.echo(f"from the end of the upload until the version may play: {ours:.1f} s; bare: {bare:.1f} s")
            click.echo(f"median {sorted(ratios)[len(ratios) // 2]:.2f} times, goal ≤ 2")
        await service.close()
