/**
 * The matches of one bot: takes the service's messages, gives the bot's. Knows no network, so that a test can be the
 * service. What it does at each message follows the comments of `fudaba/v1/play.proto`.
 */
import { randomBytes } from 'node:crypto';

import type { Answer, Decision, Hello, Options, PlayRequest, PlayResponse, Refusal, SeatUpdate } from './contract.js';
import { STRATEGIES, type Strategy } from './games.js';
import { Thinking, type Task } from './thinking.js';

/** How long to wait before an answer is sent again that could not be taken just now, in milliseconds. */
const AGAIN_MS = 300;
/** So often is an answer to one decision sent at most. */
const ATTEMPTS = 8;

/** Refusals that are about the moment, not about the answer: the same answer can be sent again. */
const AGAIN = new Set(['TOO_FAST', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN', 'INTERNAL']);
/** Refusals that are about the answer: another one has to be given. */
const WRONG = new Set(['ILLEGAL_MOVE', 'MALFORMED_MOVE', 'MALFORMED']);

/** A decision that is open. */
interface Open {
  readonly decision: Decision;
  /** What waits for its turn to be thought about. */
  task: Task | undefined;
  /** What was sent. It is sent again, word for word, after a lost connection. */
  answer: Answer | undefined;
  attempts: number;
}

interface Match {
  readonly id: string;
  readonly game: string;
  readonly seat: number;
  readonly options: Options;
  /** What the last update said of them; both go into the next hello. */
  seen: number;
  history: number;
  open: Open | undefined;
  /** Whether the stream of now has brought it. */
  here: boolean;
}

/** What a run came to. */
export interface Tally {
  /** Matches that ended with a result, and the sum of our scores in them. */
  finished: number;
  score: number;
  /** Matches that were ended without a result. */
  aborted: number;
  /** Answers that were refused for what they said. It is our fault if this is not 0. */
  refused: number;
  /** Decisions that the clock made for us. */
  timedOut: number;
}

export interface PlayerOptions {
  /** Takes a message for the service. It is lost when there is no connection: it is sent again after the next hello. */
  readonly send: (request: PlayRequest) => void;
  readonly log: (line: string) => void;
  readonly strategies?: ReadonlyMap<string, Strategy>;
  readonly now?: () => number;
  /** How long to think about a decision, in milliseconds. */
  readonly thinkMs?: number;
}

export class Player {
  readonly tally: Tally = { finished: 0, score: 0, aborted: 0, refused: 0, timedOut: 0 };
  /** Both tell the service which of two streams is the newer one. */
  private readonly process = randomBytes(8).toString('hex');
  private attempt = 0;
  private readonly matches = new Map<string, Match>();
  private readonly thinking: Thinking;
  private readonly now: () => number;
  private readonly strategies: ReadonlyMap<string, Strategy>;
  private leaving = false;

  constructor(private readonly options: PlayerOptions) {
    this.now = options.now ?? (() => performance.now());
    this.thinking = new Thinking(this.now, options.thinkMs);
    this.strategies = options.strategies ?? STRATEGIES;
  }

  /** How many matches are not over. */
  get unfinished(): number {
    return this.matches.size;
  }

  /** Whether every decision that was put is answered, as far as this process is concerned. */
  get idle(): boolean {
    return this.thinking.size === 0;
  }

  /** From now on decisions are left to the next process, or to the clock; those that wait are still answered. */
  takeNoMore(): void {
    this.leaving = true;
  }

  /** The first message of a new stream. Legal moves come typed; events are not needed: views tell enough. */
  hello(): Hello {
    const seen = [];
    for (const match of this.matches.values()) {
      match.here = false;
      seen.push({ match_id: match.id, seen: match.seen, history: match.history });
    }
    return {
      client: 'fudaba-node-bot/1.0.0',
      delivery: { legal_moves: 'LEGAL_MOVE_FORMAT_TYPED', events: 'EVENT_DELIVERY_NEVER' },
      seen,
      process: this.process,
      attempt: (this.attempt += 1),
    };
  }

  /** Forgets the matches that the stream has not brought: the service does not know them any more. */
  forgetMissing(): void {
    for (const match of this.matches.values()) {
      if (match.here) continue;
      this.options.log(`${match.id}: the service does not bring it any more`);
      this.forget(match);
    }
  }

  /** Takes any message but `welcome`. A kind of message that a later release may add is passed over. */
  received(message: PlayResponse): void {
    if (message.ping) this.options.send({ pong: { id: message.ping.id } });
    else if (message.update) this.update(message.update);
    else if (message.refusal) this.refused(message.refusal);
  }

  private update(update: SeatUpdate): void {
    const match = this.matches.get(update.match_id) ?? this.newMatch(update);
    if (!match) return;
    match.here = true;
    match.seen = update.seen;
    match.history = update.history;
    this.tally.timedOut += update.timed_out.length;
    // Put back: what was asked and answered since then has not happened, even where an id comes again.
    if (update.rewound) {
      this.options.log(`${match.id}: put back`);
      this.close(match);
    }
    for (const id of [...update.accepted, ...update.timed_out]) {
      if (match.open?.decision.decision_id === id) this.close(match);
    }
    if (update.over) this.over(match, update);
    else if (update.decision && !this.leaving) this.asked(match, update.decision);
  }

  private newMatch(update: SeatUpdate): Match | undefined {
    const started = update.started;
    if (!started) return undefined; // the end of a match that was over for us already
    const { game, options } = started;
    const { match_id: id, seat } = update;
    const match = { id, game, seat, options, seen: 0, history: 0, open: undefined, here: true };
    this.matches.set(match.id, match);
    if (!this.strategies.has(match.game)) {
      this.options.log(`${match.id}: this bot does not know ${match.game} and plays default moves`);
    }
    return match;
  }

  private over(match: Match, update: SeatUpdate): void {
    const outcome = update.over?.outcome;
    if (outcome) {
      const score = outcome.scores[match.seat] ?? 0;
      this.tally.finished += 1;
      this.tally.score += score;
      this.options.log(`${match.id}: over, score ${score}`);
    } else {
      this.tally.aborted += 1;
      this.options.log(`${match.id}: ended without a result (${update.over?.abort_cause})`);
    }
    this.forget(match);
  }

  private asked(match: Match, decision: Decision): void {
    const open = match.open;
    if (open?.decision.decision_id === decision.decision_id) {
      // Asked again after a lost connection: the answer may have been lost with it. An answer counts once.
      if (open.answer) this.options.send({ answer: open.answer });
      return;
    }
    this.close(match);
    this.think(match, { decision, task: undefined, answer: undefined, attempts: 0 });
  }

  private think(match: Match, open: Open): void {
    match.open = open;
    const think = (until: number): void => {
      open.task = undefined;
      this.answer(match, open, this.choose(match, open.decision, until));
    };
    open.task = { deadline: this.now() + open.decision.time_ms, think };
    this.thinking.add(open.task);
  }

  /** The strategy's choice; the default move if it fails, so that a mistake in it costs a move and not the match. */
  private choose(match: Match, decision: Decision, until: number): number {
    const strategy = this.strategies.get(match.game);
    if (!strategy) return 0;
    try {
      return strategy({ decision, seat: match.seat, options: match.options, hasTime: () => this.now() < until });
    } catch (error) {
      const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
      for (const line of `${match.id}: ${trace}`.split('\n')) this.options.log(line);
      return 0;
    }
  }

  private answer(match: Match, open: Open, index: number): void {
    open.answer = { match_id: match.id, decision_id: open.decision.decision_id, index };
    open.attempts += 1;
    this.options.send({ answer: open.answer });
  }

  private refused(refusal: Refusal): void {
    const match = this.matches.get(refusal.match_id);
    this.options.log(`${refusal.match_id}: refused: ${refusal.reason}: ${refusal.message}`);
    if (WRONG.has(refusal.reason)) this.tally.refused += 1;
    const open = match?.open;
    if (!match || !open?.answer || open.decision.decision_id !== refusal.decision_id) return;
    if (!refusal.still_open) {
      this.close(match);
    } else if (open.attempts >= ATTEMPTS) {
      this.options.log(`${match.id}: ${open.decision.decision_id} is left to the clock`);
    } else if (WRONG.has(refusal.reason)) {
      this.answer(match, open, 0); // the first legal move is always legal
    } else if (AGAIN.has(refusal.reason)) {
      const again = open.answer;
      open.attempts += 1;
      setTimeout(() => {
        if (match.open === open && open.answer === again) this.options.send({ answer: again });
      }, AGAIN_MS);
    }
  }

  /** Nothing more is to be done about the decision that was open. */
  private close(match: Match): void {
    if (match.open?.task) this.thinking.drop(match.open.task);
    match.open = undefined;
  }

  private forget(match: Match): void {
    this.close(match);
    this.matches.delete(match.id);
  }
}
