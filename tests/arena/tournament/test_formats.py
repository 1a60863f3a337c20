"""The formats of tournament files: gauntlets, Swisses and knockouts, and how their mistakes are reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fudaba_arena.schedule.planning import schedule_of, source_schedule
from fudaba_arena.tournament.definition import changes, stored_tournament
from fudaba_arena.tournament.file import BadTournament, Source
from tests.support.arena.tournament.definitions import RIGHT, mistake, mistakes, parse

GAUNTLET = RIGHT.replace("game =", 'format = "gauntlet"\nchallengers = ["random"]\ngame =')


def test_a_gauntlet_has_challengers_and_everybody_else_is_in_the_field() -> None:
    tournament = parse(GAUNTLET)
    assert tournament.format.challengers == ("random",)
    assert len(schedule_of(tournament, "t")) == 1
    assert parse(GAUNTLET.replace("game =", 'field = ["sensible"]\ngame =')) == tournament


@pytest.mark.parametrize(
    ("change", "line", "message_part"),
    [
        (('challengers = ["random"]\n', ""), 2, 'write which bots meet the others, challengers = ["sensible"]'),
        (('["random"]', "[]"), 3, "challengers is empty; write it as a list"),
        (('["random"]', '"random"'), 3, "challengers is the text 'random'; write a list in brackets"),
        (('["random"]', '[\n"sensible",\n"rendom"]'), 5, "no bot has that name; did you mean 'random'?"),
        (('["random"]', '["random", "random"]'), 3, "challengers has 'random' twice; write it once"),
        (('["random"]', '["random", "sensible"]'), 3, "has one challenger and 1 others, and there are 0"),
        (("game =", 'field = ["random"]\ngame ='), 4, "random cannot be in the field and a challenger"),
        (("game =", "field = []\ngame ="), 4, "field is empty; write it as a list"),
        (('builtin = "random"', 'builtin = "random"\n[[bots]]\nname = "new"\nremote = true'), 4, "new would not play"),
        (('name = "random"', 'name = "random"\ngames = ["napoleon"]'), 3, "no challenger plays naga"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_gauntlet_is_told_by_its_line(change: tuple[str, str], line: int, message_part: str) -> None:
    text = GAUNTLET.replace("game =", 'field = ["sensible"]\ngame =') if "new" in change[1] else GAUNTLET
    if "napoleon" in change[1]:
        text = text.replace('game = "naga"\n', "").replace(
            "[[bots]]", '[[games]]\ngame = "naga"\n[[games]]\ngame = "napoleon"\n[[bots]]', 1
        )
    assert text.count(change[0])
    head, _, tail = text.rpartition(change[0])
    all_told = mistakes(head + change[1] + tail)
    assert [message for message in all_told if message.startswith(f"t.toml:{line}: ") and message_part in message], (
        all_told
    )


def test_a_challenger_whose_author_has_all_others_is_told_where_the_challengers_stand() -> None:
    text = GAUNTLET.replace('"sensible"\n', '"sensible"\nauthor = "ann"\n', 1).replace(
        'name = "random"\n', 'name = "random"\nauthor = "ann"\n'
    )
    source = Source(text, "t.toml", Path())
    with pytest.raises(BadTournament) as caught:
        source_schedule(source.read(), source)
    assert str(caught.value).startswith("t.toml:3: challenger random needs somebody of another author")


SWISS = RIGHT.replace("game =", 'format = "swiss"\nrounds = 3\ngame =')


def test_a_swiss_has_rounds_and_no_blocks_before_they_are_drawn() -> None:
    tournament = parse(SWISS)
    assert (tournament.format.kind, tournament.format.rounds) == ("swiss", 3)
    schedule = schedule_of(tournament, "t")
    assert (len(schedule), schedule.matches, schedule.whole) == (0, 6, False)
    stored = json.loads(json.dumps(tournament.definition()))
    assert stored_tournament("spring", stored, 3).format == tournament.format
    assert changes(stored, parse(SWISS.replace("rounds = 3", "rounds = 4")).definition()) == ["rounds was 3, is 4"]


@pytest.mark.parametrize(
    ("change", "line", "message_start"),
    [
        (("rounds = 3\n", ""), 1, "a tournament needs rounds: write rounds = … (a whole number)"),
        (("rounds = 3", "rounds = 0"), 3, "rounds is 0; write a whole number from 1 to 1,000"),
        (("game =", "blocks = 2\ngame ="), 4, "in a Swiss every group plays one block a round; leave blocks out"),
        (('game = "naga"\n', '[[games]]\ngame = "naga"\nblocks = 2\n'), 6, "in a Swiss every group plays one block"),
        (("game =", 'challengers = ["random"]\ngame ='), 4, "challengers is for a gauntlet; leave it out"),
    ],
)
def test_a_mistake_in_a_swiss_is_told_by_its_line(change: tuple[str, str], line: int, message_start: str) -> None:
    assert mistake(SWISS.replace(*change)).startswith(f"t.toml:{line}: {message_start}")


@pytest.mark.parametrize(("bots", "most"), [(4, 3), (5, 5)])
def test_a_swiss_that_begins_has_no_more_rounds_than_there_are_pairs_for_them(bots: int, most: int) -> None:
    tables = "".join(f'[[bots]]\nname = "bot-{n}"\nbuiltin = "random"\n' for n in range(bots))

    def swiss(rounds: int) -> Source:
        return Source(f'name = "s"\nformat = "swiss"\nrounds = {rounds}\ngame = "naga"\n{tables}', "s.toml", None)

    assert swiss(most).read_new(0).format.rounds == most
    with pytest.raises(BadTournament) as caught:
        swiss(300).read_new(0)
    assert str(caught.value).startswith(f"s.toml:3: rounds is 300, and after {most} everybody has met everybody")
    assert swiss(300).read().format.rounds == 300


CUP = RIGHT.replace("game =", 'format = "single-elimination"\ngame =')


def test_a_knockout_is_seeded_by_the_order_of_its_file_which_its_definition_keeps() -> None:
    tournament = parse(CUP)
    assert tournament.format.seeds == tuple(bot.name for bot in tournament.bots)
    stored = json.loads(json.dumps(tournament.definition(), sort_keys=True))
    again = stored_tournament("spring", stored, 3)
    assert again.format == tournament.format
    assert schedule_of(again, "t").matches == schedule_of(tournament, "t").matches == 2
    changed = parse(CUP.replace("game =", "tiebreak_blocks = 0\ngame =")).definition()
    assert changes(stored, changed) == ["tiebreak_blocks was 2, is 0"]


def test_a_lot_can_seed_a_knockout() -> None:
    assert parse(CUP.replace("game =", 'seeding = "lot"\ngame =')).format.seeds == ()


@pytest.mark.parametrize(
    ("key", "message_start"),
    [
        ('seeding = "rating"', "there is no choice of seeding 'rating'; write one of: file, lot"),
        ("tiebreak_blocks = 101", "tiebreak_blocks is 101; write a whole number from 0 to 100"),
        ("third_place = true", "a third-place match needs 4 bots, and there are 2; leave third_place out"),
        ("rounds = 3", "rounds is for a Swiss; leave it out"),
        ('challengers = ["random"]', "challengers is for a gauntlet; leave it out"),
    ],
)
def test_a_mistake_in_a_knockout_is_told_by_its_line(key: str, message_start: str) -> None:
    assert mistake(CUP.replace("game =", f"{key}\ngame =")).startswith(f"t.toml:3: {message_start}")


@pytest.mark.parametrize("key", ['seeding = "lot"', "third_place = true", "tiebreak_blocks = 1"])
def test_what_only_a_knockout_has_is_refused_elsewhere(key: str) -> None:
    assert " is for a knockout; leave it out" in mistake(RIGHT.replace("game =", f"{key}\ngame ="))


def test_a_third_place_match_is_refused_where_the_final_decides_the_place() -> None:
    tables = "".join(f'[[bots]]\nname = "bot-{n}"\nbuiltin = "random"\n' for n in range(7))
    head = 'name = "c"\nformat = "single-elimination"\nthird_place = true\ngame = "niekhi"\nseats = 3\n'
    assert mistake(head + tables).startswith("t.toml:3: the final of 3 seats decides the third place too")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ('game = "niekhi"\nseats = 3\n', 'this one has 3; write "single-elimination"'),
        ('game = "naga"\nthird_place = true\n', "the lower bracket decides the third place; leave third_place out"),
    ],
)
def test_a_mistake_in_a_double_elimination_is_told(rules: str, message: str) -> None:
    tables = "".join(f'[[bots]]\nname = "bot-{n}"\nbuiltin = "random"\n' for n in range(5))
    assert message in mistake(f'name = "d"\nformat = "double-elimination"\n{rules}{tables}')


def test_a_bracket_is_of_one_game() -> None:
    games = '[[games]]\ngame = "naga"\n[[games]]\ngame = "niekhi"\n'
    text = CUP.replace('game = "naga"\n', "", 1) + games
    assert "a bracket is of one game, and there are 2; write a file for each game" in mistake(text)


def test_bots_of_one_author_cannot_be_in_a_bracket_where_they_may_not_meet() -> None:
    bots = "".join(f'[[bots]]\nname = "bot-{n}"\ncommand = ["sh"]\nauthor = "ann"\n' for n in range(2))
    source = Source(f'name = "c"\nformat = "single-elimination"\ngame = "naga"\n{bots}', "t.toml", Path())
    with pytest.raises(BadTournament, match="are of one author, and could meet in the bracket"):
        source_schedule(source.read(), source)


def test_a_stored_gauntlet_stays_one_and_a_change_of_it_is_told() -> None:
    tournament = parse(GAUNTLET)
    stored = json.loads(json.dumps(tournament.definition()))
    assert stored_tournament("spring", stored, 3).format == tournament.format
    assert changes(stored, parse(RIGHT).definition()) == ["challengers is gone", "format is gone"]
