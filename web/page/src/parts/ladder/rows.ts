/** A ladder's table as the page shows it: standings, who is entered, and how ratings have moved, put together. */
import {
  type Entrant,
  type Entry,
  EntryState,
  type RatingPoint,
  type Standing,
  type Tournament,
} from "~/gen/fudaba/v1/arena_pb";
import { nameOf } from "~/parts/ladder/names";

/** What is unusual about a row. */
export type Mark =
  | "panel"
  | "provisional"
  | "idle"
  | "paused"
  | "absent"
  | "suspended"
  | "withdrawn"
  | "disqualified"
  | "left"
  | "replaced"
  | "apart"
  | "partial"
  | "changes";

export interface LadderRow {
  /** As the standings have it: unique in them. */
  readonly key: string;
  readonly bot: string;
  readonly version: string;
  readonly author: string;
  readonly standing: Standing;
  readonly marks: readonly Mark[];
  /** By how much its rating has moved lately, in Elo points; undefined where it had none then. */
  readonly trend: number | undefined;
}

export interface RowSources {
  readonly standings: readonly Standing[];
  /** Whether they are those of all games together. */
  readonly overall?: boolean;
  readonly tournament: Tournament | undefined;
  /** Of a ladder's newest season. */
  readonly entries?: readonly Entry[] | undefined;
  readonly history?: readonly RatingPoint[] | undefined;
}

export function ladderRows({
  standings,
  overall = false,
  tournament,
  entries = [],
  history = [],
}: RowSources): LadderRow[] {
  const entrants = new Map<string, Entrant>(tournament?.definition?.entrants.map((entrant) => [entrant.bot, entrant]));
  const entered = new Map<string, Entry>(entries.map((entry) => [entry.bot, entry]));
  const before = new Map(history[0]?.ratings.map((rating) => [rating.bot, rating.rating]));
  const now = new Map(history.length < 2 ? [] : history.at(-1)?.ratings.map((rating) => [rating.bot, rating.rating]));
  return standings.map((standing) => {
    const bot = nameOf(standing.bot);
    const from = before.get(standing.bot);
    const to = now.get(standing.bot);
    return {
      key: standing.bot,
      bot,
      version: standing.version,
      author: entrants.get(standing.bot)?.author ?? entered.get(bot)?.author ?? "",
      standing,
      marks: marksOf(standing, entered.get(bot), overall),
      trend: from === undefined || to === undefined ? undefined : to - from,
    };
  });
}

const STATE_MARKS: Partial<Record<EntryState, Mark>> = {
  [EntryState.PAUSED]: "paused",
  [EntryState.ABSENT]: "absent",
  [EntryState.SUSPENDED]: "suspended",
  [EntryState.WITHDRAWN]: "withdrawn",
  [EntryState.LEFT]: "left",
};

function marksOf(standing: Standing, entry: Entry | undefined, overall: boolean): Mark[] {
  if (standing.disqualifyTime !== undefined) return ["disqualified"];
  if (standing.panel) return ["panel"];
  const marks: Mark[] = [];
  const replaced = entry !== undefined && entry.version !== standing.version && !ranked(standing);
  if (replaced) marks.push("replaced");
  else if (standing.provisional) marks.push("provisional");
  if (standing.idle) marks.push("idle");
  const state = entry === undefined ? undefined : STATE_MARKS[entry.state];
  if (state !== undefined) marks.push(state);
  // Over all games only a bot that has played in each of them is rated, and so connected with others.
  if (standing.component !== 0 && standing.matches > 0 && !standing.provisional)
    marks.push(overall ? "partial" : "apart");
  if (standing.changesWithTime) marks.push("changes");
  return marks;
}

function ranked(standing: Standing): boolean {
  return standing.rank !== undefined;
}

/** Whether a row belongs to the past: its bot has left or stopped playing, or another version plays in its place. */
export function isPast(row: LadderRow): boolean {
  return row.marks.includes("left") || row.marks.includes("replaced") || row.marks.includes("idle");
}

/** The rows in whose bot or author this stands, whatever its case. */
export function findRows(rows: readonly LadderRow[], wanted: string): readonly LadderRow[] {
  const word = wanted.trim().toLowerCase();
  if (word === "") return rows;
  return rows.filter((row) => row.key.toLowerCase().includes(word) || row.author.toLowerCase().includes(word));
}

/** From where to where intervals are drawn: what holds every one of them. */
export function ratingRange(standings: readonly Standing[]): { low: number; high: number } {
  let low = Infinity;
  let high = -Infinity;
  for (const { rating, low: from, high: to } of standings) {
    low = Math.min(low, from ?? rating);
    high = Math.max(high, to ?? rating);
  }
  if (low > high) return { low: 1400, high: 1600 };
  const room = Math.max(10, (high - low) * 0.03);
  return { low: low - room, high: high + room };
}

/**
 * After how many blocks each a history of at most so many points has one. Powers of two, so that the points asked for
 * last time are asked for again: the arena computes each of them once.
 */
export function historyStep(blocks: number, points: number): number {
  let step = 1;
  while (Math.ceil(blocks / step) > points) step *= 2;
  return step;
}
