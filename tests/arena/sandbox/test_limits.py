"""The table of limits, and what a tournament's file sets of it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fudaba_arena.api.messages.definition_messages import definition
from fudaba_arena.errors import ArenaError
from fudaba_arena.limits import MEGABYTE, BadLimit
from fudaba_arena.programs.worker_file import read_worker_file
from fudaba_arena.tournament.definition import Tournament, changes, stored_tournament
from fudaba_arena.tournament.file import Source
from fudaba_arena.tournament.limits import LIMITS, BotLimits, Limits
from fudaba_arena.tournament.season import Span
from tests.support.arena.tournament.definitions import RIGHT, mistakes, parse

PAGE = Path(__file__).parents[3] / "docs" / "sandbox.md"


def test_what_is_not_given_has_its_default() -> None:
    given = Limits.parse({"memory": 100_000_000, "cpu": 2})
    assert (given.memory, given.cpu, given.wall) == (100_000_000, 2.0, Limits().wall)


def test_the_defaults_are_within_the_bounds() -> None:
    for name, limit in LIMITS.items():
        assert limit.checked(name, getattr(Limits(), name)) == getattr(Limits(), name)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"memory": 1}, "limit memory is 1; write a whole number from 16,000,000 to"),
        ({"memory": 1e8 + 0.5}, "limit memory is 100000000.5; write a whole number"),
        ({"processes": True}, "limit processes is True"),
        ({"cpu": "10"}, "limit cpu is '10'; write a number from 0.1"),
        ({"wall": float("nan")}, "limit wall is nan"),
        ({"wall": float("inf")}, "limit wall is inf"),
        ({"cores": -1}, "limit cores is -1"),
        ({"memroy": 1}, "there is no limit memroy; there are memory, processes"),
    ],
)
def test_a_limit_that_cannot_be_is_refused_with_what_can(given: dict[str, object], words: str) -> None:
    with pytest.raises(BadLimit) as info:
        Limits.parse(given)
    assert words in str(info.value)


def test_every_limit_is_described_with_its_default() -> None:
    page = PAGE.read_text(encoding="utf-8")
    for name, limit in LIMITS.items():
        default = getattr(Limits(), name)
        number = f"{default // MEGABYTE:,} MB" if limit.unit == "bytes" else f"{default:,g}"
        assert re.search(rf"^\| `{name}`.* \| {number}( s)? \|", page, re.MULTILINE), name


def test_a_tournament_s_file_sets_limits_and_what_a_bot_may_ask_for() -> None:
    found = parse(f"{RIGHT}\n[limits]\ncpu = 20\nmemory = 300_000_000\nmost_memory = 900_000_000\n").limits
    assert (found.usual.cpu, found.usual.memory, found.usual.wall) == (20.0, 300 * MEGABYTE, Limits().wall)
    assert (found.for_ram(0).memory, found.for_ram(500).memory, found.for_ram(1_000).memory) == (
        300 * MEGABYTE,
        500 * MEGABYTE,
        900 * MEGABYTE,
    )
    assert found.too_much(900) == ""
    assert found.too_much(901) == "it wants 901 MB of memory; a bot here gets 900 at most"


def test_all_mistakes_in_limits_are_told_by_their_lines() -> None:
    text = f'{RIGHT}\n[limits]\ncpu = "fast"\nmemroy = 1\nprocesses = 0\nmost_memory = 16_000_000\n'
    listed = mistakes(text)
    assert listed[0].startswith(
        "t.toml:13: limit cpu is 'fast'; write a number from 0.1 to 1,000,000.0 (s): processor time"
    )
    assert listed[1] == "t.toml:14: [limits] has no 'memroy'; did you mean 'memory'?"
    assert listed[2].startswith("t.toml:15: limit processes is 0; write a whole number from 1 to 100,000 (processes): ")
    assert listed[3:] == ["t.toml:16: most_memory is less than memory, which every bot gets; write 512_000_000 or more"]


def test_limits_are_a_part_of_the_definition_that_stays_as_it_is() -> None:
    plain, strict = parse(RIGHT), parse(f"{RIGHT}\n[limits]\ncpu = 20\n")
    stored = json.loads(json.dumps(strict.definition()))
    assert stored_tournament("spring", stored, 3).limits == strict.limits
    assert changes(stored, strict.definition()) == []
    assert changes(stored, plain.definition()) == ["cpu of limits was 20.0, is 600.0"]
    earlier = {name: value for name, value in stored.items() if name != "limits"}
    assert stored_tournament("spring", earlier, 3).limits == BotLimits()
    assert changes(earlier, plain.definition()) == []


def season(more: str = "") -> Tournament:
    return Source(f'name = "open"\ngame = "naga"\n{more}', "l.toml", None, hosted=True, span=Span()).read()


def test_where_anybody_may_enter_each_seat_has_as_many_cores_as_a_bot_may_use() -> None:
    assert season().limits.cores_per_seat == season('enter = "anyone"\n').limits.cores_per_seat == 1.0
    assert season("[limits]\ncores = 2\n").limits.cores_per_seat == 2.0
    assert season("[limits]\ncores_per_seat = 0\n").limits.cores_per_seat == 0.0
    assert season('enter = "organiser"\n').limits.cores_per_seat == parse(RIGHT).limits.cores_per_seat == 0.0
    assert parse(f"{RIGHT}\n[limits]\ncores_per_seat = 1.5\n").limits.cores_per_seat == 1.5


def test_a_season_that_an_earlier_release_has_stored_gives_its_seats_cores_too() -> None:
    now = season().definition()
    earlier = json.loads(json.dumps(now))
    del earlier["limits"]["cores_per_seat"]
    assert stored_tournament("open.1", earlier, 3).limits.cores_per_seat == 1.0
    assert changes(earlier, now) == []


def test_where_anybody_may_enter_nobody_ponders_unless_the_file_says_so() -> None:
    assert not season().limits.ponder
    assert not season('enter = "anyone"\n').limits.ponder
    assert season("[limits]\nponder = true\n").limits.ponder
    assert season('enter = "organiser"\n').limits.ponder
    assert parse(RIGHT).limits.ponder
    assert not parse(f"{RIGHT}\n[limits]\nponder = false\n").limits.ponder
    assert mistakes(f"{RIGHT}\n[limits]\nponder = 0\n")[0].startswith("t.toml:13: ponder ")


def test_a_season_that_an_earlier_release_has_stored_lets_nobody_ponder_either() -> None:
    now = season().definition()
    earlier = json.loads(json.dumps(now))
    del earlier["limits"]["ponder"]
    assert not stored_tournament("open.1", earlier, 3).limits.ponder
    assert changes(earlier, now) == []
    assert stored_tournament("spring", json.loads(json.dumps(parse(RIGHT).definition())), 3).limits.ponder


def test_whether_bots_ponder_is_told_with_the_limits() -> None:
    by_name = {limit.name: limit for limit in definition(season()).limits}
    assert (by_name["ponder"].value, by_name["ponder"].unit) == (0, "")
    assert {limit.name: limit.value for limit in definition(parse(RIGHT)).limits}["ponder"] == 1


def test_a_block_carries_whether_bots_ponder_where_an_earlier_worker_looks_past_it() -> None:
    carried = json.loads(json.dumps(season().limits.values()))
    assert not BotLimits.stored(carried).ponder
    assert carried["ponder"] is False
    del carried["ponder"]  # as an arena of the release before hands it out
    assert BotLimits.stored(carried).ponder


@pytest.mark.parametrize("line", ["cores_per_seat = 1", "ponder = false"])
def test_the_matches_of_a_check_take_no_key_of_a_ladder(tmp_path: Path, line: str) -> None:
    file = tmp_path / "worker.toml"
    file.write_text(f"[limits]\n{line}\n", encoding="utf-8")
    with pytest.raises(ArenaError, match=line.partition(" ")[0]):
        read_worker_file(file)
