"""Ratings: a batch fit of bot strengths to the results of blocks, with intervals that are robust to how its deals fell.

**Model of a game.** In a match the bots in seats a and b have scores; their difference, over the greatest one there can
be (`win_margin`), is a's *share* of the pair, 0 to 1. It is expected to be 1 / (1 + 10^-(d / 400)), where d is s times
the difference of the two ratings plus that of the two seats' advantages. s is the game's *scale*, below. Nothing is
assumed of draws or of how scores are spread round their expectation. So a bot is rated by the sum of its scores against
those that it met, and where all have met equally often from all seats, ratings are in the order of the sums. Matches of
more than two seats give every pair of seats, each with weight 2 / seats: their scores add up to zero, so their pairs
are not as many matches of two. Seats are covariates: they need not be balanced. Roles that are chosen in play, as who
is declarer, are not: to choose them well is strength.

**Scale.** Games have scores of different sizes and different luck, and a ladder must not depend on whether a deal is
worth 1 or 100. So the scale s is the spread of scores in the game's own results: the standard deviation of the share of
two even bots, over that of a match that is won or lost (1/2). A rating difference so says how large the difference of
two bots' scores is beside the luck of a match. For a game that is won or lost, s is 1 and ratings are those of Elo;
multiplying all scores changes nothing. s is estimated (`Noise`), and its error is part of the intervals. It is that of
a match and not of a block: how many matches a block has, and how far its luck cancels, is the tournament's choice and
no matter of the bots; it narrows intervals and moves no rating.

**Several games.** A bot's overall rating is given to bots that have played in all of them, whatever the numbers of
matches, with an interval from the games' own. By shares, each game counts for the share, averaged over virtual
opponents at -400, -300 … 800 from the field's mean, that the bot's rating in it lets expect; the overall rating is that
of who takes the mean of these everywhere. A share is bounded, so one game in which a bot wins everything counts for no
more than a whole game, however many blocks push that rating up. Seasons that began without this rule have the mean of
the ratings.

**Prior.** Each bot has played `virtual_draws` draws against the field's mean, each seat against the seats' mean. That
keeps ratings finite for a bot that wins or loses everything. Its influence fades as matches come in.

**Luck of the deal.** Matches of a block that played the same deal are compared, as in duplicate bridge. The luck of a
deal for a pair of seats is a random effect; its variance is estimated from how the matches of one deal move together,
and the best linear prediction of it, from what all matches of the deal exceed their own expectations by, is taken off
(for each match this is the datum of the others times a coefficient). Whatever is taken off has expectation zero at the
true ratings, whoever sat in the other matches, so a wrong variance costs precision and never correctness. Where a deal
is replayed in all seatings, its luck cancels by itself.

**Intervals.** Blocks are the clusters of a sandwich estimate (leave-one-block-out, CR3): how results within a block
depend on each other does not matter. What the prior shifts counts as an error too. From few blocks such an estimate is
itself luck; so it is averaged with the model's own variance, which counts as two more blocks, and the interval has
Student's quantile with as many degrees as the bot's blocks allow, fewer where a few of them carry the variance. A bot's
interval is for its difference from the anchor: the field's mean, or a named bot (whose own interval then is zero).
Where no chain of matches connects two bots, they are in different *components*, each anchored by itself, and their
ratings cannot be compared. A component of one bot has infinite intervals.

**Play that changes.** Intervals take blocks for independent. Where the order of blocks is known, the halves of a season
are compared: a rating is to first order the sum of what each block moves it by, and over a half that sum shows how far
the half is from the whole. A field in which any bot differs at 1 % over the number of bots has the bots marked that
differ at 1 %.

The fit is a function of the set of results, and marks of their order too: any order gives the same bits on one machine.
"""

from fudaba_arena.ladder.ratings.fit import BadField, Fit, Rated, Rating, SeatAdvantage, fit, rate, records_of
from fudaba_arena.ladder.ratings.overall import expected_share, overall, rating_of_share
from fudaba_arena.ladder.ratings.results import BadResults, BlockResult, RatedMatch, Results, Rows, pair_share

__all__ = [
    "BadField",
    "BadResults",
    "BlockResult",
    "Fit",
    "Rated",
    "RatedMatch",
    "Rating",
    "Results",
    "Rows",
    "SeatAdvantage",
    "expected_share",
    "fit",
    "overall",
    "pair_share",
    "rate",
    "rating_of_share",
    "records_of",
]
