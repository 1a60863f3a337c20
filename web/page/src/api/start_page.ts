/**
 * The calls that the start page makes of services of which it calls little. Their messages are generated apart
 * (`buf.start.gen.yaml`): those of the whole services weigh more than the rest of the page's own code.
 */
import { type Client, createClient } from "@connectrpc/connect";
import { transport } from "~/api/transport";
import type { ArenaService as WholeArenaService } from "~/gen/fudaba/v1/arena_pb";
import type { BotService as WholeBotService } from "~/gen/fudaba/v1/bots_pb";
import { ArenaService } from "~/gen/start/fudaba/v1/arena_pb";
import { BotService } from "~/gen/start/fudaba/v1/bots_pb";

// In the types of the whole services, so that what draws an answer serves every page.
export const arena: Pick<Client<typeof WholeArenaService>, "getStandings" | "listLadders"> = createClient(
  ArenaService,
  transport,
);
export const bots: Pick<Client<typeof WholeBotService>, "listBots"> = createClient(BotService, transport);
