"""A bot in another language, as a process."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.clients.languages import start
from tests.support.patience import until
from tests.support.service.processes import Process


class KitBot(Process):
    """A process of the bot."""

    def __init__(self, folder: Path, project: Path, address: str, token: str, **environment: str) -> None:
        super().__init__(folder, "bot")
        self._command = start(project)
        self._environment = {"FUDABA_SERVER": address, "FUDABA_TOKEN": token, **environment}

    def start(self) -> KitBot:
        self.launch(self._command, self._environment)
        return self

    async def connected(self, times: int = 1) -> None:
        await until(lambda: self.log.count("connected to ") >= times or not self.running, "its connection")
        assert self.running, self.log

    async def ended(self) -> int:
        """Returns its exit code, once it has ended by itself."""
        return await asyncio.to_thread(self.wait)
