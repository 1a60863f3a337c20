/** Runs the bot: `FUDABA_TOKEN=… node dist/src/main.js`. See README.md for the environment. */
import { readFileSync } from 'node:fs';
import * as grpc from '@grpc/grpc-js';
import { Connection, Fatal } from './connection.js';
import { Player } from './player.js';

function credentials(): grpc.ChannelCredentials {
  const authority = process.env['FUDABA_CA_CERT'];
  if (authority) return grpc.credentials.createSsl(readFileSync(authority));
  return process.env['FUDABA_TLS'] ? grpc.credentials.createSsl() : grpc.credentials.createInsecure();
}

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function main(): Promise<number> {
  const token = process.env['FUDABA_TOKEN'];
  if (!token) {
    log('set FUDABA_TOKEN to the token that the organiser gave you');
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => stop.abort()); // a second one ends the process at once
  }
  const address = process.env['FUDABA_SERVER'] ?? '127.0.0.1:7710';
  const connection = new Connection({ address, token, credentials: credentials() }, log);
  const player = new Player({ send: (request) => connection.send(request), log });
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

process.exitCode = await main();
