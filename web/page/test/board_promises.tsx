/** What every board promises: each legal move can be pointed at, and is said in words of its own. */
import { readFileSync } from "node:fs";
import { render } from "preact";
import { act } from "preact/test-utils";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { GameBoard, GameKey } from "~/boards";
import { type Pointing, PointingContext } from "~/boards/piece";
import { LANGUAGES, loadLanguage, loadTexts } from "~/i18n";
import { type Position, positionsOf } from "./positions";

/** Of the kept positions some are drawn, which takes long without a browser; of those of another folder all. */
export const [POSITIONS, WAYS] = process.env.FUDABA_POSITIONS === undefined ? [16, 6] : [Infinity, Infinity];

/** Every n-th thing, so that there are at most so many. */
export function some<T>(things: readonly T[], most: number): T[] {
  return things.filter((_, at) => at % Math.max(1, Math.ceil(things.length / most)) === 0);
}

/** A board in a document of its own, drawn anew with what is chosen. */
export class Drawn<G extends GameKey> {
  readonly #root = document.createElement("div");

  constructor(
    private readonly board: GameBoard<G>,
    private readonly position: Position<G>,
  ) {}

  /** Draws it, and says which pieces are there, which of them are buttons, and what is to be read. */
  with(pointing?: Pointing) {
    const { view, seats, seat, events } = this.position;
    const { Board } = this.board;
    const board = (
      <PointingContext.Provider value={pointing}>
        <Board view={view} seats={seats} seat={seat} events={events} />
      </PointingContext.Provider>
    );
    void act(() => {
      render(board, this.#root);
    });
    const ids = (tag: string) =>
      [...this.#root.getElementsByTagName(tag)].flatMap((element) => element.getAttribute("data-piece") ?? []);
    const buttons = ids("button");
    return { buttons, all: [...buttons, ...ids("span")], text: this.#root.textContent };
  }
}

/** Walks to each move by pointing at its pieces one after the other, and says which steps could not be made. */
function unreachable<G extends GameKey>(board: GameBoard<G>, position: Position<G>): string[] {
  const pieces = position.moves.map((move) => board.touches(move, position.view));
  const drawn = new Drawn(board, position);
  const known = new Map<string, string[]>();
  const missing: string[] = [];
  for (const way of some(pieces, WAYS)) {
    way.forEach((piece, at) => {
      const chosen = new Set(way.slice(0, at));
      const key = [...chosen].sort().join(" ");
      let there = known.get(key);
      if (there === undefined) {
        const left = pieces.filter((ids) => [...chosen].every((first) => ids.includes(first)));
        const open = new Set(left.flat().filter((id) => !chosen.has(id)));
        there = drawn.with({ open, chosen, toggle: () => undefined }).buttons;
        known.set(key, there);
      }
      if (!there.includes(piece)) missing.push(`${way.join(" ")}: ${piece}`);
    });
  }
  return missing;
}

const RULES = (file: string) => readFileSync(`${import.meta.dirname}/../../../docs/rules/${file}.md`, "utf8");

function repeated(words: readonly string[]): string[] {
  return words.filter((word, at) => words.indexOf(word) !== at);
}

/** Tests a board over the positions of its game. */
export function promises<G extends GameKey>(file: string, key: G, board: GameBoard<G>) {
  describe(file, () => {
    const positions = positionsOf(file, key);

    beforeAll(async () => {
      await loadTexts(`boards/${file}`);
    });

    it("has positions with moves, and some of spectators and of the end", () => {
      expect(positions.filter(({ moves }) => moves.length > 1).length).toBeGreaterThan(15);
      expect(positions.some(({ seat }) => seat === null)).toBe(true);
    });

    it("makes each legal move of pieces of its own", () => {
      for (const position of positions) {
        const ways = position.moves.map((move) => [...board.touches(move, position.view)].sort().join(" "));
        expect(ways).not.toContain("");
        expect(repeated(ways)).toEqual([]);
      }
    });

    it("draws the pieces of each legal move, so that they can be pointed at one after the other", () => {
      const asked = positions.filter(({ moves }) => moves.length > 0);
      for (const position of some(asked, POSITIONS)) expect(unreachable(board, position)).toEqual([]);
    });

    it("draws each piece once, as nothing to press where nothing can be chosen", () => {
      for (const position of some(positions, POSITIONS)) {
        const { all, text, buttons } = new Drawn(board, position).with();
        expect(repeated(all)).toEqual([]);
        expect(buttons).toEqual([]);
        expect(text).toSatisfy(said);
      }
    });

    it.each(LANGUAGES)("says each move and event in words of its own (%s)", async (language) => {
      await loadLanguage(language);
      for (const position of positions) {
        const { view, seats, seat } = position;
        const viewer = seat === null ? undefined : { seat, seats };
        for (const given of [viewer, undefined]) {
          const words = position.moves.map((move) => board.describe(move, view, given));
          expect(repeated(words)).toEqual([]);
          expect(words.filter((word) => !said(word))).toEqual([]);
        }
        expect(board.lead(view, seats)).toSatisfy(said);
        if (position.moves.length > 0) {
          const { prompt, example } = board.ask(position.moves, view);
          expect(prompt).toSatisfy(said);
          expect(RULES(file)).toContain(`\`${example.split(" ")[0] ?? ""}`);
        }
        for (const event of position.events) expect(board.narrate(event, seats)).toSatisfy(said);
      }
    });
  });
}

/** Names of texts that the catalogue lacks. */
const KEYS = /\b(naga|napoleon|crush|nerts|french|kamikisen|mokkaik|niekhi|houniek|makkaik|namto|tashot|makhop)\./;

/** Whether a text is there, and whole. */
function said(text: string): boolean {
  return text !== "" && !/[{}]|undefined|NaN/.test(text) && !KEYS.test(text);
}

vi.setConfig({ testTimeout: 600_000 }); // on a busy machine drawing takes long
