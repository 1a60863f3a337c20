"""The command line without a service: what it prints, what it refuses, and its exit codes (0, 1, 2)."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.metadata import packages_distributions, requires, version
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from fudaba import records
from fudaba.cli import cli
from fudaba.cli._connection import Connection, connection_options, game_options
from fudaba.cli._group import _BROUGHT
from fudaba.cli._output import seconds, table, width
from fudaba.cli.match import parse_clock
from fudaba.cli.simulate import _mean
from fudaba.simulation import Sample
from fudaba.v1 import record_pb2
from fudaba_games.registry import GAMES, game
from fudaba_games.shuffle import commitment

BOT = """
import fudaba

class Mine(fudaba.Bot):
    instant = True
    def choose(self, decision):
        return decision.legal_moves[0]

class Wrong(fudaba.Bot):
    def choose(self, decision):
        return "designate 4"
"""


def run(*arguments: str, **env: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), env=env)


def ok(*arguments: str, **env: str) -> str:
    result = run(*arguments, **env)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: str, code: int = 1, **env: str) -> str:
    """What a refused command says: on standard error, in one line unless it is about usage."""
    result = run(*arguments, **env)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.stderr
    if code == 1:
        assert result.stderr.startswith("error: ")
        assert result.stderr.count("\n") == 1
    return result.stderr


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
    code += "print([m for m in ('grpc', 'google.protobuf', 'redis', 'numpy') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for name in ("arena", "bot", "completion", "games", "health", "match", "proto", "record", "serve", "simulate"):
        assert f"\n  {name} " in done.stdout


def test_the_version_is_told() -> None:
    assert ok("--version") == f"fudaba {version('fudaba')}\n"


def test_a_command_that_is_none_is_a_usage_error() -> None:
    assert "No such command 'plya'" in refused("plya", code=2)


def test_a_command_whose_extra_is_missing_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        name = "serve"

        def load(self) -> Any:
            raise ModuleNotFoundError("No module named 'redis'")

    monkeypatch.setattr("fudaba.cli._group.entry_points", lambda group: [Point()])
    assert "pip install 'fudaba[service]'" in refused("serve")
    monkeypatch.setattr("fudaba.cli._group.entry_points", lambda group: [])
    assert "pip install 'fudaba[arena]'" in refused("arena")


@pytest.mark.parametrize(
    ("missing", "arguments", "extra"),
    [
        ("grpc_health", ("serve", "--data", "d"), "service"),
        ("redis", ("serve", "--data", "d"), "service"),
        ("redis", ("arena", "standings"), "arena"),
        ("numpy", ("arena", "standings"), "arena"),
    ],
)
def test_a_command_that_misses_something_while_it_runs_says_what_to_install(
    missing: str, arguments: tuple[str, ...], extra: str, tmp_path: Path
) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from fudaba.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"error: this needs the {extra}: pip install 'fudaba[{extra}]'"
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


# How a service is named


@click.command()
@connection_options
def told(connection: Connection) -> None:
    click.echo(f"token {connection.token}")


def token_of(*arguments: str, **env: str) -> str:
    result = CliRunner().invoke(told, list(arguments), env=env, standalone_mode=False)
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


@pytest.mark.parametrize(("content", "said"), [(b"", "is empty"), (b" \n", "is empty"), (b"\xff\xfe", "no text")])
def test_a_token_file_without_a_token_is_told(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(content)
    assert said in refused("match", "list", "--token-file", str(tmp_path / "t"))


@pytest.mark.parametrize("content", ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
def test_a_certificate_file_is_checked_before_connecting(content: str, tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text(content, encoding="utf-8")
    assert "ca.pem holds no certificate" in refused("match", "list", "--ca-cert", str(tmp_path / "ca.pem"))
    assert "there is no certificate file" in refused("match", "list", "--ca-cert", str(tmp_path / "none"))


def test_tokens_are_not_revoked_when_nobody_can_be_asked() -> None:
    assert "add --yes" in refused("bot", "revoke", "somebody")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_printed_for_a_shell(shell: str) -> None:
    assert "_FUDABA_COMPLETE" in ok("completion", shell)


# Games and simulation


def test_games_are_listed_and_shown() -> None:
    listed = ok("games")
    assert all(one.id in listed and one.japanese_name in listed for one in GAMES.values())
    shown = ok("games", "naga")
    assert "designate, commit" in shown
    assert all(option.name in shown and option.text in shown for option in game("naga").options)
    assert [one["id"] for one in json.loads(ok("games", "--json"))] == list(GAMES)
    assert json.loads(ok("games", "naga", "--json"))["move_kinds"] == ["designate", "commit"]
    assert ok("games", "naga", "--rules").startswith("# Naga")
    assert ok("games", "naga", "--values").startswith("# Naga's values")
    for page in ("--rules", "--values"):
        assert f"{page} prints one page: name the game" in refused("games", page, code=2)
    assert "leave --rules" in refused("games", "naga", "--values", "--server", "127.0.0.1:1", code=2)
    assert f"there is no game 'chess'; there are: {', '.join(GAMES)}" in refused("games", "chess")


def test_a_simulation_is_summarised_and_a_seed_repeats_it() -> None:
    arguments = ("simulate", "naga", "--matches", "6", "--seed", "3", "--bots", "random,first", "--option", "deals=2")
    text = ok(*arguments)
    assert "naga: 6 matches, seed 3; deals=2" in text
    assert "moves/s" in text
    first, second = (json.loads(ok(*arguments, "--json")) for _ in range(2))
    for run_ in (first, second):
        assert run_.pop("moves_per_second") > 0
        assert run_.pop("seconds") > 0
    assert first == second
    assert [bot["bot"] for bot in first["bots"]] == ["random", "first"]
    assert all(bot["won"] + bot["drawn"] + bot["lost"] == 6 for bot in first["bots"])
    assert sum(seat["score"]["mean"] for seat in first["seats"]) == pytest.approx(0)
    assert first["options"]["deals"] == 2


def test_bots_of_one_name_are_told_apart_and_means_of_zero_are_zero() -> None:
    arguments = ("simulate", "naga", "--matches", "1", "--seed", "3", "--bots", "random")
    text = ok(*arguments)
    assert "naga: 1 match, seed 3" in text
    assert [line.split("  ")[0] for line in text.splitlines()[3:5]] == ["random (1)", "random (2)"]
    found = json.loads(ok(*arguments, "--json"))
    assert [bot["bot"] for bot in found["bots"]] == ["random (1)", "random (2)"]
    dust = Sample(3, -6e-17)
    assert str(_mean(dust, 9)) == str(_mean(dust, 3)) == "0.0"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--option", "deals=x"), "whole number"),
        (("--option", "deals=0"), "whole number 1 to 99"),
        (("--option", "daels=1"), "it has: deals"),
        (("--bots", "random,first,random"), "naga is played by 2 seats, not 3"),
        (("--seats", "3"), "naga is played by 2 seats, not 3"),
        (("--bots", "clever"), "names no bot"),
    ],
)
def test_a_simulation_that_cannot_be_is_refused(arguments: tuple[str, ...], told: str) -> None:
    assert told in refused("simulate", "naga", *arguments)


@pytest.mark.parametrize(
    "arguments",
    [("--matches", "0"), ("--matches", "x"), ("--option", "deals"), ("--option", "deals=1", "--option", "deals=2")],
)
def test_a_simulation_with_wrong_usage_is_refused(arguments: tuple[str, ...]) -> None:
    refused("simulate", "naga", *arguments, code=2)


# A bot in process


@pytest.fixture
def mybot(tmp_path: Path) -> str:
    path = tmp_path / "mybot.py"
    path.write_text(BOT, encoding="utf-8")
    return str(path)


def test_a_bot_plays_here_against_built_ins(mybot: str) -> None:
    text = ok("bot", "run", f"{mybot}:Mine", "--local", "--game", "naga", "--matches", "2", "--seed", "1")
    assert "local-0: seat 0:" in text
    assert "local-1: seat 1:" in text
    assert "2 matches of naga" in text
    found = json.loads(
        ok("bot", "run", f"{mybot}:Mine", "--local", "--game", "naga", "--matches", "4", "--seed", "1", "--json")
    )
    assert found["seats"] == [0, 1, 0, 1]
    assert found["against"] == ["random"]
    assert all(sum(scores) == 0 for scores in found["scores"])
    assert found["won"] + found["drawn"] + found["lost"] == 4
    assert found["score"] == sum(scores[seat] for scores, seat in zip(found["scores"], found["seats"], strict=True))


def test_a_bot_that_errs_fails_its_local_run(mybot: str) -> None:
    result = run("bot", "run", f"{mybot}:Wrong", "--local", "--game", "naga", "--against", "first")
    assert result.exit_code == 1
    assert "10 answers were refused, 0 exceptions were raised" in result.stderr
    lines = result.stderr.splitlines()
    assert sum(" refused (" in line for line in lines) == 5
    assert "5 more answers were refused" in result.stderr
    assert "seat 4" not in result.stderr
    quiet = run("bot", "run", f"{mybot}:Wrong", "--local", "--game", "naga", "--against", "first", "-q")
    assert quiet.exit_code == 1
    assert quiet.stderr.count(" refused (") == 5
    assert "local-0: seat 0" in result.stdout
    assert [line.partition(": 1 match of naga, 0 won")[1] != "" for line in quiet.stdout.splitlines()] == [True]


def test_what_is_wrong_with_a_local_run_is_told(mybot: str) -> None:
    assert "has no class Nobody; it has: Mine, Wrong" in refused(
        "bot", "run", f"{mybot}:Nobody", "--local", "--game", "naga"
    )
    assert "there is no file" in refused("bot", "run", "nothere.py:Bot", "--local", "--game", "naga")
    assert "2 bots for 1 other seat" in refused(
        "bot", "run", "first", "--local", "--game", "naga", "--seats", "2", "--against", "first,first", code=2
    )
    for option in (("--server", "127.0.0.1:1"), ("--threads", "2"), ("--token", "t"), ("--tls",)):
        told = refused("bot", "run", "first", "--local", *option, code=2)
        assert f"{option[0]} is for playing on a service" in told
    ok("bot", "run", "first", "--local", "--game", "naga", FUDABA_SERVER="127.0.0.1:1", FUDABA_TLS="1")
    assert "--seed is for --local" in refused("bot", "run", "first", "--seed", "1", code=2)
    assert "there is no game 'chess'" in refused("bot", "run", "first", "--local", "--game", "chess")


# Records


def a_record(match_id: str = "m-1") -> record_pb2.MatchRecord:
    """A whole match by default moves, as a service would record it."""
    from fudaba.replay import Replay

    record = record_pb2.MatchRecord(seed=bytes(32), salt=bytes(16))
    header = record.header
    header.match_id, header.game, header.rules_version = match_id, "naga", game("naga").rules_version
    header.players.add(bot="alpha", version="1")
    header.players.add(bot="beta", version="2")
    header.clock.move_ms = 10_000
    header.options["deals"].number = 1
    header.options["first_dealer"].number = 0
    header.commitment = commitment(record.salt, record.seed, match_id)
    replay = Replay(header, record.seed)

    def log(entry: record_pb2.LogEntry) -> None:
        entry.at_ms = 1_700_000_000_000 + len(record.log)
        replay.apply(entry)
        record.log.append(entry)

    for seat in range(2):
        log(record_pb2.LogEntry(seat=seat, ready=record_pb2.Ready()))
    while (decision := next(iter(replay.match.open_decisions()), None)) is not None:
        entry = record_pb2.LogEntry(seat=decision.seat, decision_id=decision.id)
        replay.codec.move_to_proto(decision.legal[0], entry.move)
        log(entry)
    record.end.CopyFrom(replay.end())
    return record


def test_a_record_is_a_readable_game(tmp_path: Path) -> None:
    path = tmp_path / "m-1.fudaba"
    path.write_bytes(records.pack(a_record()))
    text = ok("record", "show", str(path))
    for part in (
        "match m-1: naga",
        "seat 0 (alpha 1)",
        "seat 1 (beta 2)",
        "is ready",
        "designate ",
        "commit ",
        "score",
    ):
        assert part in text
    assert "sees:" in ok("record", "show", str(path), "--table")
    assert json.loads(ok("record", "show", str(path), "--json"))["header"]["match_id"] == "m-1"
    assert ok("record", "verify", str(path)).endswith("right: commitment, every move, result\n")
    assert ok("record", "verify", str(path), "-q") == ""


def test_what_never_costs_the_match_is_told_so(tmp_path: Path) -> None:
    path = tmp_path / "m-1.fudaba"
    path.write_bytes(records.pack(a_record()))
    assert "forfeit: never for timeouts, never for illegal answers" in ok("record", "show", str(path))


def test_a_record_that_is_wrong_is_told_with_its_faults(tmp_path: Path) -> None:
    right, wrong = tmp_path / "right.fudaba", tmp_path / "wrong.fudaba"
    right.write_bytes(records.pack(a_record()))
    record = a_record()
    record.salt = bytes([1] * 16)
    del record.log[-1]
    wrong.write_bytes(records.pack(record))
    result = run("record", "verify", str(right), str(wrong))
    assert result.exit_code == 1
    assert "commitment" in result.stdout
    assert "1 of 2 records is wrong" in result.stderr
    found = json.loads(run("record", "verify", "--json", str(right), str(wrong)).stdout)
    assert found["unread"] == {}
    assert found["faults"][str(right)] == []
    assert len(found["faults"][str(wrong)]) == 2


def test_a_file_that_cannot_be_read_is_not_called_a_wrong_record(tmp_path: Path) -> None:
    right, wrong, absent = tmp_path / "right.fudaba", tmp_path / "wrong.fudaba", tmp_path / "absent.fudaba"
    right.write_bytes(records.pack(a_record()))
    wrong.write_bytes(b"hello")
    result = run("record", "verify", str(right), str(absent))
    assert result.exit_code == 2
    assert f"{absent}: cannot be read: No such file or directory\n" in result.stdout
    assert result.stderr == "error: 1 file could not be read\n"
    both = run("record", "verify", str(wrong), str(absent))
    assert both.exit_code == 1
    assert both.stderr == "error: 1 of 1 record is wrong; 1 file could not be read\n"
    told = json.loads(run("record", "verify", "--json", str(right), str(absent)).stdout)
    assert told == {"faults": {str(right): []}, "unread": {str(absent): "No such file or directory"}}


def test_a_file_that_is_no_record_is_told(tmp_path: Path) -> None:
    whole = records.pack(a_record())
    for name, content in {"cut": whole[:-20], "text": b"hello", "empty": b""}.items():
        path = tmp_path / name
        path.write_bytes(content)
        assert "no record file" in refused("record", "show", str(path))
        assert run("record", "verify", str(path)).exit_code == 1
    assert "No such file" in refused("record", "show", str(tmp_path / "nothere"))


def test_a_record_that_cannot_be_played_says_so(tmp_path: Path) -> None:
    record = a_record()
    record.header.game = "chess"
    path = tmp_path / "m.fudaba"
    path.write_bytes(records.pack(record))
    result = run("record", "show", str(path))
    assert result.exit_code == 1
    assert "there is no game 'chess'" in result.stderr


# Everything else


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
    ],
)
def test_a_clock_is_written_in_times_and_counts(text: str, expected: dict[str, int]) -> None:
    clock = parse_clock(text)
    assert {name: getattr(clock, name) for name in expected} == expected


@pytest.mark.parametrize(
    "text", ["", "move", "move=", "move=10", "mvoe=1s", "timeouts=x", "move=99999999m", "bank=-1s"]
)
def test_a_clock_that_is_none_is_a_usage_error(text: str) -> None:
    with pytest.raises(click.UsageError):
        parse_clock(text)


def test_a_service_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    server = f"unix:{tmp_path}/nobody"
    for command in (("match", "list"), ("bot", "list"), ("games",), ("record", "get", "m")):
        assert "cannot reach the service at unix:" in refused(*command, "--server", server)
    assert "is no address" in refused("match", "list", FUDABA_SERVER="http://example.org")
    assert "cannot be read" in refused("match", "list", "--token-file", str(tmp_path / "none"))


def test_tables_align_also_with_wide_characters() -> None:
    lines = table(("a", "b", "c"), [["ナーガ", "x", "1"], ["i", "longer", "100"]], "llr").splitlines()
    assert len({width(line) for line in lines}) == 1
    assert table(("a",), []) == ""
    assert (seconds(1500), seconds(0.25)) == ("1.5 s", "0.25 ms")


@pytest.mark.parametrize(("written", "meant"), [("true", True), ("on", True), ("false", False), ("off", False)])
def test_an_option_that_is_yes_or_no_may_be_written_as_on_the_rules_pages(written: str, meant: bool) -> None:
    assert game_options("namto", (f"matching={written}",)) == {"matching": meant}
