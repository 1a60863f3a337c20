/** Calls of `PlayService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { transport } from "~/api/transport";
import { PlayService } from "~/gen/fudaba/v1/play_pb";

export const play = createClient(PlayService, transport);
