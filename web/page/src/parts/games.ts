/** What can be played here, as the catalogue has it: asked for once, for all that shows or offers it. */
import { signal } from "@preact/signals";
import { useCallback } from "preact/hooks";
import { catalog } from "~/api/catalog";
import type { Game, ListGamesResponse, Registration } from "~/gen/fudaba/v1/catalog_pb";
import { language, t } from "~/i18n";
import { type Loaded, useLoad } from "~/parts/load";

const known = signal<ReadonlyMap<string, Game>>(new Map());
let asked: Promise<ListGamesResponse> | undefined;

/** The whole catalogue. After a failure the next one asks again. */
async function listed(): Promise<ListGamesResponse> {
  asked ??= catalog.listGames({});
  try {
    const found = await asked;
    if (known.value.size === 0) known.value = new Map(found.games.map((game) => [game.id, game]));
    return found;
  } catch (error) {
    asked = undefined;
    throw error;
  }
}

/** All games, in the catalogue's order, for choosing one. */
export function useGames(): Loaded<readonly Game[]> {
  return useLoad(useCallback(async () => (await listed()).games, []));
}

/** Whether who has no account may play here, as a guest. */
export function useGuests(): Loaded<boolean> {
  return useLoad(useCallback(async () => (await listed()).guests, []));
}

/** Who may make an account here. */
export function useRegistration(): Loaded<Registration> {
  return useLoad(useCallback(async () => (await listed()).registration, []));
}

/** The name of a game, or of all together; its id as words until the catalogue is there. */
export function gameName(id: string): string {
  if (id === "" || id === OVERALL) return t("ladder.overall");
  const game = gameOf(id);
  return game === undefined ? wordsOfId(id) : nameOfGame(game);
}

/** An id as words, such as "Numbers Crush", where no catalogue has the name: an id is for programs. */
export function wordsOfId(id: string): string {
  return id.replace(/(^|_)([a-z])/g, (_, gap: string, letter: string) => (gap && " ") + letter.toUpperCase());
}

/** A game as the catalogue has it; undefined until it is there, and for one that it lacks. */
export function gameOf(id: string): Game | undefined {
  if (asked === undefined) listed().catch(() => undefined); // the id stands there, and the next page asks again
  return known.value.get(id);
}

/** Its name in the reader's language. */
export function nameOfGame(game: Game): string {
  return language.value === "ja" ? game.japaneseName : game.name;
}

/** What the arena calls the standings of all games together. */
export const OVERALL = "overall";
