/** One Play stream after another, for as long as it makes sense. */
import grpc from '@grpc/grpc-js';
import { failure, PlayService } from './contract.js';
import { disagreement } from './encryption.js';
import { proxyOptions, throughProxy } from './proxy.js';

/** Trying again cannot mend it. */
export class Fatal extends Error {}

/** A dead connection is noticed within 15 seconds. */
const CHANNEL = { 'grpc.keepalive_time_ms': 10_000, 'grpc.keepalive_timeout_ms': 5_000 };
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 15_000;
const WELCOME_MS = 20_000;
/** How long after a welcome every match that the service still knows must have come. */
const MISSING_MS = 30_000;
/** How long the last answers may take to leave when the process stops. */
const GOODBYE_MS = 3_000;
const FATAL = new Set([
  'UNAUTHENTICATED', 'PERMISSION_DENIED', 'INVALID_ARGUMENT', 'NOT_FOUND', 'FAILED_PRECONDITION', 'UNIMPLEMENTED',
]);

/** How long to wait before attempt number `attempt` (from 0), in milliseconds: longer each time, and never in step. */
export function delayBefore(attempt, retryAfter, chance = Math.random()) {
  const growing = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 1.7 ** attempt);
  return Math.max(retryAfter, growing * (0.5 + chance / 2));
}

/** Whether it is of no use to connect again. */
export function isFatal(end) {
  // Without a reason it is gRPC's own: a message is too large, and will be the next time.
  const tooLarge = end.code === 'RESOURCE_EXHAUSTED' && !end.reason;
  return (FATAL.has(end.code) && !end.retryAfter) || end.reason === 'SUPERSEDED' || tooLarge;
}

/** The way to the service: a stream, and after it another one. */
export class Connection {
  /** Without a stream what the player sends goes nowhere: the service asks again on the next one. */
  #stream;
  #welcomed = false;
  /** Whether there has been a connection: then it is not for TLS that there is none now. */
  #everWelcomed = false;
  #endpoint;
  #log;

  constructor(endpoint, log) {
    this.#endpoint = endpoint;
    this.#log = log;
  }

  send(request) {
    // What write() returns is not looked at: answers are few and small, never more than one to each decision.
    if (this.#welcomed) this.#stream?.write(request);
  }

  /** Plays until `stop`, or until the match is over that the token was for. Throws `Fatal`. */
  async play(player, stop) {
    for (let attempt = 0; !stop.aborted; attempt += 1) {
      const end = await this.#oneStream(player, stop);
      if (stop.aborted || end.reason === 'MATCH_OVER') return;
      if (this.#welcomed) attempt = 0;
      this.#welcomed = false;
      const cause = `${end.reason || end.code}: ${end.message}`;
      if (isFatal(end)) throw new Fatal(cause);
      const why = this.#everWelcomed ? undefined : await disagreement(this.#endpoint, end);
      if (why) throw new Fatal(why);
      const delay = delayBefore(attempt, end.retryAfter);
      const through = throughProxy(this.#endpoint.address);
      this.#log(`no connection (${cause}${through}); trying again in ${(delay / 1000).toFixed(1)} s`);
      await pause(delay, stop);
    }
  }

  /** Plays over one stream until it ends, and says why it did. */
  async #oneStream(player, stop) {
    const { address, credentials, token } = this.#endpoint;
    const client = new PlayService(address, credentials, { ...CHANNEL, ...proxyOptions(address) });
    const metadata = new grpc.Metadata();
    metadata.set('authorization', `Bearer ${token}`);
    const stream = client.Play(metadata);
    this.#stream = stream;
    const patience = setTimeout(() => stream.cancel(), WELCOME_MS);
    let missing;
    const leave = () => void this.#leave(player, stream);
    stop.addEventListener('abort', leave, { once: true });
    try {
      return await new Promise((resolve) => {
        stream.on('error', (error) => resolve(failure(error)));
        stream.on('end', () => resolve({ code: 'OK', reason: '', message: 'the service ended it', retryAfter: 0 }));
        stream.on('data', (message) => {
          if (!message.welcome) return player.received(message);
          clearTimeout(patience);
          this.#welcomed = this.#everWelcomed = true;
          this.#log(`connected to ${address} as ${message.welcome.bot} ${message.welcome.version}`);
          if (message.welcome.notice) this.#log(message.welcome.notice);
          missing = setTimeout(() => player.forgetMissing(), MISSING_MS);
        });
        stream.write({ hello: player.hello() });
      });
    } finally {
      this.#stream = undefined;
      clearTimeout(patience);
      clearTimeout(missing);
      stop.removeEventListener('abort', leave);
      client.close();
    }
  }

  /** Answers what has been asked, then says goodbye. Matches in play are left to their clocks, or the next process. */
  async #leave(player, stream) {
    const deadline = performance.now() + GOODBYE_MS;
    player.takeNoMore();
    while (!player.idle && performance.now() < deadline) await pause(5);
    // The half-close goes out behind the last answer; the service then ends the stream.
    this.#welcomed = false;
    stream.end();
    setTimeout(() => stream.cancel(), Math.max(0, deadline - performance.now())).unref();
  }
}

function pause(ms, stop) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    stop?.addEventListener('abort', done, { once: true });
  });
}
