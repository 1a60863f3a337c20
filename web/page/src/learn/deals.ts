/**
 * The guided first deals: a record each, with what the learner is shown of it, and prompts in each language. The rules
 * check the records' moves, and the positions made of them (`tests/games/test_learning_deals.py`).
 */
import { fromBinary } from "@bufbuild/protobuf";
import { type GameBoard, type GameKey, loadBoard } from "~/boards";
import type { Event, Move, View } from "~/gen/fudaba/v1/game_pb";
import { SeatUpdateSchema } from "~/gen/fudaba/v1/play_pb";
import { type Language, loadTexts } from "~/i18n";
import type { DealFile, DealWords } from "~/learn/deal_files";
import { DEALS, DEAL_WORDS } from "~/learn/deal_files";

/** What the learner sees at a decision, or at the end, where there are no moves. */
export interface Position {
  readonly view: View;
  readonly events: readonly Event[];
  readonly moves: readonly Move[];
  /** The place of the move with which the deal goes on. */
  readonly move: number | undefined;
}

export interface Deal extends DealWords {
  readonly seats: number;
  readonly positions: readonly Position[];
  readonly board: GameBoard<GameKey>;
}

/** The deal of a game; undefined of one that has none. */
export async function loadDeal(game: string, language: Language): Promise<Deal | undefined> {
  const [file, words] = [DEALS[`./deals/${game}.json`], DEAL_WORDS[`./deals/${language}/${game}.json`]];
  if (file === undefined || words === undefined) return undefined;
  const [{ record, positions }, said, board] = await Promise.all([
    file(),
    words(),
    loadBoard(game),
    loadTexts("learn", "match"),
  ]);
  if (board === undefined) return undefined;
  return { ...said, seats: record.seats, positions: positions.map(read), board };
}

function read({ update, move }: DealFile["positions"][number]): Position {
  const bytes = Uint8Array.from(atob(update), (letter) => letter.charCodeAt(0));
  const seatUpdate = fromBinary(SeatUpdateSchema, bytes);
  const view = seatUpdate.decision?.view ?? seatUpdate.view;
  if (view === undefined) throw new Error("a position of a guided deal has no view");
  return { view, events: seatUpdate.events, moves: seatUpdate.decision?.legalMoves ?? [], move };
}
