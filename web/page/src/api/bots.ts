/** Calls of `BotService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { transport } from "~/api/transport";
import { BotService } from "~/gen/fudaba/v1/bots_pb";

export const bots = createClient(BotService, transport);
