/** The games of the catalogue, read once. */
import { useCallback } from "preact/hooks";
import { catalog } from "~/api";
import type { Game } from "~/gen/fudaba/v1/catalog_pb";
import { language } from "~/i18n";
import { useCall } from "~/parts/match/call";

let read: Promise<Game[]> | undefined;

async function games(): Promise<Game[]> {
  read ??= catalog.listGames({}).then((response) => response.games);
  try {
    return await read;
  } catch (error) {
    read = undefined;
    throw error;
  }
}

/** The games; none as long as they are not there. */
export function useGames(): readonly Game[] {
  const [called] = useCall(useCallback(games, []));
  return called.state === "done" ? called.value : [];
}

/** A game's name in the reader's language; its id where the catalogue has none. */
export function gameName(games: readonly Game[], id: string): string {
  const game = games.find((one) => one.id === id);
  if (game === undefined) return id;
  return language.value === "ja" && game.japaneseName !== "" ? game.japaneseName : game.name;
}
