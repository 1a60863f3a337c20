"""Ratings: a batch fit of bot strengths to the results of blocks, with intervals that allow for how the deals fell.

**Model of a game.** In a match the bots in seats a and b have scores. Their difference, divided by the greatest
possible one (`win_margin`) and shifted, is a's *share* of the pair, 0 to 1. Its expectation is 1 / (1 + 10^-(d / 400)),
where d is s times the difference of the two ratings plus that of the two seats' advantages; s is the game's *scale*,
below. The model assumes nothing about draws or about the distribution of scores around their expectation. So a bot is
rated by the sum of its scores against those that it met, and if all have met equally often from all seats, ratings are
in the order of the sums. A match of more than two seats contributes every pair of seats, each with weight 2 / seats:
the scores add up to zero, so its pairs are worth less than as many matches of two. Seats are covariates and need not be
balanced. Roles that bots choose in play, such as declarer, are not covariates: choosing them well is strength.

**Scale.** Games have scores of different sizes and different luck, and a ladder must not depend on whether a deal is
worth 1 or 100. So the scale s is the spread of scores in the game's own results: the standard deviation of the share of
two even bots, divided by that of a match that is won or lost (1/2). A rating difference thus compares the difference of
two bots' scores with the luck of a match. For a game that is won or lost, s is 1 and ratings are those of Elo;
multiplying all scores changes nothing. s is estimated (`Noise`), and its error is part of the intervals. It is the
spread of a match and not of a block: the number of matches in a block, and how far its luck cancels, is the
tournament's choice; it narrows intervals and moves no rating.

**Panel.** The strengths of some bots may be given (`FixedStrengths`). Then their parameters are not fitted, and zero
and scale of the ratings are theirs instead of the field's, whoever else plays. Intervals are for the difference from
these bots, and take their strengths for exact.

**Several games.** Bots that have played in all games get an overall rating, whatever the numbers of matches, with an
interval from the games' own. By shares, a bot's rating in a game counts as the share that it predicts, averaged over
virtual opponents at -400, -300 … 800 from the field's mean; the overall rating is that of a bot which takes the mean of
these shares everywhere. A share is bounded, so one game in which a bot wins everything counts for no more than a whole
game, however many blocks push that rating up. Seasons that began without this rule have the mean of the ratings.

**Prior.** Each bot has played `virtual_draws` draws against the field's mean, or the panel's zero, each seat against
the seats' mean. That keeps ratings finite for a bot that wins or loses everything. Its influence fades as matches come
in.

**Luck of the deal.** Matches of a block that played the same deal are compared, as in duplicate bridge. The luck of a
deal for a pair of seats is a random effect. Its variance is estimated from how the matches of one deal move together,
and its best linear prediction, from how far all matches of the deal exceed their own expectations, is subtracted (for
each match this is the datum of the others times a coefficient). The subtracted term has expectation zero at the true
ratings, whoever sat in the other matches, so a wrong variance costs precision and never correctness. If a deal is
replayed in all seatings, its luck cancels by itself.

**Intervals.** Blocks are the clusters of a sandwich estimate (leave-one-block-out, CR3), so the dependence of results
within a block does not matter. The shift by the prior counts as an error too. From few blocks such an estimate is
itself uncertain, so it is averaged with the model's own variance, which counts as two more blocks. The interval has
Student's quantile with as many degrees as the bot's blocks allow, and fewer if a few of them carry the variance. A
bot's interval is for its difference from the anchor: the field's mean, the panel, or a named bot (whose own interval
then is zero). Two bots without a chain of matches between them are in different *components*, each with its own anchor,
and their ratings cannot be compared. A component of one bot has infinite intervals.

**Play that changes.** Intervals assume that blocks are independent. If the order of blocks is known, the halves of a
season are compared: to first order, a rating is the sum of the changes by each block, and over a half that sum shows
how far the half is from the whole. If any bot of a field differs at 1 % divided by the number of bots, the bots that
differ at 1 % are marked.

The fit is a function of the set of results, and marks also of their order: any order gives the same bits on one
machine.
"""

from fudaba_arena.ladder.ratings.fit import BadField, Fit, Rated, Rating, SeatAdvantage, fit, rate, records_of
from fudaba_arena.ladder.ratings.fixed_strengths import FixedStrengths
from fudaba_arena.ladder.ratings.overall import expected_share, overall, rating_of_share
from fudaba_arena.ladder.ratings.results import BadResults, BlockResult, RatedMatch, Results, Rows, pair_share

__all__ = [
    "BadField",
    "BadResults",
    "BlockResult",
    "Fit",
    "FixedStrengths",
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
