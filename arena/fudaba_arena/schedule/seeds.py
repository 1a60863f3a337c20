"""Derives the deals of a tournament from one secret, to which it is committed before the first match.

A tournament has one master, 32 secret bytes that serve no other tournament. With `||` for joining bytes and all numbers
big-endian:

- commitment = SHA-256("fudaba-master-v1" || master), public before the first match;
- block seed = HMAC-SHA256(key master, "fudaba-block-v1" || block number, 8 bytes || generation, UTF-8). The generation
  is empty until a ladder continues from a backup that is older than its service: blocks chosen after that have a new
  generation, so no deal of the blocks that the backup lacks is repeated;
- deal seed = HMAC-SHA256(key block seed, "fudaba-deal-v1" || deal's number in the block, 4 bytes), the seed of every
  match on that deal. In a block with fresh deals each match has its own deal, in the order of the matches;
- pairing seed = HMAC-SHA256(key master, "fudaba-pairing-v1" || slot, 8 bytes), from which a ladder draws the players of
  a slot's block, as far as they are random.

A block seed opens its block and no other. The master is opened at the end; then anyone can check every deal. For other
languages `docs/verifying.md` says the same, with test vectors.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Final

from fudaba_arena.schedule.blocks import Block, PlannedMatch

__all__ = ["MASTER_BYTES", "block_seed", "commitment", "deal_seed", "match_seed", "pairing_seed"]

MASTER_BYTES: Final = 32
_MASTER_TAG: Final = b"fudaba-master-v1"
_BLOCK_TAG: Final = b"fudaba-block-v1"
_DEAL_TAG: Final = b"fudaba-deal-v1"
_PAIRING_TAG: Final = b"fudaba-pairing-v1"


def commitment(master: bytes) -> bytes:
    """Makes the commitment that is public before the first match: 32 bytes that fix the master without revealing it."""
    _check_master(master)
    return sha256(_MASTER_TAG + master).digest()


def block_seed(master: bytes, number: int, generation: str = "") -> bytes:
    """Returns the 32-byte seed of block `number`, from which its deals derive, for the generation in which it was
    chosen.
    """
    _check_master(master)
    return hmac.digest(master, _BLOCK_TAG + number.to_bytes(8, "big") + generation.encode(), "sha256")


def deal_seed(seed: bytes, deal: int) -> bytes:
    """Returns the 32-byte match seed of a deal, given its block's seed and its number in the block."""
    return hmac.digest(seed, _DEAL_TAG + deal.to_bytes(4, "big"), "sha256")


def match_seed(master: bytes, block: Block, match: PlannedMatch) -> bytes:
    """Returns the 32-byte match seed of a match of a block."""
    return deal_seed(block_seed(master, block.number, block.generation), match.deal)


def pairing_seed(master: bytes, slot: int) -> bytes:
    """Returns the 32-byte seed of the chance in choosing the players of a slot's block."""
    _check_master(master)
    return hmac.digest(master, _PAIRING_TAG + slot.to_bytes(8, "big"), "sha256")


def _check_master(master: bytes) -> None:
    if len(master) != MASTER_BYTES:
        raise ValueError(f"a master has {MASTER_BYTES} bytes, this one has {len(master)}")
