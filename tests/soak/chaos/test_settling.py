"""When matches count as stuck after the last fault."""

from __future__ import annotations

from soak.chaos.settling import Standstill


def test_matches_that_do_not_go_on_while_every_replica_serves_stand_still() -> None:
    standstill = Standstill(100.0)
    assert standstill.seconds(110.0, 7, serves=True) == 0.0, "they have gone on"
    assert standstill.seconds(130.0, 7, serves=True) == 20.0
    assert standstill.seconds(135.0, 8, serves=True) == 0.0


def test_the_start_of_a_replica_is_no_standstill() -> None:
    standstill = Standstill(0.0)
    assert standstill.seconds(1.0, 7, serves=False) == 0.0
    assert standstill.seconds(70.0, 7, serves=False) == 0.0
    assert standstill.seconds(71.0, 7, serves=True) == 1.0
    assert standstill.seconds(130.0, 7, serves=True) == 60.0
