"""How long the output of bots that a worker starts is kept, and where."""

from __future__ import annotations

import os
from pathlib import Path

from fudaba_arena.tournament.definition import BotEntry
from fudaba_arena.workers.logs import Logs, LogsKept

NOW_SECONDS = 2_000_000_000.0
DAY_SECONDS = 86_400.0
BIG_LOG_BYTES = 300_000


def written(folder: Path, name: str, ago: float, size: int = 10) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (NOW_SECONDS - ago, NOW_SECONDS - ago))
    return path


def left(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_each_match_of_a_bot_has_a_file_in_the_folder_of_its_version(tmp_path: Path) -> None:
    entrant = BotEntry("alice@7", command=("x",), version="7")
    logs = Logs(tmp_path)
    for bot in (entrant, BotEntry("bob", command=("x",), version="1")):
        log = logs.of_match(bot, "m.1")
        log.note("hello")
        logs.close(log)
    assert left(tmp_path) == {"alice-7/m.1.log", "bob-1/m.1.log"}


def test_what_is_older_than_it_is_kept_goes(tmp_path: Path) -> None:
    for name, ago in (("a-1/old.log", 3.0), ("a-1/old.log.1", 3.0), ("b-1/new.log", 1.0), ("built-in-random.log", 9.0)):
        written(tmp_path, name, ago * DAY_SECONDS)
    Logs(tmp_path, LogsKept(days=2, megabytes=0)).sweep(NOW_SECONDS)
    assert left(tmp_path) == {"b-1/new.log", "built-in-random.log"}


def test_the_oldest_go_until_the_rest_is_as_much_as_may_be_kept(tmp_path: Path) -> None:
    for ago in range(6):
        written(tmp_path, f"bot-{ago % 2}/{ago}.log", ago, BIG_LOG_BYTES)
    Logs(tmp_path, LogsKept(days=0, megabytes=1)).sweep(NOW_SECONDS)
    assert left(tmp_path) == {"bot-0/0.log", "bot-1/1.log", "bot-0/2.log"}


def test_the_output_of_a_match_in_play_stays(tmp_path: Path) -> None:
    logs = Logs(tmp_path, LogsKept(days=1, megabytes=0))
    log = logs.of_match(BotEntry("a", command=("x",)), "playing")
    written(tmp_path, "a-1/playing.log", 5 * DAY_SECONDS)
    written(tmp_path, "a-1/playing.log.1", 6 * DAY_SECONDS)
    logs.sweep(NOW_SECONDS)
    assert left(tmp_path) == {"a-1/playing.log", "a-1/playing.log.1"}
    logs.close(log)
    logs.sweep(NOW_SECONDS)
    assert left(tmp_path) == set()


def test_all_is_kept_by_who_wants_it(tmp_path: Path) -> None:
    written(tmp_path, "a-1/old.log", 9_000 * DAY_SECONDS, BIG_LOG_BYTES)
    Logs(tmp_path, LogsKept(days=0, megabytes=0)).sweep(NOW_SECONDS)
    assert left(tmp_path) == {"a-1/old.log"}
    Logs(tmp_path / "nothing").sweep(NOW_SECONDS)
