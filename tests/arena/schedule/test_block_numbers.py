"""The numbers of blocks determine their slots and attempts."""

import pytest

from fudaba_arena.schedule.block_numbers import GROWING, BlockNumbers


@pytest.mark.parametrize("numbers", [GROWING, BlockNumbers(7)])
def test_a_number_is_of_one_slot_and_attempt(numbers: BlockNumbers) -> None:
    found = [numbers.number(slot, attempt) for attempt in range(3) for slot in range(7)]
    assert len(set(found)) == 21
    assert [(numbers.slot(number), numbers.attempt(number)) for number in found] == [
        (slot, attempt) for attempt in range(3) for slot in range(7)
    ]


def test_first_attempts_are_numbered_as_their_slots() -> None:
    assert [GROWING.number(slot, 0) for slot in range(3)] == [0, 1, 2]
