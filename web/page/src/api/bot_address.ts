/** Where bots connect to the service; see `fudaba_web.bot_address`. */
import { READ_MS, inTime } from "~/api/deadlines";

export interface BotAddress {
  readonly address: string;
  readonly tls: boolean;
  /** Whether whoever runs the service has said it; else it is a guess. */
  readonly sure: boolean;
}

/** Asks the gateway. */
export async function botAddress(signal: AbortSignal): Promise<BotAddress> {
  const answer = await inTime(READ_MS, (ends) => fetch("/bot-address", { signal: ends }), signal);
  if (!answer.ok) throw new Error(answer.statusText);
  return (await answer.json()) as BotAddress;
}

/** What a shell is told, so that a program with this token plays at that address. */
export function runCommand(token: string, at: BotAddress): string {
  return [
    `export FUDABA_TOKEN=${token}`,
    `export FUDABA_SERVER=${at.address}`,
    ...(at.tls ? ["export FUDABA_TLS=true"] : []),
    "python3 bot.py",
  ].join("\n");
}
