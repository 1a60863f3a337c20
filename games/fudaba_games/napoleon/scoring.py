"""The scores of a deal of Napoleon (rules page `docs/rules/napoleon.md`, P9 and P10)."""

from __future__ import annotations

from typing import Final

from fudaba_games.napoleon.cards import HONOUR_COUNT, HONOURS, MIGHTY, SEAT_COUNT, left_jack, right_jack

SWEEP_CHOICES: Final = ("honours", "specials", "off")
"""The values of the option `sweep`."""


def is_swept(sweep: str, number: int, trump: int, taken: int, buried: int) -> bool:
    """Returns whether Napoleon's side loses because it took too much (rules page, P9.3 to P9.6).

    `sweep` is the option; `number` and `trump` (0-4) are the bid; `taken` is the mask of the honours that Napoleon's
    side took in tricks, and `buried` the mask of the buried cards.
    """
    if number == HONOUR_COUNT or sweep == "off":
        return False
    if sweep == "honours":
        return ((taken | buried) & HONOURS).bit_count() == HONOUR_COUNT
    specials = 1 << MIGHTY
    for jack in (right_jack(trump), left_jack(trump)):
        if jack >= 0:
            specials |= 1 << jack
    return not specials & ~taken


def deal_scores(napoleon: int, adjutant: int, won: bool) -> tuple[int, ...]:
    """Returns the score of a deal, one entry for each seat (rules page, P10.1, P10.2). `adjutant` is `napoleon` if
    there is none.
    """
    sign = 1 if won else -1
    scores = [-sign] * SEAT_COUNT
    if adjutant == napoleon:
        scores[napoleon] = 4 * sign
    else:
        scores[napoleon], scores[adjutant] = 2 * sign, sign
    return tuple(scores)
