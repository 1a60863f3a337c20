"""Ctrl-C in a command that waits: the match goes on, and it is said how to come back."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator

import pytest
from click.testing import CliRunner

from fudaba.cli import cli

pytest.importorskip("redis", reason="the service's extra is not installed")

from tests.support.folders import short_folder
from tests.support.patience import PATIENCE
from tests.support.service.processes import Service

FUDABA = (sys.executable, "-c", "from fudaba.cli import main; main()")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with short_folder() as place, Service(place) as running:
        yield running.start()


def interrupted(service: Service, arguments: list[str], ready: str) -> tuple[str, str]:
    """Returns what a command says before and after Ctrl-C, which it gets once it has said what shows that it waits."""
    env = {**os.environ, "FUDABA_TOKEN": service.token, "PYTHONUNBUFFERED": "1"}
    command = [*FUDABA, *arguments, "--server", service.address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env) as process:
        assert process.stdout is not None
        said = ""
        for line in process.stdout:
            said += line
            if ready in line:
                break
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(PATIENCE) == 130, said + rest
    assert "Traceback" not in rest
    assert "Aborted" not in rest
    return said, rest


def typed(service: Service, line: str) -> str:
    result = CliRunner().invoke(cli, shlex.split(line)[1:], env={"FUDABA_TOKEN": service.token})
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.mark.exhaustive
def test_who_no_longer_waits_for_a_match_is_told_its_id_and_how_to_look_at_it(service: Service) -> None:
    create = ["match", "create", "naga", "--seat", "open", "--seat", "open"]
    said, advice = interrupted(service, [*create, "--wait"], "It begins when all seats are taken")
    match_id = said.splitlines()[0]
    says, show, watch = advice.splitlines()
    assert re.fullmatch(r"m-[0-9a-f]+", match_id)
    assert "the match goes on" in says
    assert "state: open" in typed(service, show.strip())
    assert watch.strip() == f"fudaba match watch {match_id} --server {service.address}"
    said, advice = interrupted(service, [*create, "--wait", "--json"], "It begins when all seats are taken")
    assert not said.startswith("m-")
    assert advice.startswith("the match goes on")


def test_who_no_longer_watches_is_told_how_to_come_back(service: Service) -> None:
    create = f"fudaba match create naga --seat open --seat open --server {service.address}"
    match_id = typed(service, create).strip()
    _, advice = interrupted(service, ["match", "watch", match_id], "-- open")
    says, again = advice.splitlines()
    assert says == "the match goes on without you; to come back:"
    assert again.strip() == f"fudaba match watch {match_id} --server {service.address}"


def test_any_other_command_ends_with_one_line() -> None:
    code = """
import sys
import fudaba.cli.games
def interrupt(*_): raise KeyboardInterrupt
fudaba.cli.games._list = interrupt
from fudaba.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code, "games"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")
