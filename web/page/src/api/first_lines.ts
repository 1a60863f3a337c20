/** What an author types to run a first bot: see `fudaba_web.wheel` for what is installed. */
import { type BotAddress, runCommand } from "~/api/bot_address";
import { READ_MS, inTime } from "~/api/deadlines";

export interface Wheel {
  /** Empty where nobody has said where one is. */
  readonly url: string;
  readonly sha256: string;
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
export function firstLines({ url, sha256 }: Wheel, at: BotAddress): string {
  const install = url === "" ? "pip install .  # in a clone of Fudaba" : `pip install '${url}#sha256=${sha256}'`;
  return [install, "fudaba bot new careful && cd careful", runCommand(YOUR_TOKEN, at)].join("\n");
}
