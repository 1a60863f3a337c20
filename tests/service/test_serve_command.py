"""The command line of `fudaba serve`: what it refuses, and how it says so."""

from __future__ import annotations

import contextlib
import os
import re
import socket
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fudaba.address import is_host_port
from fudaba_service.cli import serve
from fudaba_serving.commands.process_count import PROCESSES, cores
from tests.support.service.processes import Service


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("data = 3", 'data is 3; write a text in quotes, for example data = "/var/lib/fudaba"'),
        ("listen = 7710", 'listen is 7710; write a text in quotes, for example listen = "127.0.0.1:7710"'),
        ("metrics = 9090", 'metrics is 9090; write a text in quotes, for example metrics = "127.0.0.1:9090"'),
        ('insecure = "yes"', 'insecure is "yes"; write true or false, for example insecure = true'),
        ("verbose = 1", "verbose is 1; write true or false, for example verbose = true"),
        ('grace = "5"', 'grace is "5"; write a number, for example grace = 5'),
        ("grace = true", "grace is true; write a number, for example grace = 5"),
        ("redis = 2026-01-01", 'redis is "2026-01-01"; write a text in quotes'),
        ("processes = true", 'processes is true; write a number or "auto", for example processes = "auto"'),
        ("processes = 1.5", 'processes is 1.5; write a number or "auto"'),
        ("tls-cert = ['a']", 'tls-cert is ["a"]; write a text in quotes, for example tls-cert = "cert.pem"'),
    ],
)
def test_a_setting_of_the_wrong_type_is_told_with_its_file_and_what_to_write(
    folder: Path, line: str, words: str
) -> None:
    config = folder / "fudaba.toml"
    config.write_text(f"[serve]\n{line}\n")
    result = CliRunner().invoke(serve, ["--config", str(config), "--data", str(folder / "data")])
    assert result.exit_code == 2
    assert f"{config}:2: {words}" in result.output
    assert not (folder / "data").exists()


MISTAKEN = """\
[serve]
grace = -1
listne = "x"
listen = "nonsense"
registration = "opn"
bots-per-account = 1.5
calls_per_second = nan
processes = 0
data = 3
nonsense = 1

[wbe]
"""


def test_every_mistake_of_a_file_is_told_at_once_by_its_line(folder: Path) -> None:
    config = folder / "fudaba.toml"
    config.write_text(MISTAKEN)
    result = CliRunner().invoke(serve, ["--config", str(config), "--data", str(folder / "data")])
    assert result.exit_code == 2
    assert re.findall(rf"{re.escape(str(config))}:(\d+: .*)", result.output) == [
        "2: grace is -1; write a number from 0 to 3,600",
        "3: [serve] has no setting 'listne'; did you mean 'listen'?",
        "4: listen: cannot listen on nonsense: write HOST:PORT, for example 127.0.0.1:7710, or unix:/path",
        '5: registration is "opn"; write one of "closed", "invite", "open"',
        "6: bots-per-account is 1.5; write a whole number, for example bots-per-account = 5",
        "7: calls_per_second is NaN; write a number, for example calls_per_second = 5",
        "8: processes: 0 is no number of processes: write 1 to 256, or auto for as many as cores",
        '9: data is 3; write a text in quotes, for example data = "/var/lib/fudaba"',
        "10: [serve] has no setting 'nonsense'; see fudaba serve --help",
        "12: there is no table [wbe]; write [serve], [arena], [worker] or [web], and settings below it",
    ]
    assert not (folder / "data").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--listen", "nonsense"], "cannot listen on nonsense: write HOST:PORT, for example 127.0.0.1:7710, or unix:/"),
        (["--listen", "unix:"], "cannot listen on unix:: write HOST:PORT"),
        (["--metrics", "nonsense"], "cannot serve metrics on nonsense: write HOST:PORT, for example 127.0.0.1:9090"),
        (["--metrics", "127.0.0.1:99999"], "cannot serve metrics on 127.0.0.1:99999: write HOST:PORT"),
        (["--grace", "-1"], "-1.0 is not in the range 0<=x<=3600"),
        (["--processes", "0"], "'0' is no number of processes: write 1 to 256, or auto for as many as cores"),
        (["--processes", "-1"], "'-1' is no number of processes"),
        (["--processes", "many"], "'many' is no number of processes"),
        (["--processes", "1.5"], "'1.5' is no number of processes"),
        (["--processes", "257"], "'257' is no number of processes"),
        (["--processes", "2", "--listen", "unix:/tmp/s"], "several processes cannot listen on one Unix socket"),
        (["--tls-cert", "x"], "both a certificate and its key: give --tls-cert and --tls-key"),
        (["--tls-key", "x"], "both a certificate and its key: give --tls-cert and --tls-key"),
    ],
)
def test_wrong_usage_ends_with_2_and_says_what_to_write(folder: Path, options: list[str], words: str) -> None:
    result = CliRunner().invoke(serve, ["--data", str(folder / "data"), *options])
    assert result.exit_code == 2
    assert words in result.output
    assert "reached from other machines" not in result.output
    assert not (folder / "data").exists()


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("127.0.0.1:0", True),
        ("example.org:65535", True),
        ("[::1]:7710", True),
        ("::1:7710", False),
        ("localhost", False),
        (":7710", False),
        ("localhost:", False),
        ("localhost:65536", False),
        ("localhost:-1", False),
        ("localhost:٣", False),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, right: bool) -> None:
    assert is_host_port(text) == right


@pytest.mark.parametrize(
    ("quota", "at_most"), [("max 100000", None), ("100000 100000", 1), ("50000 100000", 1), ("none", None)]
)
def test_auto_is_as_many_processes_as_there_are_cores_to_use(folder: Path, quota: str, at_most: int | None) -> None:
    place = folder / "cpu.max"
    place.write_text(quota + "\n")
    allowed = len(os.sched_getaffinity(0))
    assert cores(place) == min(allowed, at_most or allowed)
    assert cores(folder / "missing") == allowed
    assert PROCESSES.convert("auto", None, None) == cores()


def test_a_metrics_port_in_use_is_called_in_use(folder: Path) -> None:
    with contextlib.closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        with Service(folder, "--metrics", where) as service:
            said = service.refuses_to_start()
    assert f"cannot serve metrics on {where}: the port is in use; choose another HOST:PORT" in said


def test_a_file_from_windows_is_read_as_any_other(folder: Path) -> None:
    config = folder / "fudaba.toml"
    config.write_bytes(b"\xef\xbb\xbf[serve]\r\ninsecure = 'no'\r\n")
    assert f"{config}:2: insecure is" in CliRunner().invoke(serve, ["--config", str(config)]).output
    config.write_text("[serve]\n", encoding="utf-16")
    assert f"{config}:1: this is UTF-16 text" in CliRunner().invoke(serve, ["--config", str(config)]).output


def test_a_data_folder_that_cannot_be_made_is_told_with_what_to_do(folder: Path) -> None:
    with Service(folder, data=Path("/proc/fudaba")) as service:  # not even root writes here
        said = service.refuses_to_start()
    assert "/proc/fudaba" in said
    assert "name a folder that you may write to with --data" in said


def test_the_help_names_the_environment_variable_of_every_option_that_has_one() -> None:
    text = re.sub(r"\s+", " ", CliRunner().invoke(serve, ["--help"]).output)
    for option in serve.params:
        assert isinstance(option, click.Option)
        # Left set, the former would end the token at every start; `match local` gives the latter to its own service.
        if option.name not in {"new_organiser_token", "load_games"}:
            assert option.envvar == f"FUDABA_{(option.name or '').upper()}"
            assert f"env var: {option.envvar}" in text


def test_settings_come_from_environment_variables_too(folder: Path) -> None:
    config = folder / "fudaba.toml"
    config.write_text("[serve]\ninsecure = 'no'\n")
    environment = {"FUDABA_CONFIG": str(config), "FUDABA_DATA": str(folder / "data")}
    from_config = CliRunner().invoke(serve, [], env=environment)
    assert f"{config}:2: insecure is" in from_config.output
    environment = {"FUDABA_GRACE": "-1", "FUDABA_DATA": str(folder / "data")}
    assert "-1.0 is not in the range" in CliRunner().invoke(serve, [], env=environment).output


def test_a_data_folder_below_what_is_no_folder_is_told_with_what_is_in_the_way(folder: Path) -> None:
    (folder / "file").touch()
    with Service(folder, data=folder / "file" / "below") as running:
        said = running.refuses_to_start()
    assert f"{folder / 'file'} is not a folder; name a folder that you may write to with --data" in said
    assert "Errno" not in said
