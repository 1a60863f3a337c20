/** Calls of `CatalogService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { transport } from "~/api/transport";
import { CatalogService } from "~/gen/fudaba/v1/catalog_pb";

export const catalog = createClient(CatalogService, transport);
