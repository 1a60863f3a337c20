"""Divides the groups of a round into blocks: some play the same deals, others replay deals by themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fudaba_arena.schedule.blocks import Entrant, most_sharing
from fudaba_arena.schedule.groups import Group

__all__ = ["owners_of", "round_blocks"]


def owners_of(entrants: Iterable[Entrant], *, same_author: bool) -> dict[str, str]:
    """Returns each bot's owner, by name. Bots of one owner do not meet. With `same_author`, each bot owns itself."""
    return {bot.name: bot.name if same_author else bot.owner for bot in entrants}


def round_blocks(
    groups: Sequence[Group], bots: Mapping[str, Entrant], *, fresh: bool = False
) -> list[tuple[tuple[Group, ...], bool]]:
    """Returns the groups of each block of a round, and whether they share its deals. Shared blocks come first.

    A group whose bots all keep nothing has its own block. The others share; if only one is left over, a group that
    keeps nothing joins it for comparison. With `fresh`, no deal is played twice, and nobody shares.
    """
    if fresh:
        return [((group,), False) for group in groups]
    alone = [group for group in groups if all(bots[name].stateless for name in group)]
    shared = _shared([group for group in groups if group not in alone], bots)
    for block in shared:
        joins = next((group for group in alone if not _share_owner(group, block, bots)), None)
        if len(block) == 1 and joins is not None:
            alone.remove(joins)
            block.append(joins)
    return [*((tuple(block), True) for block in shared), *(((group,), False) for group in alone)]


def _shared(groups: Sequence[Group], bots: Mapping[str, Entrant]) -> list[list[Group]]:
    """Returns the groups that share each block. Blocks are about equal in size and have no author twice."""
    if not groups:
        return []
    most = most_sharing(len(groups[0]))
    blocks: list[list[Group]] = [[] for _ in range(-(-len(groups) // most))]
    for group in groups:
        free = [block for block in blocks if len(block) < most and not _share_owner(group, block, bots)]
        if free:
            min(free, key=len).append(group)
        else:
            blocks.append([group])
    return [block for block in blocks if block]


def _share_owner(group: Group, block: Sequence[Group], bots: Mapping[str, Entrant]) -> bool:
    """Returns whether any owner has bots both in the group and in the block."""
    taken = {bots[name].owner for other in block for name in other}
    return any(bots[name].owner in taken for name in group)
