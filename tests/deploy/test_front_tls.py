"""The front of deploy/ with TLS: who comes through it, who is refused, and what each is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from click.testing import CliRunner

from fudaba._play_options import PlayOptions
from fudaba._stream import play
from fudaba.bots import First, Random
from fudaba.cli import cli
from fudaba.errors import ServiceError
from tests.support.certificates import certify
from tests.support.deploy.front import Front
from tests.support.folders import short_folder
from tests.support.patience import PATIENCE, until
from tests.support.service.bots import Stream
from tests.support.service.organiser import Organiser
from tests.support.service.processes import Service, free_port


@pytest.fixture(scope="module")
def front(need_tool: Callable[[str], Path]) -> Iterator[tuple[Front, Service]]:
    with short_folder() as folder, Service(folder, "--behind", "127.0.0.1") as service:
        service.start()
        certify(need_tool("openssl"), folder / "cert.pem", folder / "key.pem")
        with Front(folder, need_tool("nginx"), service.address).start() as before:
            yield before, service


def trusted(front: Front) -> grpc.ChannelCredentials:
    return grpc.ssl_channel_credentials((front.folder / "cert.pem").read_bytes())


def steps(front: Front, *words: str) -> list[Any]:
    """Returns what `fudaba doctor` tells of the way through a front."""
    done = CliRunner().invoke(cli, ["doctor", "--server", front.address, *words, "--json"])
    report: list[Any] = json.loads(done.stdout)
    assert all(step["works"] for step in report) == (done.exit_code == 0)
    return report


async def test_bots_of_the_kit_play_through_it(front: tuple[Front, Service]) -> None:
    before, service = front
    cert = str(before.folder / "cert.pem")
    async with Organiser(before.address, service.token, trusted(before)) as organiser:
        pair = [await organiser.entrant() for _ in range(2)]
        match_id = await organiser.match(*pair)
        options = [
            PlayOptions(address=before.address, token=entrant.token, ca_cert=cert, matches=1) for entrant in pair
        ]
        async with asyncio.timeout(PATIENCE):
            tallies = await asyncio.gather(play(Random, options[0]), play(First, options[1]))
        assert [tally.finished for tally in tallies] == [1, 1]
        await organiser.record(match_id)


def test_each_step_of_the_way_through_it_works(front: tuple[Front, Service]) -> None:
    before, service = front
    report = steps(before, "--ca-cert", str(before.folder / "cert.pem"), "--token", service.token)
    assert [step["name"] for step in report] == ["name", "connection", "TLS", "gRPC", "stream", "token"]
    assert report[2]["told"] == "TLSv1.3, HTTP/2"
    assert report[-1]["works"]


@pytest.mark.exhaustive
def test_who_does_not_speak_tls_is_told_to(front: tuple[Front, Service]) -> None:
    before, _ = front
    *_, last = steps(before)
    assert (last["name"], "add --tls" in last["remedy"]) == ("gRPC", True)
    done = CliRunner().invoke(cli, ["games", "--server", before.address])
    assert (done.exit_code, "does it want --tls?" in done.stderr) == (1, True), done.stderr


@pytest.mark.exhaustive
async def test_who_does_not_trust_its_certificate_sends_nothing(
    front: tuple[Front, Service], tmp_path: Path, need_tool: Callable[[str], Path]
) -> None:
    before, service = front
    other = tmp_path / "cert.pem"
    certify(need_tool("openssl"), other, tmp_path / "key.pem")
    *_, last = steps(before, "--ca-cert", str(other))
    assert (last["name"], "not trusted" in last["told"]) == ("TLS", True)
    with pytest.raises(ServiceError, match="not trusted"):
        await play(Random, PlayOptions(address=before.address, token=service.token, ca_cert=str(other)))


@pytest.mark.exhaustive
def test_another_name_than_the_certificate_s_is_told(front: tuple[Front, Service]) -> None:
    before, _ = front
    done = CliRunner().invoke(
        cli,
        [
            "doctor",
            "--ca-cert",
            str(before.folder / "cert.pem"),
            "--server",
            before.address.replace("localhost", "127.0.0.1"),
        ],
    )
    assert (done.exit_code, "IP address mismatch" in done.stdout) == (1, True)


@pytest.mark.exhaustive
def test_a_front_with_nobody_behind_it_is_told(need_tool: Callable[[str], Path]) -> None:
    with short_folder() as folder, Front(folder, need_tool("nginx"), f"127.0.0.1:{free_port()}").start() as before:
        *_, last = steps(before)
        assert (last["name"], "not the service behind it" in last["told"]) == ("gRPC", True)
        assert last["remedy"].startswith("try again soon")


@pytest.mark.exhaustive
async def test_a_renewed_certificate_is_taken_while_streams_go_on(
    front: tuple[Front, Service], need_tool: Callable[[str], Path]
) -> None:
    before, service = front
    async with Organiser(before.address, service.token, trusted(before)) as organiser:
        bot = await organiser.entrant()
    async with Stream(before.address, bot.token, trusted(before)) as stream:
        await stream.hello()
        certify(need_tool("openssl"), before.folder / "cert.pem", before.folder / "key.pem")
        renewed = str(before.folder / "cert.pem")
        assert not steps(before, "--ca-cert", renewed)[-1]["works"]
        before.reload()
        await until(lambda: steps(before, "--ca-cert", renewed)[-1]["works"], "the new certificate")
        async with Organiser(before.address, service.token, trusted(before)) as organiser:
            match_id = await organiser.match(bot, await organiser.entrant())
        assert (await stream.update()).match_id == match_id
