"""The fair-play report: where a ladder's results help somebody more than honest play explains. It punishes nobody.

**What is compared.** Results are fitted as for the ratings, game by game, with all counting blocks of the season. A
*line* is about a set of matches, such as those of two entries, or those of one entry on one worker. It says which share
of the points an entry took there, which share the ratings predict, and how often chance alone strays as far. The
matches themselves moved the ratings; that is allowed for to first order (a score test). Versions of a bot are rated
apart and looked at together, as their entry.

**Chance.** How far results stray is taken from the season's own residuals: a variance of a p (1 - p) + b per match,
with p the expected share, from all blocks, each of which is one observation. On top of that, honest bots suit each
other or do not, so pairs are allowed to be off by 30 Elo points of standard deviation, or by what the middle pair of
the season shows, where that is more. A share that was taken of so much information is judged by the Chernoff bound of a
binomial one. It is never too small for binomial results, also where a rare upset makes them skewed.

**Many looks.** The probabilities of everything that was looked at, in all games, are adjusted together (Benjamini and
Hochberg), and each kind of comparison has the same part of the false discoveries. A ladder on which nobody cheats has a
line in at most one of twenty cases.

**Who stands out spoils the others.** If three lose to A on purpose, A's rating rises, and whoever plays A honestly
seems to win too much. So the matches of pairs that have a line are left out of the fit, and everything is looked at
again, until the lines stay the same.
"""

from fudaba_arena.ladder.fairplay.fair_play_report import fair_play
from fudaba_arena.ladder.fairplay.lines import Kind, Line, Report
from fudaba_arena.ladder.fairplay.season import PlayedSeason, played_season

__all__ = ["Kind", "Line", "PlayedSeason", "Report", "fair_play", "played_season"]
