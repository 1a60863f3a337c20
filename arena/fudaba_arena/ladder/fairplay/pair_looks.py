"""Pairs of entries that are off the ratings, and what several of them have in common: an account, or one who gains."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, final

import numpy as np

from fudaba_arena.ladder.fairplay.discovery import MAX_SMALL_SHARE, adjusted, together
from fudaba_arena.ladder.fairplay.fitted_game import FittedGame, Pair, PlayedGame, Sample, pairs_of
from fudaba_arena.ladder.fairplay.honest import honest_pairs_logits, least_logits
from fudaba_arena.ladder.fairplay.lines import Kind, Line, Look
from fudaba_arena.ladder.fairplay.residuals import Deviation, pooled

__all__ = ["FALSE_ALARM_SHARE", "fitted_apart"]

FALSE_ALARM_SHARE: Final = 0.05
"""The share of honest ladders that may have a line."""
_MAX_ROUNDS: Final = 8
"""How often pairs are left out anew."""


@final
@dataclass(frozen=True, slots=True)
class _PairsLook:
    """A comparison, and the pairs that are left out of the fit if it is reported."""

    look: Look
    pairs: frozenset[Pair]


def fitted_apart(game: PlayedGame) -> tuple[FittedGame, list[Look]] | None:
    """Fits a game without the matches of pairs that stand off, and returns what pairs were looked at.

    Returns None if there is too little to compare.
    """
    left_out: frozenset[Pair] = frozenset()
    tried: set[frozenset[Pair]] = set()
    found: tuple[FittedGame, list[Look]] | None = None
    for _ in range(_MAX_ROUNDS):
        fitted = game.fitted(left_out)
        if fitted is None:
            break
        looks = list(_looks(fitted, left_out))
        found = fitted, [look.look for look in looks]
        tried.add(left_out)
        chances = adjusted([look.look.probability for look in looks], [look.look.kind for look in looks])
        off = [look.pairs for look, chance in zip(looks, chances, strict=True) if chance <= FALSE_ALARM_SHARE]
        left_out = frozenset[Pair]().union(*off)
        if left_out in tried:
            break
    return found


def _looks(fitted: FittedGame, left_out: Collection[Pair]) -> Iterator[_PairsLook]:
    game = fitted.game
    deviations = _deviations(fitted, left_out)
    for pair, deviation in deviations.items():
        yield _look(game, Kind.PAIR, deviation, *_sides(deviation, pair[:1], pair[1:]))
    yield from _accounts(fitted, left_out)
    for entry in game.competing:
        yield _gathered(fitted, left_out, entry, deviations)


def _deviations(fitted: FittedGame, left_out: Collection[Pair]) -> dict[Pair, Deviation]:
    """Judges each pair of competing entries that has met, from the side of its first entry."""
    panel = fitted.game.season.panel
    found: dict[Pair, Deviation] = {}
    for sample in (fitted.kept, fitted.apart):
        met = sorted(pair for pair in sample.met if panel.isdisjoint(pair))
        sets = [(pair, [pair]) for pair in met if (pair in left_out) is not sample.fitted]
        judged = _judged(fitted, sample, [(pair[0], pairs) for pair, pairs in sets])
        found |= {pair: known for (pair, _), known in zip(sets, judged, strict=True) if known is not None}
    honest = honest_pairs_logits(found, fitted.fit.elo)
    return {pair: deviation.allowing(honest) for pair, deviation in found.items()}


def _judged(fitted: FittedGame, sample: Sample, sets: Sequence[tuple[str, Sequence[Pair]]]) -> list[Deviation | None]:
    """Judges sets of pairs, each from the side of one entry, which is in all of its pairs."""
    if not sets:
        return []
    residuals, first, other = sample.pairs
    size, place = len(sample.game.entries), {entry: at for at, entry in enumerate(sample.game.entries)}
    units: dict[int, list[int]] = defaultdict(list)
    for unit, key in enumerate((first * size + other).tolist()):
        units[key].append(unit)
    of_set: list[int] = []
    chosen: list[int] = []
    sign: list[float] = []
    for number, (side, pairs) in enumerate(sets):
        for a, b in pairs:
            found = units.get(place[a] * size + place[b], [])
            chosen += found
            of_set += [number] * len(found)
            sign += [1.0 if a == side else -1.0] * len(found)
    return residuals.deviations(
        np.array(of_set, np.int64), np.array(chosen, np.int64), np.array(sign), len(sets), fitted.pair_variance
    )


def _accounts(fitted: FittedGame, left_out: Collection[Pair]) -> Iterator[_PairsLook]:
    """Looks at the entries of each account that has several, taken together against each other entry."""
    game = fitted.game
    of_owner: dict[str, list[str]] = defaultdict(list)
    for entry in game.competing:
        of_owner[game.owner(entry)].append(entry)
    met = fitted.kept.met | fitted.apart.met
    for sample in (fitted.kept, fitted.apart):
        sets: list[tuple[str, list[Pair]]] = []
        for own in of_owner.values():
            for entry in game.competing if len(own) > 1 else ():
                pairs = [pair for each in own if (pair := _pair(each, entry)) in met and each != entry]
                apart = [pair for pair in pairs if pair in left_out]
                if len(pairs) > 1 and (len(apart) == len(pairs)) is not sample.fitted:
                    sets.append((entry, pairs if not sample.fitted else [pair for pair in pairs if pair not in apart]))
        for (entry, pairs), known in zip(sets, _judged(fitted, sample, sets), strict=True):
            if known is None:
                continue
            others = tuple(a if b == entry else b for a, b in pairs)
            deviation = known.allowing(least_logits(fitted.fit.elo))
            yield _look(game, Kind.ACCOUNT, deviation, *_sides(deviation, (entry,), others))


def _pair(entry: str, other: str) -> Pair:
    return (entry, other) if entry < other else (other, entry)


def _sides(
    deviation: Deviation, own: tuple[str, ...], others: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns who gains and who gives, of one side of a deviation and the other."""
    return (own, others) if deviation.share > deviation.expected else (others, own)


def _look(
    game: PlayedGame, kind: Kind, deviation: Deviation, gaining: tuple[str, ...], giving: tuple[str, ...]
) -> _PairsLook:
    """Returns a look at both directions."""
    gain = deviation if deviation.share > deviation.expected else deviation.turned()
    probability = min(1.0, 2 * gain.probability)
    pairs = frozenset(_pair(a, b) for a in gaining for b in giving)
    return _PairsLook(Look(kind, probability, partial(_line, game, kind, gain, gaining, giving, probability)), pairs)


def _line(
    game: PlayedGame,
    kind: Kind,
    gain: Deviation,
    gaining: tuple[str, ...],
    giving: tuple[str, ...],
    probability: float,
) -> Line:
    pairs = {_pair(a, b) for a in gaining for b in giving}
    ids, count, blocks = game.evidence(lambda _, match: not pairs.isdisjoint(pairs_of(match)))
    effect, error = gain.effect
    about = gaining, giving, "", blocks, gain.share, gain.expected, effect, error
    return Line(kind, game.game, *about, probability, ids, count)


def _gathered(
    fitted: FittedGame, left_out: Collection[Pair], entry: str, deviations: Mapping[Pair, Deviation]
) -> _PairsLook:
    """Looks at what an entry takes from all others, of whom some may give."""
    from_others = {
        _pair_other(pair, entry): deviation if pair[0] == entry else deviation.turned()
        for pair, deviation in deviations.items()
        if entry in pair
    }
    chances = {other: deviation.probability for other, deviation in from_others.items()}
    giving = tuple(sorted(other for other, chance in chances.items() if chance <= MAX_SMALL_SHARE))
    probability = together(list(chances.values()))
    pairs = frozenset(_pair(entry, other) for other in giving)

    def line() -> Line:
        # The ratings may leave too little of the whole set, though enough of each pair.
        gain = _taken_together(fitted, left_out, entry, pairs) or pooled([from_others[other] for other in giving])
        return _line(fitted.game, Kind.GATHERED, gain, (entry,), giving, probability)

    return _PairsLook(Look(Kind.GATHERED, probability, line), pairs if len(giving) > 1 else frozenset())


def _pair_other(pair: Pair, entry: str) -> str:
    return pair[1] if pair[0] == entry else pair[0]


def _taken_together(
    fitted: FittedGame, left_out: Collection[Pair], entry: str, pairs: Collection[Pair]
) -> Deviation | None:
    """Judges some of an entry's pairs as one set, in the sample that has most of them."""
    apart = sorted(pair for pair in pairs if pair in left_out)
    kept = sorted(pair for pair in pairs if pair not in left_out)
    sample, chosen = (fitted.apart, apart) if len(apart) >= len(kept) else (fitted.kept, kept)
    [known] = _judged(fitted, sample, [(entry, chosen)])
    return known
