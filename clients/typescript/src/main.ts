/** Runs the bot: `FUDABA_TOKEN=… node dist/src/main.js`. See README.md for the environment. */
import { Connection, Fatal } from './connection.js';
import { endpointOf, Mistake, oneLine, thinkMsOf } from './environment.js';
import { Player } from './player.js';

function log(line: string): void {
  process.stderr.write(`${oneLine(line)}\n`);
}

async function main(): Promise<number> {
  const endpoint = endpointOf(process.env);
  const thinkMs = thinkMsOf(process.env);
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => stop.abort()); // a second one ends the process at once
  }
  const connection = new Connection(endpoint, log);
  const player = new Player({ send: (request) => connection.send(request), log, thinkMs });
  try {
    await connection.play(player, stop.signal);
  } catch (error) {
    if (!(error instanceof Fatal)) throw error;
    log(error.message);
    return 1;
  } finally {
    const { finished, score, aborted, refused, timedOut } = player.tally;
    log(
      `${finished} matches finished, score ${score}; ${aborted} aborted, ${player.unfinished} unfinished; ` +
        `${refused} answers refused, ${timedOut} decisions timed out`,
    );
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof Mistake)) throw error;
  log(error.message);
  process.exitCode = 2;
}
