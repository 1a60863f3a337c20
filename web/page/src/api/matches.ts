/** Calls of `MatchService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { transport } from "~/api/transport";
import { MatchService } from "~/gen/fudaba/v1/matches_pb";

export const matches = createClient(MatchService, transport);
