/** Calls of `BotService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { everyPage } from "~/api/every_page";
import { transport } from "~/api/transport";
import { type Bot, BotService } from "~/gen/fudaba/v1/bots_pb";

export const bots = createClient(BotService, transport);

/** The bots of who is signed in. */
export function allBots(signal: AbortSignal): Promise<Bot[]> {
  return everyPage(
    (page) => bots.listBots(page, { signal }),
    ({ bots: found }) => found,
  );
}
