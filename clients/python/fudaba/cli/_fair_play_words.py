"""A fair-play report in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from fudaba.cli.output import table
from fudaba.safe_text import safe_line
from fudaba_games.wording import counted

if TYPE_CHECKING:
    from fudaba.v1 import arena_pb2

__all__ = ["CAUTION", "fair_play_sentences", "fair_play_table"]

_MAX_SHOWN_MATCHES: Final = 4
_LEAST_SHOWN_PROBABILITY: Final = 1e-4
CAUTION: Final = (
    "Nothing was done to anybody. On a ladder that everybody plays honestly, chance alone shows a line in one ladder of"
    " twenty."
)
_MEANING: Final = {
    "pair": (
        "{gaining} took {share} of what there was to take from {giving} in {blocks}, where their ratings predict"
        " {expected}. Look whether {giving} lost on purpose; a style that suits {gaining} looks the same."
    ),
    "account": (
        "{gaining} took {share} of what there was to take from {giving} in {blocks}, where the ratings predict"
        " {expected}. The entries of one account are taken together here; look whether they lost on purpose."
    ),
    "gathered": (
        "{gaining} took {share} from {giving} in {blocks}, where the ratings predict {expected}. Together they are"
        " off by more than chance, each by itself perhaps not: look at the matches of each before you suspect it."
    ),
    "forfeits": (
        "In {share} of the blocks that {gaining} played with those that ever forfeit, one of them forfeited; by what"
        " they forfeit to all, {expected} would be expected. Look at the causes of the forfeits by {giving}: a crash"
        " that {gaining} provokes by its play is not foul."
    ),
    "voids": (
        "In {blocks} that became void {gaining} had taken {share} by then, where its rating predicts {expected}."
        " Look at why they became void, and whether {gaining}, or somebody for it, ended what it was losing."
    ),
    "worker": (
        "{gaining} took {share} in {blocks} that {worker} played, where its rating elsewhere predicts {expected}."
        " Look at who runs that machine, and whether it is slow for others or was used when {gaining} was in another"
        " form."
    ),
    "deals": (
        "{gaining} took {share} in {blocks} in which {giving} played the same deals at another table, where its rating"
        " elsewhere predicts {expected}. Look whether the two know each other: one may tell the other the cards."
    ),
}
"""The meaning of a line and what to look at, by its kind."""


def fair_play_table(lines: Sequence[arena_pb2.FairPlayLine]) -> str:
    """Returns the lines as a table; empty without any."""
    head = ("", "kind", "game", "gains", "from", "blocks", "share", "expected", "Elo", "chance")
    rows = [
        [
            str(number),
            _kind(line),
            line.game,
            ", ".join(line.gaining),
            ", ".join(line.giving) or line.worker or "-",
            str(line.blocks),
            f"{line.share:.0%}",
            f"{line.expected_share:.0%}",
            f"{line.effect:+.0f} ± {line.effect_error:.0f}" if line.HasField("effect") else "-",
            _chance(line.probability),
        ]
        for number, line in enumerate(lines, 1)
    ]
    return table(head, rows, "rllllrrrrr")


def fair_play_sentences(lines: Sequence[arena_pb2.FairPlayLine]) -> list[str]:
    """Returns for each line what it means, and where to look."""
    return [f"{number}. {_sentence(line)}" for number, line in enumerate(lines, 1)]


def _sentence(line: arena_pb2.FairPlayLine) -> str:
    meaning = _MEANING.get(_kind(line), "A kind of line of a later release; `--json` shows all of it.")
    text = meaning.format(
        gaining=safe_line(_names(line.gaining)),
        giving=safe_line(_names(line.giving)),
        worker=safe_line(line.worker) or "the arena itself",
        blocks=counted(line.blocks, "block"),
        share=f"{line.share:.0%}",
        expected=f"{line.expected_share:.0%}",
    )
    shown = line.match_ids[-_MAX_SHOWN_MATCHES:]
    more = f" and {line.match_count - len(shown)} more" if line.match_count > len(shown) else ""
    return f"{text} Newest matches: {', '.join(shown)}{more}."


def _names(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)


def _kind(line: arena_pb2.FairPlayLine) -> str:
    from fudaba.v1 import arena_pb2

    known = {number: name for name, number in arena_pb2.FairPlayKind.items()}
    return known.get(line.kind, "unknown").removeprefix("FAIR_PLAY_KIND_").lower()


def _chance(probability: float) -> str:
    return "< 0.01%" if probability < _LEAST_SHOWN_PROBABILITY else f"{probability:.2%}"
