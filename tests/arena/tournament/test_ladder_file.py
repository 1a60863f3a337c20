"""A ladder's file: what it becomes, and how its mistakes are told."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from fudaba_arena.api.messages.ladder_messages import planned
from fudaba_arena.forms import BadStored, known_fields
from fudaba_arena.tournament.absence_rule import AbsenceRule
from fudaba_arena.tournament.definition import APART, FRESH, Tournament, changes, stored_tournament, with_rules
from fudaba_arena.tournament.file import BadTournament, Source
from fudaba_arena.tournament.season import FINAL_APART_BLOCKS, Season, Span, span_of

LADDER = """\
name = "open"
enter = "list"
accounts = ["alice", "bob"]
entries_per_author = 2
narrow = 30

[season]
begins = 2026-12-01T12:00:00+01:00
ends = 2027-03-01T00:00:00Z
final_blocks = 5

[[games]]
game = "naga"
deals = 2

[[games]]
game = "napoleon"

[[bots]]
name = "sensible"
builtin = "sensible"
"""


def read(text: str, span: Span | None = None) -> Tournament:
    return Source(text, "open.toml", Path(), hosted=True, span=span or Span()).read()


def mistakes(text: str) -> list[str]:
    with pytest.raises(BadTournament) as caught:
        read(text)
    return str(caught.value).splitlines()


def test_a_file_becomes_the_first_season() -> None:
    tournament = read(LADDER)
    assert tournament.name == "open.1"
    assert tournament.season == Season(
        "open",
        1,
        "list",
        ("alice", "bob"),
        entries_per_author=2,
        narrow=30.0,
        final_blocks=5,
        begins_ms=1_796_122_800_000,
        ends_ms=1_803_859_200_000,
        rank_half=50.0,
        idle_days=7,
        final_apart_blocks=30,
        overall_shares=True,
        pair_share=0.25,
        author_share=0.4,
        absence=AbsenceRule(),
    )
    assert [(game.game, game.deals) for game in tournament.games] == [("naga", 2), ("napoleon", 1)]


@pytest.mark.parametrize(
    ("line", "sittings"), [("", APART), ('sittings = "apart"\n', APART), ('sittings = "fresh"\n', FRESH)]
)
def test_a_file_says_how_often_a_deal_is_played_and_a_season_that_has_begun_knows_of_nothing_but_apart(
    line: str, sittings: str
) -> None:
    tournament = read(line + LADDER)
    assert tournament.sittings == sittings
    definition = tournament.definition()
    assert definition.get("sittings", APART) == sittings
    assert ("sittings" in definition) is (sittings == FRESH)
    assert stored_tournament("open.1", definition, 3).sittings == sittings
    assert bool(changes(read(LADDER).definition(), definition)) is (sittings == FRESH)


@pytest.mark.parametrize(
    ("table", "absence"),
    [
        ("", AbsenceRule(60, 2)),
        ('[absence]\ngrace_seconds = 5\ngraces = 1\nnetwork = ["alice"]\n', AbsenceRule(5, 1, ("alice",))),
        ("[absence]\nforfeits = false\n", None),
    ],
)
def test_a_file_says_what_absence_costs_and_what_is_stored_says_the_same(
    table: str, absence: AbsenceRule | None
) -> None:
    tournament = read(LADDER + table)
    assert tournament.season is not None
    assert tournament.season.absence == absence
    definition = json.loads(json.dumps(tournament.definition()))
    assert ("absence" in definition["season"]) is (absence is not None)
    stored = stored_tournament("open.1", definition, 3)
    assert stored.season is not None
    assert stored.season.absence == absence
    assert changes(definition, tournament.definition()) == []


def test_a_season_that_began_before_it_had_these_rules_goes_on_without_them_from_the_same_file() -> None:
    begun = read(LADDER).definition()
    for key in (
        "absence",
        "rank_half",
        "idle_days",
        "final_apart_blocks",
        "overall_shares",
        "pair_share",
        "author_share",
    ):
        del begun["season"][key]
    tournament = with_rules(read(LADDER), begun)
    assert tournament.season is not None
    assert (tournament.season.absence, tournament.season.rank_half, tournament.season.idle_days) == (None, 0.0, 0)
    assert (tournament.season.final_apart_blocks, tournament.season.overall_shares) == (0, False)
    assert (tournament.season.pair_share, tournament.season.author_share) == (0.0, 0.0)
    assert changes(begun, tournament.definition()) == []


@pytest.mark.parametrize(
    ("enter", "lines", "before", "hidden"),
    [
        ("anyone", "", None, True),
        ("organiser", "", None, False),
        ("organiser", 'names = "hidden"\n', None, True),
        ("anyone", 'names = "shown"\n', None, False),
        ("anyone", "", "shown", False),
        ("organiser", "", "hidden", True),
        ("anyone", 'names = "hidden"\n', "shown", True),
    ],
)
def test_names_are_hidden_in_new_ladders_that_anybody_may_enter_and_later_seasons_keep_what_they_had(
    enter: str, lines: str, before: str | None, hidden: bool
) -> None:
    text = LADDER.replace('enter = "list"\naccounts = ["alice", "bob"]\n', f'enter = "{enter}"\n{lines}')
    tournament = read(text, Span(2, names=before))
    assert tournament.names_hidden is hidden
    definition = json.loads(json.dumps(tournament.definition()))
    assert stored_tournament("open.2", definition, 3).names_hidden is hidden
    assert span_of(definition).names == ("hidden" if hidden else "shown")
    assert tournament.season is not None
    assert planned(tournament, tournament.season).definition.names_hidden is hidden


def test_a_season_that_began_with_names_shown_goes_on_so_whatever_its_file_would_mean_today() -> None:
    text = LADDER.replace('enter = "list"\naccounts = ["alice", "bob"]\n', "")
    begun = read(text).definition()
    assert begun.pop("names") == "hidden"
    assert not with_rules(read(text), begun).names_hidden


def test_an_interval_that_nobody_may_ever_come_within_is_refused() -> None:
    [mistake] = mistakes(LADDER.replace("narrow = 30", "narrow = 30\nrank_half = 20"))
    assert "an entry within ± 30 plays only as others need it, and may never come within ± 20" in mistake
    wide = read(LADDER.replace("narrow = 30", "narrow = 60")).season
    assert wide is not None
    assert wide.rank_half == 60.0


@pytest.mark.parametrize(
    ("lines", "shares"),
    [
        ("pair_share = 0.1", (0.1, 0.4)),
        ("pair_share = 0.5", (0.5, 0.5)),
        ("author_share = 1", (0.25, 1.0)),
        ("pair_share = 0", (0.0, 0.4)),
        ("author_share = 0", (0.25, 0.0)),
        ("pair_share = 0\nauthor_share = 0", (0.0, 0.0)),
    ],
)
def test_a_file_caps_the_shares_of_opponents_and_what_is_stored_and_shown_says_the_same(
    lines: str, shares: tuple[float, float]
) -> None:
    tournament = read(LADDER.replace("narrow = 30", f"narrow = 30\n{lines}"))
    assert tournament.season is not None
    assert (tournament.season.pair_share, tournament.season.author_share) == shares
    stored = stored_tournament("open.1", json.loads(json.dumps(tournament.definition())), 3).season
    assert stored is not None
    assert (stored.pair_share, stored.author_share) == shares
    shown = planned(tournament, tournament.season).definition
    assert (shown.pair_share, shown.author_share) == shares


@pytest.mark.parametrize(
    ("lines", "line", "message_part"),
    [
        ("pair_share = 1.5", 6, "pair_share is 1.5; write a number from 0.0 to 1.0"),
        ("pair_share = -0.1", 6, "pair_share is -0.1; write a number from 0.0 to 1.0"),
        ("author_share = nan", 6, "author_share is nan; write a number from 0.0 to 1.0"),
        ('pair_share = "half"', 6, "pair_share is the text 'half'"),
        ("pair_share = 0.5\nauthor_share = 0.3", 7, "0.3 would cap one opponent, too, below pair_share, 0.5"),
    ],
)
def test_a_cap_that_is_no_share_is_refused_with_its_line(lines: str, line: int, message_part: str) -> None:
    [mistake] = mistakes(LADDER.replace("narrow = 30", f"narrow = 30\n{lines}"))
    assert mistake.startswith(f"open.toml:{line}: ")
    assert message_part in mistake


@pytest.mark.parametrize(("way", "shares"), [("shares", True), ("ratings", False)])
def test_a_ladder_is_ranked_over_its_games_as_its_file_says(way: str, shares: bool) -> None:
    season = read(LADDER.replace("narrow = 30", f'narrow = 30\noverall = "{way}"')).season
    assert season is not None
    assert season.overall_shares is shares
    [mistake] = mistakes(LADDER.replace("narrow = 30", 'narrow = 30\noverall = "wins"'))
    assert "write one of: ratings, shares" in mistake


def test_a_grace_is_for_a_ladder_in_which_absence_forfeits() -> None:
    [mistake] = mistakes(LADDER + "[absence]\nforfeits = false\ngraces = 1\n")
    assert "graces is for a ladder in which absence forfeits" in mistake


def test_a_later_season_has_dates_of_its_own() -> None:
    season = read(LADDER, Span(3, 7, 0)).season
    assert season is not None
    assert (season.name, season.begins_ms, season.ends_ms) == ("open.3", 7, 0)


def test_a_season_keeps_the_zones_in_which_its_times_were_written() -> None:
    ends = "ends = 2027-03-01T00:00:00Z"
    assert ends in LADDER
    season = read(LADDER.replace(ends, 'ends = "2027-03-01 18:00 Europe/Berlin"')).season
    assert season is not None
    assert (season.begins_zone, season.ends_zone) == ("", "Europe/Berlin")
    assert str(season.ends) == "2027-03-01 18:00 Europe/Berlin"
    assert season.ends is not None
    assert season.ends.at == datetime(2027, 3, 1, 17, tzinfo=UTC)
    assert Season.from_definition(season.definition()) == season


def test_what_is_stored_of_a_season_is_the_season() -> None:
    tournament = read(LADDER)
    again = stored_tournament(tournament.name, tournament.definition(), tournament.attempts)
    assert again.season == tournament.season
    assert again.definition() == tournament.definition()


def test_what_was_stored_before_a_season_had_all_of_its_keys_is_the_same() -> None:
    now = read(LADDER).definition()
    new = {"final_wait_seconds", "challenges", "challengers", "memory"}
    before = now | {"season": {key: setting for key, setting in now["season"].items() if key not in new}}
    assert changes(before, now) == []
    season = stored_tournament("open.1", before, 3).season
    assert season is not None
    assert season.final_wait_seconds == 3_600


def test_a_name_and_a_game_are_enough() -> None:
    tournament = read('name = "open"\ngame = "naga"\n')
    assert tournament.season == Season(
        "open",
        rank_half=50.0,
        idle_days=7,
        final_apart_blocks=FINAL_APART_BLOCKS,
        overall_shares=True,
        pair_share=0.25,
        author_share=0.4,
        absence=AbsenceRule(),
    )
    assert tournament.bots == ()


def test_all_mistakes_are_told_by_their_lines() -> None:
    text = """\
name = "open.air"
game = "naga"
blocks = 5
enter = "list"
narow = 3

[season]
begins = 2026-12-01T12:00:00
ends = "tomorrow"

[[bots]]
name = "alice"
remote = true
"""
    name = "write 1 to 32 of A-Z, a-z, 0-9, '_' and '-', beginning with a letter or digit"
    date = "write 2026-12-01 18:00 Europe/Berlin, or 2026-12-01T18:00:00+01:00"
    noon = 'begins = 2026-12-01T12:00:00+01:00, or begins = "2026-12-01 12:00 Europe/Berlin"'
    assert mistakes(text) == [
        f"open.toml:1: name is 'open.air'; {name}",
        "open.toml:3: a ladder goes on until its season ends; leave blocks out",
        'open.toml:4: enter = "list" needs the accounts that may enter bots; write accounts = ["…"]',
        "open.toml:5: a ladder has no 'narow'; did you mean 'narrow'?",
        f"open.toml:8: begins has no zone; write one behind it, for example {noon}",
        f"open.toml:9: ends is not a time: 'tomorrow' is not a date and time with its time zone; {date}",
        "open.toml:13: remote bots are not written here; enter it: fudaba ladder enter open.air alice",
    ]


@pytest.mark.parametrize(
    ("lines", "message_part"),
    [
        ('accounts = ["a"]', 'accounts are for enter = "list" only; leave them out'),
        ('challengers = ["a"]', 'challengers are for challenges = "list" only; leave them out'),
        ('challenges = "list"', 'challenges = "list" needs the accounts that may challenge; write challengers = ["…"]'),
        ('sittings = "twice"', "there is no choice of sittings 'twice'; write one of: apart, fresh"),
        ('memory = "some"', "there is no choice of memory 'some'; write one of: kept, nothing"),
        ('challenges = "all"', "there is no choice of challenges 'all'"),
        ("season = { begins = 2027-01-01T00:00:00Z, ends = 2026-01-01T00:00:00Z }", "the season ends before it begins"),
        ("season = { standings_open = 2027-01-01T00:00:00Z }", "are not frozen before"),
        (
            "season = { standings_freeze = 2027-01-01T00:00:00Z, standings_open = 2027-01-01T00:00:00Z }",
            "are not frozen before; write an earlier standings_freeze",
        ),
        ('enter = "nobody"', "there is no choice of enter 'nobody'"),
        ("[[bots]]\nname = 'a'", "this bot has nothing that says what it is"),
    ],
)
def test_what_does_not_fit_is_told(lines: str, message_part: str) -> None:
    assert any(message_part in line for line in mistakes(f'name = "open"\ngame = "naga"\n{lines}\n'))


def test_a_season_without_a_freeze_is_stored_as_before_and_one_with_a_freeze_keeps_its_times() -> None:
    season_values = read(LADDER).definition()["season"]
    assert not [key for key in season_values if key.startswith("standings") or key == "form"]
    frozen = LADDER.replace("final_blocks", 'standings_freeze = "2027-02-28 12:00 Europe/Berlin"\nfinal_blocks')
    tournament = read(frozen)
    definition = json.loads(json.dumps(tournament.definition()))
    with pytest.raises(BadStored):  # an earlier release, which reads no higher form, would show what is hidden
        known_fields(Season, definition["season"], "the season of a ladder")
    season = stored_tournament("open.1", definition, 1).season
    assert season is not None
    assert season == tournament.season
    assert str(season.standings_freeze) == "2027-02-28 12:00 Europe/Berlin"
    freeze_ms = season.standings_freeze_ms
    assert [season.standings_frozen(freeze_ms + after_ms) for after_ms in (-1, 0, 1)] == [False, True, True]
    assert read(LADDER, span_of(definition)).season == tournament.season


NOW_MS = 1_790_000_000_000
"""Before the dates of this file's ladder."""


def contradictions(text: str, now_ms: int = NOW_MS) -> list[str]:
    with pytest.raises(BadTournament) as caught:
        Source(text, "open.toml", Path(), hosted=True, span=Span()).read_new(now_ms)
    return str(caught.value).splitlines()


RANKED = LADDER.replace("final_blocks = 5", "final_blocks = 10")


@pytest.mark.parametrize(
    ("was", "now", "message_part"),
    [
        ("final_blocks = 10", "final_blocks = 9", "open.toml:10: final_blocks is 9 and provisional_blocks 10"),
        ("narrow = 30", "provisional_blocks = 40", "final_blocks is 10 and provisional_blocks 40: who enters late"),
        ('"alice", "bob"', '"alice", "S02"', "open.toml:3: accounts has 'S02', and accounts have 1 to 40 of a-z"),
        ('"alice", "bob"', '"alice", "alice"', "open.toml:3: accounts has 'alice' twice"),
        ("[season]", "limits = { kept = 100_000 }\n[season]", 'write memory = "kept"'),
        ("[season]", "limits = { wall = 5 }\n[season]", "wall is 5 s, and a single decision may take 10 s"),
        (
            "narrow = 30",
            'challenges = "list"\nchallengers = ["alice", "-"]',
            "open.toml:6: challengers has '-'",
        ),
    ],
)
def test_what_contradicts_itself_is_no_new_ladder_and_goes_on_where_it_has_begun(
    was: str, now: str, message_part: str
) -> None:
    Source(RANKED, "open.toml", Path(), hosted=True, span=Span()).read_new(NOW_MS)
    text = RANKED.replace(was, now)
    assert read(text).season is not None
    [mistake] = contradictions(text)
    assert message_part in mistake


def test_a_season_without_a_final_needs_no_blocks_in_it() -> None:
    text = LADDER.replace("final_blocks = 5", "final_blocks = 0")
    assert Source(text, "open.toml", Path(), hosted=True, span=Span()).read_new(NOW_MS).season is not None


def test_a_season_that_would_end_in_the_past_does_not_begin() -> None:
    ends_ms = 1_803_859_200_000
    Source(RANKED, "open.toml", Path(), hosted=True, span=Span()).read_new(ends_ms - 1)
    past = "open.toml:9: the season ends in the past: it is 2027-03-01T00:00:00Z now"
    assert contradictions(RANKED, ends_ms) == [
        f"{past}; write a later date, or end a season that goes on: fudaba ladder close"
    ]
    assert read(RANKED).season is not None


def test_what_has_a_key_of_ladders_alone_is_taken_for_one() -> None:
    assert Source(LADDER, "open.toml", None).describes_ladder
    assert Source('name = "x"\n[season]\n', "x.toml", None).describes_ladder
    assert not Source('name = "x"\ngame = "naga"\nchallengers = ["a"]\n', "x.toml", None).describes_ladder
    assert not Source("name = ", "x.toml", None).describes_ladder
