/** Calls of the contract, by the gateway that served this page. The session's cookie says who calls. */
import { type Interceptor, createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AccountService } from "~/gen/fudaba/v1/accounts_pb";
import { ArenaService } from "~/gen/fudaba/v1/arena_pb";
import { BotService } from "~/gen/fudaba/v1/bots_pb";
import { CatalogService } from "~/gen/fudaba/v1/catalog_pb";
import { MatchService } from "~/gen/fudaba/v1/matches_pb";
import { PlayService } from "~/gen/fudaba/v1/play_pb";

/** Tells the gateway that this page calls: another site's page cannot set it, so a cookie alone does nothing (CSRF). */
const fromThisPage: Interceptor = (next) => (request) => {
  request.header.set("x-fudaba-page", "1");
  return next(request);
};

const transport = createConnectTransport({
  baseUrl: location.origin,
  useBinaryFormat: true, // ten times faster than JSON in a browser
  useHttpGet: false,
  interceptors: [fromThisPage],
});

export const accounts = createClient(AccountService, transport);
export const arena = createClient(ArenaService, transport);
export const bots = createClient(BotService, transport);
export const catalog = createClient(CatalogService, transport);
export const matches = createClient(MatchService, transport);
export const play = createClient(PlayService, transport);
