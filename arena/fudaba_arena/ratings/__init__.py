"""Ratings: a batch fit of bot strengths to the results of blocks, with intervals that are robust to how its deals fell.

**Model.** At a table the bots in seats a and b have scores; their difference, with `win_margin` counting as a whole win
and more as no more, is a's *share* of the pair, 0 to 1. It is expected to be 1 / (1 + 10^-(d / 400)), where d is the
difference of the two ratings plus that of the two seats' advantages. Nothing is assumed of draws or of how scores are
spread round their expectation. Tables of more than two seats give every pair of seats, each with weight
1 / (seats - 1), so that a table weighs as much to each of its bots. Seats are covariates: they need not be balanced.

**Prior.** Each bot has played `virtual_draws` draws against the field's mean, each seat against the seats' mean. That
keeps ratings finite for who wins or loses everything, and fades as matches come in.

**Luck of the deal.** Tables of a block that played the same deal are compared, as in duplicate bridge. The luck of a
deal for a pair of seats is a random effect; its variance is estimated from how the tables of one deal move together,
and the best linear prediction of it, from what all tables of the deal exceed their own expectations by, is taken off
(for each table this is the datum of the others times a coefficient). Whatever is taken off has expectation zero at the
true ratings, whoever sat at the other tables, so a wrong variance costs precision and never correctness. Where a deal
is replayed with the bots rotated, its luck cancels by itself.

**Intervals.** Blocks are the clusters of a sandwich estimate (leave-one-block-out, CR3): how results within a block
depend on each other does not matter. What the prior shifts counts as an error too. From few blocks such an estimate is
itself luck; so it is averaged with the model's own variance, which counts as two more blocks, and the interval has
Student's quantile with as many degrees as the bot's blocks allow, fewer where a few of them carry the variance. A bot's
interval is for its difference from the anchor: the field's mean, or a named bot (whose own interval then is zero).
Where no chain of matches connects two bots, they are in different *components*, each anchored by itself, and their
ratings cannot be compared. A component of one bot has infinite intervals.

The fit is a function of the set of results: any order gives the same bits on one machine.
"""

from fudaba_arena.ratings.fit import BadField, Fit, Rating, SeatAdvantage, fit
from fudaba_arena.ratings.results import BadResults, BlockResult, TableResult

__all__ = ["BadField", "BadResults", "BlockResult", "Fit", "Rating", "SeatAdvantage", "TableResult", "fit"]
