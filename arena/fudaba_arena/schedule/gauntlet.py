"""The schedule of a gauntlet: each challenger meets everybody in the field.

Challengers do not meet each other. In matches of two seats, the bots of the field do not meet, either. With more seats,
a group is one challenger with bots of the field in all other seats.

A challenger's groups are filled one after the other with the bots of the field that it has met least. Among equals, the
author with the most such bots comes first, and then the order of the names decides. The groups end when the challenger
has met everybody equally often or, if authors with many bots make that impossible, as nearly so as possible.

Nobody plays twice in a round. Challengers begin with different groups, so that as many as possible play in a round.
Nothing here is random.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

from fudaba_arena.schedule.groups import Group, Rounds

__all__ = ["gauntlet"]


def gauntlet(seats: int, challengers: Collection[str], owners: Mapping[str, str]) -> Rounds:
    """Returns the rounds of a gauntlet of the bots in `owners`, in which bots of one owner never meet.

    A challenger whose groups cannot be filled is in no round.
    """
    by_challenger = {
        challenger: _groups(challenger, challengers, owners, seats - 1) for challenger in sorted(challengers)
    }
    longest = max(len(of_one) for of_one in by_challenger.values())
    rounds: list[list[Group]] = []
    for turn in range(longest):
        for place, of_one in enumerate(by_challenger.values()):
            number = (place + turn) % longest
            if number < len(of_one):
                _place(of_one[number], rounds)
    return tuple(tuple(sorted(groups)) for groups in rounds)


def _place(group: Group, rounds: list[list[Group]]) -> None:
    """Puts a group into the first round in which none of its bots plays."""
    for groups in rounds:
        if not any(bot in other for other in groups for bot in group):
            groups.append(group)
            return
    rounds.append([group])


def _groups(challenger: str, challengers: Collection[str], owners: Mapping[str, str], others: int) -> list[Group]:
    """Returns a challenger's groups, each with this many others; none if they cannot be filled."""
    own = owners[challenger]
    field = sorted(bot for bot, owner in owners.items() if bot not in challengers and owner != own)
    if len({owners[bot] for bot in field}) < others:
        return []
    met = dict.fromkeys(field, 0)
    groups: list[Group] = []
    merits: list[tuple[int, int]] = []
    # Everybody is met after as many groups at the latest: each has one of those whose author has most of them left.
    while len(groups) < len(field):
        company = _company(met, owners, others)
        for bot in company:
            met[bot] += 1
        groups.append(tuple(sorted([challenger, *company])))
        most, least = max(met.values()), min(met.values())
        merits.append((sum(not times for times in met.values()), most - least))
        if least == most:
            break
    return groups[: 1 + merits.index(min(merits))]


def _company(met: Mapping[str, int], owners: Mapping[str, str], others: int) -> Sequence[str]:
    """Chooses the next opponents of a challenger, each of another owner."""
    alike = Counter((owners[bot], times) for bot, times in met.items())
    order = sorted(met, key=lambda bot: (met[bot], -alike[owners[bot], met[bot]], bot))
    company: dict[str, str] = {}
    for bot in order:
        if len(company) < others:
            company.setdefault(owners[bot], bot)
    return list(company.values())
