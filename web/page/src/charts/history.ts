/** What a chart of ratings draws: for each bot its rating and its interval after so many blocks. */
import type { RatingPoint } from "~/gen/fudaba/v1/arena_pb";

export interface Line {
  readonly bot: string;
  /** One for each point; null where the bot had no rating. */
  readonly rating: readonly (number | null)[];
  readonly low: readonly (number | null)[];
  readonly high: readonly (number | null)[];
}

export interface History {
  /** After how many entries of the sequence each point is. */
  readonly blocks: readonly number[];
  readonly lines: readonly Line[];
}

export function historyOf(points: readonly RatingPoint[], bots: readonly string[]): History {
  const byBot = points.map((point) => new Map(point.ratings.map((rating) => [rating.bot, rating])));
  return {
    // An arena of an earlier release does not number its points.
    blocks: points.map((point) => point.point || point.blocks),
    lines: bots.map((bot) => ({
      bot,
      rating: byBot.map((at) => at.get(bot)?.rating ?? null),
      low: byBot.map((at) => at.get(bot)?.low ?? null),
      high: byBot.map((at) => at.get(bot)?.high ?? null),
    })),
  };
}

/** The bots that were rated last, best first. */
export function ratedBots(points: readonly RatingPoint[]): string[] {
  return points.at(-1)?.ratings.map((rating) => rating.bot) ?? [];
}
