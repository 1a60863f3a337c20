"""The entrants of the ladder, and its file: all games, in matches as short as their rules allow."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path
from typing import Final, NamedTuple, final

from fudaba.client import AsyncClient
from fudaba.v1 import accounts_pb2, arena_pb2, bots_pb2
from fudaba_games.registry import GAMES
from soak.chaos.supervised import Supervised
from soak.season.machines import Machines
from soak.season.remote_bots import Built, bot_of, command_of
from tests.support.service.processes import FUDABA

__all__ = ["LADDER", "REMOTE", "Field", "Remote", "definition"]

LADDER: Final = "soak"

_SHORT: Final[dict[str, dict[str, int]]] = {"napoleon": {"deals": 1}, "nerts": {"max_deals": 1}}
_ONE_DEAL: Final = {"deals": 1}
_BUILT_IN: Final = {"sensible": "sensible", "random": "random", "first": "first", "chance": "random"}
_COMMAND: Final = {
    "command": '["python", "-m", "fudaba", "bot", "run", "random", "--quiet"]',
    "command-first": '["python", "-m", "fudaba", "bot", "run", "first", "--quiet"]',
}
_CALL_TIMEOUT_SECONDS: Final = 60.0


class Remote(NamedTuple):
    """A bot that its author runs."""

    name: str
    kind: str
    """See `remote_bots.command_of`."""


REMOTE: Final = (
    Remote("py-random", "random"),
    Remote("py-sensible", "sensible"),
    Remote("node", "node"),
    Remote("go", "go"),
)


def definition(concurrency: int, move_ms: int) -> str:
    """Returns the ladder's file. A single decision that runs out of time is a forfeit, so that none stays unseen."""
    lines = [
        f'name = "{LADDER}"',
        f"concurrency = {concurrency}",
        "attempts = 100",
        "connect_seconds = 180",
        "premiere_seconds = 0",
        "provisional_blocks = 1",
        "narrow = 0",
        "[clock]",
        f"move_ms = {move_ms}",
        "bank_ms = 0",
        "max_timeouts = 1",
        "max_illegal = 1",
        "[season]",
        "final_blocks = 0",
    ]
    for game, rules in GAMES.items():
        options = ", ".join(f"{name} = {value}" for name, value in _SHORT.get(game, _ONE_DEAL).items())
        seats = max(2, rules.min_seats)
        lines += ["[[games]]", f'game = "{game}"', f"seats = {seats}", f"options = {{ {options} }}"]
    for name, builtin in _BUILT_IN.items():
        lines += ["[[bots]]", f'name = "{name}"', f'builtin = "{builtin}"']
    for name, command in _COMMAND.items():
        lines += ["[[bots]]", f'name = "{name}"', f"command = {command}", "stateless = true"]
    return "\n".join([*lines, ""])


@final
class Field:
    """The ladder and its remote bots. It registers, enters and runs them."""

    def __init__(self, machines: Machines, built: Built) -> None:
        self._machines = machines
        self._built = built
        self._accounts: dict[str, str] = {}
        self.bots: list[Supervised] = []
        """The processes of the remote bots."""

    @property
    def organiser_token(self) -> str:
        """The organiser's token."""
        return self._machines.organiser_token.read_text().strip()

    async def open(self, text: str) -> bytes:
        """Creates the ladder and enters all bots. Returns the commitment to its deals."""
        async with AsyncClient(self._machines.arena_address, self.organiser_token) as organiser:
            request = arena_pb2.CreateLadderRequest(definition=text)
            created = await organiser.arena.CreateLadder(request, timeout=_CALL_TIMEOUT_SECONDS)
        for remote in REMOTE:
            await self._register(remote.name)
            await self.enter(remote, "1")
        for language, archive in self._built.submitted.items():
            await self._register(bot_of(language))
            await self._submit(bot_of(language), archive)
        return bytes(created.ladder.tournament.commitment)

    async def _register(self, bot: str) -> None:
        async with AsyncClient(self._machines.service_address, self.organiser_token) as organiser:
            request = accounts_pb2.CreateAccountRequest(name=f"author-of-{bot}")
            made = await organiser.accounts.CreateAccount(request, timeout=_CALL_TIMEOUT_SECONDS)
        self._accounts[bot] = made.token
        async with AsyncClient(self._machines.service_address, made.token) as author:
            await author.bots.CreateBot(bots_pb2.CreateBotRequest(name=bot), timeout=_CALL_TIMEOUT_SECONDS)

    async def _submit(self, bot: str, archive: Path) -> None:
        """Submits a bot, and enters its new version, as its author would."""
        submit = ["submit", str(archive), "--bot", bot]
        for words in (["bot", *submit], ["ladder", "enter", LADDER, bot]):
            process = await asyncio.create_subprocess_exec(
                str(FUDABA), *words, "--arena", self._machines.arena_address,
                env=os.environ | {"FUDABA_TOKEN": self._accounts[bot]},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            )  # fmt: skip
            output, _ = await process.communicate()
            if process.returncode:
                raise RuntimeError(f"fudaba {' '.join(words)} failed:\n{output.decode(errors='replace')}")

    async def enter(self, remote: Remote, version: str) -> None:
        """Starts a version of a bot, and enters it in the ladder, as its author would."""
        token = self._accounts[remote.name]
        async with AsyncClient(self._machines.service_address, token) as author:
            if version != "1":
                request = bots_pb2.CreateVersionRequest(bot=remote.name, version=version)
                await author.bots.CreateVersion(request, timeout=_CALL_TIMEOUT_SECONDS)
            asked = bots_pb2.CreateTokenRequest(bot=remote.name, version=version)
            own = (await author.bots.CreateToken(asked, timeout=_CALL_TIMEOUT_SECONDS)).token
        self._run(remote, version, own)
        async with AsyncClient(self._machines.arena_address, token) as author:
            entering = arena_pb2.EnterLadderRequest(ladder=LADDER, bot=remote.name, version=version)
            await author.arena.EnterLadder(entering, timeout=_CALL_TIMEOUT_SECONDS)

    def _run(self, remote: Remote, version: str, token: str) -> None:
        address = self._machines.bots_address
        command = command_of(remote.kind, address, self._built)
        environment = {"FUDABA_SERVER": address, "FUDABA_TOKEN": token}
        process = Supervised(
            self._machines.folder / "logs", f"bot-{remote.name}-{version}", lambda: command, environment, bool
        )
        process.start()
        self.bots.append(process)

    async def close(self) -> None:
        """Ends the bots."""
        await asyncio.gather(*(process.kill() for process in self.bots))
