"""What a guest is called."""

from __future__ import annotations

import re

from fudaba_service.accounts.bots import GUEST
from fudaba_service.accounts.guest_names import _ADJECTIVES, _ANIMALS, guest_name
from tests.support.sizes import some


def test_a_guest_s_name_has_two_words_that_others_can_say() -> None:
    for _ in range(some(200)):
        name = guest_name()
        assert re.fullmatch(rf"{GUEST}[a-z]+-[a-z]+-[0-9a-f]{{8}}", name)
        assert len(name) <= 40, "no name of a bot is longer"


def test_a_thousand_guests_have_a_thousand_names() -> None:
    assert len({guest_name() for _ in range(1000)}) == 1000


def test_no_word_comes_twice() -> None:
    words = [*_ADJECTIVES.split(), *_ANIMALS.split()]
    assert len(set(words)) == len(words)
