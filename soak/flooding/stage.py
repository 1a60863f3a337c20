"""The stage on which attacks are measured: a new service, an arena if wanted, their contents, and the good callers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, final

from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2, game_pb2, matches_pb2
from soak.flooding.attacking import Target
from soak.flooding.good_bot import GoodBot, Waits
from soak.flooding.good_reader import GoodReader
from tests.support.arena.api.ladders import OPEN, call
from tests.support.arena.standing import Arena
from tests.support.deploy.front import Front
from tests.support.folders import short_folder
from tests.support.service.bots import bearer
from tests.support.service.organiser import Entrant, Organiser, StoreView
from tests.support.service.processes import Service, free_port

__all__ = ["Good", "Stage", "staged"]

_OWN_MATCHES: Final = 20
"""The number of the attacker's own archived matches."""
_AUTHOR_COUNT: Final = 5
_LADDER: Final = "watched"
_MIN_CLOSED_BLOCKS: Final = 20
"""The number of blocks of the ladder that are played before it is paused."""


class Good(Protocol):
    """The good callers, who should notice nothing."""

    async def waits(self, seconds: float, look: Callable[[], None] = ..., /) -> Waits:
        """Returns how long answers take."""

    async def connects(self, token: str, /) -> float:
        """Returns the seconds until a new caller gets an answer."""


@final
@dataclass(frozen=True)
class Stage:
    """A service, an arena if there is one, the organiser, and the front, if there is one, of the attacked server."""

    service: Service
    organiser: Organiser
    arena: Arena | None
    front: Front | None = None

    @property
    def pids(self) -> list[int]:
        """The processes that are attacked."""
        struck = self.service.pid if self.arena is None else self.arena.process.pid
        return [struck, *(self.front.pids if self.front is not None else ())]

    @property
    def _arena_address(self) -> str:
        assert self.arena is not None
        return self.arena.address if self.front is None else self.front.address

    async def target(self) -> Target:
        """Returns the target of an attack: long archived matches, of others and of the attacker, and tokens for it."""
        authors = [await self._author() for _ in range(_AUTHOR_COUNT if self.arena else 1)]
        token, bot = authors[0]
        playing = await self.organiser.bots.CreateToken(bots_pb2.CreateTokenRequest(bot=bot), metadata=bearer(token))
        attacker = Entrant(bot, playing.token, playing.version)
        if self.arena is not None:
            return Target(
                self.service.address,
                attacker.token,
                bot,
                "",
                [],
                self._arena_address,
                _LADDER,
                [list(author) for author in authors],
            )
        others, own = await self._archived(attacker)
        return Target(self.organiser.address, attacker.token, bot, others, own)

    async def newcomers(self, count: int) -> list[str]:
        """Returns the unused tokens of that many new bots, or authors."""
        if self.arena is not None:
            return [(await self._author())[0] for _ in range(count)]
        return [(await self.organiser.entrant("new")).token for _ in range(count)]

    @asynccontextmanager
    async def good(self) -> AsyncIterator[Good]:
        """Yields the good callers of that server."""
        if self.arena is None:
            async with GoodBot(self.organiser) as bot:
                yield bot
        else:
            token, _ = await self._author()
            async with GoodReader(self._arena_address, _LADDER, token) as reader:
                yield reader

    async def _author(self) -> tuple[str, str]:
        """Returns the token of a new account, and one of its bots."""
        number = (await self.organiser.entrant("counted")).name.rpartition("-")[2]
        name = f"author-{number}"
        request = accounts_pb2.CreateAccountRequest(name=name)
        made = await self.organiser.accounts.CreateAccount(request, metadata=self.organiser.metadata)
        bot = bots_pb2.CreateBotRequest(name=f"{name}-bot")
        await self.organiser.bots.CreateBot(bot, metadata=bearer(made.token))
        return made.token, bot.name

    async def _archived(self, attacker: Entrant) -> tuple[str, list[str]]:
        store = StoreView(f"unix://{self.service.data}/store/valkey.sock")

        async def made(seats: Sequence[matches_pb2.Seat], deals: int) -> str:
            request = matches_pb2.CreateMatchRequest(
                game="naga", seats=seats, options={"deals": game_pb2.OptionValue(number=deals)}
            )
            answer = await self.organiser.matches.CreateMatch(request, metadata=self.organiser.metadata)
            return str(answer.match.header.match_id)

        house, mine = matches_pb2.Seat(house_bot="house-random"), matches_pb2.Seat()
        mine.bot.bot = attacker.name
        others = await made([house, house], 24)
        own = [await made([mine, house], 6) for _ in range(_OWN_MATCHES)]
        for player in self.organiser.by_chance(attacker):
            await player.play(_OWN_MATCHES)
        for match_id in (others, *own):
            await self.organiser.ended(match_id)
            await store.forgets(match_id)
        store.client.close()
        return others, own


@asynccontextmanager
async def staged(*, arena: bool, nginx: Path | None = None) -> AsyncIterator[Stage]:
    """Yields a new service, and a new arena on it with a ladder in which some blocks were played.

    With an nginx, the attacked server is behind the front of deploy/, and all callers come through it.
    """
    with ExitStack() as stack:
        place = stack.enter_context(short_folder())
        options = ["--arena-token-file", str(place / "arena-token")]
        if nginx is not None:
            options += ["--behind", "127.0.0.1"]
        service = stack.enter_context(Service(place, *options)).start()
        front = None
        if nginx is not None and not arena:
            front = stack.enter_context(Front(place, nginx, service.address)).start()
        async with Organiser(front.address if front else service.address, service.token) as organiser:
            if not arena:
                yield Stage(service, organiser, None, front)
                return
            with _arena(service, place) as standing:
                if nginx is not None:
                    front = stack.enter_context(Front(place, nginx, standing.address)).start()
                yield Stage(service, organiser, standing, front)


@final
@dataclass(frozen=True)
class _Hosted:
    """A service in the form that the tests of arenas need."""

    address: str
    token: str
    arena_token: str


@contextmanager
def _arena(service: Service, place: Path) -> Iterator[Arena]:
    hosted = _Hosted(service.address, service.token, (place / "arena-token").read_text().strip())
    folder = place / "arena"
    folder.mkdir()
    arena = Arena(hosted, folder, "--behind", "127.0.0.1")  # type: ignore[arg-type]  # it has all that is used
    arena.address = f"127.0.0.1:{free_port()}"
    arena.start()
    try:
        call(arena, "CreateLadder", arena_pb2.CreateLadderRequest(definition=OPEN.format(name=_LADDER, narrow=30)))
        following = arena_pb2.WatchLadderRequest(ladder=_LADDER)
        with arena.client() as client:
            closed = 0
            for update in client.arena.WatchLadder(following):
                closed += len(update.changes)
                if closed >= _MIN_CLOSED_BLOCKS:
                    break
        call(arena, "PauseLadder", arena_pb2.PauseLadderRequest(ladder=_LADDER))
        yield arena
    finally:
        arena.kill()
