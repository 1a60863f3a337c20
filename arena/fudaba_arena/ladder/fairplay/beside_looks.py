"""Compares an entry's results by worker, with another entry's on the same deals, and by how the block ended."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from fudaba_arena.ladder.fairplay.fitted_game import FittedGame, PlayedGame, Sample, evidence
from fudaba_arena.ladder.fairplay.honest import least_logits
from fudaba_arena.ladder.fairplay.lines import Kind, Line, Look
from fudaba_arena.ladder.fairplay.residuals import Deviation
from fudaba_arena.store.blocks.closed_block import ClosedBlock, MatchResult
from fudaba_arena.store.usage.time_use import entry_of

__all__ = ["deal_looks", "void_looks", "worker_looks"]

_Key = TypeVar("_Key", bound=Hashable)


def machine_of(block: ClosedBlock) -> str:
    """Returns the machine whose worker played a block; empty if the arena played it itself.

    A worker is called MACHINE-NUMBER, and gets another number at each start.
    """
    worker = block.results[0].worker
    return worker.rpartition("-")[0] or worker


def worker_looks(fitted: FittedGame) -> Iterator[Look]:
    """Looks whether an entry does better in the blocks of one machine than in those of others."""
    game = fitted.game
    machines = [machine_of(block) for block in game.counted]
    if len(set(machines)) < 2:
        return
    _, block, entry = fitted.kept.by_entry
    sets: dict[tuple[str, str], list[int]] = defaultdict(list)
    for unit, (number, place) in enumerate(zip(block.tolist(), entry.tolist(), strict=True)):
        if game.entries[place] not in game.season.panel:
            sets[machines[number], game.entries[place]].append(unit)

    def line(key: tuple[str, str], deviation: Deviation, probability: float) -> Line:
        machine, own = key
        found = game.evidence(lambda played, match: machine_of(played) == machine and _plays(match, own))
        return _line(game, Kind.WORKER, own, "", machine, deviation, probability, found)

    yield from _looks(Kind.WORKER, fitted, fitted.kept, sets, 1.0, line)


def deal_looks(fitted: FittedGame) -> Iterator[Look]:
    """Looks for entries that do better on a deal that another entry plays as well, at another table."""
    game = fitted.game
    _, block, entry = fitted.kept.by_entry
    beside = [_at_other_tables(played) for played in game.counted]
    sets: dict[tuple[str, str], list[int]] = defaultdict(list)
    for unit, (number, place) in enumerate(zip(block.tolist(), entry.tolist(), strict=True)):
        own = game.entries[place]
        for other in beside[number].get(own, ()):
            sets[own, other].append(unit)

    def line(key: tuple[str, str], deviation: Deviation, probability: float) -> Line:
        own, other = key
        found = game.evidence(
            lambda played, match: _plays(match, own) and other in _at_other_tables(played).get(own, ())
        )
        return _line(game, Kind.DEALS, own, other, "", deviation, probability, found)

    yield from _looks(Kind.DEALS, fitted, fitted.kept, sets, 1.0, line)


def _at_other_tables(block: ClosedBlock) -> Mapping[str, frozenset[str]]:
    """Returns for each entry of a block the entries that play one of its deals in another group."""
    of_deal: dict[int, set[frozenset[str]]] = defaultdict(set)
    for match in block.counted:
        of_deal[match.deal].add(frozenset(map(entry_of, match.bots)))
    found: dict[str, frozenset[str]] = {}
    for groups in of_deal.values():
        for group in groups if len(groups) > 1 else ():
            others = frozenset[str]().union(*groups) - group
            found |= {own: found.get(own, frozenset()) | others for own in group}
    return found


def void_looks(fitted: FittedGame) -> Iterator[Look]:
    """Looks whether blocks became void while an entry did badly in them, by their matches that had ended."""
    game = fitted.game
    known = set(game.names)
    void = [block for block in game.void if any(known.issuperset(match.bots) for match in block.results)]
    if not void:
        return
    ended = [[match for match in block.results if known.issuperset(match.bots)] for block in void]
    sample = game.outside(fitted.fit, ended)
    _, _, entry = sample.by_entry
    sets: dict[str, list[int]] = defaultdict(list)
    for unit, place in enumerate(entry.tolist()):
        if game.entries[place] not in game.season.panel:
            sets[game.entries[place]].append(unit)

    def line(own: str, deviation: Deviation, probability: float) -> Line:
        found = evidence(void, lambda _, match: _plays(match, own))
        return _line(game, Kind.VOIDS, own, "", "", deviation.turned(), probability, found)

    yield from _looks(Kind.VOIDS, fitted, sample, sets, -1.0, line)


def _looks(
    kind: Kind,
    fitted: FittedGame,
    sample: Sample,
    sets: Mapping[_Key, Sequence[int]],
    sign: float,
    line: Callable[[_Key, Deviation, float], Line],
) -> Iterator[Look]:
    """Looks at sets of an entry's blocks: whether it did better in them, or with sign -1 worse."""
    numbers = np.repeat(np.arange(len(sets)), [len(units) for units in sets.values()])
    units = np.array([unit for of_set in sets.values() for unit in of_set], dtype=np.int64)
    residuals, variance = sample.by_entry[0], fitted.entry_variance
    judged = residuals.deviations(numbers, units, np.full(len(units), sign), len(sets), variance)
    least = least_logits(fitted.fit.elo)
    for key, known in zip(sets, judged, strict=True):
        if known is not None:
            deviation = known.allowing(least)
            yield Look(kind, deviation.probability, partial(line, key, deviation, deviation.probability))


def _plays(match: MatchResult, entry: str) -> bool:
    return entry in map(entry_of, match.bots)


def _line(
    game: PlayedGame,
    kind: Kind,
    gaining: str,
    giving: str,
    machine: str,
    deviation: Deviation,
    probability: float,
    found: tuple[tuple[str, ...], int, int],
) -> Line:
    ids, count, blocks = found
    effect, error = deviation.effect
    if deviation.share < deviation.expected:  # of what was turned
        turned_effect, error = deviation.turned().effect
        effect = -turned_effect
    about = (gaining,), tuple(filter(None, [giving])), machine, blocks, deviation.share, deviation.expected
    return Line(kind, game.game, *about, effect, error, probability, ids, count)
