/** Calls of `ArenaService`. Each service has a file of its own: a page loads the messages of those that it calls. */
import { createClient } from "@connectrpc/connect";
import { everyPage } from "~/api/every_page";
import { transport } from "~/api/transport";
import { ArenaService, type Entry, type Extension, type Ladder, type Tournament } from "~/gen/fudaba/v1/arena_pb";
import type { Runtime } from "~/gen/fudaba/v1/submissions_pb";

export const arena = createClient(ArenaService, transport);

export function allLadders(signal: AbortSignal): Promise<Ladder[]> {
  return everyPage(
    (page) => arena.listLadders(page, { signal }),
    ({ ladders }) => ladders,
  );
}

export function allTournaments(signal: AbortSignal): Promise<Tournament[]> {
  return everyPage(
    (page) => arena.listTournaments(page, { signal }),
    ({ tournaments }) => tournaments,
  );
}

/** The entries of a ladder. */
export function allEntries(ladder: string, signal: AbortSignal): Promise<Entry[]> {
  return everyPage(
    (page) => arena.listEntries({ ladder, ...page }, { signal }),
    ({ entries }) => entries,
  );
}

/** The extensions of a ladder's deadline; of an author, only the account's own. */
export function allExtensions(ladder: string, signal: AbortSignal): Promise<Extension[]> {
  return everyPage(
    (page) => arena.listExtensions({ ladder, ...page }, { signal }),
    ({ extensions }) => extensions,
  );
}

/** The runtimes that submissions may name. */
export function allRuntimes(signal: AbortSignal): Promise<Runtime[]> {
  return everyPage(
    (page) => arena.listRuntimes(page, { signal }),
    ({ runtimes }) => runtimes,
  );
}
