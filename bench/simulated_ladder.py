"""A ladder that is simulated with the product's own choice of blocks and its own fit of ratings.

Results come about by the chances of `bench.ratings`. Matches have two seats, a block has two of them, and no bot
remembers anything.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from math import inf
from typing import Final, final

import numpy as np

from bench.ratings import ELO, MARGIN_POINTS, World, block_of
from fudaba_arena.ladder.ratings import BlockResult, Fit, FixedStrengths, fit
from fudaba_arena.schedule.contender import Contender
from fudaba_arena.schedule.next_block import PANEL_SHARE_PERCENT, KnownRating
from fudaba_arena.schedule.pairing import PairingRules, choose
from fudaba_arena.schedule.seeds import pairing_seed
from fudaba_arena.schedule.share_caps import Meetings, ShareCaps

__all__ = ["RATED_BLOCKS_PER_NEW", "Friends", "Ladder"]

_PROVISIONAL_BLOCKS: Final = 10
RATED_BLOCKS_PER_NEW: Final = 20
"""The number of rated blocks for each one that the ratings may miss when blocks are chosen, as in a season."""


_CATCHING_UP_RATIO: Final = 3.0
"""How much better friends play, in Elo points, for each point by which they are rated below the bot that they lift."""


@final
@dataclass(frozen=True, slots=True)
class Friends:
    """Bots that lose every match against one bot by as much as counts. Against others they play as well as keeps their
    rating at its own, so that it is often paired with them.
    """

    lifted: str
    names: tuple[str, ...]
    authors: tuple[str, ...]
    """The author of each."""


@final
class Ladder:
    """A ladder that plays one block at a time."""

    def __init__(
        self,
        world: World,
        narrow: float,
        seed: int,
        *,
        shares: tuple[float, float] = (0.0, 0.0),
        friends: Friends | None = None,
        panel: FixedStrengths | None = None,
    ) -> None:
        """`narrow` and `shares`, which are `pair_share` and `author_share`, are as in a ladder's file. The bots of a
        panel play along in as many blocks as in a real ladder, once they are entered with their true strengths.
        """
        self._world, self._narrow, self._shares, self._friends = world, narrow, shares, friends
        self._panel = panel
        self._chance = np.random.default_rng(seed)
        self._master = sha256(f"newcomer {seed}".encode()).digest()
        self._logits: dict[str, float] = dict(
            zip([f"bot{number:02}" for number in range(world.bots)], world.strengths().tolist(), strict=True)
        )
        self._authors = dict(zip(friends.names, friends.authors, strict=True)) if friends is not None else {}
        self._logits.update(dict.fromkeys(self._authors, 0.0))
        self._results: list[BlockResult] = []
        self._blocks: Counter[str] = Counter()
        self.met: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """By bot, the number of its blocks with each other one."""
        self._known: dict[str, KnownRating] = {}
        self._known_blocks = -1

    @property
    def blocks(self) -> int:
        """Returns the number of blocks that were played."""
        return len(self._results)

    def settle(self) -> None:
        """Plays until nobody needs a block."""
        while self.play_block():
            pass

    def enter(self, name: str, points: float) -> None:
        """Enters another bot, this many Elo points above the mean of the field."""
        self._logits[name] = self._logits_of(points)

    def rated(self) -> Fit:
        """Returns the ratings from everything played."""
        return fit(self._results, bots=self._logits, win_margin=MARGIN_POINTS, fixed=self._panel)

    def true_points(self, bot: str) -> float:
        """Returns how far a bot is above the mean of the field, in Elo points."""
        return float(self._logits[bot] * ELO / (2 * self._world.noise))

    def play_block(self, needing: str = "") -> tuple[str, ...]:
        """Plays the block that the ladder chooses, and returns its bots; none if nobody needs one. `needing` names a
        bot that needs one, however certain it is.
        """
        self._rate_again()
        contenders = [self._contender(bot) for bot in self._logits]
        contenders = [replace(bot, needs=True) if bot.name == needing else bot for bot in contenders]
        choice = self._choice(contenders)
        if choice is None:
            return ()
        first, second = choice
        self._results.append(block_of(self.blocks, first, second, *self._points(first, second)))
        for bot, other in ((first, second), (second, first)):
            self._blocks[bot] += 1
            self.met[bot][other] += 1
        return choice

    def _choice(self, contenders: Sequence[Contender]) -> tuple[str, ...] | None:
        seed = pairing_seed(self._master, self.blocks)
        rules = PairingRules(2, panel_percent=PANEL_SHARE_PERCENT if self._panel is not None else 0)
        if any(self._shares):
            bots_of: defaultdict[str, list[str]] = defaultdict(list)
            for contender in contenders:
                bots_of[contender.owner].append(contender.name)
            caps = ShareCaps(*self._shares, 2, contenders, Meetings(self.met, {}, bots_of))
            rules = replace(rules, caps=caps)
        choice = choose(contenders, rules, seed)
        if choice is None and any(self._shares):
            choice = choose(contenders, replace(rules, over_caps=True), seed)
        return choice.groups[0] if choice is not None else None

    def _points(self, first: str, second: str) -> list[int]:
        """Returns the scores of the first seat in both matches of a block."""
        if self._friends is not None and self._friends.lifted in (first, second):
            other = second if first == self._friends.lifted else first
            if other in self._authors:
                worst = round(MARGIN_POINTS)
                return [worst, -worst] if other == second else [-worst, worst]
        ahead, luck = np.array([self._strength(first) - self._strength(second)]), self._chance.normal(size=1)
        (points,) = self._world.points(ahead, luck, self._chance)
        return points

    def _strength(self, bot: str) -> float:
        if self._friends is None or bot not in self._authors:
            return self._logits[bot]
        wanted, own = self._known.get(self._friends.lifted), self._known.get(bot)
        if wanted is None or own is None:
            return 0.0
        return self._logits_of(wanted.rating - 1500 + _CATCHING_UP_RATIO * (wanted.rating - own.rating))

    def _logits_of(self, points: float) -> float:
        return points / float(ELO) * 2 * self._world.noise

    def _contender(self, bot: str) -> Contender:
        known, played = self._known.get(bot, KnownRating(1500.0, inf)), self._blocks[bot]
        panel = self._panel is not None and bot in self._panel.above
        needs = not panel and (played < _PROVISIONAL_BLOCKS or known.half > self._narrow)
        owner = self._authors.get(bot, bot)
        return Contender(bot, owner, True, played, needs, known.rating, known.half_after(played), panel=panel)

    def _rate_again(self) -> None:
        played = self.blocks
        if not played or played < self._known_blocks + max(1, self._known_blocks // RATED_BLOCKS_PER_NEW):
            return
        self._known = {rated.bot: KnownRating(rated.rating, rated.half, rated.blocks) for rated in self.rated().ratings}
        self._known_blocks = played
