"""Names for guests, which somebody who sits opposite can tell apart and say."""

from __future__ import annotations

import secrets
from typing import Final

from fudaba_service.accounts.bots import GUEST

__all__ = ["guest_name"]

_ADJECTIVES: Final = """
amber autumn brave bright calm clear clever early evening gentle golden green happy kind lively lucky merry misty
modest morning noble patient polite quick quiet silver spring steady summer sunny swift winter
"""
_ANIMALS: Final = """
badger bee beetle bunting carp cicada crane cricket deer dolphin dove duck eagle falcon ferret finch firefly fox frog
goose grebe hare hawk hedgehog heron horse ibis jay kite koi lark lynx marten mole moth mouse newt octopus otter owl
oyster panda pheasant pony puffin quail rabbit raven robin salmon seal shrew snail sparrow squirrel stork swallow swan
tanuki thrush turtle whale wren yak
"""
_SUFFIX_BYTES: Final = 4
"""Bytes of chance behind the words, which alone would soon come twice a day."""


def guest_name() -> str:
    """Returns a new guest's name, such as `guest-calm-heron-6037d81a`: what no bot may be called, two words, and
    digits.
    """
    words = f"{secrets.choice(_ADJECTIVES.split())}-{secrets.choice(_ANIMALS.split())}"
    return f"{GUEST}{words}-{secrets.token_hex(_SUFFIX_BYTES)}"
