/** Names of games, as the catalogue has them in the reader's language. */
import { signal } from "@preact/signals";
import { catalog } from "~/api";
import type { Game } from "~/gen/fudaba/v1/catalog_pb";
import { language, t } from "~/i18n";

const games = signal<ReadonlyMap<string, Game>>(new Map());
let asked = false;

/** The name of a game, or of all together; its id until the catalogue is there. */
export function gameName(id: string): string {
  if (id === "" || id === OVERALL) return t("ladder.overall");
  const game = gameOf(id);
  return game === undefined ? id : nameOfGame(game);
}

/** A game as the catalogue has it, which is asked for once; undefined until then, and for one that it lacks. */
export function gameOf(id: string): Game | undefined {
  if (!asked) {
    asked = true;
    catalog.listGames({}).then(
      (response) => {
        games.value = new Map(response.games.map((game) => [game.id, game]));
      },
      () => {
        asked = false; // the id stands there, and the next page asks again
      },
    );
  }
  return games.value.get(id);
}

export function nameOfGame(game: Game): string {
  return language.value === "ja" ? game.japaneseName : game.name;
}

/** What the arena calls the standings of all games together. */
export const OVERALL = "overall";
