"""Niekhi (連友): two to six seats lay melds to empty their hands first. Rules: `docs/rules/niekhi.md`.

The values that a bot gets and returns, and functions that read its cards (vectors of counts, one for each strength
0-10) and melds. `fudaba_games.niekhi.melds` says what cards count as, and which meld may be laid on another.
"""

from __future__ import annotations

from fudaba_games.niekhi.cards import (
    ALL_STRENGTHS,
    COPIES_OF,
    DECK,
    cards_of,
    count_of,
    has,
    mask_of,
    size_of,
    strengths_in,
    strengths_of,
)
from fudaba_games.niekhi.melds import Meld, melds_of
from fudaba_games.niekhi.text import describe_meld, laid_text, text_of, text_of_strengths
from fudaba_games.niekhi.values import (
    Cleared,
    DealEnded,
    Dealt,
    Decline,
    Declined,
    Laid,
    Lay,
    Name,
    Named,
    NiekhiEvent,
    NiekhiMove,
    NiekhiView,
    Pass,
    Passed,
    Phase,
    Received,
    Take,
    Took,
)

__all__ = [
    "ALL_STRENGTHS",
    "COPIES_OF",
    "DECK",
    "Cleared",
    "DealEnded",
    "Dealt",
    "Decline",
    "Declined",
    "Laid",
    "Lay",
    "Meld",
    "Name",
    "Named",
    "NiekhiEvent",
    "NiekhiMove",
    "NiekhiView",
    "Pass",
    "Passed",
    "Phase",
    "Received",
    "Take",
    "Took",
    "cards_of",
    "count_of",
    "describe_meld",
    "has",
    "laid_text",
    "mask_of",
    "melds_of",
    "size_of",
    "strengths_in",
    "strengths_of",
    "text_of",
    "text_of_strengths",
]
