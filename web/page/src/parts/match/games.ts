/** The games of the catalogue, for choosing one. */
import { useCallback } from "preact/hooks";
import { catalog } from "~/api";
import type { Game } from "~/gen/fudaba/v1/catalog_pb";
import { type Loaded, useLoad } from "~/parts/load";

let read: Promise<readonly Game[]> | undefined;

/** Asked for once; after a failure the next one asks again. */
async function games(): Promise<readonly Game[]> {
  read ??= catalog.listGames({}).then((response) => response.games);
  try {
    return await read;
  } catch (error) {
    read = undefined;
    throw error;
  }
}

export function useGames(): Loaded<readonly Game[]> {
  return useLoad(useCallback(games, []));
}
