"""The file of `fudaba up`: a table for each command that it runs. All its mistakes are told before anything starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba_serving.commands.up_settings import UpConfig, UpSettings


def mistakes(text: str, folder: Path) -> list[str]:
    """Returns what is told of a file: `line: what is wrong; what to write`."""
    file = folder / "fudaba.toml"
    file.write_text(text)
    done = CliRunner().invoke(cli, ["up", "--config", str(file), "--data", str(folder / "data")])
    assert done.exit_code == 2
    assert not (folder / "data").exists()
    return re.findall(rf"{re.escape(str(file))}:(\d+: .*)", done.stderr)


FILES = {
    "serve": {
        "grace = -1": "grace is -1; write a number from 0 to 3,600",
        'keep-days = "7"': 'keep-days is "7"; write a whole number, for example keep-days = 5',
        "gests = true": "[serve] has no setting 'gests'; did you mean 'guests'?",
        "config = 'x'": "[serve] has no setting 'config'; see fudaba serve --help",
    },
    "arena": {
        "grace = 4_000.0": "grace is 4000.0; write a number from 0 to 3,600",
        "challenge-hours = 1.5": "challenge-hours is 1.5; write a whole number, for example challenge-hours = 5",
        'submission-limit = ["packed=5000", "pakced=1"]': "submission-limit: there is no limit pakced; "
        "there are packed, unpacked, files, path, depth",
        "workers = 1": "workers is 1; write true or false, for example workers = true",
        "nonsense = 1": "[arena] has no setting 'nonsense'; see fudaba arena serve --help",
    },
    "worker": {
        "blocks = 0": "blocks is 0; write a whole number from 1 to 1,000",
        "heartbeet = 2": "[worker] has no setting 'heartbeet'; did you mean 'heartbeat'?",
        "log_days = true": "log_days is true; write a number, for example log_days = 5",
        'pod-service-label = ["a"]': "pod-service-label: write KEY=VALUE, each key once, for example app=fudaba",
    },
    "web": {
        "listen = 7780": 'listen is 7780; write a text in quotes, for example listen = "127.0.0.1:7710"',
        'insecure = "no"': 'insecure is "no"; write true or false, for example insecure = true',
        "lissten = 1": "[web] has no setting 'lissten'; did you mean 'listen'?",
    },
}
"""For each table, lines with mistakes, and what is told of each."""


@pytest.mark.parametrize("table", FILES)
def test_every_mistake_of_a_table_is_told_at_once_by_its_line(table: str, tmp_path: Path) -> None:
    lines = FILES[table]
    found = mistakes("\n".join([f"[{table}]", *lines]), tmp_path)
    assert found == [f"{number}: {words}" for number, words in enumerate(lines.values(), start=2)]


def test_the_mistakes_of_all_tables_are_told_together(tmp_path: Path) -> None:
    text = "\n".join("\n".join([f"[{table}]", *lines]) for table, lines in FILES.items())
    assert [mistake.split(": ", 1)[1] for mistake in mistakes(text, tmp_path)] == [
        words for lines in FILES.values() for words in lines.values()
    ]


@pytest.mark.parametrize(
    ("text", "message_start"),
    [
        ("[other]\n[serve]\n", "1: there is no table [other]; write [serve], [arena], [worker] or [web]"),
        ("grace = 1\n", "1: there is no setting 'grace'; write [serve]"),
        ("\nserve = 1\n", "2: serve is no table; write [serve] above its settings"),
        ("[serve]\ngrace\n", "2: this is not TOML"),
    ],
)
def test_a_file_that_is_none_is_refused_by_its_line(text: str, message_start: str, tmp_path: Path) -> None:
    [found] = mistakes(text, tmp_path)
    assert found.startswith(message_start)


def test_an_organisers_token_that_is_gone_or_empty_is_made_anew_and_no_other(tmp_path: Path) -> None:
    settings = UpSettings(tmp_path, UpConfig(None, {}), None, None, None, None, None, json_logs=False, hung_after=1.0)

    def is_made_anew() -> bool:
        return "--new-organiser-token" in settings.service_command("")

    assert is_made_anew()
    settings.token.write_text("token\n")
    assert not is_made_anew()
    settings.token.write_text("")  # a disk that was full
    assert is_made_anew()
