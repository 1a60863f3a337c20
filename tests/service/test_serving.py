"""Starting `fudaba serve`: tokens, folders, settings."""

from __future__ import annotations

import asyncio
import re
import stat
from pathlib import Path

import pytest

from tests.support.patience import wait_until
from tests.support.service.organiser import Organiser, refused
from tests.support.service.processes import RedisServer, Service
from tests.support.service.serving import works


def token_of(service: Service) -> str:
    """Returns the token that this start printed; empty if it printed none."""
    return service.log.partition("organiser token (shown this once): ")[2].partition("\n")[0]


async def test_the_organisers_token_is_printed_once_and_a_new_one_ends_the_old_one(folder: Path) -> None:
    with Service(folder) as service:
        first = service.start().token
        assert first.startswith("fudaba-org-")
        assert service.terminate() == 0
        await asyncio.to_thread(service.start)
        assert token_of(service) == ""
        await works(service)
        assert service.terminate() == 0
        await asyncio.to_thread(service.start, "--new-organiser-token")
        assert service.token not in {"", first}
        await works(service)
        async with Organiser(service.address, first) as organiser:
            await refused(organiser.entrant(), "TOKEN_UNKNOWN")
        assert first not in service.log


@pytest.mark.parametrize("exists", [False, True])
async def test_the_organisers_token_goes_to_a_file_that_only_its_owner_reads(folder: Path, exists: bool) -> None:
    place = folder / "token"
    if exists:
        place.write_text("x" * 1000)
        place.chmod(0o644)
    with Service(folder, "--organiser-token-file", str(place)) as service:
        service.start()
        assert "shown this once" not in service.log
        assert stat.S_IMODE(place.stat().st_mode) == 0o600
        token = place.read_text()
        assert token == token.strip() + "\n"
        assert token.strip() not in service.log
        service.token = token.strip()
        await works(service)


def test_an_organisers_token_file_that_is_empty_at_a_later_start_is_told_with_what_helps(folder: Path) -> None:
    place = folder / "token"
    with Service(folder, "--organiser-token-file", str(place)) as service:
        service.start()
        assert service.terminate() == 0
        place.write_text("")
        service.start()
        assert f"token file {place} is empty" in service.log
        assert service.terminate() == 0
        service.start("--new-organiser-token")
        assert "is empty" not in service.log
        assert place.read_text()


def test_a_token_file_that_cannot_be_written_says_how_to_get_another_token(folder: Path) -> None:
    with Service(folder, "--organiser-token-file", str(folder / "missing" / "token")) as service:
        assert "--new-organiser-token" in service.refuses_to_start()


def test_a_data_folder_that_cannot_be_written_is_refused(folder: Path) -> None:
    # Not even root writes here.
    with Service(folder, data=Path("/sys/fudaba")) as service:
        said = service.refuses_to_start()
    assert "/sys/fudaba" in said
    assert "cannot be written" in said


def test_a_file_in_place_of_the_data_folder_is_refused_and_kept(folder: Path) -> None:
    place = folder / "data"
    place.write_text("precious")
    with Service(folder) as service:
        assert "data" in service.refuses_to_start(status=2)
    assert place.read_text() == "precious"


async def test_a_data_folder_in_use_is_refused_and_its_service_goes_on(folder: Path) -> None:
    with Service(folder) as first, Service(folder, name="second") as second:
        first.start()
        said = await asyncio.to_thread(second.refuses_to_start)
        assert "is in use by process" in said
        assert str(first.pid) in said
        await works(first)


async def test_replicas_with_archives_of_their_own_are_refused_and_told_what_to_do(
    folder: Path, redis: RedisServer
) -> None:
    with (
        Service(folder, "--redis", redis.url) as first,
        Service(folder, "--redis", redis.url, name="two") as two,
        Service(folder, "--redis", redis.url, name="other", data=folder / "other") as other,
    ):
        first.start()
        two.start()
        said = await asyncio.to_thread(other.refuses_to_start)
        assert f"{folder}/other/archive is not the archive of this store's records" in said
        assert "the same --data" in said
        # It may be meant: the old archive is lost.
        command = re.search(r"write (\S+) into (\S+)", said)
        assert command is not None
        await asyncio.to_thread(Path(command[2]).write_text, command[1])
        await asyncio.to_thread(other.start)
        other.token = first.token
        await works(other)


async def test_an_archive_goes_with_an_embedded_store_whatever_it_is_called(folder: Path) -> None:
    with Service(folder) as service:
        service.start()
        name = service.data / "archive" / "archive-id"
        first = name.read_text()
        for change in (name.unlink, lambda: name.write_text("another")):
            assert service.terminate() == 0
            change()
            await asyncio.to_thread(service.start)
            assert name.read_text() == first
        await works(service)


async def test_settings_come_from_a_file_an_environment_variable_and_options_the_last_wins(folder: Path) -> None:
    config = folder / "fudaba.toml"
    config.write_text(f'[serve]\ndata = "{folder}/fromfile"\ngrace = 1.5\ninsecure = true\n')
    with Service(folder, "--config", str(config)) as service:
        service.start()
        await works(service)
        assert service.data.exists()
        assert not (folder / "fromfile").exists()
        assert service.terminate() == 0
    from tests.support.service.processes import FUDABA, Process

    with Process(folder, "bare") as bare:
        bare.launch([str(FUDABA), "serve", "--config", str(config)], {"FUDABA_LISTEN": f"unix:{folder}/s"})
        wait_until(lambda: f"fudaba serves on unix:{folder}/s" in bare.log, lambda: f"the start: {bare.log}")
        assert (folder / "fromfile" / "store").exists()
        assert bare.terminate() == 0


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[serve\n", "fudaba.toml:1: this is not TOML"),
        ("[serve]\nport = 7710\n", "no setting 'port'"),
        ("[serve]\nconfig = 'x'\n", "no setting 'config'"),
        ("[server]\nlisten = '127.0.0.1:1'\n", "no table [server]; write [serve]"),
        ("[arena]\ngrace = 3\n", "no table [serve]; write [serve] above"),
        ("serve = 3\n", "serve is no table; write [serve] above"),
        ("[serve]\nappendfsync = 'sometimes'\n", 'appendfsync is "sometimes"; write one of "everysec", "always"'),
        ("[serve]\ngrace = 'soon'\n", 'grace is "soon"; write a number'),
        ("[serve]\ninsecure = 'perhaps'\n", 'insecure is "perhaps"; write true or false'),
        ("[serve]\nlisten = '\x00'\n", "fudaba.toml:2: this is not TOML"),
    ],
)
def test_mistakes_in_the_settings_file_are_named(folder: Path, content: str, words: str) -> None:
    config = folder / "fudaba.toml"
    config.write_text(content)
    with Service(folder, "--config", str(config)) as service:
        said = service.refuses_to_start(status=2)
        assert words in said
    assert not service.data.exists()


def test_a_settings_file_that_is_not_there_or_no_text_is_named(folder: Path) -> None:
    binary = folder / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for config in (folder / "missing.toml", binary):
        with Service(folder, "--config", str(config)) as service:
            assert str(config) in service.refuses_to_start(status=2)
