/** Calls of `AccountService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { everyPage } from "~/api/every_page";
import { transport } from "~/api/transport";
import { AccountService, type Token } from "~/gen/fudaba/v1/accounts_pb";

export const accounts = createClient(AccountService, transport);

/** The tokens of who is signed in; only those of a bot, where one is named. */
export function allTokens(signal: AbortSignal, bot = ""): Promise<Token[]> {
  return everyPage(
    (page) => accounts.listTokens({ bot, ...page }, { signal }),
    ({ tokens }) => tokens,
  );
}
