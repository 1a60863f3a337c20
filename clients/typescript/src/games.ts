/** The games that this bot can play. A game is a function of one decision; it keeps nothing from one to the next. */
import type { Decision, Options } from './contract.js';
import { choose as naga } from './naga/strategy.js';
import { choose as napoleon } from './napoleon/strategy.js';

/** One decision as a strategy sees it. */
export interface Question {
  readonly decision: Decision;
  /** The seat of the bot. */
  readonly seat: number;
  /** The options of the match, all of them, by their names. */
  readonly options: Options;
  /** Whether there is time for another sample. A strategy that stops when this says no is never late. */
  readonly hasTime: () => boolean;
}

/** Returns the place of the chosen move in `decision.legal_moves`. */
export type Strategy = (question: Question) => number;

/** The strategies by the game's id, as the header of a match has it. */
export const STRATEGIES: ReadonlyMap<string, Strategy> = new Map([['naga', naga], ['napoleon', napoleon]]);
