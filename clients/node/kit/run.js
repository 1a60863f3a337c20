/** Runs a bot: signals, exit codes. */
import { Connection, Fatal } from './connection.js';
import { endpointOf, Mistake } from './environment.js';
import { Player } from './player.js';

/** What could drive a terminal, or turn the text around. */
const CONTROLS = /[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function log(line) {
  process.stderr.write(`${line.replace(CONTROLS, '\ufffd')}\n`);
}

/**
 * Plays on the service that the environment names: FUDABA_SERVER, FUDABA_TOKEN, and for TLS FUDABA_TLS or
 * FUDABA_CA_CERT; FUDABA_CAPACITY matches at once, or any number. Ends with exit code 0 after SIGTERM or Ctrl-C, or
 * when the match is over that the token was for; with 1 after what trying again cannot mend, and with 2 when the
 * environment cannot be used.
 *
 * @param {new (match: import('./bot.js').Match) => import('./bot.js').Bot} BotClass makes the bot of each match
 */
export async function run(BotClass) {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => stop.abort()); // a second one ends the process at once
  }
  try {
    const endpoint = endpointOf(process.env);
    const connection = new Connection(endpoint, log);
    const send = (request) => connection.send(request);
    const player = new Player((match) => new BotClass(match), endpoint.capacity, send, log);
    await connection.play(player, stop.signal);
    process.exit(0); // whatever a bot's `choose` still waits for
  } catch (error) {
    if (!(error instanceof Mistake) && !(error instanceof Fatal)) throw error;
    log(error.message);
    process.exit(error instanceof Mistake ? 2 : 1);
  }
}
