"""Who is lost together with many others, with a declared network or by a fault of the service, pays nothing for it."""

from __future__ import annotations

from math import inf

from fudaba_arena.play.seasons.losses import Losses
from fudaba_arena.schedule.state import ScheduledTournament
from fudaba_arena.store.tournaments.entries import ENTER, EntryChange
from fudaba_arena.tournament.absence_rule import AbsenceRule
from fudaba_arena.tournament.definition import Tournament
from fudaba_arena.tournament.games import TournamentGame
from fudaba_arena.tournament.season import Season
from tests.support.arena.schedule.states import stored

BOTS = tuple("abcdefghijklmnop")
EVERYBODY = frozenset(f"{bot}@1" for bot in BOTS)


def season(network: tuple[str, ...] = ()) -> ScheduledTournament:
    """Returns a season of sixteen bots, each of an account of its own."""
    rules = Season("open", absence=AbsenceRule(network=network))
    state = ScheduledTournament(Tournament("open.1", (TournamentGame("naga"),), (), season=rules), stored())
    state.note_entries([EntryChange(ENTER, 1, bot, "1", account=f"of-{bot}") for bot in BOTS])
    return state


def blameless(
    *seen: tuple[float, str],
    network: tuple[str, ...] = (),
    faulted_at: float = -inf,
    found_at: float | None = None,
    first: str = "",
) -> bool:
    """Returns whether a's absence was not its own fault, where these bots were here no more at these seconds.

    It was found at `found_at`, by default when a was seen last, and at first these were away.
    """
    state, now = season(network), [0.0]
    losses = Losses(lambda: now[0])
    for at, gone in [(0.0, first), *seen]:
        now[0] = at
        losses.note(state, EVERYBODY - {f"{bot}@1" for bot in gone})
    return losses.blameless(state, "a@1", now[0] if found_at is None else found_at, faulted_at)


def test_a_loss_alone_is_its_own() -> None:
    assert not blameless((100.0, "a"))


def test_it_is_not_with_bots_of_three_other_accounts_and_more_than_a_fifth_of_all_within_ten_seconds() -> None:
    assert blameless((100.0, "abcd"))
    assert not blameless((100.0, "abc"))
    assert blameless((100.0, "ab"), (109.0, "abcd"))
    assert not blameless((100.0, "a"), (111.0, "abcd"))


def test_three_others_of_many_are_not_enough() -> None:
    state, now = season(), [0.0]
    state.note_entries([EntryChange(ENTER, 1, f"more-{n}", "1", account=f"of-more-{n}") for n in range(10)])
    everybody = frozenset(state.entrants)
    losses = Losses(lambda: now[0])
    losses.note(state, everybody)
    losses.note(state, everybody - {"a@1", "b@1", "c@1", "d@1"})
    assert not losses.blameless(state, "a@1", 0.0, -inf)


def test_it_is_not_with_all_of_the_network_that_the_organiser_declared() -> None:
    network = ("of-a", "of-b", "of-c")
    assert blameless((100.0, "abc"), network=network)
    assert not blameless((100.0, "ab"), network=network)
    assert not blameless((100.0, "abc"), network=("of-b", "of-c"))


def test_one_bot_alone_is_no_network() -> None:
    assert not blameless((100.0, "a"), network=("of-a",))


def test_it_is_not_where_the_service_failed_at_the_time_or_since() -> None:
    assert blameless((100.0, "a"), faulted_at=91.0)
    assert blameless((100.0, "a"), faulted_at=130.0)
    assert not blameless((100.0, "a"), faulted_at=89.0)


def test_a_loss_is_judged_by_what_came_before_the_absence_not_after() -> None:
    hall, alone, back = (1_000.0, "abcd"), (5_000.0, "a"), (1_100.0, "")
    assert blameless(hall, back, alone, found_at=1_060.0), "it was lost with the hall, and dropped alone later"
    assert not blameless((1_000.0, "a"), back, (5_000.0, "abcd"), found_at=1_060.0), "the hall was lost later"


def test_the_service_s_failure_when_a_bot_was_found_to_be_away_counts_however_long_its_block_goes_on() -> None:
    # It was lost before this arena looked, or is run by a worker: nobody saw it go.
    assert blameless((9_000.0, "a"), first="a", found_at=5_000.0, faulted_at=4_950.0)
    assert not blameless((9_000.0, "a"), first="a", found_at=5_000.0, faulted_at=4_000.0)


def test_an_absence_that_was_found_as_the_arena_began_or_before_is_nobody_s() -> None:
    assert blameless((9_000.0, "a"), first="a", found_at=-100.0)
    assert blameless((9_000.0, "a"), first="a", found_at=60.0)


def test_the_beginning_of_the_arena_excuses_no_bot_that_it_saw_before_the_absence() -> None:
    assert not blameless((9_000.0, "a"), found_at=5.0), "it came, and was away for a moment that nobody saw"
    assert not blameless((4.0, "a"), (6.0, ""), found_at=5.0)
    assert blameless((6.0, ""), (9_000.0, "a"), first="a", found_at=5.0), "it was seen after the absence only"


def test_a_bot_that_left_and_was_back_before_anybody_looked_has_left_all_the_same() -> None:
    assert not blameless((100.0, ""), found_at=50.0)
    assert not blameless((10.0, "a"), (12.0, ""), (900.0, "abcd"), found_at=500.0)
    assert blameless((100.0, ""), found_at=50.0, faulted_at=45.0)
