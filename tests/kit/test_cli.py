"""The command line without a service: what it prints, what it refuses, and its exit codes (0, 1, 2)."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import packages_distributions, requires, version
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fudaba.cli import cli
from fudaba.cli._group import _BROUGHT
from fudaba.cli.clock import parse_clock
from fudaba.cli.connection import Connection, connection_options, game_options
from fudaba.cli.output import seconds, table, width
from tests.support.kit.commands import ok, refused
from tests.support.patience import PATIENCE


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []

    def add(command: click.Command, path: tuple[str, ...]) -> None:
        found.append(path)
        if isinstance(command, click.Group):
            context = click.Context(command)
            for name in command.list_commands(context):
                # `serve` and `arena` are not the kit's, and may not be installed with it.
                if path or name not in {"serve", "arena"}:
                    inner = command.get_command(context, name)
                    assert inner is not None
                    add(inner, (*path, name))

    add(cli, ())
    return found


@pytest.mark.parametrize("path", commands(), ids=" ".join)
def test_every_command_has_help(path: tuple[str, ...]) -> None:
    text = ok(*path, "--help")
    assert text.startswith("Usage: ")
    assert len(text.splitlines()) > 4


def test_the_help_lists_every_command_without_loading_any() -> None:
    code = "import sys; from fudaba.cli import main; sys.argv[1:] = ['--help']\ntry: main()\nexcept SystemExit: pass\n"
    others = ("grpc", "google.protobuf", "redis", "numpy", "asyncio", "json", "difflib", "email", "importlib.metadata")
    code += f"print([m for m in {others} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for name in ("arena", "bot", "completion", "games", "health", "match", "proto", "record", "serve"):
        assert f"\n  {name} " in done.stdout


def test_a_command_that_no_package_adds_reads_no_package_s_metadata() -> None:
    """Every bot that an arena starts would wait for it."""
    code = "import sys; from fudaba.cli import main; sys.argv[1:] = ['bot', 'run', '--help']\n"
    code += "try: main()\nexcept SystemExit: pass\nprint('importlib.metadata' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_the_version_is_told() -> None:
    assert ok("--version") == f"fudaba {version('fudaba')}\n"


@pytest.mark.parametrize(
    ("arguments", "message_start"),
    [
        ("plya", "there is no command 'plya'; did you mean 'play'?"),
        ("match ceate", "there is no command 'ceate'; did you mean 'create'?"),
        ("bot version ad", "there is no command 'ad'; did you mean 'add'?"),
        ("match xyzzy", "there is no command 'xyzzy'"),
        ("--hepl", "there is no option '--hepl'; did you mean '--help'?"),
        ("games --ruls", "there is no option '--ruls'; did you mean '--rules'?"),
        ("match create --gane naga", "there is no option '--gane'"),
        ("match local", "missing argument 'GAME'"),
        ("match local naga --bot first --deals 0", "invalid value for '--deals': 0 is not in the range 1<=x<=100000"),
        ("record show .", "invalid value for 'FILE': file '.' is a directory"),
    ],
)
def test_wrong_usage_is_told_after_the_usage_in_the_form_of_all_errors(arguments: str, message_start: str) -> None:
    lines = refused(*arguments.split(), code=2).splitlines()
    path = [word for word in arguments.split() if word in {"match", "create", "games", "local", "record", "show"}]
    assert lines[0].startswith(" ".join(["Usage: cli", *path]))
    assert lines[-1].startswith(f"error: {message_start}")


def test_a_command_whose_extra_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fudaba.cli._group.added_commands", lambda group: {"serve": "nowhere_to_be_found:serve"})
    assert "pip install '.[service]'" in refused("serve")
    assert "pip install '.[arena]'" in refused("arena")


@pytest.mark.parametrize(
    ("missing", "arguments", "extra"),
    [
        ("grpc_health", ("serve", "--data", "d"), "service"),
        pytest.param("redis", ("serve", "--data", "d"), "service", marks=pytest.mark.exhaustive),
        pytest.param("redis", ("arena", "standings"), "arena", marks=pytest.mark.exhaustive),
        pytest.param("numpy", ("arena", "standings"), "arena", marks=pytest.mark.exhaustive),
    ],
)
def test_a_command_that_misses_something_while_it_runs_says_what_to_install(
    missing: str, arguments: tuple[str, ...], extra: str, tmp_path: Path
) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from fudaba.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert done.returncode == 1
    command = f"FUDABA_PAGE=none pip install '.[{extra}]' in a clone of Fudaba"
    assert done.stderr.splitlines()[-1] == f"error: this needs the {extra}: {command}"
    assert "Traceback" not in done.stderr


def test_every_module_that_an_extra_brings_is_known_by_its_name() -> None:
    modules: dict[str, set[str]] = {}
    for module, homes in packages_distributions().items():
        for home in homes:
            modules.setdefault(home.lower(), set()).add(module)
    for line in requires("fudaba") or ():
        found = re.match(r"([\w-]+).*extra == ['\"](\w+)['\"]", line)
        if found is not None and found[1].lower() in modules:
            assert modules[found[1].lower()] & _BROUGHT[found[2]], line


@click.command()
@connection_options
def connection_of(connection: Connection) -> None:
    click.echo(f"token {connection.token}")


def token_of(*arguments: str, **env: str) -> str:
    result = CliRunner().invoke(connection_of, list(arguments), env=env, standalone_mode=False)
    if result.exception is not None:
        raise result.exception
    return result.stdout.removeprefix("token ").strip()


def test_an_option_goes_before_a_variable(tmp_path: Path) -> None:
    file, other = tmp_path / "file", tmp_path / "other"
    file.write_text("from-file\n", encoding="utf-8")
    other.write_text("from-other", encoding="utf-8")
    path = str(file)
    assert token_of() == ""
    assert token_of("--token-file", path) == "from-file"
    assert token_of("--token-file", path, FUDABA_TOKEN="variable") == "from-file"
    assert token_of("--token", "option", FUDABA_TOKEN="variable", FUDABA_TOKEN_FILE=path) == "option"
    assert token_of("--token-file", path, FUDABA_TOKEN_FILE=str(other)) == "from-file"
    assert token_of(FUDABA_TOKEN_FILE=path) == "from-file"
    assert token_of(FUDABA_TOKEN="variable", FUDABA_TOKEN_FILE=path) == "variable"
    with pytest.raises(click.UsageError, match="give one"):
        token_of("--token", "option", "--token-file", path)


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "is UTF-16 text"), (b"\x89PNG\r\n", "is not UTF-8 text")],
)
def test_a_token_file_without_a_token_is_told(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(content)
    assert said in refused("match", "list", "--token-file", str(tmp_path / "t"))


@pytest.mark.parametrize("content", ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_a_certificate_file_is_checked_before_connecting(content: str, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text(content, encoding="utf-8")
    assert "ca.pem holds no certificate" in refused("match", "list", "--ca-cert", str(tmp_path / "ca.pem"))
    assert "there is no certificate file" in refused("match", "list", "--ca-cert", str(tmp_path / "none"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_a_shell(shell: str) -> None:
    assert "_FUDABA_COMPLETE" in ok("completion", shell)


def test_the_bundle_is_written(tmp_path: Path) -> None:
    written = ok("proto", "-o", str(tmp_path / "contract")).splitlines()
    assert str(tmp_path / "contract" / "README.md") in written
    assert all(Path(path).is_file() for path in written)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("move=500ms", {"move_ms": 500, "bank_ms": 60_000, "max_timeouts": 3}),
        ("move=2s,bank=1m,increment=100ms", {"move_ms": 2000, "bank_ms": 60_000, "increment_ms": 100}),
        ("timeouts=0,illegal=5,start=5s", {"move_ms": 10_000, "max_timeouts": 0, "max_illegal": 5, "start_ms": 5000}),
        ("network=off", {"move_ms": 10_000, "no_network_credit": True}),
        ("network=on", {"no_network_credit": False}),
    ],
)
def test_a_clock_is_written_in_times_and_counts(text: str, expected: dict[str, int]) -> None:
    clock = parse_clock(text)
    assert {name: getattr(clock, name) for name in expected} == expected


@pytest.mark.parametrize(
    "text", ["", "move", "move=", "move=10", "mvoe=1s", "network=maybe", "timeouts=x", "move=99999999m", "bank=-1s"]
)
def test_a_clock_that_is_none_is_a_usage_error(text: str) -> None:
    with pytest.raises(click.UsageError):
        parse_clock(text)


def test_a_service_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    server = f"unix:{tmp_path}/nobody"
    for command in (("match", "list"), ("bot", "list"), ("games",), ("record", "get", "m")):
        assert "cannot reach the service at unix:" in refused(*command, "--server", server)
    assert "is not an address" in refused("match", "list", FUDABA_SERVER="http://example.org")
    assert "cannot be read" in refused("match", "list", "--token-file", str(tmp_path / "none"))


def test_tables_align_also_with_wide_characters() -> None:
    lines = table(("a", "b", "c"), [["ナーガ", "x", "1"], ["i", "longer", "100"]], "llr").splitlines()
    assert len({width(line) for line in lines}) == 1
    assert table(("a",), []) == ""
    assert (seconds(1500), seconds(0.25)) == ("1.5 s", "0.25 ms")


@pytest.mark.parametrize(("written", "meant"), [("true", True), ("on", True), ("false", False), ("off", False)])
def test_an_option_that_is_yes_or_no_may_be_written_as_on_the_rules_pages(written: str, meant: bool) -> None:
    assert game_options("namto", (f"second_pass={written}",)) == {"second_pass": meant}
