/** Calls of `AccountService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { transport } from "~/api/transport";
import { AccountService } from "~/gen/fudaba/v1/accounts_pb";

export const accounts = createClient(AccountService, transport);
