"""Tournament files: what they may say, and how mistakes are told."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fudaba_arena.errors import ArenaError
from fudaba_arena.play.matches.match_play import clock_message
from fudaba_arena.schedule.planning import schedule_of, source_schedule
from fudaba_arena.schedule.schedule import Part
from fudaba_arena.tournament.definition import changes, stored_tournament, with_rules
from fudaba_arena.tournament.file import BadTournament, Source, read_source, read_tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.terms import Clock
from fudaba_games.registry import GAMES
from tests.support.arena.tournament.definitions import RIGHT, mistake, mistakes, parse

PAGE = Path(__file__).parents[3] / "docs" / "tournament.md"
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


def test_the_example_of_the_documentation_is_right(tmp_path: Path) -> None:
    example = EXAMPLES[0]
    (tmp_path / "bots").mkdir()
    file = tmp_path / "spring.toml"
    file.write_text(example, encoding="utf-8")
    tournament = read_tournament(file)
    assert tournament.name == "spring"
    assert [game.game for game in tournament.games] == ["naga", "napoleon"]
    assert tournament.game("naga").blocks == 20
    assert tournament.game("naga").options == {"deals": 1, "first_dealer": 0}
    assert [bot.kind for bot in tournament.bots][:3] == ["builtin", "command", "remote"]
    assert tournament.bot("mine").env == {"DEPTH": "3"}
    assert tournament.bot("mine").cwd == tmp_path / "bots"
    assert tournament.bot("mine").stateless
    assert not tournament.bot("far-away").stateless
    assert tournament.bot("far-away").games == ("naga",)
    schedule = schedule_of(tournament, "x")
    assert schedule.part("naga") == Part(seats=2, blocks=60, matches=120, groups=3, widest=1)
    assert schedule.part("napoleon") == Part(seats=5, blocks=1, matches=20, groups=1, widest=1)


def test_the_documented_defaults_are_the_real_ones() -> None:
    tournament = parse(RIGHT)
    page = PAGE.read_text(encoding="utf-8")
    for key in ("concurrency", "connect_seconds", "attempts", "no_shows", "premiere_seconds"):
        assert f"| `{key}` | {getattr(tournament, key)} |" in page
    for key in ("blocks", "deals"):
        assert f"| `{key}` | {getattr(tournament.game('naga'), key)} |" in page
    for key in Clock.__dataclass_fields__:
        value = getattr(tournament.clock, key)
        written = str(value).lower() if isinstance(value, bool) else f"{value:_}"
        assert re.search(rf"^{key} = {written} ", page, re.MULTILINE)


def test_every_key_that_a_file_may_have_is_described() -> None:
    text = RIGHT.replace("[[bots]]", "[[bots]]\nxyzzy = 1", 1).replace("name =", "xyzzy = 1\nname =", 1)
    page = PAGE.read_text(encoding="utf-8")
    all_told = mistakes(text + "[clock]\nxyzzy = 1\n")
    assert len(all_told) == 3
    for message in all_told:
        known = message.partition("write one of: ")[2].split(", ")
        assert len(known) >= 5
        for key in known:
            assert re.search(rf"`\[*{key}\]*`|`{key} = |^{key} = ", page, re.MULTILINE), key


def test_the_examples_of_other_formats_are_right() -> None:
    formats = [parse(example).format.kind for example in EXAMPLES[1:]]
    assert formats == ["gauntlet", "swiss", "single-elimination"]


def test_a_file_of_two_tables_is_enough() -> None:
    tournament = parse(RIGHT)
    assert tournament.clock == Clock(10_000, 0, 60_000, 3, 10)
    version = GAMES["naga"].rules_version
    assert tournament.games == (TournamentGame("naga", 2, {"deals": 1, "first_dealer": 0}, rules_version=version),)
    assert tournament.bot("random").stateless


def test_a_clock_can_leave_the_network_to_the_bots_and_what_has_begun_keeps_what_it_has() -> None:
    usual, without = parse(RIGHT), parse(RIGHT + "[clock]\nnetwork_credit = false\n")
    assert (usual.clock.network_credit, without.clock.network_credit) == (True, False)
    # A definition that an earlier release has stored says nothing of it, and is the same still.
    assert "clock.network_credit" not in usual.definition()
    assert changes(usual.definition(), without.definition()) == ["clock.network_credit is new"]
    for tournament in (usual, without):
        assert stored_tournament("spring", tournament.definition(), 3).clock == tournament.clock
        assert clock_message(tournament.clock, 60).no_network_credit != tournament.clock.network_credit
    with pytest.raises(BadTournament, match="network_credit is the number 0; write true or false"):
        parse(RIGHT + "[clock]\nnetwork_credit = 0\n")


def test_a_whole_win_is_what_a_forfeit_at_the_start_costs() -> None:
    def margin(text: str) -> float:
        return parse(text).games[0].win_margin

    assert margin(RIGHT) == 2.0
    assert margin(RIGHT + "[options]\ndeals = 5\n") == 10.0
    assert margin("win_margin = 3\n" + RIGHT) == 3.0
    assert margin("win_margin = 2.5\n" + RIGHT) == 2.5


@pytest.mark.parametrize(
    ("change", "line", "message_part"),
    [
        (("game =", "gmae ="), 2, "a tournament has no 'gmae'; did you mean 'game'?"),
        (('"naga"', '"nagga"'), 2, "there is no game 'nagga'; did you mean 'naga'?"),
        (('"naga"', "7"), 2, "game is the number 7; write a text in quotes"),
        (('"spring"', f'"{"x" * 40}"'), 1, "write 1 to 39 of A-Z"),
        (('"spring"', '"the spring"'), 1, "name is 'the spring'; write 1 to 39 of A-Z"),
        (('builtin = "random"', 'builtin = "rnadom"'), 10, "no built-in bot 'rnadom'; did you mean 'random'?"),
        (('builtin = "random"', 'builtin = "random:5"'), 10, "'random' takes no budget: write 'random' alone"),
        (('builtin = "random"', 'builtin = "search-tree:0"'), 10, "a search's budget is a number of tries, as 500"),
        (('builtin = "random"', 'builtin = "search-tree:9999999999"'), 10, "from 1 to 999,999,999 tries"),
        (('builtin = "random"', 'bultin = "random"'), 10, "[bots] has no 'bultin'; did you mean 'builtin'?"),
        (('builtin = "random"', "remote = false"), 10, "remote is false; write remote = true"),
        (('builtin = "random"', 'builtin = "random"\nremote = true'), 9, "builtin and remote at once"),
        (('builtin = "random"', 'command = "python x.py"'), 10, "command is the text 'python x.py'; write a list"),
        (('builtin = "random"', "command = []"), 10, "command is empty; write it as a list"),
        (('builtin = "random"', 'command = ["python",\n  3]'), 11, "command has the number 3; write texts in quotes"),
        (('builtin = "random"', 'command = ["no-such-program-here"]'), 10, "no program 'no-such-program-here' on PATH"),
        (('builtin = "random"', 'command = ["./x"]'), 10, "there is no program './x' in"),
        (('builtin = "random"', 'command = ["python"]\ncwd = "nowhere"'), 11, "there is no folder"),
        (('builtin = "random"', 'command = ["python"]\nenv = {A = 1}'), 11, "env.A is 1; write a text in quotes"),
        (('builtin = "random"', 'command = ["python"]\nenv = {"A B" = "1"}'), 11, "'A B' is not the name of"),
        (('builtin = "random"', 'command = ["python"]\n[bots.env]\nFUDABA_TOKEN = "x"'), 12, "is set by the arena"),
        (('builtin = "random"', 'builtin = "random"\ncwd = ""'), 11, "cwd is for bots with a command"),
        (('builtin = "random"', 'builtin = "random"\nstateless = false'), 11, "built-in bots keep nothing"),
        (('builtin = "random"', 'builtin = "random"\nmemoryless = true'), 11, "memoryless is now called stateless"),
        (('builtin = "random"', "remote = true\nstateless = true"), 11, "may remember; leave stateless out"),
        (('builtin = "random"', 'builtin = "random"\ncapacity = -1'), 11, "capacity is -1; write a whole number"),
        (('builtin = "random"', 'builtin = "random"\nversion = "v 1"'), 11, "version is 'v 1'; write 1 to 40"),
        (('name = "random"', 'name = "Random"'), 9, "name is 'Random'; write 1 to 40 of a-z"),
        (('name = "random"', 'name = "sensible"'), 9, "bot sensible is entered twice"),
        (('name = "random"', 'name = "house-x"'), 9, "names that begin with house- are reserved for the service's own"),
        (("\n[[bots]]", "\n[[games]]\ngame = 'napoleon'\n[[bots]]"), 2, "with [[games]], game belongs in the table"),
        (('builtin = "random"', 'builtin = "random"\ngames = ["nagga"]'), 11, "'nagga' is not played here"),
        (('builtin = "random"', 'builtin = "random"\ngames = []'), 11, "games is empty; write it as a list"),
        (("game =", "seats = 3\ngame ="), 2, "naga is played by 2, not 3; write one that it is played by"),
        (("[[bots]]\nname = \"random\"\nbuiltin = \"random\"\n", ""), 4, "needs at least 2 bots, this one has 1"),
        (("game =", "blocks = 0\ngame ="), 2, "blocks is 0; write a whole number from 1 to 1,000,000"),
        (("game =", "blocks = 2.5\ngame ="), 2, "blocks is the number 2.5; write a whole number"),
        (("game =", "blocks = true\ngame ="), 2, "blocks is the value true; write a whole number"),
        (("game =", "win_margin = 0\ngame ="), 2, "win_margin is 0; write a whole number from 1"),
        (("game =", "win_margin = 0.0\ngame ="), 2, "win_margin is 0.0; write a number from 0.001"),
        (("game =", 'win_margin = "2"\ngame ='), 2, "win_margin is the text '2'; write a number"),
        (("game =", 'format = "knockout"\ngame ='), 2, "write one of: double-elimination, gauntlet, round-robin"),
        (("game =", "rounds = 3\ngame ="), 2, 'rounds is for a Swiss; leave it out, or write format = "swiss"'),
        (("game =", 'challengers = ["random"]\ngame ='), 2, "challengers is for a gauntlet; leave it out"),
        (("game =", 'field = ["random"]\ngame ='), 2, "field is for a gauntlet; leave it out"),
        (("game =", 'metrics = "9091"\ngame ='), 2, "metrics is '9091'; write HOST:PORT"),
        (("game =", "same_author = 1\ngame ="), 2, "same_author is the number 1; write true or false"),
        (("game =", "clock = 5\ngame ="), 2, "clock is the number 5; write a table"),
        (("\n[[bots]]", "\n[options]\ndeels = 3\n[[bots]]"), 9, "naga has no option 'deels'; did you mean 'deals'?"),
        (("\n[[bots]]", "\n[options]\ndeals = 0\n[[bots]]"), 9, "'deals' must be a whole number from 1 to 99, not 0"),
        (("\n[[bots]]", '\n[options]\ndeals = "3"\n[[bots]]'), 9, "must be a whole number from 1 to 99, not '3'"),
        (("\n[[bots]]", "\n[clock]\nmove_ms = 0\n[[bots]]"), 9, "move_ms is 0; write a whole number from 1"),
        (("\n[[bots]]", "\n[clock]\nmove_ms = 1\nbank_ms = 0\n[[bots]]"), 9, "nobody can keep this clock"),
        (("game =", 'queue = "nobody"\ngame ='), 2, "write one of: organiser, public"),
        (("\n[[bots]]", "\n[clock]\nmove_s = 1\n[[bots]]"), 9, "[clock] has no 'move_s'; did you mean 'move_ms'?"),
        (("game =", "game = = "), 2, "this is not TOML: Invalid value, in column"),
        (('builtin = "random"\n', 'builtin = "random'), 10, "this is not TOML"),
        (("game =", 'name = "x"\ngame ='), 2, "this is not TOML: Cannot overwrite a value"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_by_its_line_with_what_to_write(
    change: tuple[str, str], line: int, message_part: str
) -> None:
    before, after = change
    assert RIGHT.count(before)
    head, _, tail = RIGHT.rpartition(before)
    all_told = mistakes(head + after + tail)
    where = [message for message in all_told if message.startswith(f"t.toml:{line}: ") and message_part in message]
    assert where, all_told


def test_all_mistakes_are_told_at_once_in_the_order_of_the_lines() -> None:
    listed = mistakes("nam = 1\nblocks = 'x'\n[clock]\nbank = 2\n[[bots]]\nbuiltin = 'x'\n")
    assert [int(message.split(":")[1]) for message in listed] == sorted(
        int(message.split(":")[1]) for message in listed
    )
    assert len(listed) == 8  # nam, no name, no game, blocks, bank, no bot's name, no such bot, too few bots


def test_what_is_missing_is_told_where_it_belongs() -> None:
    assert mistake(RIGHT.replace('name = "random"\n', "")).startswith("t.toml:8: [bots] needs name: write name = ")
    assert mistake(RIGHT.replace('builtin = "random"\n', "")).startswith("t.toml:9: this bot has nothing that says")
    assert mistake(RIGHT.replace('game = "naga"\n', "")).startswith("t.toml:1: a tournament needs game")


def test_two_bots_of_one_author_alone_cannot_play_unless_they_may(tmp_path: Path) -> None:
    same = RIGHT.replace('"\nbuiltin', '"\nauthor = "me"\nbuiltin')
    file = tmp_path / "t.toml"
    for text, line in ((same, 1), (same.replace("game =", "same_author = false\ngame ="), 2)):
        file.write_text(text)
        with pytest.raises(BadTournament, match=rf"t\.toml:{line}: all bots are of one author"):
            source_schedule(read_tournament(file), read_source(file))
    assert parse("same_author = true\n" + same).same_author


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_bytes(RIGHT.encode() + "# Grüße".encode("latin-1"))
    with pytest.raises(BadTournament, match=r"t\.toml:11: this is not UTF-8 text"):
        read_tournament(file)


def test_a_file_from_windows_is_read_as_any_other(tmp_path: Path) -> None:
    file = tmp_path / "t.toml"
    file.write_bytes(b"\xef\xbb\xbf" + RIGHT.replace("\n", "\r\n").encode())
    assert read_tournament(file).definition() == parse(RIGHT).definition()
    file.write_text(RIGHT, encoding="utf-16")
    with pytest.raises(BadTournament, match=r"t\.toml:1: this is UTF-16 text"):
        read_tournament(file)


def test_changes_that_matter_are_named_and_others_do_not_matter() -> None:
    def changed(text: str) -> list[str]:
        return changes(parse(RIGHT).definition(), parse(text).definition())

    free = "concurrency = 3\nattempts = 9\nno_shows = 1\nmetrics = 'a:1'\n" + RIGHT + "capacity = 2\n"
    assert changed(free) == []
    reordered = RIGHT.split("\n\n")
    assert changed("\n\n".join([reordered[0], reordered[2], reordered[1]])) == []
    assert changed("blocks = 2\n" + RIGHT) == ["blocks of game naga was 1, is 2"]
    assert changed(RIGHT + "[options]\ndeals = 5\n") == [
        "options.deals of game naga was 1, is 5",
        "win_margin of game naga was 2.0, is 10.0",
    ]
    assert changed(RIGHT + "version = '2'\n") == ["version of bot random was '1', is '2'"]
    assert changed(RIGHT + "[clock]\nmove_ms = 1\n") == ["clock.move_ms was 10000, is 1"]
    assert changed(RIGHT + "[[bots]]\nname = 'x'\nbuiltin = 'first'\n") == ["bot x is new"]


def test_a_definition_of_an_earlier_form_is_refused_with_what_to_do() -> None:
    with pytest.raises(ArenaError, match=r"tournament old was stored by an earlier release.*begin it anew"):
        stored_tournament("old", {"game": "naga", "blocks": 1, "clock.move_ms": 1}, 3)


def test_a_definition_in_the_words_of_an_earlier_release_is_the_same() -> None:
    now = parse(RIGHT).definition()
    before = json.loads(json.dumps(now).replace('"stateless"', '"memoryless"'))
    assert before != now
    assert changes(before, now) == []
    assert stored_tournament("spring", before, 3).definition() == now


def test_a_tournament_keeps_the_version_of_the_rules_with_which_it_began() -> None:
    today = parse(RIGHT)
    assert today.game("naga").rules_version == GAMES["naga"].rules_version
    definition = today.definition()
    for version in (GAMES["naga"].rules_version + 1, 0):
        before = json.loads(json.dumps(definition))
        if version:
            before["game naga"]["rules_version"] = version
        else:
            del before["game naga"]["rules_version"]  # as releases stored it that did not note it
        assert changes(before, with_rules(today, before).definition()) == []
        again = stored_tournament("spring", before, 3)
        assert again.game("naga").rules_version == version
        assert again.definition() == before


def test_a_stored_definition_gives_the_same_schedule() -> None:
    games = "[[games]]\ngame = 'naga'\nblocks = 3\n[[games]]\ngame = 'napoleon'\n"
    more = "".join(f"[[bots]]\nname = 'b{n}'\nremote = true\nauthor = 'x{n}'\ngames = ['napoleon']\n" for n in range(3))
    tournament = parse(RIGHT.replace('game = "naga"\n', games) + more)
    assert [game.seats for game in tournament.games] == [2, 5]
    again = stored_tournament(tournament.name, tournament.definition(), 3)
    assert again.definition() == tournament.definition()
    assert list(schedule_of(again, "x")) == list(schedule_of(tournament, "x"))


def test_the_order_of_the_games_is_kept_whatever_the_store_does_with_keys(tmp_path: Path) -> None:
    games = "".join(f'[[games]]\ngame = "{game}"\n' for game in ("niekhi", "naga", "mokkaik"))
    bots = "".join(f'[[bots]]\nname = "bot-{n}"\nbuiltin = "random"\n' for n in range(3))
    tournament = Source(f'name = "order"\n{games}{bots}', "order.toml", tmp_path).read()
    stored = json.loads(json.dumps(tournament.definition(), sort_keys=True))
    assert [game.game for game in stored_tournament("order", stored, 3).games] == ["niekhi", "naga", "mokkaik"]
