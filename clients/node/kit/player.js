/**
 * The matches of one process: takes the service's messages, gives the bots' answers. Knows no network. What it does at
 * each message follows the comments of contract/fudaba/v1/play.proto.
 */
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Decision } from './bot.js';
import { sendableNote } from './note.js';
import { Thinking } from './thinking.js';

/** How long to wait before an answer is sent again that could not be taken just now, in milliseconds. */
const AGAIN_MS = 300;
/** So often is an answer to one decision sent at most. */
const MAX_TRIES = 8;
/** Refusals that are about the moment, not about the answer: the same answer can be sent again. */
const AGAIN = new Set(['TOO_FAST', 'STORE_UNAVAILABLE', 'SHUTTING_DOWN', 'INTERNAL']);
/** Refusals that are about the answer: the bot is asked for another one. */
const WRONG = new Set(['ILLEGAL_MOVE', 'MALFORMED_MOVE', 'MALFORMED', 'NOTE_TOO_LONG']);

/** A seat of a match that is not over. */
class Seat {
  /** What the last update said of them; both go into the next hello. */
  seen = 0;
  history = 0;
  /** What happened since the bot was asked last. */
  events = [];
  /** The decision that is open: `message`, `answer` (sent again, word for word, after a lost connection), `attempts`. */
  open = undefined;
  /** Whether the stream of now has brought it. */
  here = true;

  constructor(match, bot) {
    this.match = match;
    this.bot = bot;
  }
}

export class Player {
  /** Both tell the service which of two streams is the newer one. */
  #process = randomBytes(8).toString('hex');
  #attempt = 0;
  #seats = new Map();
  #thinking = new Thinking();
  #leaving = false;
  /** What was wrong with notes, and has been told. */
  #noteFaults = new Set();
  #factory;
  #capacity;
  #send;
  #log;

  /**
   * @param {(match: import('./bot.js').Match) => import('./bot.js').Bot} factory makes the bot of a match
   * @param {number} capacity how many matches it plays at once; 0 for any number
   * @param {(request: object) => void} send takes a `PlayRequest`; without a connection it is lost, and asked for again
   * @param {(line: string) => void} log
   */
  constructor(factory, capacity, send, log) {
    this.#factory = factory;
    this.#capacity = capacity;
    this.#send = send;
    this.#log = log;
  }

  /** Whether every decision that was put is answered, as far as this process is concerned. */
  get idle() {
    return this.#thinking.idle;
  }

  /** From now on decisions are left to the next process, or to the clock; those that wait are still answered. */
  takeNoMore() {
    this.#leaving = true;
  }

  /** The first message of a new stream. */
  hello() {
    const seen = [];
    for (const seat of this.#seats.values()) {
      seat.here = false;
      seen.push({ match_id: seat.match.id, seen: seat.seen, history: seat.history });
    }
    const delivery = { legal_moves: 'LEGAL_MOVE_FORMAT_TYPED', events: 'EVENT_DELIVERY_WITH_DECISION' };
    const attempt = (this.#attempt += 1);
    const capacity = this.#capacity;
    return { client: 'fudaba-node', delivery, seen, capacity, process: this.#process, attempt, batches: true };
  }

  /** Forgets the matches that the stream has not brought: the service does not know them any more. */
  forgetMissing() {
    for (const { here, match } of this.#seats.values()) {
      if (here) continue;
      this.#log(`${match.id}: the service does not bring it any more`);
      this.#seats.delete(match.id);
    }
  }

  /** Takes any message but `welcome`. A kind of message that a later release may add is passed over. */
  received(message) {
    if (message.ping) this.#send({ pong: { id: message.ping.id } });
    else if (message.update) this.#update(message.update);
    else if (message.updates) for (const update of message.updates.updates) this.#update(update);
    else if (message.refusal) this.#refused(message.refusal);
  }

  #update(update) {
    const seat = this.#seats.get(update.match_id) ?? this.#newSeat(update);
    if (!seat) return;
    seat.here = true;
    seat.seen = update.seen;
    seat.history = update.history;
    // Put back: what was asked and answered since then has not happened, even where an id comes again.
    if (update.rewound) {
      seat.open = undefined;
      seat.events = [];
      this.#tell(seat, () => seat.bot.rewound());
    }
    seat.events.push(...update.events.map((event) => event[seat.match.game] ?? event));
    for (const id of [...update.accepted, ...update.timed_out]) {
      if (seat.open?.message.decision_id === id) seat.open = undefined;
    }
    for (const id of update.timed_out) this.#log(`${seat.match.id}: time ran out for decision ${id}`);
    if (update.over) this.#over(seat, update.over);
    else if (update.decision && !this.#leaving) this.#asked(seat, update.decision);
  }

  #newSeat({ match_id: id, seat: number, started }) {
    if (!started) return undefined; // the end of a match that was over for us already
    const match = { id, game: started.game, seat: number, header: started };
    let bot;
    if (!this.#tell({ match }, () => (bot = this.#factory(match)))) {
      this.#log(`${id}: cannot be played and is left to its clock`);
      return undefined;
    }
    const seat = new Seat(match, bot);
    this.#seats.set(id, seat);
    return seat;
  }

  #over(seat, end) {
    const { match } = seat;
    this.#seats.delete(match.id);
    seat.open = undefined;
    const result = end.outcome ? `score ${end.outcome.scores[match.seat]}` : `without a result (${end.abort_cause})`;
    this.#log(`${match.id}: over, ${result}`);
    this.#tell(seat, () => seat.bot.over(end));
  }

  #asked(seat, message) {
    if (seat.open?.message.decision_id === message.decision_id) {
      // Asked again after a lost connection: the answer may have been lost with it. An answer counts once.
      if (seat.open.answer) this.#send({ answer: seat.open.answer });
      return;
    }
    const decision = new Decision(seat.match, message, seat.events, () => performance.now());
    seat.events = [];
    seat.open = { message, decision, answer: undefined, attempts: 0 };
    this.#think(seat, seat.open);
  }

  #think(seat, open) {
    this.#thinking.add(open.decision, async () => {
      if (seat.open !== open) return; // closed while it waited
      const index = await this.#choose(seat, open.decision);
      if (seat.open !== open) return;
      const note = this.#noteOf(open.decision);
      open.answer = { match_id: seat.match.id, decision_id: open.decision.id, index, ...(note && { note }) };
      open.attempts += 1;
      this.#send({ answer: open.answer });
    });
  }

  /** What is sent of a bot's note. What is wrong with it is told once. */
  #noteOf({ match, id, note }) {
    const { text, faults } = sendableNote(note);
    for (const fault of faults) {
      if (!this.#noteFaults.has(fault)) this.#log(`${match.id}: ${id}: ${fault}; the move stands, and this is told once`);
      this.#noteFaults.add(fault);
    }
    return text;
  }

  /** The bot's choice; the default move if it fails, so that a mistake in it costs a move and not the match. */
  async #choose(seat, decision) {
    const { id } = decision;
    try {
      return decision.indexOf(await seat.bot.choose(decision));
    } catch (error) {
      // Whoever runs the bot counts these lines, see the contract.
      this.#report(seat.match, error, `own error at decision ${id}; the default move is played`);
      return 0;
    }
  }

  #refused(refusal) {
    const { match_id: id, decision_id: decision, reason, message, still_open: stillOpen } = refusal;
    this.#log(`${id}: refused: ${reason}: ${message}`);
    const seat = this.#seats.get(id);
    const open = seat?.open;
    if (!open?.answer || open.message.decision_id !== decision) return;
    if (!stillOpen) {
      seat.open = undefined;
    } else if (open.attempts >= MAX_TRIES) {
      this.#log(`${id}: ${decision} is left to the clock`);
    } else if (WRONG.has(reason)) {
      open.answer = undefined;
      open.decision.refusal = refusal;
      open.decision.note = '';
      this.#think(seat, open);
    } else if (AGAIN.has(reason)) {
      const again = open.answer;
      open.attempts += 1;
      setTimeout(() => {
        if (seat.open === open && open.answer === again) this.#send({ answer: again });
      }, AGAIN_MS);
    }
  }

  /** Calls the bot, and says whether it did not throw. */
  #tell({ match }, call) {
    try {
      call();
      return true;
    } catch (error) {
      this.#report(match, error, 'the match goes on');
      return false;
    }
  }

  #report(match, error, consequence) {
    const trace = error instanceof Error ? (error.stack ?? error.message) : inspect(error);
    for (const line of `${match.id}: ${trace}`.split('\n')) this.#log(line);
    this.#log(`${match.id}: ${consequence}`);
  }
}
