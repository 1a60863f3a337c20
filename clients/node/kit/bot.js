/** What a bot is, and what it is asked. */

/**
 * The match that a bot plays. A new bot is made for each.
 *
 * @typedef {object} Match
 * @property {string} id the match's id
 * @property {string} game the game's id, as `naga`
 * @property {number} seat this bot's seat, from 0
 * @property {object} header what the service tells of the match when it starts: `MatchHeader` in contract/fudaba/v1
 */

/** A bot; each seat of each match has one of its own. Override `choose`, and the others as you need them. */
export class Bot {
  /** @param {Match} match */
  constructor(match) {
    this.match = match;
  }

  /**
   * Chooses a move: returns its index in `decision.legalMoves`, or the move itself; or a promise of either.
   *
   * When it throws, the default move is played, which is the first one, and the error is printed.
   *
   * @param {Decision} decision
   * @returns {number | object | Promise<number | object>}
   */
  choose(decision) {
    throw new Error(`${this.constructor.name} has no method choose`);
  }

  /**
   * Told when the match is over.
   *
   * @param {object} end `MatchEnd` in contract/fudaba/v1/record.proto; `end.outcome` is null in one without a result
   */
  over(end) {}

  /** Told when the service had to put the match back: forget what happened since, see `rewound` in play.proto. */
  rewound() {}
}

/** A decision that the bot has to make, or may make. Messages are as in contract/fudaba/v1, enums are their names. */
export class Decision {
  /**
   * @param {Match} match
   * @param {object} message `Decision` in contract/fudaba/v1/play.proto
   * @param {object[]} events what happened since the decision before
   * @param {() => number} now the clock, in milliseconds
   */
  constructor(match, message, events, now) {
    /** @type {Match} */
    this.match = match;
    /** @type {string} */
    this.id = message.decision_id;
    /** Whether it must be made. */
    this.required = message.required;
    /** What this seat knows, as the game's own message: `NagaView` in a match of Naga. */
    this.view = message.view?.[match.game];
    /** The legal moves, as the game's own messages, in the rulebook's order. The first one is the default move. */
    this.legalMoves = message.legal_moves.map((move) => move[match.game]);
    /** How many moves are legal: more than `legalMoves` has when they are more than 2000. */
    this.legalCount = message.legal_count;
    /** What happened since the decision before, as the game's own messages. */
    this.events = events;
    /** @type {object | undefined} Why the answer before was refused (`Refusal` in play.proto), when asked again. */
    this.refusal = undefined;
    /** A note that only the bot's author is shown, beside the record; of a longer one, the first 1024 bytes are kept. */
    this.note = '';
    this._now = now;
    this._until = now() + message.time_ms;
  }

  /** How long the answer may still take, in milliseconds. */
  get timeLeft() {
    return Math.max(0, this._until - this._now());
  }

  /** The index of what `choose` returned. Throws when it is no legal move's. */
  indexOf(choice) {
    const index = typeof choice === 'number' ? choice : this.legalMoves.indexOf(choice);
    if (Number.isInteger(index) && index >= 0 && index < this.legalCount) return index;
    const returned =
      typeof choice === 'number' ? `index ${choice}` : `${JSON.stringify(choice)}, which is none of legalMoves`;
    throw new Error(`choose returned ${returned}; there are ${this.legalCount} legal moves, from index 0`);
  }
}
