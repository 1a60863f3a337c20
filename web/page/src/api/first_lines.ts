/** What an author types to run a first bot: see `fudaba_web.wheel` for what is installed. */
import { type BotAddress, runCommand } from "~/api/bot_address";
import { READ_MS, inTime } from "~/api/deadlines";

export interface Wheel {
  /** A path where this site has it itself; empty where nobody has said where one is. */
  readonly url: string;
  readonly sha256: string;
}

/** Whose program it is, and the token with which it plays. */
export interface Program {
  readonly bot: string;
  readonly token: string;
}

/** Stands where the token of a bot goes. */
export const YOUR_TOKEN = "YOUR_TOKEN";

/** Asks the gateway. */
export async function askWheel(signal: AbortSignal): Promise<Wheel> {
  const answer = await inTime(READ_MS, (ends) => fetch("/wheel", { signal: ends }), signal);
  if (!answer.ok) throw new Error(answer.statusText);
  return (await answer.json()) as Wheel;
}

/** Never from a public index: there a stranger could have the name. */
export function firstLines({ url, sha256 }: Wheel, at: BotAddress, { bot, token }: Program): string {
  const from = new URL(url, location.origin).href;
  const install =
    url === "" ? "FUDABA_PAGE=none pip install .  # in a clone of Fudaba" : `pip install '${from}#sha256=${sha256}'`;
  return [install, `fudaba bot new ${bot} && cd ${bot}`, runCommand(token, at)].join("\n");
}
