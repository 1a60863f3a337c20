"""The terms of blocks, and what an edit of a ladder stores of its changes."""

from __future__ import annotations

from fudaba_arena.tournament.terms import Change


def test_a_stored_change_has_long_values_without_their_ends() -> None:
    accounts = [f"account-{number}" for number in range(5_000)]
    noted = Change("accounts", '["alice"]', str(accounts)).noted()
    assert (noted.key, noted.before) == ("accounts", '["alice"]')
    assert len(noted.after) <= 200
    assert noted.after.endswith("…")
    assert str(accounts).startswith(noted.after[:-1])
