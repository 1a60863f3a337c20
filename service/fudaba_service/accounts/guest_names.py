"""Names for guests, easy for an opponent to tell apart and to say."""

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
"""The random bytes after the words, since words alone would soon repeat within a day."""


def guest_name() -> str:
    """Returns a new guest's name, such as `guest-calm-heron-6037d81a`: a prefix that no bot may have, two words, and
    digits.
    """
    words = f"{secrets.choice(_ADJECTIVES.split())}-{secrets.choice(_ANIMALS.split())}"
    return f"{GUEST}{words}-{secrets.token_hex(_SUFFIX_BYTES)}"
