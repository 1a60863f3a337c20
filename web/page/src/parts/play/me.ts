/** Who plays here, by the session of this browser. */
import { Code, ConnectError } from "@connectrpc/connect";
import { accounts } from "~/api";
import { type Token, TokenScope } from "~/gen/fudaba/v1/accounts_pb";

/** The session's token as it is described; undefined without a session. */
export async function whoAmI(signal: AbortSignal): Promise<Token | undefined> {
  try {
    return (await accounts.whoAmI({}, { signal })).token;
  } catch (error) {
    if (ConnectError.from(error).code === Code.Unauthenticated) return undefined;
    throw error;
  }
}

/** Whether a session can take a seat by itself. */
export function plays(token: Token): boolean {
  return [TokenScope.GUEST, TokenScope.BOT, TokenScope.MATCH].includes(token.scope);
}

/** Makes this browser a guest's. */
export async function becomeGuest(): Promise<void> {
  const answer = await fetch("/session/guest", { method: "POST", headers: { "x-fudaba-page": "1" } });
  if (!answer.ok) throw new Error((await answer.text()) || answer.statusText);
}
