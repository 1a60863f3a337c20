"""Duplicate blocks: which bots play which deals of a block, and where its cards come from.

A block is the unit that is rated. Its deals are played more than once, so that the luck of the deal cancels, and a
block counts as a whole or, when it is void, not at all.

**Who may meet a deal.** A bot that can remember meets each deal once: its memory would be the other hands. So there are
two kinds of blocks. In a *rotating* block all bots of one table start afresh for every match; they replay each deal
with the bots rotated through the seats. In a *shared* block every table plays each deal once, and the comparison is
with the other tables that play the same deals. No author has bots at two tables of one deal in a shared block: what one
bot of an author sees, another may be told.

**Who sits where.** A table's bots sit in every one of its *seatings* (`fudaba_arena.seatings`: 2 for two seats, 20 for
five) equally often: in a rotating block each deal is played in all of them, in a shared block each deal in one of
them. So in both a bot plays seatings × `deals` matches, sits in each seat equally often, and has each other bot in each
other seat equally often.

**Where the cards come from.** A tournament has one master, 32 secret bytes that serve no other tournament. With `||`
for joining bytes and all numbers big-endian:

- commitment = SHA-256("fudaba-master-v1" || master), public before the first match;
- block seed = HMAC-SHA256(key master, "fudaba-block-v1" || block number, 8 bytes);
- deal seed = HMAC-SHA256(key block seed, "fudaba-deal-v1" || deal's number in the block, 4 bytes), the seed of every
  match on that deal.

A block seed opens its block and no other. The master is opened at the end; then anyone can check every deal.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, final

from fudaba_arena.seatings import seatings

__all__ = [
    "MASTER_BYTES",
    "Block",
    "Entrant",
    "Table",
    "block_seed",
    "commitment",
    "deal_seed",
    "rotating_tables",
    "seed_faults",
    "shared_tables",
    "table_seed",
]

MASTER_BYTES: Final = 32
_MASTER_TAG: Final = b"fudaba-master-v1"
_BLOCK_TAG: Final = b"fudaba-block-v1"
_DEAL_TAG: Final = b"fudaba-deal-v1"


@final
@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot version that takes part."""

    name: str
    """Unique in the tournament; results and ratings go by it."""
    author: str = ""
    """Whose it is; empty when it has no author who enters other bots."""
    memoryless: bool = False
    """Whether it is started afresh for each match with nothing kept. Only such a bot replays a deal."""


@final
@dataclass(frozen=True, slots=True)
class Table:
    """One match of a block."""

    match_id: str
    """Chosen here, once and for all: results are stored by it."""
    deal: int
    """The deal's number in the block, from 0."""
    bots: tuple[str, ...]
    """Who sits where, in the order of the seats."""


@final
@dataclass(frozen=True, slots=True)
class Block:
    """A duplicate block as it is scheduled. It holds no seeds, so it may be public before it is played."""

    number: int
    """Unique in the tournament, also among replacements: it fixes the cards."""
    slot: int
    """The place in the schedule that it fills; a replacement fills the place of the void block."""
    attempt: int
    """0 for the block as planned, 1 for its first replacement, and so on."""
    cycle: int
    """How often every pairing has met before, from 0."""
    round: int
    """The round of its cycle, from 0."""
    deals: int
    """How many different deals its tables play."""
    tables: tuple[Table, ...]
    game: str = ""
    """The game's id; empty where a schedule was made without one."""

    @property
    def bots(self) -> tuple[str, ...]:
        """Everybody who plays in it, sorted."""
        return tuple(sorted({bot for table in self.tables for bot in table.bots}))


def rotating_tables(bots: Sequence[str], deals: int) -> list[tuple[int, tuple[str, ...]]]:
    """Deal and seating of each match of a rotating block: `deals` deals, each replayed in every seating."""
    return [(deal, seating) for deal in range(deals) for seating in seatings(bots)]


def shared_tables(groups: Sequence[Sequence[str]], deals: int) -> list[tuple[int, tuple[str, ...]]]:
    """Deal and seating of each match of a shared block: each group plays seatings × `deals` deals, each of them once.

    All groups sit alike on a deal; each deal is another seating.
    """
    seated = [seatings(bots) for bots in groups]
    number = len(seated[0])
    return [(deal, of_group[deal % number]) for deal in range(deals * number) for of_group in seated]


def commitment(master: bytes) -> bytes:
    """What is public before the first match: 32 bytes that fix the master without telling it."""
    _check_master(master)
    return sha256(_MASTER_TAG + master).digest()


def block_seed(master: bytes, number: int) -> bytes:
    """The 32 bytes from which the deals of block `number` come."""
    _check_master(master)
    return hmac.digest(master, _BLOCK_TAG + number.to_bytes(8, "big"), "sha256")


def deal_seed(seed: bytes, deal: int) -> bytes:
    """The 32-byte match seed of a deal, from its block's seed and its number in the block."""
    return hmac.digest(seed, _DEAL_TAG + deal.to_bytes(4, "big"), "sha256")


def table_seed(master: bytes, block: Block, table: Table) -> bytes:
    """The 32-byte match seed of a table of a block."""
    return deal_seed(block_seed(master, block.number), table.deal)


def seed_faults(committed: bytes, master: bytes, seeds: Mapping[tuple[int, int], bytes]) -> tuple[str, ...]:
    """What is wrong with an opened master, one sentence for each fault; empty when all is right.

    `committed` is the commitment that was public before; `seeds` holds the match seeds that were played, by block
    number and the deal's number in the block.
    """
    if len(master) != MASTER_BYTES:
        return (f"a master has {MASTER_BYTES} bytes, this one has {len(master)}",)
    if commitment(master) != committed:
        return ("the master is not the one that was committed to",)
    return tuple(
        f"deal {deal} of block {number} was not dealt from the master"
        for (number, deal), seed in sorted(seeds.items())
        if deal_seed(block_seed(master, number), deal) != seed
    )


def _check_master(master: bytes) -> None:
    if len(master) != MASTER_BYTES:
        raise ValueError(f"a master has {MASTER_BYTES} bytes, this one has {len(master)}")
