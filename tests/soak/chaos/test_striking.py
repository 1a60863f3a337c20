"""What a fault may have lost."""

from __future__ import annotations

import itertools

from soak.chaos.schedule import Fault
from soak.chaos.striking import Struck

FAILOVER = Fault(1, 0.0, "failover", 0, 1.0, 0.7)


def test_a_failover_from_a_master_that_died_may_have_lost_what_was_acknowledged_until_then() -> None:
    assert Struck(FAILOVER, 10.0, lost=10.2).losses == [10.2]


def test_while_there_are_two_masters_each_acknowledgement_may_be_lost() -> None:
    losses = Struck(FAILOVER, 10.0, lost=12.0, lost_since=10.0).losses
    assert losses == sorted(losses)
    assert losses[0] == 10.0
    assert losses[-1] == 12.0
    assert all(after - before < 0.1 for before, after in itertools.pairwise(losses))
