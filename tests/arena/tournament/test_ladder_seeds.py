"""Knockouts that take their bots from a ladder: what a file may ask for, and what an arena fills in."""

from __future__ import annotations

from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.tournament.definition import BotEntry, stored_tournament
from fudaba_arena.tournament.file import BadTournament, Source
from fudaba_arena.tournament.ladder_seeds import SeedRequest, is_seeded, read_seed_request, seeded_text, top_of
from fudaba_arena.tournament.seed_source import SeedSource

CUP = """\
name = "cup"
format = "single-elimination"
game = "naga"

[from_ladder]
ladder = "open"
top = 3"""
SOURCE = SeedSource("open", 2, "open.2-0123abcd", "naga", 77)
BOTS = (
    BotEntry("ann@3", version="3").submitted("s-1", stateless=False, ladder="open", needs="python/"),
    BotEntry("ben@1", author="Ben", account="of-ben"),
    BotEntry("first@1", "first", stateless=True),
    BotEntry("own@1", command=("python", "own.py"), env={"KEY": 'a "b"\n'}, capacity=2, stateless=True),
)


def read(text: str, *, hosted: bool = True) -> list[str]:
    """Returns the mistakes of a text."""
    with pytest.raises(BadTournament) as caught:
        Source(text, "cup.toml", None, hosted=hosted).read()
    return str(caught.value).splitlines()


def test_what_an_arena_fills_in_is_read_again() -> None:
    tournament = Source(seeded_text(CUP, SOURCE, BOTS), "cup.toml", Path(), hosted=True).read()
    assert tournament.format.seeds == ("ann", "ben", "first", "own")
    assert tournament.format.seeded_from == SOURCE
    ann, ben, first, own = tournament.bots
    assert (ann.kind, ann.submission, ann.needs, ann.keeps, ann.version) == ("submitted", "s-1", "python/", "open", "3")
    assert (ann.stateless, ann.capacity, ben.kind, first.builtin) == (False, 1, "remote", "first")
    assert (own.command, own.env, own.capacity) == (BOTS[3].command, BOTS[3].env, 2)
    assert stored_tournament("cup", tournament.definition(), 3).format == tournament.format


def test_a_mistake_in_what_an_arena_fills_in_stands_at_the_line_of_the_request() -> None:
    seeded = seeded_text(CUP, SOURCE, [*BOTS[:2], BotEntry("gone@1", "no-such-bot", stateless=True)])
    [mistake] = read(seeded)
    assert mistake.startswith("cup.toml:5: ")
    source = Source(seeded, "cup.toml", None, hosted=True)
    assert source.mistake([("bots", 1, "name")], "it is gone").line == 5
    assert source.mistake([("format",)], "it is another").line == 2


def test_a_definition_is_of_the_text_that_it_was_made_from_and_of_no_other() -> None:
    seeded = seeded_text(CUP, SOURCE, BOTS)
    assert is_seeded(seeded, CUP)
    assert is_seeded(seeded, f"{CUP}\n")
    for other in (CUP.replace("top = 3", "top = 2"), CUP[:-1], CUP.partition("\n\n")[0], ""):
        assert not is_seeded(seeded, other)


def test_a_request_is_read_with_all_its_mistakes() -> None:
    assert read_seed_request(CUP) == (SeedRequest("open", 3, 0), [])
    assert read_seed_request("name = ") == (None, [])
    assert read_seed_request(CUP.partition("[from")[0]) == (None, [])
    _, mistakes = read_seed_request(CUP.replace('"open"', '"o p"').replace("top = 3", "top = 1\nbest = 3"))
    assert [mistake.line for mistake in mistakes] == [6, 7, 8]


@pytest.mark.parametrize("more", ['\n[[bots]]\nname = "x"\nbuiltin = "first"\n', '\n[seeded_from]\nladder = "open"\n'])
def test_a_request_stands_alone(more: str) -> None:
    _, mistakes = read_seed_request(CUP + more)
    assert [mistake.line for mistake in mistakes] == [8]
    assert "leave" in mistakes[0].text


def test_a_text_that_says_where_its_seeds_are_from_without_a_request_is_refused() -> None:
    text = seeded_text(CUP.partition("[from")[0], SOURCE, BOTS[1:3])
    assert any("seeded_from is what the arena writes" in line for line in read(text))
    _, mistakes = read_seed_request(text)
    assert "seeded_from is what the arena writes" in mistakes[0].text


def test_outside_an_arena_there_is_no_ladder() -> None:
    [mistake] = read(CUP, hosted=False)
    assert mistake.startswith("cup.toml:5: a ladder is of a standing arena")
    assert len(read(CUP.replace("game =", "third_place = true\ngame ="), hosted=False)) == 1
    assert any(
        "a ladder is of a standing arena" in line for line in read(seeded_text(CUP, SOURCE, BOTS[1:3]), hosted=False)
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('format = "swiss"\nrounds = 2', "is for a knockout"),
        ('format = "single-elimination"\nseeding = "lot"', "the ladder seeds the bots"),
    ],
)
def test_only_a_knockout_whose_seeds_are_not_drawn_takes_them_from_a_ladder(line: str, why: str) -> None:
    text = CUP.replace('format = "single-elimination"', line)
    assert any(why in mistake for mistake in read(seeded_text(text, SOURCE, BOTS[1:3])))


def test_the_best_versions_are_taken_and_each_bot_once() -> None:
    rows = [("ann@2", 1), ("ben@1", 2), ("ann@1", 3), ("gone@1", None), ("cat@1", 4)]
    assert top_of(rows, 3) == ["ann@2", "ben@1", "cat@1"]
    assert top_of(rows, 9) == ["ann@2", "ben@1", "cat@1"]


def test_a_stored_source_without_a_field_is_refused() -> None:
    with pytest.raises(ArenaError, match="the source of the seeds is stored without point"):
        SeedSource.from_definition({key: value for key, value in SOURCE.definition().items() if key != "point"})
