"""What tests of the bots in other languages share."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from tests.support.clients.kit_bot import KitBot
from tests.support.clients.languages import LANGUAGES, Language, name_of
from tests.support.clients.parameters import JAVA_AT_NIGHT, languages_but
from tests.support.clients.projects import altered_project, built_project
from tests.support.folders import short_folder
from tests.support.service.fault_logs import assert_no_fault
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Yields a service of the module's own. Whatever the tests do to it, it logs no fault."""
    with short_folder() as place, Service(place) as running:
        yield running.start()
        assert running.terminate() == 0, running.log
        assert_no_fault(running)


@pytest.fixture
async def organiser(service: Service) -> AsyncIterator[Organiser]:
    async with Organiser(service.address, service.token) as client:
        yield client


@pytest.fixture(scope="session", params=languages_but({"java": JAVA_AT_NIGHT}))
def language(request: pytest.FixtureRequest, need_tool: Callable[[str], Path]) -> Language:
    found = LANGUAGES[request.param]
    found.need(need_tool)
    return found


@pytest.fixture(scope="session")
def project(language: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new bot of the language, made and built as its README says."""
    return built_project(name_of(language), tmp_path_factory)


@pytest.fixture(scope="session")
def altered(project: Path, language: Language, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same bot, which fails in its own code, or takes notes, where FAILS or NOTES is set as it starts."""
    return altered_project(name_of(language), tmp_path_factory)


@pytest.fixture
def bot(tmp_path: Path, project: Path) -> Iterator[Callable[..., KitBot]]:
    """`bot(address, token)` is a new process of it."""
    with contextlib.ExitStack() as stack:

        def started(address: str, token: str, **environment: str) -> KitBot:
            folder = tmp_path / f"bot-{len(list(tmp_path.iterdir()))}"
            folder.mkdir()
            return stack.enter_context(KitBot(folder, project, address, token, **environment)).start()

        yield started
