/** The board of fields plays every game by its messages alone: what a new game has until it has a board of its own. */
import { beforeAll, describe, expect, it } from "vitest";
import type { GameKey } from "~/boards";
import { fallbackBoard, fieldsBoard } from "~/boards/fields/board";
import { LANGUAGES, loadLanguage, loadTexts } from "~/i18n";
import { ViewSchema } from "~/gen/fudaba/v1/game_pb";
import { Drawn, some } from "./board_promises";
import { positionsOf } from "./positions";

const GAMES = ViewSchema.fields.map(({ name, localName }) => [name, localName as GameKey] as const);

beforeAll(async () => {
  await loadTexts("play");
});

describe.each(GAMES)("%s, field by field", (game, key) => {
  const positions = positionsOf(game, key);
  const board = fieldsBoard(game);

  it("has a text of its own for each legal move", () => {
    for (const { moves, view } of positions) {
      const texts = moves.map((move) => board.describe(move, view));
      expect(new Set(texts).size).toBe(moves.length);
      expect(texts).not.toContain("");
      expect(new Set(moves.flatMap((move) => board.touches(move, view))).size).toBe(moves.length);
    }
  });

  it("draws a button for each legal move, and none where nothing can be chosen", () => {
    const asked = positions.filter(({ moves }) => moves.length > 0);
    for (const position of some(asked, 4)) {
      const drawn = new Drawn(board, position);
      const open = new Set(position.moves.flatMap((move) => board.touches(move, position.view)));
      expect(new Set(drawn.with({ open, chosen: new Set(), toggle: () => undefined }).buttons)).toEqual(open);
      expect(drawn.with().buttons).toEqual([]);
    }
  });

  it.each(LANGUAGES)("says what is asked and what happened (%s)", async (language) => {
    await loadLanguage(language);
    for (const { view, seats, events } of some(positions, 16)) {
      expect(board.ask([], view).prompt).not.toMatch(/^$|play\./);
      for (const words of events.map((event) => board.narrate(event, seats))) {
        expect(words).not.toMatch(/^$|\[object|undefined/);
      }
    }
  });
});

it("knows no game that is not in the contract", () => {
  expect(fallbackBoard("unheard_of")).toBeUndefined();
  expect(() => fieldsBoard("unheard_of")).toThrow("the contract has no View of unheard_of");
});
