"""A real service, and the kit's commands and bots on it."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.bots import First, built_in
from fudaba.cli import cli
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service


class Served:
    """A service in a process of its own, on a socket of its own."""

    def __init__(self, folder: Path, *options: str, listen: str = "") -> None:
        self.process = Service(folder, *options, listen=listen or f"unix:{folder}/s")
        self.token = ""
        self.ca_cert = ""

    @property
    def address(self) -> str:
        return self.process.address

    def start(self) -> None:
        self.process.start()
        self.token = self.process.token

    def kill(self, number: signal.Signals = signal.SIGTERM) -> None:
        self.process.signal(number)
        self.process.wait()

    def env(self, token: str | None = None) -> dict[str, str]:
        return {"FUDABA_SERVER": self.address, "FUDABA_TOKEN": self.token if token is None else token}

    def run(self, *arguments: str, token: str | None = None) -> Result:
        return CliRunner().invoke(cli, list(arguments), env=self.env(token))

    def ok(self, *arguments: str, token: str | None = None) -> str:
        result = self.run(*arguments, token=token)
        assert result.exit_code == 0, result.output
        return result.stdout

    def refused(self, *arguments: str, token: str | None = None) -> str:
        result = self.run(*arguments, token=token)
        assert result.exit_code == 1, result.output
        assert result.stderr.startswith("error: ")
        return result.stderr

    def bot(self, name: str) -> PlayOptions:
        """Returns a new bot, ready to be run."""
        token = self.ok("bot", "create", name).strip()
        return PlayOptions(address=self.address, token=token, ca_cert=self.ca_cert)

    async def plays(self, a: PlayOptions, b: PlayOptions, matches: int) -> list[Any]:
        """Runs two bots until each has played this many matches."""
        both = [
            play(
                factory,
                PlayOptions(address=options.address, token=options.token, ca_cert=options.ca_cert, matches=matches),
            )
            for factory, options in ((built_in("random", 1), a), (First, b))
        ]
        async with asyncio.timeout(PATIENCE):
            return await asyncio.gather(*both)
