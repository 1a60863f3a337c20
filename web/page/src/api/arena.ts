/** Calls of `ArenaService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { transport } from "~/api/transport";
import { ArenaService } from "~/gen/fudaba/v1/arena_pb";

export const arena = createClient(ArenaService, transport);
